/** What somebody might try who may do a little: by sources of templates, paths of jobs, own keys, archives, mounted directories. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contextsOf } from '../../src/main/files/methods/lines.js';
import { MountStorage } from '../../src/main/files/storage/local/mount.js';
import type { Client } from '../support/client.js';
import { endedJob, fileWith } from '../support/jobs.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { zipOf } from '../support/zip-builder.js';
import { upload } from './bytes.js';

const PASSWORD = 'Secret-pass-1';
const MALLORY = { 'X-User': 'mallory', 'X-Password': PASSWORD };

describe('a user with few rights', () => {
  let server: TestServer;
  let admin: Client;
  let user: Client;
  let userId: string;

  beforeAll(async () => {
    server = await TestServer.start();
    admin = server.admin;
    userId = await admin.create('User', { name: 'mallory', password: PASSWORD });
    user = server.as('mallory', PASSWORD);
    for (const method of ['doCSVImport', 'doXMLImport']) await allow(admin, `File/_id/${method}`, 'user', ['POST']);
    await allow(admin, 'jobs/_id', 'user', ['GET']);
    await admin.defineType('Row', [{ name: 'text', propertyType: 'String' }]);
    await allow(admin, 'Row', 'user', ['POST', 'GET']);
    await allow(admin, 'File/_id', 'user', ['GET', 'PUT', 'PATCH']);
  });
  afterAll(() => server.stop());

  const CSV = { targetType: 'Row', mappings: { text: 'text' } };
  const XML = { '/a/b': { action: 'createNode', isRoot: true, type: 'Row', properties: { c: 'text' } } };

  it.each([
    ['doCSVImport', 'text/csv', "text\n${concat('s3cret','')}\n", CSV],
    ['doXMLImport', 'text/xml', '<a><b c="${me}s3cret"/></a>', XML],
  ])('gets no source of a template by %s', async (method, contentType, content, body) => {
    const id = await fileWith(admin, 'template', content, {
      contentType,
      isTemplate: true,
      visibleToAuthenticatedUsers: true,
    });
    const answer = await user.post(`/File/${id}/${method}`, body);
    expect(answer.status).toBe(422);
    expect((await admin.get('/Row')).body.result_count).toBe(0);
  });

  it('gets no source of a template that he may write, unlike administrators', async () => {
    const id = await fileWith(admin, 'page.txt', "${concat('a', 'b')}", {
      isTemplate: true,
      contentType: 'text/plain',
    });
    await admin.put(`/File/${id}`, { owner: userId });
    expect((await user.get(`/svc/html/${id}?_edit=3`)).text).toBe('ab');
    expect((await admin.get(`/svc/html/${id}?_edit=3`)).text).toBe("${concat('a', 'b')}");
  });

  it('does not learn names of folders from his jobs', async () => {
    const parent = await admin.create('Folder', { name: 'takeover-of-acme' });
    const id = await fileWith(admin, 'rows.csv', 'text\na\n', { parent, visibleToAuthenticatedUsers: true });
    const own = await user.post(`/File/${id}/doCSVImport`, CSV);
    expect(await endedJob(user, own.body.result as number)).toMatchObject({
      status: 'FINISHED',
      filepath: '/rows.csv',
    });
    const all = await admin.post(`/File/${id}/doCSVImport`, CSV);
    expect((await endedJob(admin, all.body.result as number)).filepath).toBe('/takeover-of-acme/rows.csv');
  });

  it.each([
    ['sandboxed', false],
    ['contentKey', '0:0197b0a0-0000-7000-8000-000000000001'],
    ['mountPlace', '0197b0a0-0000-7000-8000-000000000001/svc.conf'],
    ['place', '/svc.conf'],
    ['size', 1],
    ['checksum', 1],
  ])('cannot write %s, which the service keeps', async (key, value) => {
    const content = '<script>alert(1)</script>';
    const id = await fileWith(admin, 'x.html', content);
    await admin.put(`/File/${id}`, { owner: userId });
    // His own content, so that it is marked.
    const form = new FormData();
    form.append('file', new Blob([content], { type: 'text/html' }), 'x.html');
    const sent = await fetch(`${server.url}/svc/upload/${id}`, { method: 'PUT', body: form, headers: MALLORY });
    expect(sent.status).toBe(200);
    const before = await user.get(`/svc/html/${id}`);
    expect(before.headers['content-security-policy']).toBe('sandbox');
    const answer = await user.put(`/File/${id}`, { [key]: value });
    const after = await user.get(`/svc/html/${id}`);
    expect([answer.status < 500, after.status, after.text]).toEqual([true, 200, content]);
    expect(after.headers['content-security-policy']).toBe('sandbox');
    expect(after.headers['etag']).toBe(before.headers['etag']);
  });

  it('gets nothing out of the sandbox by having an administrator extract it', async () => {
    const html = '<script>alert(1)</script>';
    const archive = zipOf([{ name: 'evil.html', content: Buffer.from(html) }]);
    const sent = await upload(server.url, 'evil.zip', archive, {}, MALLORY);
    const parent = await admin.create('Folder', { name: 'extracted' });
    const answer = await admin.post(`/File/${sent}/unarchive`, { parentFolder: parent });
    await endedJob(admin, answer.body.result as number);
    const [file] = (await admin.get('/File/all?name=evil.html')).body.result;
    const served = await admin.get(`/svc/html/${String(file.id)}`);
    expect([served.text, served.headers['content-security-policy']]).toEqual([html, 'sandbox']);
  });
});

it('a search for very many words takes no longer than one for a hundred', async () => {
  const text = 'lorem ipsum '.repeat(100_000);
  const words = Array.from({ length: 50_000 }, (_, i) => `w${String(i)}`).join(' ');
  const since = performance.now();
  expect(await contextsOf(text, words, 3)).toEqual([]);
  expect(performance.now() - since).toBeLessThan(10_000);
  expect(await contextsOf('one two three\n \nfour two', 'TWO, x', 1)).toEqual(['one two three', 'four two']);
});

describe('somebody who writes to a mounted directory', () => {
  let disk: string;
  let secret: string;
  beforeAll(async () => {
    disk = await mkdtemp(join(tmpdir(), 'svc-attack-'));
    secret = await mkdtemp(join(tmpdir(), 'svc-secret-'));
    await writeFile(join(secret, 'key'), 'secret');
  });
  afterAll(async () => {
    for (const folder of [disk, secret]) await rm(folder, { recursive: true, force: true });
  });

  const read = async (): Promise<string> => {
    const storage = new MountStorage('one', disk, {
      fileAt: async () => ({ key: '', names: [['a']] }),
      followSymlinks: () => true,
    });
    let text = '';
    for await (const piece of storage.bytesAt(join(disk, 'a'), 6)) text += piece.toString();
    return text;
  };

  it('reads a file', async () => {
    await writeFile(join(disk, 'a'), 'public');
    expect(await read()).toBe('public');
  });

  it('leads nobody out of it by a link that comes after the look', async () => {
    await unlink(join(disk, 'a'));
    await symlink(join(secret, 'key'), join(disk, 'a'));
    await expect(read()).rejects.toMatchObject({ status: 403 });
  });

  it('holds nobody up by a pipe', async () => {
    await unlink(join(disk, 'a'));
    await promisify(execFile)('mkfifo', [join(disk, 'a')]);
    await expect(read()).rejects.toMatchObject({ status: 500 });
  });
});
