import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Client } from '../support/client.js';
import { BOUNDARY, fields, file, multipart } from '../support/files.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

/** Content that is held back while its sender loses his rights: they are asked for when it is there. */
const PASSWORD = 'a-password';
const LAST = 30;

let server: TestServer;
let admin: Client;
let userId: string;
let groupId: string;
let folderId: string;
/** In memory there: he is known as soon as the head of his request is read. */
let session: Readonly<Record<string, string>>;
let fileId: string;

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  await allow(admin, '_login', 'anonymous', ['POST']);
  await allow(admin, 'me', 'user', ['GET']);
  userId = await admin.create('User', { name: 'sender', password: PASSWORD });
  groupId = await admin.create('Group', { name: 'group' });
  const grantees = [{ id: groupId, allowed: ['read', 'write'] }];
  folderId = await admin.create('Folder', { name: 'folder', grantees, visibleToAuthenticatedUsers: true });
  fileId = await admin.create('File', { name: 'file', parent: folderId, grantees });
});
afterAll(() => server.stop());
beforeEach(async () => {
  await admin.put(`/User/${userId}`, { blocked: false });
  await admin.put(`/Group/${groupId}`, { members: [userId] });
  session = (await server.as('sender', PASSWORD).loggedIn()).headers;
});

interface Held {
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const form = (): Held => ({
  method: 'POST',
  path: '/svc/upload',
  body: multipart([...fields({ parent: folderId }), file('a.txt', 'x'.repeat(2000))]),
  headers: { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` },
});
const content = (): Held => ({
  method: 'PUT',
  path: `/svc/upload/${fileId}`,
  body: Buffer.alloc(2000, 'y'),
  headers: { 'Content-Type': 'text/plain' },
});
async function resumable(): Promise<Held> {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const answer = await server.as('sender', PASSWORD).send('POST', '/svc/upload/tus', undefined, {
    'Tus-Resumable': '1.0.0',
    'Upload-Length': '2000',
    'Upload-Metadata': `filename ${base64('t.txt')},parent ${base64(folderId)}`,
  });
  expect(answer.status).toBe(201);
  const path = new URL(String(answer.headers['location']), server.url).pathname;
  const headers = { 'Tus-Resumable': '1.0.0', 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' };
  return { method: 'PATCH', path, body: Buffer.alloc(2000, 'z'), headers };
}
const DOORS = { 'a form': form, 'the content of a file': content, 'a resumable upload': resumable } as const;

/** Sends all but the end, does something once the server has begun to take it, and sends the rest. Returns the status. */
async function send({ method, path, body, headers }: Held, meanwhile: () => Promise<unknown>): Promise<number> {
  await new Client(server.url, undefined, undefined, session).get('/me');
  const credentials = { ...session, Expect: '100-continue' };
  const request = httpRequest(`${server.url}${path}`, {
    method,
    headers: { ...credentials, ...headers, 'Content-Length': body.length },
  });
  const answered = new Promise<number>((resolve, reject) => {
    request.on('error', reject).on('response', (answer) => {
      answer.resume().on('end', () => {
        resolve(answer.statusCode ?? 0);
      });
    });
  });
  request.flushHeaders();
  await new Promise((resolve) => request.once('continue', resolve));
  request.write(body.subarray(0, -LAST));
  // What is sent after it is answered after it was read.
  await admin.get('/User');
  await meanwhile();
  request.end(body.subarray(-LAST));
  return answered;
}

const stored = async (): Promise<unknown> => {
  const found = (await admin.get('/File/ui?_sort=name')).body.result as Record<string, unknown>[];
  return found.map(({ name, size }) => [name, size]);
};

it.each(Object.keys(DOORS) as (keyof typeof DOORS)[])('%s is taken from who keeps his rights', async (door) => {
  const before = await stored();
  expect(await send(await DOORS[door](), () => admin.put(`/Group/${groupId}`, { name: door }))).toBeLessThan(300);
  expect(await stored()).not.toEqual(before);
});

it.each(
  (Object.keys(DOORS) as (keyof typeof DOORS)[]).flatMap((door) => [
    [door, 'leaves his group', 403] as const,
    [door, 'is blocked', 401] as const,
  ]),
)('%s is not taken from who %s meanwhile', async (door, how, status) => {
  const held = await DOORS[door]();
  const before = await stored();
  const lose = (): Promise<unknown> =>
    how === 'is blocked'
      ? admin.put(`/User/${userId}`, { blocked: true })
      : admin.put(`/Group/${groupId}`, { members: [] });
  expect(await send(held, lose)).toBe(status);
  expect(await stored()).toEqual(before);
});
