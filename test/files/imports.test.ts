/**
 * Imports, a job that rests, and a resumable upload, once each with what they ask of the graph: batches, savepoints, relations,
 * content that becomes a file. Runs on Neo4j, too (`vitest.neo4j.config.ts`), where the whole of their tests takes minutes.
 */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { endedJob, fileWith, type JobInfo, untilJob } from '../support/jobs.js';
import { TestServer } from '../support/server.js';
import { bytesOf, filesBelow, getBytes } from './bytes.js';

const TUS = '/svc/upload/tus';
const V = { 'Tus-Resumable': '1.0.0' };

let server: TestServer;
let admin: Client;
let root: string;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'svc-roots-')));
  server = await TestServer.start({ settings: { 'application.filesystem.import.roots': root } });
  admin = server.admin;
  const person = await admin.defineType('Person', [
    { name: 'email', propertyType: 'String', unique: true, indexed: true },
    { name: 'age', propertyType: 'Integer' },
  ]);
  const company = await admin.defineType('Company', [{ name: 'code', propertyType: 'String', unique: true }]);
  await admin.relate(company, 'EMPLOYS', person, { sourceJsonName: 'employer', targetJsonName: 'staff' });
});
afterAll(async () => {
  await server.stop();
  await rm(root, { recursive: true, force: true });
});

async function job(method: string, content: string, body: Record<string, unknown>): Promise<JobInfo> {
  const file = await fileWith(admin, 'source.txt', content, { contentType: 'text/xml' });
  const answer = await admin.post(`/File/${file}/${method}`, body);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return endedJob(admin, answer.body.result as number);
}

/** Companies with the names of their staff. */
async function staff(): Promise<unknown[]> {
  const { body } = await admin.get('/Company/all?_sort=name');
  return body.result.map((one: { name: string; staff: { name: string }[] }) => [
    one.name,
    ...one.staff.map(({ name }) => name).sort(),
  ]);
}

it('CSV: rows become linked objects; one that is refused is left out, or ends the import behind what was committed', async () => {
  await admin.create('Company', { name: 'Old', code: 'O' });
  const mixedMappings = {
    Company: { name: 'Company', properties: { company: 'name', code: 'code' }, relationships: ['Person'] },
    Person: { name: 'Person', properties: { person: 'name', mail: 'email' }, relationships: [] },
  };
  const linked = 'company;code;person;mail\nNew;N;Ann;a@x\nNew;N;Bob;b@x\nOld;O;Cid;c@x\n';
  expect(await job('doCSVImport', linked, { mappings: {}, mixedMappings })).toMatchObject({
    status: 'FINISHED',
    objectsCreated: 4,
  });
  expect(await staff()).toEqual([
    ['New', 'Ann', 'Bob'],
    ['Old', 'Cid'],
  ]);
  const rows = 'name;email;age\nDan;d@x;1\nEve;a@x;2\nFay;f@x;x\nGus;g@x;4\n';
  const simple = { targetType: 'Person', mappings: { name: 'name', email: 'email', age: 'age' } };
  const tolerant = await job('doCSVImport', rows, { ...simple, ignoreInvalid: true });
  expect(tolerant).toMatchObject({ status: 'FINISHED', objectsCreated: 2, objectsIgnored: 2 });
  expect(tolerant.problems.sort()).toEqual([
    expect.stringMatching(/^Row 2 \(line 3\): .*already_taken/),
    expect.stringMatching(/^Row 3 \(line 4\): /),
  ]);
  const strict = await job('doCSVImport', 'name;email;age\nHal;h@x;1\nIda;i@x;2\nJim;a@x;3\n', {
    ...simple,
    commitInterval: 2,
  });
  expect(strict).toMatchObject({ status: 'FAILED', objectsCreated: 2 });
  expect(strict.exception.message).toMatch(/^Row 3 \(line 4\): .*already_taken/);
  const { body } = await admin.get('/Person?_sort=name');
  const names = body.result.map(({ name }: { name: string }) => name);
  expect(names).toEqual(['Ann', 'Bob', 'Cid', 'Dan', 'Gus', 'Hal', 'Ida']);
});

it('XML: nested elements become related objects; a value that is taken undoes its batch', async () => {
  const mapping = {
    '/c/company': { action: 'createNode', isRoot: true, type: 'Company', properties: { name: 'name', code: 'code' } },
    '/c/company/person': { action: 'createNode', type: 'Person', propertyName: 'staff', properties: { name: 'name' } },
  };
  const company = (code: string): string =>
    `<company name="X${code}" code="${code}"><person name="${code}1"/><person name="${code}2"/></company>`;
  const info = await job('doXMLImport', `<c>${company('P')}${company('Q')}</c>`, mapping);
  expect(info).toMatchObject({ status: 'FINISHED', objectsCreated: 6 });
  expect((await staff()).slice(-2)).toEqual([
    ['XP', 'P1', 'P2'],
    ['XQ', 'Q1', 'Q2'],
  ]);
  const before = (await staff()).length;
  const refused = await job('doXMLImport', `<c>${company('R')}${company('P')}</c>`, mapping);
  expect(refused.exception.message).toMatch(/^Element 2 at \/c\/company: .*already_taken/);
  expect(await staff()).toHaveLength(before);
});

it('files of a directory: those that are there are renamed or overwritten', async () => {
  const source = join(root, 'in');
  await mkdir(join(source, 'sub'), { recursive: true });
  await writeFile(join(source, 'a.txt'), 'first');
  await writeFile(join(source, 'sub', 'ü.txt'), 'deep');
  await admin.create('Folder', { name: 'to' });
  const run = async (existing: string): Promise<unknown> => {
    const answer = await admin.post('/maintenance/directFileImport', { source, target: '/to', existing });
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return answer.body.result[0].result;
  };
  const served = async (path: string): Promise<string> => (await admin.get(`/svc/html${encodeURI(path)}`)).text;
  expect(await run('skip')).toMatchObject({ created: 2, skipped: 0 });
  expect(await served('/to/in/sub/ü.txt')).toBe('deep');
  await writeFile(join(source, 'a.txt'), 'second');
  expect(await run('rename')).toMatchObject({ renamed: 2, failed: 0 });
  // What was there got another name.
  expect(await served('/to/in/a.txt')).toBe('second');
  const texts = async (): Promise<string[]> => {
    const { body } = await admin.get('/File/all?_pageSize=1000');
    const all = (body.result as { path: string }[]).map(({ path }) => path).filter((path) => path.startsWith('/to/'));
    return (await Promise.all(all.map(served))).sort();
  };
  expect(await texts()).toEqual(['deep', 'deep', 'first', 'second']);
  await writeFile(join(source, 'a.txt'), 'third');
  expect(await run('overwrite')).toMatchObject({ overwritten: 2, created: 0 });
  expect(await texts()).toEqual(['deep', 'deep', 'first', 'third']);
});

it('a job rests while it is paused, and goes on where it was', async () => {
  const rows = 300;
  await admin.defineType('Thing');
  const long = await fileWith(admin, 'long.csv', `name\n${'x\n'.repeat(rows)}`);
  const body = { targetType: 'Thing', mappings: { name: 'name' }, commitInterval: 3 };
  const id = (await admin.post(`/File/${long}/doCSVImport`, body)).body.result as number;
  await untilJob(admin, id, ({ processedChunks }) => processedChunks > 0);
  expect((await admin.post(`/jobs/${String(id)}/pause`)).status).toBe(200);
  const paused = await untilJob(admin, id, ({ status }) => status === 'PAUSED');
  expect((await admin.get('/Thing?_pageSize=1')).body.result_count).toBe(paused.objectsCreated);
  expect(paused.objectsCreated).toBeLessThan(rows);
  expect((await admin.post(`/jobs/${String(id)}/resume`)).status).toBe(200);
  expect(await endedJob(admin, id)).toMatchObject({ status: 'FINISHED', objectsCreated: rows });
  expect((await admin.get('/Thing?_pageSize=1')).body.result_count).toBe(rows);
});

it('a resumable upload goes on after the server has been killed, and becomes one file', async () => {
  const content = bytesOf(300_000);
  const folder = await admin.create('Folder', { name: 'Bulk' });
  const metadata = `filename ${Buffer.from('ä.bin').toString('base64')},parent ${Buffer.from(folder).toString('base64')}`;
  const headers = { ...V, 'Upload-Length': String(content.length), 'Upload-Metadata': metadata };
  const begun = await admin.send('POST', TUS, undefined, headers);
  expect(begun.status, begun.text).toBe(201);
  const path = String(begun.headers['location']);
  const patch = (offset: number, bytes: Buffer) =>
    server.admin.send('PATCH', path, bytes, {
      ...V,
      'Content-Type': 'application/offset+octet-stream',
      'Upload-Offset': String(offset),
    });
  expect((await patch(0, content.subarray(0, 100_000))).status).toBe(204);
  await server.end('SIGKILL');
  server = await TestServer.start({ folder: server.folder });
  admin = server.admin;
  const between = await admin.send('HEAD', path, undefined, V);
  expect(between.headers['upload-offset']).toBe('100000');
  const last = await patch(100_000, content.subarray(100_000));
  expect(last.status, last.text).toBe(204);
  const id = String(last.headers['svc-file-id']);
  expect((await admin.get(`/File/${id}/all`)).body.result).toMatchObject({
    path: '/Bulk/ä.bin',
    size: 300_000,
    version: 1,
  });
  expect((await getBytes(`${server.url}/${id}`)).bytes.equals(content)).toBe(true);
  const after = await admin.send('HEAD', path, undefined, V);
  expect(after.headers).toMatchObject({ 'upload-offset': '300000', 'svc-file-id': id });
  const partial = await filesBelow(join(server.folder, 'files', '._svc_resumable'));
  expect(partial.filter((name) => name.endsWith('.data'))).toEqual([]);
});
