import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { crc32 } from 'node:zlib';
import { xxh64 } from '@node-rs/xxhash';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../support/client.js';
import {
  BOUNDARY,
  multipart,
  contentsOnDisk,
  countOf,
  fields,
  file,
  objectOf,
  sendForm,
  served,
  until,
  upload,
  uploaded,
} from '../support/files.js';
import { TestServer } from '../support/server.js';

const MB = 1024 * 1024;
const random = (size: number, seed: number): Buffer => {
  const bytes = Buffer.alloc(size);
  for (let i = 0, x = seed; i < size; i++) bytes[i] = (x = (x * 1103515245 + 12345) % 2147483648) >> 16;
  return bytes;
};

/** Status of an upload whose head says nothing about its length. */
function chunked(server: TestServer, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      'X-User': 'admin',
      'X-Password': 'admin',
      'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
    };
    const sent = request(`${server.url}/svc/upload`, { method: 'POST', headers }, (res) => {
      resolve(res.statusCode ?? 0);
      res.resume();
    });
    // The server need not take the rest of what it refuses.
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
    });
    for (let at = 0; at < body.length; at += 65_536) sent.write(body.subarray(at, at + 65_536));
    sent.end();
  });
}

/** Content: checksums, limits, replacing it (contract, File, Limits; docs/interface/files.md 1.6, 3.5, 7). */
describe('content of uploads', () => {
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    const limits = { 'uploadservlet.maxfilesize': 2, 'uploadservlet.maxrequestsize': 3 };
    server = await TestServer.start({ settings: limits });
    admin = server.admin;
  });
  afterAll(() => server.stop());
  const put = (id: string, content: Buffer | string, headers: Record<string, string> = {}, client = admin) =>
    client.send('PUT', `/svc/upload/${id}`, Buffer.from(content), {
      'Content-Type': 'application/octet-stream',
      ...headers,
    });
  const sums = (content: Buffer): Record<string, unknown> => ({
    crc32: crc32(content),
    ...Object.fromEntries(
      ['md5', 'sha1', 'sha512'].map((name) => [name, createHash(name).update(content).digest('hex')]),
    ),
  });
  /** The number as it is written; parsing would round it. */
  const checksumOf = async (id: string): Promise<bigint> =>
    BigInt(/"checksum": (-?\d+)/.exec((await admin.get(`/File/${id}/all`)).text)?.[1] ?? '0');
  const none = { crc32: null, md5: null, sha1: null, sha512: null };

  it('xxHash is always there, signed and exact', async () => {
    const empty = await uploaded(admin, file('empty', ''));
    expect(await checksumOf(empty)).toBe(-1205034819632174695n);
    for (let i = 0; i < 10; i++) {
      const content = random(1 + i * 50_000, i + 1);
      const id = await uploaded(admin, file(`sum-${String(i)}`, content));
      expect(await checksumOf(id)).toBe(BigInt.asIntN(64, xxh64(content, 0n)));
      expect(await objectOf(admin, id)).toMatchObject({ ...none, size: content.length });
      expect((await served(admin, `/${id}`)).bytes.equals(content)).toBe(true);
    }
  });

  it('others when the settings ask for them, in any notation', async () => {
    const content = random(1_500_000, 7);
    const all = sums(content);
    for (const [setting, names] of [
      ['crc32', ['crc32']],
      ['md5, sha1', ['md5', 'sha1']],
      ['crc32 md5 sha1 sha512', ['crc32', 'md5', 'sha1', 'sha512']],
    ] as const) {
      await server.reload({ 'application.filesystem.checksums.default': setting });
      const id = await uploaded(admin, file('sums', content));
      const wanted = Object.fromEntries(
        Object.entries(all).map(([k, v]) => [k, (names as readonly string[]).includes(k) ? v : null]),
      );
      expect(await objectOf(admin, id), setting).toMatchObject(wanted);
    }
    // Many at once share the threads.
    const many = await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        const bytes = random(100_000 + i, i + 100);
        return { bytes, id: await uploaded(admin, file(`thread-${String(i)}`, bytes)) };
      }),
    );
    for (const { bytes, id } of many) expect(await objectOf(admin, id)).toMatchObject(sums(bytes));
    await server.reload({ 'application.filesystem.checksums.default': '' });
  });

  it('the nearest folder that says which replaces the setting, wherever its field stands', async () => {
    await server.reload({ 'application.filesystem.checksums.default': 'sha512' });
    const content = random(400_000, 9);
    const { crc32: crc, md5, sha512 } = sums(content);
    const top = await admin.create('Folder', { name: 'sums', enabledChecksums: 'md5;crc32' });
    const below = await admin.create('Folder', { name: 'below', parent: top });
    const silent = await admin.create('Folder', { name: 'silent', parent: below, enabledChecksums: '' });
    for (const [parent, wanted] of [
      [top, { ...none, crc32: crc, md5 }],
      [below, { ...none, crc32: crc, md5 }],
      [silent, none],
    ] as const) {
      for (const parts of [
        [...fields({ parent }), file('first', content)],
        [file('last', content), ...fields({ parent })],
      ]) {
        const answer = await upload(admin, parts);
        expect(await objectOf(admin, answer.text)).toMatchObject(wanted);
      }
    }
    const plain = await uploaded(admin, file('plain', content));
    expect(await objectOf(admin, plain)).toMatchObject({ ...none, sha512 });
    // By path, and for what replaces content.
    const uploads = (await objectOf(admin, plain))['parentId'] as string;
    await admin.put(`/Folder/${uploads}`, { enabledChecksums: 'sha1' });
    const byPath = await upload(admin, [
      file('p', content),
      ...fields({ uploadFolderPath: '/._svc_uploads/new/folder' }),
    ]);
    expect(await objectOf(admin, byPath.text)).toMatchObject({ ...none, sha1: sums(content)['sha1'] });
    expect((await put(plain, random(10, 1))).status).toBe(200);
    // What does not hold for the new content is gone.
    expect(await objectOf(admin, plain)).toMatchObject({ ...none, sha1: sums(random(10, 1))['sha1'] });
    await admin.put(`/Folder/${uploads}`, { enabledChecksums: null });
    await server.reload({ 'application.filesystem.checksums.default': '' });
  });

  it('PUT replaces the content by a form or as it is, and nothing else', async () => {
    const id = await uploaded(admin, file('kept.css', 'a{}'), { url: 'x' });
    const before = await objectOf(admin, id);
    const disk = await contentsOnDisk(server);
    await sleep(5);
    const form = { method: 'PUT', path: `/svc/upload/${id}` } as const;
    const answer = await upload(
      admin,
      [...fields({ name: 'other', url: 'y' }), file('b.png', 'b{}', 'image/png')],
      form,
    );
    expect([answer.status, answer.text]).toEqual([200, '']);
    const after = await objectOf(admin, id);
    const same = ['type', 'name', 'contentType', 'url', 'owner', 'path', 'createdDate'];
    for (const key of same) expect(after[key], key).toEqual(before[key]);
    expect(after).toMatchObject({ size: 3, version: 2 });
    expect(await checksumOf(id)).toBe(BigInt.asIntN(64, xxh64(Buffer.from('b{}'), 0n)));
    expect(after['fileModificationDate']).not.toBe(before['fileModificationDate']);
    expect((await served(admin, `/${id}`)).bytes.toString()).toBe('b{}');
    const body = random(1_000_000, 3);
    expect((await put(id, body)).status).toBe(200);
    expect((await served(admin, `/${id}`)).bytes.equals(body)).toBe(true);
    // Of several parts the last remains.
    const parts = Array.from({ length: 5 }, (_, i) => file(`p${String(i)}`, `part ${String(i)}`));
    expect((await upload(admin, parts, form)).status).toBe(200);
    expect((await served(admin, `/${id}`)).bytes.toString()).toBe('part 4');
    expect((await objectOf(admin, id))['version']).toBe(4);
    expect((await put(id, '')).status).toBe(200);
    expect(await objectOf(admin, id)).toMatchObject({ size: 0, version: 5 });
    expect((await upload(admin, [], form)).status).toBe(400);
    expect((await put(id, 'x', { 'Content-Encoding': 'gzip' })).status).toBe(415);
    expect((await objectOf(admin, id))['version']).toBe(5);
    await until(async () => (await contentsOnDisk(server)).length === disk.length, 'old content goes after the commit');
  });

  it('PUT with If-Match replaces the content that the tag names, and no other', async () => {
    const id = await uploaded(admin, file('tagged.txt', 'one'));
    const tagOf = async (): Promise<string> => String((await served(admin, `/${id}`)).headers['etag']);
    const first = await tagOf();
    expect((await put(id, 'two', { 'If-Match': first })).status).toBe(200);
    expect((await put(id, 'three', { 'If-Match': first })).status).toBe(412);
    expect((await put(id, 'three', { 'If-Match': `"other", ${first}` })).status).toBe(412);
    expect((await served(admin, `/${id}`)).bytes.toString()).toBe('two');
    // Of many who have read the same, one saves.
    const read = await tagOf();
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((text) => put(id, text, { 'If-Match': read })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
    expect((await put(id, 'any', { 'If-Match': '*' })).status).toBe(200);
  });

  it('PUT beside readers and other writers: everybody sees one state', async () => {
    const states = [0, 1, 2, 3].map((i) => Buffer.alloc(700_000, i));
    const id = await uploaded(admin, file('race', states[0]));
    const disk = (await contentsOnDisk(server)).length;
    const read = async (): Promise<void> => {
      for (let i = 0; i < 10; i++) {
        const { status, bytes } = await served(admin, `/${id}`);
        expect(status).toBe(200);
        expect(states.some((state) => state.equals(bytes))).toBe(true);
      }
    };
    await Promise.all([...states.map((state) => put(id, state)), read(), read()]);
    expect((await objectOf(admin, id))['version']).toBe(5);
    await until(async () => (await contentsOnDisk(server)).length === disk, 'one content stays');
    // Deleted while its content arrives.
    const [deleted] = await Promise.all([admin.delete(`/File/${id}`), ...states.map((state) => put(id, state))]);
    expect(deleted.status).toBe(200);
    await until(async () => (await contentsOnDisk(server)).length === disk - 1, 'nothing stays of what is deleted');
  });

  it('ends what is larger than the limits, and leaves nothing of it', async () => {
    const [files, disk] = [await countOf(admin, 'File'), await contentsOnDisk(server)];
    const large = Buffer.alloc(2 * MB + 1);
    const tooLarge = await upload(admin, [file('small'), file('large', large)]);
    expect(tooLarge.status).toBe(413);
    expect(tooLarge.body).toMatchObject({ code: 413, errors: [] });
    const three = Array.from({ length: 3 }, (_, i) => file(`f${String(i)}`, Buffer.alloc(MB)));
    expect((await upload(admin, three)).status).toBe(413);
    // Whose length nobody knows beforehand.
    expect(await chunked(server, multipart(three))).toBe(413);
    expect((await upload(admin, [file('x'), { name: 'url', content: 'x'.repeat(MB + 1) }])).status).toBe(413);
    const id = await uploaded(admin, file('to-replace', 'old'));
    expect((await put(id, large)).status).toBe(413);
    expect((await put(id, Buffer.alloc(3 * MB + 1))).status).toBe(413);
    expect((await served(admin, `/${id}`)).bytes.toString()).toBe('old');
    await admin.delete(`/File/${id}`);
    expect((await upload(admin, [file('just', large.subarray(1))])).status).toBe(200);
    await until(async () => (await contentsOnDisk(server)).length === disk.length + 1, 'nothing stays');
    expect(await countOf(admin, 'File')).toBe(files + 1);
  });

  it('fields together are bounded, too: they are in memory', async () => {
    await server.reload({ 'uploadservlet.maxrequestsize': 20 });
    const many = Array.from({ length: 12 }, (_, i) => ({ name: `f${String(i)}`, content: 'x'.repeat(MB - 1) }));
    expect((await upload(admin, [file('x'), ...many])).status).toBe(413);
    expect((await upload(admin, [file('x'), ...many.slice(0, 3)])).status).toBe(200);
    await server.reload({ 'uploadservlet.maxrequestsize': 3 });
  });

  it('settings count from the next request on', async () => {
    await server.reload({ 'uploadservlet.maxfilesize': 1 });
    expect((await upload(admin, [file('x', Buffer.alloc(MB + 1))])).status).toBe(413);
    await server.reload({ 'uploadservlet.maxfilesize': 2 });
    expect((await upload(admin, [file('x', Buffer.alloc(MB + 1))])).status).toBe(200);
  });

  it('nothing of a request stays when its last part is refused', async () => {
    const [files, disk] = [await countOf(admin, 'File'), await contentsOnDisk(server)];
    const parts = [file('a'), file('b', random(500_000, 1)), file('..')];
    expect((await upload(admin, parts)).status).toBe(422);
    expect((await sendForm(admin, Buffer.from('--x\r\n'), 'multipart/form-data; boundary=x')).status).toBe(400);
    expect(await contentsOnDisk(server)).toEqual(disk);
    expect(await countOf(admin, 'File')).toBe(files);
  });
});
