import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deflateRawSync, crc32 } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Directory, localHeader, type Heading } from '../../src/main/files/zip/container/format.js';
import type { Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { bytesOf, filesBelow, getBytes, upload } from './bytes.js';
import { unzipped } from '../support/unzipped.js';

interface Packed {
  readonly name: string;
  readonly bytes?: Buffer;
  /** What the headers say instead of the truth. */
  readonly size?: number;
  readonly crc?: number;
}

/** An archive with any names and sizes in it. */
function archiveOf(files: readonly Packed[]): Buffer {
  const parts: Buffer[] = [];
  const directory = new Directory();
  let offset = 0;
  for (const { name, bytes = Buffer.alloc(0), size = bytes.length, crc = crc32(bytes) } of files) {
    const packed = deflateRawSync(bytes);
    const heading: Heading = {
      name: Buffer.from(name),
      modified: Date.now(),
      method: 8,
      isFolder: name.endsWith('/'),
      expected: 0,
    };
    const sums = { crc, size, packed: packed.length };
    const header = localHeader(heading, sums);
    directory.add(heading, sums, offset, false);
    parts.push(header, packed);
    offset += header.length + packed.length;
  }
  return Buffer.concat([...parts, ...directory.end(offset)]);
}

const text = (size: number): Buffer => Buffer.alloc(size, 'lorem ipsum ');

describe('archives in the tree', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({
      settings: {
        'application.filesystem.unarchive.maxsize': 40,
        'application.filesystem.unarchive.maxentries': 500,
        'application.filesystem.unarchive.maxratio': 100,
        'application.filesystem.unarchive.maxdepth': 5,
      },
    });
  });
  afterAll(() => server.stop());

  const ended = async (client: Client, jobId: number): Promise<Record<string, unknown>> => {
    for (const end = Date.now() + 15_000; Date.now() < end; await sleep(20)) {
      const answer = await client.get(`/jobs/${String(jobId)}`);
      expect(answer.status, answer.text).toBe(200);
      if (answer.body.result.ended !== null) return answer.body.result;
    }
    throw new Error('the job does not end');
  };
  const extract = async (archive: Buffer, parentFolder: string): Promise<Record<string, unknown>> => {
    const id = await upload(server.url, 'archive.zip', archive);
    const answer = await server.admin.post(`/File/${id}/unarchive`, { parentFolder });
    expect(answer.status, answer.text).toBe(200);
    return ended(server.admin, answer.body.result);
  };
  const pathsBelow = async (path: string): Promise<string[]> => {
    const all = (await server.admin.get('/AbstractFile/all')).body.result as { path: string }[];
    return all.flatMap((one) => (one.path.startsWith(`${path}/`) ? one.path.slice(path.length) : [])).sort();
  };

  it('what was packed is there again, with types by content', async () => {
    const source = await server.admin.create('Folder', { name: 'source' });
    const inner = await server.admin.create('Folder', { name: 'inner', parent: source });
    await server.admin.create('Folder', { name: 'empty', parent: source });
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    for (let i = 0; i < 120; i++) await upload(server.url, `f${String(i)}.txt`, text(i * 100), { parent: inner });
    await upload(server.url, 'picture.png', png, { parent: source });
    await upload(server.url, 'large.bin', bytesOf(3_000_000), { parent: source });
    const made = await server.admin.post(`/Folder/${source}/archive`, { name: 'packed' });
    expect(made.status, made.text).toBe(200);
    const job = await ended(server.admin, made.body.result);
    expect(job).toMatchObject({ status: 'FINISHED', jobtype: 'ARCHIVE', username: 'admin', filepath: 'packed.zip' });
    const { fileUuid } = job['result'] as { fileUuid: string };
    const file = (await server.admin.get(`/File/${fileUuid}/all`)).body.result;
    expect(file).toMatchObject({ name: 'packed.zip', contentType: 'application/zip', path: '/packed.zip' });
    expect((await unzipped((await getBytes(`${server.url}/packed.zip`)).bytes)).length).toBe(125);
    const target = await server.admin.create('Folder', { name: 'target', enabledChecksums: 'crc32' });
    const unpacked = await server.admin.post(`/File/${fileUuid}/unarchive`, { parentFolder: { id: target } });
    const state = await ended(server.admin, unpacked.body.result);
    expect(state).toMatchObject({
      status: 'FINISHED',
      processedObjects: 125,
      result: { files: 122, folders: 3 },
    });
    expect(await pathsBelow('/target/source')).toEqual(await pathsBelow('/source'));
    const large = await getBytes(`${server.url}/target/source/large.bin`);
    const copy = (await server.admin.get('/File/all?path=/target/source/large.bin')).body.result[0];
    expect(copy.crc32).toBe(crc32(bytesOf(3_000_000)));
    expect(large.bytes.equals(bytesOf(3_000_000))).toBe(true);
    expect((await server.admin.get('/Image?name=picture.png')).body.result).toHaveLength(2);
  });

  it('existing names are renamed, existing folders are used', async () => {
    const parent = await server.admin.create('Folder', { name: 'again' });
    const archive = archiveOf([
      { name: 'a/b.txt', bytes: text(10) },
      { name: 'c.txt', bytes: text(20) },
    ]);
    await extract(archive, parent);
    await extract(archive, parent);
    const names = await pathsBelow('/again');
    expect(names).toHaveLength(5);
    expect(names.filter((name) => /^\/a\/b_\d{4}-.*\.txt$|^\/c_\d{4}-.*\.txt$/.test(name))).toHaveLength(2);
    // What has the name of a folder and is none.
    await extract(archiveOf([{ name: 'c.txt/inside.txt', bytes: text(5) }]), parent);
    expect((await pathsBelow('/again')).filter((name) => /^\/c_.*\.txt\/inside\.txt$/.test(name))).toHaveLength(1);
  });

  it('roots and dots in names mean nothing, the ways out are refused', async () => {
    const parent = await server.admin.create('Folder', { name: 'slips' });
    const odd = ['/absolute.txt', './here.txt', 'a//b.txt', 'C:\\windows\\c.txt', 'dir\\d.txt', '/', 'ü/日本.txt'];
    const job = await extract(archiveOf(odd.map((name) => ({ name, bytes: text(5) }))), parent);
    expect(job['status']).toBe('FINISHED');
    expect(await pathsBelow('/slips')).toEqual(
      [
        '/a',
        '/a/b.txt',
        '/absolute.txt',
        '/dir',
        '/dir/d.txt',
        '/here.txt',
        '/windows',
        '/windows/c.txt',
        '/ü',
        '/ü/日本.txt',
      ].sort(),
    );
    for (const name of ['../up.txt', 'a/../../up.txt', '..\\up.txt', 'a/..', 'nul\0.txt']) {
      const id = await upload(server.url, 'bad.zip', archiveOf([{ name: 'good.txt', bytes: text(5) }, { name }]));
      const answer = await server.admin.post(`/File/${id}/unarchive`, { parentFolder: parent });
      expect([name, answer.status, answer.body.message]).toEqual([name, 422, expect.stringContaining('leads out')]);
    }
    expect(await pathsBelow('/slips')).toHaveLength(10);
  });

  it.each(['ü'.repeat(128), `${'ü'.repeat(128)}/inside.txt`])(
    'a name of more than 255 bytes is refused',
    async (name) => {
      const parent = await server.admin.create('Folder', { name: `long${String(name.length)}` });
      const job = await extract(
        archiveOf([
          { name: 'short.txt', bytes: text(5) },
          { name, bytes: text(5) },
        ]),
        parent,
      );
      expect(job).toMatchObject({ status: 'FAILED', exception: { message: expect.stringContaining('255 bytes') } });
    },
  );

  it('bombs are refused before anything is extracted', async () => {
    const cases: [string, Buffer][] = [
      ['bytes', archiveOf(Array.from({ length: 5 }, (_, i) => ({ name: String(i), bytes: bytesOf(9_000_000, i) })))],
      ['more than 500 entries', archiveOf(Array.from({ length: 501 }, (_, i) => ({ name: `${String(i)}.txt` })))],
      ['times its own size', archiveOf([{ name: 'zeros', bytes: Buffer.alloc(20_000_000) }])],
      ['folders deeper than 5', archiveOf([{ name: 'a/b/c/d/e/f.txt', bytes: text(1) }])],
    ];
    for (const [message, archive] of cases) {
      const id = await upload(server.url, 'bomb.zip', archive);
      const answer = await server.admin.post(`/File/${id}/unarchive`, {});
      expect([answer.status, answer.body.message]).toEqual([422, expect.stringContaining(message)]);
    }
  });

  it('broken, encrypted and other archives are refused clearly', async () => {
    const good = archiveOf([{ name: 'a.txt', bytes: text(1000) }]);
    const encrypted = Buffer.from(good);
    const record = encrypted.indexOf(Buffer.from('PK\x01\x02'));
    encrypted.writeUInt16LE(encrypted.readUInt16LE(record + 8) | 1, record + 8);
    const method = Buffer.from(good);
    method.writeUInt16LE(14, record + 10);
    const tar = Buffer.alloc(1024);
    tar.write('a.txt', 0);
    tar.write('ustar\x0000', 257);
    const refused: [string, Buffer][] = [
      ['encrypted', encrypted],
      ['method that is not supported', method],
      ['broken', good.subarray(0, good.length - 5)],
      ['Only ZIP archives', tar],
      ['Only ZIP archives', Buffer.from('7z\xbc\xaf\x27\x1c\x00\x04', 'latin1')],
      ['Only ZIP archives', Buffer.alloc(0)],
      ['Only ZIP archives', text(500)],
    ];
    for (const [message, bytes] of refused) {
      const id = await upload(server.url, 'odd.bin', bytes);
      const answer = await server.admin.post(`/File/${id}/unarchive`, {});
      expect([answer.status, answer.body.message]).toEqual([422, expect.stringContaining(message)]);
    }
    // What only its bytes tell ends the job, and leaves nothing behind of its batch.
    const parent = await server.admin.create('Folder', { name: 'broken' });
    const wrong = archiveOf([
      { name: 'ok.txt', bytes: text(100) },
      { name: 'sum.txt', bytes: text(100), crc: 1 },
    ]);
    expect(await extract(wrong, parent)).toMatchObject({
      status: 'FAILED',
      exception: { message: expect.stringContaining('checksum') },
    });
    const more = archiveOf([{ name: 'size.txt', bytes: text(100), size: 50 }]);
    expect(await extract(more, parent)).toMatchObject({
      status: 'FAILED',
      exception: { message: expect.stringContaining('broken') },
    });
    const less = archiveOf([{ name: 'size.txt', bytes: text(100), size: 500 }]);
    expect(await extract(less, parent)).toMatchObject({ status: 'FAILED' });
    expect(await pathsBelow('/broken')).toEqual([]);
    const known = new Set(
      ((await server.admin.get('/File/all?_pageSize=2000')).body.result as { id: string }[]).map(({ id }) => id),
    );
    const stored = await filesBelow(join(server.folder, 'files'));
    // Marks of work that goes on are none.
    const contents = stored.filter((path) => !path.includes('._svc_media'));
    const rubbish = contents.filter((path) => !known.has(path.split('/').at(-1)?.split('.')[0] ?? ''));
    expect(rubbish).toEqual([]);
  });

  it('an empty archive, and parameters that make no sense', async () => {
    const parent = await server.admin.create('Folder', { name: 'void' });
    expect(await extract(archiveOf([]), parent)).toMatchObject({
      status: 'FINISHED',
      result: { files: 0, folders: 0 },
    });
    const id = await upload(server.url, 'a.zip', archiveOf([]));
    for (const [path, body, status] of [
      [`/File/${id}/unarchive`, { parentFolder: 5 }, 400],
      [`/File/${id}/unarchive`, { parentFolder: id }, 404],
      [`/File/${'0'.repeat(32)}/unarchive`, {}, 404],
      [`/Folder/${parent}/unarchive`, {}, 404],
      [`/Folder/${parent}/archive`, { name: 5 }, 400],
      [`/Folder/${parent}/archive`, { name: 'a/b' }, 422],
      [`/Folder/${parent}/archive`, { parentFolder: 'x' }, 404],
      ['/File/archive', {}, 400],
      ['/File/archive', { files: [] }, 422],
      ['/File/archive', { files: ['x'] }, 404],
      ['/File/archive', { files: [7] }, 400],
    ] as const) {
      expect([path, body, (await server.admin.post(path, body)).status]).toEqual([path, body, status]);
    }
    expect((await server.admin.get(`/File/${id}/unarchive`)).status).toBe(405);
    expect((await server.admin.get('/jobs/99999')).status).toBe(404);
    expect((await server.admin.get('/jobs')).body.result.length).toBeGreaterThan(5);
  });

  it('users do what their rights on endpoints and objects allow', async () => {
    const userId = await server.admin.create('User', { name: 'packer', password: 'packer-password' });
    const user = server.as('packer', 'packer-password');
    const open = await server.admin.create('Folder', { name: 'open', visibleToAuthenticatedUsers: true });
    const own = await server.admin.create('Folder', { name: 'own', owner: userId });
    const seen = await upload(server.url, 'seen.txt', text(10), { parent: open, visibleToAuthenticatedUsers: 'true' });
    const unseen = await upload(server.url, 'unseen.txt', text(10), { parent: open });
    const body = { files: [seen], parentFolder: own };
    expect((await user.post('/File/archive', body)).status).toBe(401);
    for (const signature of ['File/archive', 'Folder/_id/archive', 'File/_id/unarchive']) {
      await allow(server.admin, signature, 'user', ['POST']);
    }
    await allow(server.admin, 'jobs/_id', 'user', ['GET']);
    await allow(server.admin, 'jobs/_id/abort', 'user', ['POST']);
    const job = await ended(user, (await user.post('/File/archive', body)).body.result);
    expect(job['status']).toBe('FINISHED');
    const archive = (job['result'] as { fileUuid: string }).fileUuid;
    const whole = await ended(user, (await user.post(`/Folder/${open}/archive`, { parentFolder: own })).body.result);
    const wholeId = (whole['result'] as { fileUuid: string }).fileUuid;
    const names = (await unzipped((await getBytes(`${server.url}/${wholeId}`)).bytes)).map(({ name }) => name);
    expect(names).toEqual(['open/', 'open/seen.txt']);
    expect((await user.post('/File/archive', { files: [unseen], parentFolder: own })).status).toBe(404);
    expect((await user.post(`/Folder/${open}/archive`, { parentFolder: open })).status).toBe(403);
    expect((await user.post(`/File/${archive}/unarchive`, { parentFolder: open })).status).toBe(403);
    expect((await user.post(`/File/${unseen}/unarchive`, { parentFolder: own })).status).toBe(404);
    const out = await ended(user, (await user.post(`/File/${archive}/unarchive`, {})).body.result);
    expect(out['status']).toBe('FINISHED');
    const made = (await server.admin.get('/File/all?name=seen.txt')).body.result as {
      path: string;
      owner: { name: string };
    }[];
    expect(made.find(({ path }) => path === '/own/seen.txt')?.owner.name).toBe('packer');
    // Jobs of others are not there.
    const foreign = await server.admin.post('/File/archive', { files: [seen] });
    expect((await user.get(`/jobs/${String(foreign.body.result)}`)).status).toBe(404);
    expect((await user.post(`/jobs/${String(foreign.body.result)}/abort`)).status).toBe(404);
    expect((await server.admin.get(`/jobs/${String(out['jobId'])}`)).status).toBe(200);
  });

  it('a job can be ended, and what it had committed stays', async () => {
    const parent = await server.admin.create('Folder', { name: 'ended' });
    const archive = archiveOf(Array.from({ length: 400 }, (_, i) => ({ name: `${String(i)}.txt`, bytes: text(100) })));
    const id = await upload(server.url, 'long.zip', archive);
    const { body } = await server.admin.post(`/File/${id}/unarchive`, { parentFolder: parent });
    const path = `/jobs/${String(body.result)}`;
    for (;;) {
      const { processedObjects, ended: isOver } = (await server.admin.get(path)).body.result;
      if (processedObjects > 0 || isOver !== null) break;
    }
    // It may have ended meanwhile.
    expect([200, 422]).toContain((await server.admin.post(`${path}/abort`)).status);
    const state = await ended(server.admin, body.result);
    const there = await pathsBelow('/ended');
    expect(there.length % 50).toBe(0);
    expect(there.length).toBe(state['processedObjects']);
    if (state['status'] === 'ABORTED') expect(there.length).toBeLessThan(400);
  });
});
