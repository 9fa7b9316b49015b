import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { xxh64 } from '@node-rs/xxhash';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { TestServer } from '../support/server.js';
import { bytesOf, filesBelow, getBytes, sha1 } from './bytes.js';
import { metadata } from './resumable-metadata.js';

const TUS = '/svc/upload/tus';
const BODY = 'application/offset+octet-stream';

const V = { 'Tus-Resumable': '1.0.0' };

/** Begins an upload; returns its path. */
async function begin(client: Client, length: number, fields: Record<string, string> = {}): Promise<string> {
  const answer = await client.send('POST', TUS, undefined, {
    ...V,
    'Upload-Length': String(length),
    'Upload-Metadata': metadata({ filename: 'a.bin', ...fields }),
  });
  expect(answer.status, answer.text).toBe(201);
  return String(answer.headers['location']);
}

function patch(
  client: Client,
  path: string,
  offset: number,
  body: Buffer,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return client.send('PATCH', path, body, {
    ...V,
    'Content-Type': BODY,
    'Upload-Offset': String(offset),
    ...headers,
  });
}

const head = (client: Client, path: string): Promise<Answer> => client.send('HEAD', path, undefined, V);

describe('resumable uploads, request by request', () => {
  let server: TestServer;
  let user: Client;
  let other: Client;
  const partial = (): Promise<string[]> => filesBelow(join(server.folder, 'files', '._svc_resumable'));

  beforeAll(async () => {
    server = await TestServer.start({
      settings: { 'uploadservlet.maxfilesize': 1, 'uploadservlet.resumable.maxopen': 5 },
    });
    for (const name of ['ursula', 'oskar']) {
      await server.admin.create('User', { name, password: `${name}-password` });
    }
    user = server.as('ursula', 'ursula-password');
    other = server.as('oskar', 'oskar-password');
  });
  afterAll(() => server.stop());

  it('OPTIONS tells what the server can do, to everybody', async () => {
    const answer = await server.as().send('OPTIONS', TUS);
    expect(answer.status).toBe(204);
    expect(answer.headers).toMatchObject({
      'tus-resumable': '1.0.0',
      'tus-version': '1.0.0',
      'tus-max-size': String(1024 * 1024),
      'tus-extension': 'creation,creation-with-upload,termination,checksum,expiration',
      'tus-checksum-algorithm': 'sha1,md5,xxh64',
    });
  });

  it('pieces become a file, with the fields that an upload knows', async () => {
    const folder = await server.admin.create('Folder', { name: 'Bulk', enabledChecksums: 'sha1' });
    const content = bytesOf(300_000);
    const path = await begin(server.admin, content.length, {
      filename: 'böse "name".txt',
      filetype: 'text/csv',
      parent: folder,
      cacheForSeconds: '60',
    });
    const first = await patch(server.admin, path, 0, content.subarray(0, 100_000));
    expect([first.status, first.headers['upload-offset']]).toEqual([204, '100000']);
    expect(Date.parse(String(first.headers['upload-expires']))).toBeGreaterThan(Date.now() + 23 * 3_600_000);
    const between = await head(server.admin, path);
    expect(between.status).toBe(200);
    expect(between.headers).toMatchObject({
      'upload-offset': '100000',
      'upload-length': '300000',
      'cache-control': 'no-store',
    });
    const last = await patch(server.admin, path, 100_000, content.subarray(100_000));
    expect([last.status, last.headers['upload-offset']]).toEqual([204, '300000']);
    const id = String(last.headers['svc-file-id']);
    const file = (await server.admin.get(`/File/${id}/all`)).body.result;
    expect(file).toMatchObject({ name: 'böse "name".txt', size: 300_000, path: '/Bulk/böse "name".txt', version: 1 });
    expect(file).toMatchObject({ cacheForSeconds: 60, sha1: Buffer.from(sha1(content), 'base64').toString('hex') });
    expect((await getBytes(`${server.url}/${id}`)).bytes.equals(content)).toBe(true);
    // What is done is remembered, and its bytes are there once.
    const after = await head(server.admin, path);
    expect(after.headers).toMatchObject({ 'upload-offset': '300000', 'svc-file-id': id });
    expect((await partial()).filter((name) => name.endsWith('.data'))).toEqual([]);
    const again = await patch(server.admin, path, 300_000, Buffer.alloc(0));
    expect([again.status, again.headers['svc-file-id']]).toEqual([204, id]);
  });

  it('an upload with its bytes in the first request, and an empty one', async () => {
    const content = bytesOf(5000);
    const whole = await user.send('POST', TUS, content, {
      ...V,
      'Content-Type': BODY,
      'Upload-Length': '5000',
      'Upload-Metadata': metadata({ filename: 'whole.bin' }),
    });
    expect([whole.status, whole.headers['upload-offset']]).toEqual([201, '5000']);
    const got = await getBytes(`${server.url}/${String(whole.headers['svc-file-id'])}`, {
      'X-User': 'ursula',
      'X-Password': 'ursula-password',
    });
    expect(got.bytes.equals(content)).toBe(true);
    const part = await user.send('POST', TUS, content.subarray(0, 1000), {
      ...V,
      'Content-Type': BODY,
      'Upload-Length': '5000',
    });
    expect([part.status, part.headers['upload-offset'], part.headers['svc-file-id']]).toEqual([201, '1000', undefined]);
    expect((await user.send('DELETE', String(part.headers['location']), undefined, V)).status).toBe(204);
    const empty = await user.send('POST', TUS, undefined, { ...V, 'Upload-Length': '0' });
    expect(empty.status).toBe(201);
    expect((await server.admin.get(`/File/${String(empty.headers['svc-file-id'])}`)).body.result.size).toBe(0);
  });

  it('checksums are checked, and bytes with a wrong one do not count', async () => {
    const content = bytesOf(9000, 7);
    const path = await begin(user, content.length);
    const piece = (at: number): Buffer => content.subarray(at, at + 3000);
    const wrong = await patch(user, path, 0, piece(0), { 'Upload-Checksum': `sha1 ${sha1(piece(3000))}` });
    expect(wrong.status).toBe(460);
    expect((await head(user, path)).headers['upload-offset']).toBe('0');
    const sums = [
      `sha1 ${sha1(piece(0))}`,
      `md5 ${createHash('md5').update(piece(3000)).digest('base64')}`,
      `xxh64 ${Buffer.from(xxh64(piece(6000)).toString(16).padStart(16, '0'), 'hex').toString('base64')}`,
    ];
    for (const [i, sum] of sums.entries()) {
      const answer = await patch(user, path, i * 3000, piece(i * 3000), { 'Upload-Checksum': sum });
      expect([answer.status, answer.text]).toEqual([204, '']);
    }
    const bad = await begin(user, 10);
    for (const sum of ['sha512 AAAA', 'sha1', 'sha1 ?', 'toString AAAA']) {
      expect((await patch(user, bad, 0, Buffer.alloc(10), { 'Upload-Checksum': sum })).status).toBe(400);
    }
    await user.send('DELETE', bad, undefined, V);
  });

  it('what is not the protocol is refused', async () => {
    const path = await begin(user, 1000);
    const body = Buffer.alloc(100);
    const version = await user.send('PATCH', path, body, { 'Tus-Resumable': '0.2.2', 'Content-Type': BODY });
    expect([version.status, version.headers['tus-version']]).toEqual([412, '1.0.0']);
    expect((await user.send('POST', TUS, undefined, { 'Upload-Length': '5' })).status).toBe(412);
    expect((await patch(user, path, 50, body)).status).toBe(409);
    expect((await patch(user, path, 0, body, { 'Content-Type': 'application/octet-stream' })).status).toBe(415);
    expect((await patch(user, path, 0, body, { 'Upload-Offset': '-1' })).status).toBe(400);
    expect((await user.send('PATCH', path, body, { ...V, 'Content-Type': BODY })).status).toBe(400);
    expect((await patch(user, path, 0, Buffer.alloc(1001))).status).toBe(413);
    expect((await user.send('GET', path, undefined, V)).status).toBe(405);
    expect((await user.send('PUT', TUS, undefined, V)).status).toBe(405);
    for (const length of ['', 'x', '-1', '1e3', '9'.repeat(30)]) {
      expect((await user.send('POST', TUS, undefined, { ...V, 'Upload-Length': length })).status).toBe(400);
    }
    const large = await user.send('POST', TUS, undefined, { ...V, 'Upload-Length': String(1024 * 1024 + 1) });
    expect(large.status).toBe(413);
    for (const text of ['filename', 'filename ?', 'a YQ==,a Yg==', 'a b c']) {
      const answer = await user.send('POST', TUS, undefined, { ...V, 'Upload-Length': '5', 'Upload-Metadata': text });
      // A key alone has an empty value.
      expect([text, answer.status]).toEqual([text, text === 'filename' ? 201 : 400]);
      if (answer.status === 201) await user.send('DELETE', String(answer.headers['location']), undefined, V);
    }
    expect((await head(user, path)).headers['upload-offset']).toBe('0');
    await user.send('DELETE', path, undefined, V);
  });

  it('an upload is there for who began it alone, and gone when it was removed', async () => {
    const path = await begin(user, 10);
    for (const client of [other, server.admin]) {
      expect((await head(client, path)).status).toBe(404);
      expect((await patch(client, path, 0, Buffer.alloc(10))).status).toBe(404);
      expect((await client.send('DELETE', path, undefined, V)).status).toBe(404);
    }
    expect((await head(server.as(), path)).status).toBe(401);
    expect((await server.as().send('POST', TUS, undefined, { ...V, 'Upload-Length': '5' })).status).toBe(401);
    for (const id of ['x', '..%2f..', '0'.repeat(32), 'A'.repeat(32)]) {
      expect((await head(user, `${TUS}/${id}`)).status).toBe(404);
    }
    const removed = await user.send('DELETE', path, undefined, V);
    expect([removed.status, removed.text]).toEqual([204, '']);
    expect((await head(user, path)).status).toBe(404);
    expect((await patch(user, path, 0, Buffer.alloc(10))).status).toBe(404);
  });

  it('the folder is looked at before the bytes come, and again at the end', async () => {
    const closed = await server.admin.create('Folder', { name: 'Closed' });
    const fields = (values: Record<string, string>): Record<string, string> => ({
      ...V,
      'Upload-Length': '10',
      'Upload-Metadata': metadata(values),
    });
    expect((await user.send('POST', TUS, undefined, fields({ parent: closed }))).status).toBe(404);
    expect((await user.send('POST', TUS, undefined, fields({ uploadFolderPath: '/elsewhere' }))).status).toBe(403);
    const own = await server.admin.create('Folder', { name: 'Open', visibleToAuthenticatedUsers: true });
    const userId = (await user.get('/me')).body.result?.id as string | undefined;
    expect((await user.send('POST', TUS, undefined, fields({ parent: own }))).status).toBe(403);
    expect(userId).toBeUndefined();
  });

  it('what cannot become a file is told, and tried again when somebody asks', async () => {
    const folder = await server.admin.create('Folder', { name: 'Vanishing' });
    const path = await begin(server.admin, 10, { parent: folder });
    await server.admin.delete(`/Folder/${folder}`);
    expect((await patch(server.admin, path, 0, Buffer.alloc(10))).status).toBe(404);
    // A client takes an upload with all its bytes for done: it must not be told so.
    expect((await head(server.admin, path)).status).toBe(404);
    // And its bytes are there, once: not in the storage.
    const id = path.slice(TUS.length + 1);
    expect((await partial()).filter((name) => name.endsWith(`${id}.data`))).toHaveLength(1);
    const stored = (await filesBelow(join(server.folder, 'files'))).filter((name) => !name.includes('._svc_'));
    const known = (await server.admin.get('/File/all')).body.result as { id: string; size: number }[];
    expect(stored.length).toBe(known.length);
    expect((await server.admin.send('DELETE', path, undefined, V)).status).toBe(204);
  });

  it('of two requests for one upload the second has to wait, and DELETE ends the first', async () => {
    const path = await begin(user, 100_000);
    const sending = (): { write: (bytes: Buffer) => void; ended: Promise<number> } => {
      const req = request(`${server.url}${path}`, {
        method: 'PATCH',
        headers: {
          ...V,
          'X-User': 'ursula',
          'X-Password': 'ursula-password',
          'Content-Type': BODY,
          'Upload-Offset': '0',
          'Transfer-Encoding': 'chunked',
        },
      });
      const ended = new Promise<number>((resolve) => {
        req.on('response', (res) => {
          res.resume();
          resolve(res.statusCode ?? 0);
        });
        req.on('error', () => {
          resolve(0);
        });
      });
      return { write: (bytes) => void req.write(bytes), ended };
    };
    const first = sending();
    first.write(Buffer.alloc(1000));
    // When bytes of it are on the disk, the server works on it.
    const data = (await partial()).find((name) => name.endsWith(`${path.slice(TUS.length + 1)}.data`)) ?? '';
    for (const end = Date.now() + 20_000; (await stat(data)).size === 0 && Date.now() < end; await sleep(5));
    const second = await patch(user, path, 0, Buffer.alloc(10));
    expect([second.status, second.headers['retry-after']]).toEqual([423, '1']);
    const removal = user.send('DELETE', path, undefined, V);
    const writing = setInterval(() => {
      first.write(Buffer.alloc(10));
    }, 20);
    expect((await removal).status).toBe(204);
    clearInterval(writing);
    expect([0, 410]).toContain(await first.ended);
    expect((await head(user, path)).status).toBe(404);
  });

  it('a user has so many open uploads', async () => {
    const paths: string[] = [];
    for (let i = 0; i < 5; i++) paths.push(await begin(other, 10));
    const one = { ...V, 'Upload-Length': '10' };
    expect((await other.send('POST', TUS, undefined, one)).status).toBe(429);
    for (const path of paths.slice(1)) await other.send('DELETE', path, undefined, V);
    const many = await Promise.all(Array.from({ length: 12 }, () => other.send('POST', TUS, undefined, one)));
    expect(many.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(4);
    expect((await other.send('DELETE', paths[0] ?? '', undefined, V)).status).toBe(204);
  });

  it('the method may stand in a header', async () => {
    const path = await begin(user, 10);
    const answer = await user.send('POST', path, Buffer.alloc(10), {
      ...V,
      'X-HTTP-Method-Override': 'PATCH',
      'Content-Type': BODY,
      'Upload-Offset': '0',
    });
    expect([answer.status, answer.headers['upload-offset']]).toEqual([204, '10']);
  });

  it('uploads expire', async () => {
    const path = await begin(user, 10);
    const id = path.slice(TUS.length + 1);
    const old = new Date(Date.now() - 25 * 3_600_000);
    for (const file of (await partial()).filter((name) => name.includes(id))) await utimes(file, old, old);
    expect((await patch(user, path, 0, Buffer.alloc(10))).status).toBe(410);
    expect((await head(user, path)).status).toBe(404);
    expect((await partial()).filter((name) => name.includes(id))).toEqual([]);
  });
});
