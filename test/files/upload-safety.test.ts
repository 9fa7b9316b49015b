import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PartialUploads, type About } from '../../src/main/files/resumable/partial.js';
import type { Answer } from '../support/client.js';
import { fields, file, objectOf, upload } from '../support/files.js';
import { TestServer } from '../support/server.js';
import { filesBelow, getBytes } from './bytes.js';
import { metadata } from './resumable-metadata.js';
import { unzipped } from '../support/unzipped.js';

const TUS = { 'Tus-Resumable': '1.0.0' };

describe('what comes in by upload', () => {
  let server: TestServer;
  let folder: string;
  beforeAll(async () => {
    server = await TestServer.start();
    folder = await server.admin.create('Folder', { name: 'Here' });
  });
  afterAll(() => server.stop());

  const send = (door: string, values: Record<string, string>, filename = 'a.txt'): Promise<Answer> =>
    door === 'form'
      ? upload(server.admin, [...fields({ parent: folder, ...values }), file(filename, 'hello')])
      : door === 'form, fields behind'
        ? upload(server.admin, [file(filename, 'hello'), ...fields({ parent: folder, ...values })])
        : server.admin.send('POST', '/svc/upload/tus', Buffer.from('hello'), {
            ...TUS,
            'Content-Type': 'application/offset+octet-stream',
            'Upload-Length': '5',
            'Upload-Metadata': metadata({ parent: folder, ...values, filename }),
          });
  const DOORS = ['form', 'form, fields behind', 'tus'];
  const files = async (): Promise<{ id: string; name: string }[]> =>
    (await server.admin.get('/File')).body.result as { id: string; name: string }[];
  /** Contents in the storage, and uploads that are not complete. */
  const onDisk = (): Promise<string[]> => filesBelow(join(server.folder, 'files'));
  const inArchive = async (): Promise<string[]> => {
    const answer = await getBytes(`${server.url}/Here?_zip`);
    expect(answer.status).toBe(200);
    return (await unzipped(answer.bytes)).filter(({ bytes }) => bytes.toString() === 'hello').map(({ name }) => name);
  };

  it.each(DOORS)('an id is refused and leaves nothing behind (%s)', async (door) => {
    const [before, disk] = [await files(), await onDisk()];
    const taken = await server.admin.create('Folder', { name: 'Taken' });
    for (const id of ['0123456789abcdef0123456789abcdef', taken, 'nonsense', '']) {
      const answer = await send(door, { id });
      expect(answer.status, answer.text).toBe(422);
      expect(answer.body).toMatchObject({ code: 422, errors: [{ property: 'id' }] });
    }
    expect(await files()).toEqual(before);
    await expect.poll(onDisk).toEqual(disk);
  });

  it('an upload that begins with its bytes and fails is not left behind', async () => {
    const disk = await onDisk();
    for (let i = 0; i < 3; i++) {
      const answer = await send('tus', { visibleToPublicUsers: 'true', owner: 'nobody' });
      expect(answer.status, answer.text).toBe(422);
      expect(answer.headers['location']).toBeUndefined();
    }
    await expect.poll(onDisk).toEqual(disk);
  });

  it.each(DOORS)('no field makes a file that an archive of its folder breaks at (%s)', async (door) => {
    const described = (await server.admin.get('/_schema/File/all')).body.result as { jsonName: string }[];
    const names = described.map(({ jsonName }) => jsonName);
    expect(names).toContain('size');
    for (const name of [...names, 'contentKey', 'place', 'sandboxed', 'mountPlace', 'unheardOf']) {
      // The name is what the others are called by, and the parents say where they go.
      if (['id', 'name', 'parent', 'parentId', 'fileParent', 'type'].includes(name)) continue;
      for (const value of ['7', 'true', '"text"', '[]', 'null']) {
        const answer = await send(door, { [name]: value }, `${door} ${name} ${String(value.length)}.txt`);
        expect([200, 201, 403, 404, 422], `${name}=${value}: ${answer.text}`).toContain(answer.status);
        if (answer.status > 201) continue;
        const id = door === 'tus' ? String(answer.headers['svc-file-id']) : answer.text;
        // Hidden files are served to nobody.
        if (name === 'hidden') continue;
        const stored = await objectOf(server.admin, id, 'File');
        expect([name, stored['size'], (await getBytes(`${server.url}/${id}`)).bytes.toString()]).toEqual([
          name,
          5,
          'hello',
        ]);
        await server.admin.delete(`/File/${id}`);
      }
    }
    expect((await send(door, {}, `${door}.txt`)).status).toBeLessThan(300);
    expect(await inArchive()).toContain(`Here/${door}.txt`);
  });

  it('a file whose content is lost is left out of archives, and the log says so', async () => {
    const lost = await upload(server.admin, [...fields({ parent: folder }), file('lost.txt', 'hello')]);
    await upload(server.admin, [...fields({ parent: folder }), file('kept.txt', 'hello')]);
    expect(await inArchive()).toEqual(expect.arrayContaining(['Here/lost.txt', 'Here/kept.txt']));
    const own = (await onDisk()).filter((path) => path.includes(lost.text));
    expect(own).toHaveLength(1);
    for (const path of own) await rm(path);
    const names = await inArchive();
    expect(names).toContain('Here/kept.txt');
    expect(names).not.toContain('Here/lost.txt');
    await expect.poll(() => server.lines.join('\n')).toContain('Here/lost.txt is left out of an archive');
    expect((await getBytes(`${server.url}/${lost.text}`)).status).toBe(500);
  });

  describe('names have 255 bytes', () => {
    const LONG = `${'ü'.repeat(125)}a.txt`;
    const TOO_LONG = `${'ü'.repeat(126)}.txt`;
    const refused = (answer: Answer): void => {
      expect([answer.status, answer.body.errors], answer.text).toEqual([
        422,
        [expect.objectContaining({ property: 'name', token: 'must_be_shorter_than', detail: 255 })],
      ]);
    };
    it.each(DOORS)('by %s', async (door) => {
      expect([Buffer.byteLength(LONG), Buffer.byteLength(TOO_LONG)]).toEqual([255, 256]);
      const disk = await onDisk();
      refused(await send(door, {}, TOO_LONG));
      refused(await send(door, { name: TOO_LONG }));
      await expect.poll(onDisk).toEqual(disk);
      expect((await send(door, {}, LONG)).status).toBeLessThan(300);
    });
    it('one that is taken is cut to make room for the time', async () => {
      const { text } = await upload(server.admin, [...fields({ parent: folder }), file(LONG)]);
      const { name } = await objectOf(server.admin, text);
      expect(Buffer.byteLength(String(name))).toBeLessThanOrEqual(255);
      expect(name).toMatch(/^ü+_[\d-]+\.txt$/);
    });
    it('of objects, folders and what they are changed to', async () => {
      const { admin } = server;
      refused(await admin.post('/File', { name: TOO_LONG }));
      refused(await admin.post('/File', { name: TOO_LONG, base64Data: 'aGVsbG8=' }));
      refused(await admin.post('/Folder', { name: TOO_LONG }));
      const id = await admin.create('Folder', { name: LONG });
      refused(await admin.put(`/Folder/${id}`, { name: TOO_LONG }));
      refused(await admin.patch('/Folder', [{ id, name: TOO_LONG }]));
      refused(await upload(admin, [...fields({ uploadFolderPath: `/._svc_uploads/${TOO_LONG}` }), file('a')]));
      // A name of other types is only a text.
      await admin.create('Group', { name: TOO_LONG });
    });
    it('of scripts', async () => {
      await server.admin.create('SchemaMethod', {
        name: 'makeLong',
        source: `{ $.create('Folder', { name: '${TOO_LONG}' }); }`,
      });
      await server.admin.create('SchemaMethod', {
        name: 'renameLong',
        source: `{ const f = $.create('Folder', { name: 'short' }); f.name = '${TOO_LONG}'; }`,
      });
      for (const method of ['makeLong', 'renameLong']) {
        const answer = await server.admin.post(`/${method}`, {});
        expect(answer.status, answer.text).toBe(422);
      }
      expect((await server.admin.get('/Folder?name=short')).body.result_count).toBe(0);
    });
  });
});

describe('an upload that cannot begin', () => {
  it('leaves nothing behind and takes no place', async () => {
    const path = await mkdtemp(join(tmpdir(), 'svc-partial-'));
    try {
      const partial = new PartialUploads(path);
      const failing: About = {
        length: 5,
        file: 'x',
        get metadata(): string {
          throw Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' });
        },
      };
      for (let i = 0; i < 5; i++) {
        await expect(partial.create('me', failing, 2)).rejects.toMatchObject({ status: 507 });
      }
      expect(await readdir(join(path, 'me'))).toEqual([]);
      const begun = await partial.create('me', { length: 5, metadata: '', file: 'x' }, 2);
      expect((await readdir(join(path, 'me'))).sort()).toEqual([`${begun.id}.data`, `${begun.id}.info`]);
    } finally {
      await rm(path, { recursive: true });
    }
  });
});
