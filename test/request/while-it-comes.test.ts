/**
 * What changes while the body of a request comes counts for it: who asks, his rights and the schema are those of when it is there.
 * By REST and by all ways of sending files, which take all the same order.
 */
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { request as httpRequest, type ClientRequest } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Client, cookieOf } from '../support/client.js';
import { contentsOnDisk, file, multipart, BOUNDARY, objectOf, served, until, uploaded } from '../support/files.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

const TUS = '/svc/upload/tus';
let server: TestServer;
let admin: Client;
let group: string;
let folder: string;
let userId: string;
let login: Record<string, string>;

interface Sending {
  readonly answer: Promise<{ status: number; text: string }>;
  write(bytes: Buffer): void;
  /** The rest of the body. */
  end(bytes?: Buffer): void;
}

function send(method: string, path: string, headers: Record<string, string>): Sending {
  const req: ClientRequest = httpRequest(`${server.url}${path}`, {
    method,
    headers: { 'Transfer-Encoding': 'chunked', ...headers },
  });
  const answer = new Promise<{ status: number; text: string }>((resolve, reject) => {
    req.on('error', reject);
    req.on('response', (res) => {
      let text = '';
      res.on('data', (chunk: Buffer) => (text += chunk.toString()));
      res.on('end', () => {
        resolve({ status: res.statusCode ?? 0, text });
      });
    });
  });
  return { answer, write: (bytes) => void req.write(bytes), end: (bytes) => void req.end(bytes) };
}

/** A POST to REST whose body is on its way: its head has been looked at when another request has been answered. */
async function post(path: string, headers: Record<string, string>, body: string): Promise<() => Promise<string>> {
  const socket = connect(server.port, '127.0.0.1');
  await once(socket, 'connect');
  const lines = Object.entries({ Host: 'a', 'Content-Type': 'application/json', ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`POST ${path} HTTP/1.1\r\nContent-Length: ${String(body.length)}\r\n${head}\r\n${body.slice(0, 1)}`);
  const asking = new Client(server.url, undefined, undefined, headers);
  // Asked for on the same way, so that the request before it has been let in.
  await asking.post('/Note', { text: 'in between' });
  return async () => {
    socket.write(body.slice(1));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    return answer.toString().slice(9, 12);
  };
}

/** The content of an upload has begun to arrive. */
async function arriving(before: readonly string[]): Promise<void> {
  await until(async () => (await contentsOnDisk(server)).length > before.length, 'content on the disk');
}

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  await admin.defineType('Note', [{ name: 'text', propertyType: 'String' }]);
  await allow(admin, 'Note', 'user', ['POST']);
  await allow(admin, '_login', 'anonymous', ['POST']);
  userId = await admin.create('User', { name: 'writer', password: 'writers-password' });
  group = await admin.create('Group', { name: 'writers' });
  folder = await admin.create('Folder', { name: 'shared' });
  await admin.create('Security', { sourceId: group, targetId: folder, allowed: ['read', 'write'] });
});
beforeEach(async () => {
  await admin.put(`/User/${userId}`, { blocked: false });
  await admin.put(`/Group/${group}`, { members: [userId] });
  const answer = await server.as().post('/login', { name: 'writer', password: 'writers-password' });
  login = { Cookie: cookieOf(answer, 'JSESSIONID') };
});
afterAll(() => server.stop());

const leaves = async (): Promise<void> => {
  expect((await admin.put(`/Group/${group}`, { members: [] })).status).toBe(200);
};
const isBlocked = async (): Promise<void> => {
  expect((await admin.put(`/User/${userId}`, { blocked: true })).status).toBe(200);
};
/** Its node alone is gone: nothing of the user has changed. */
const sessionEnds = async (): Promise<void> => {
  const sessions = (await admin.get(`/SessionDataNode?userId=${userId}`)).body.result as { id: string }[];
  for (const { id } of sessions) expect((await admin.delete(`/SessionDataNode/${id}`)).status).toBe(200);
};
const nothing = async (): Promise<void> => Promise.resolve();

describe('REST', () => {
  const notes = async (): Promise<number> => (await admin.get('/Note')).body.result_count as number;

  it.each([
    ['nothing', nothing, '201', 2],
    ['the user is blocked', isBlocked, '401', 1],
    ['the session ends', sessionEnds, '401', 1],
  ])('when %s', async (_, happens, status, more) => {
    const before = await notes();
    const rest = await post('/svc/rest/Note', login, '{"text":"held back"}');
    await happens();
    expect(await rest()).toBe(status);
    expect(await notes()).toBe(before + more);
  });

  it('the schema is the one of when the body is there', async () => {
    const rest = await post('/svc/rest/Note', login, '{"text":"held back","added":7}');
    const [type] = (await admin.get('/SchemaNode?name=Note')).body.result as { id: string }[];
    await admin.create('SchemaProperty', { name: 'added', propertyType: 'Integer', schemaNode: type?.id });
    expect(await rest()).toBe('201');
    const [note] = (await admin.get('/Note/all?text=held back&_sort=createdDate&_order=desc')).body.result as {
      added: number;
    }[];
    expect(note?.added).toBe(7);
  });
});

describe('files', () => {
  it.each([
    ['nothing', nothing, 200],
    ['the right is taken away', leaves, 404],
    ['the user is blocked', isBlocked, 401],
    ['the session ends', sessionEnds, 401],
  ])('that are new, when %s', async (_, happens, status) => {
    const name = `new-${String(status)}-${happens.name}.txt`;
    const body = multipart([{ name: 'parent', content: folder }, file(name, 'x'.repeat(100_000))]);
    const before = await contentsOnDisk(server);
    const sending = send('POST', '/svc/upload', {
      'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
      ...login,
    });
    sending.write(body.subarray(0, 80_000));
    await arriving(before);
    await happens();
    sending.end(body.subarray(80_000));
    expect((await sending.answer).status).toBe(status);
    expect((await admin.get(`/File?name=${name}`)).body.result_count).toBe(status === 200 ? 1 : 0);
    if (status !== 200) {
      await until(async () => (await contentsOnDisk(server)).length === before.length, 'what arrived is gone');
    }
  });

  it.each([
    ['nothing', nothing, 200],
    ['the right is taken away', leaves, 403],
    ['the user is blocked', isBlocked, 401],
  ])('that get other content, when %s', async (_, happens, status) => {
    const id = await uploaded(admin, file(`replaced-${happens.name}.txt`, 'before'), { parent: folder });
    await admin.create('Security', { sourceId: group, targetId: id, allowed: ['read', 'write'] });
    const before = await contentsOnDisk(server);
    const sending = send('PUT', `/svc/upload/${id}`, login);
    sending.write(Buffer.alloc(80_000, 'y'));
    await arriving(before);
    await happens();
    sending.end(Buffer.from('y'));
    expect((await sending.answer).status).toBe(status);
    expect((await served(admin, `/${id}`)).bytes.length).toBe(status === 200 ? 80_001 : 'before'.length);
  });

  it.each([
    ['nothing', nothing, 204],
    ['the right is taken away', leaves, 404],
    ['the session ends', sessionEnds, 401],
  ])('that come in pieces, when %s', async (_, happens, status) => {
    const name = `pieces-${happens.name}.txt`;
    const metadata = [`filename ${btoa(name)}`, `parent ${btoa(folder)}`].join(',');
    const asker = new Client(server.url, undefined, undefined, { ...login, 'Tus-Resumable': '1.0.0' });
    const begun = await asker.send('POST', TUS, undefined, { 'Upload-Length': '2000', 'Upload-Metadata': metadata });
    expect(begun.status).toBe(201);
    const path = String(begun.headers['location']);
    const sending = send('PATCH', path, {
      ...login,
      'Tus-Resumable': '1.0.0',
      'Content-Type': 'application/offset+octet-stream',
      'Upload-Offset': '0',
    });
    sending.write(Buffer.alloc(1000));
    const all = await readdir(server.folder, { recursive: true });
    const data = all.find((one) => one.endsWith(`${path.slice(TUS.length + 1)}.data`)) ?? '';
    await until(async () => (await stat(join(server.folder, data))).size > 0, 'bytes on the disk');
    await happens();
    sending.end(Buffer.alloc(1000));
    expect((await sending.answer).status).toBe(status);
    const { result } = (await admin.get(`/File?name=${name}`)).body as { result: { id: string }[] };
    expect(result).toHaveLength(status === 204 ? 1 : 0);
    if (status === 204) expect(await objectOf(admin, result[0]?.id ?? '')).toMatchObject({ size: 2000 });
  });
});
