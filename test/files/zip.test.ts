import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';
import { ADMIN, bytesOf, getBytes, upload } from './bytes.js';
import { checkedByTools, unzipped, type Unzipped } from '../support/unzipped.js';

const text = (size: number): Buffer =>
  Buffer.from('All work and no play makes a dull archive. '.repeat(size / 43 + 1)).subarray(0, size);

describe('a folder as a ZIP archive', () => {
  let server: TestServer;
  const names = (entries: readonly Unzipped[]): string[] => entries.map(({ name }) => name).sort();
  beforeAll(async () => {
    server = await TestServer.start({ settings: { 'application.filesystem.zip.maxconcurrent': 2 } });
  });
  afterAll(() => server.stop());

  it('has all that is in it, once, with names, times and bytes', async () => {
    const top = await server.admin.create('Folder', { name: 'Töp & 日本' });
    const inner = await server.admin.create('Folder', { name: 'inner', parent: top });
    await server.admin.create('Folder', { name: 'empty', parent: inner });
    const contents: Record<string, Buffer> = {
      'a.txt': text(100_000),
      'b.bin': bytesOf(1_000_000),
      'c.txt': text(3_000_000),
      'd.jpg': Buffer.concat([Buffer.from('ffd8ffe000104a464946', 'hex'), bytesOf(900_000)]),
      'e.png': Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), bytesOf(1000)]),
      'nothing.txt': Buffer.alloc(0),
      'one.txt': Buffer.from('1'),
      'exact.txt': text(256 * 1024),
    };
    for (const [name, bytes] of Object.entries(contents)) await upload(server.url, name, bytes, { parent: inner });
    await upload(server.url, 'öben.txt', text(10), { parent: top });
    const got = await getBytes(`${server.url}/${encodeURIComponent('Töp & 日本')}?_zip`);
    expect(got.status).toBe(200);
    expect(got.headers.get('content-type')).toBe('application/zip');
    expect(got.headers.get('content-disposition')).toContain(
      "filename*=UTF-8''T%C3%B6p%20%26%20%E6%97%A5%E6%9C%AC.zip",
    );
    const entries = await unzipped(got.bytes);
    const inside = 'Töp & 日本/inner/';
    expect(names(entries)).toEqual(
      [
        'Töp & 日本/',
        'Töp & 日本/öben.txt',
        inside,
        `${inside}empty/`,
        ...Object.keys(contents).map((n) => inside + n),
      ].sort(),
    );
    for (const [name, bytes] of Object.entries(contents)) {
      const entry = entries.find((one) => one.name === inside + name);
      expect(entry?.bytes.equals(bytes), name).toBe(true);
      // Random bytes are stored, too: deflating them made them no smaller, or their type says so.
      if (/jpg|png|nothing/.test(name)) expect([name, entry?.method]).toEqual([name, 0]);
      if (/txt/.test(name) && bytes.length > 100) expect([name, entry?.method]).toEqual([name, 8]);
      expect(Math.abs((entry?.modified ?? 0) - Date.now())).toBeLessThan(60_000);
    }
    expect(await checkedByTools(got.bytes)).toBeOneOf([entries.length, undefined]);
    const byId = await getBytes(`${server.url}/${top}?_zip&_filename=${encodeURIComponent('mein "zip".zip')}`);
    expect(names(await unzipped(byId.bytes))).toEqual(names(entries));
    expect(byId.headers.get('content-disposition')).toBe(
      `attachment; filename="mein \\"zip\\".zip"; filename*=UTF-8''mein%20%22zip%22.zip`,
    );
    const head = await fetch(`${server.url}/${top}?_zip`, { method: 'HEAD', headers: ADMIN });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'application/zip']);
  });

  it('a selection, of files and folders anywhere', async () => {
    const folder = await server.admin.create('Folder', { name: 'chosen' });
    const one = await upload(server.url, 'one.txt', text(10), { parent: folder });
    const other = await upload(server.url, 'one.txt', text(20));
    const got = await getBytes(`${server.url}/?_zip&_ids=${one},${other},${folder},${one}`);
    expect(names(await unzipped(got.bytes))).toEqual(['chosen/', 'chosen/one.txt', 'one (2).txt', 'one.txt']);
    expect(got.headers.get('content-disposition')).toBe('attachment; filename="files.zip"');
    const named = await getBytes(`${server.url}/chosen?_zip&_ids=${other}`);
    expect(named.headers.get('content-disposition')).toBe('attachment; filename="chosen.zip"');
    for (const [query, status] of [
      [`/?_zip&_ids=${one},${'0'.repeat(32)}`, 404],
      ['/?_zip&_ids=x', 404],
      ['/?_zip&_ids=', 422],
      ['/?_zip', 404],
      ['/chosen', 404],
      ['/chosen/?_zip', 404],
      ['/missing?_zip', 404],
    ] as const) {
      expect([query, (await getBytes(server.url + query)).status]).toEqual([query, status]);
    }
    // On a file it means nothing.
    expect((await getBytes(`${server.url}/${one}?_zip`)).bytes.length).toBe(10);
  });

  it('holds what may be read and nothing else', async () => {
    await server.admin.create('User', { name: 'reader', password: 'reader-password' });
    const reader = { 'X-User': 'reader', 'X-Password': 'reader-password' };
    const seen = { visibleToAuthenticatedUsers: true };
    const top = await server.admin.create('Folder', { name: 'mixed', ...seen });
    const open = await server.admin.create('Folder', { name: 'open', parent: top, ...seen });
    const shut = await server.admin.create('Folder', { name: 'shut', parent: top });
    const flag = { visibleToAuthenticatedUsers: 'true' };
    await upload(server.url, 'yes.txt', text(10), { parent: open, ...flag });
    await upload(server.url, 'no.txt', text(10), { parent: open });
    await upload(server.url, 'inside.txt', text(10), { parent: shut, ...flag });
    const hidden = await upload(server.url, 'hidden.txt', text(10), { parent: open, ...flag });
    await server.admin.put(`/File/${hidden}`, { hidden: true });
    const template = await upload(server.url, 'template.txt', text(10), { parent: open, ...flag });
    await server.admin.put(`/File/${template}`, { isTemplate: true });
    const got = await getBytes(`${server.url}/mixed?_zip`, reader);
    expect(names(await unzipped(got.bytes))).toEqual(['mixed/', 'mixed/open/', 'mixed/open/yes.txt']);
    expect(names(await unzipped((await getBytes(`${server.url}/mixed?_zip`)).bytes))).toEqual([
      'mixed/',
      'mixed/open/',
      'mixed/open/no.txt',
      'mixed/open/template.txt',
      'mixed/open/yes.txt',
      'mixed/shut/',
      'mixed/shut/inside.txt',
    ]);
    expect((await getBytes(`${server.url}/mixed/shut?_zip`, reader)).status).toBe(404);
    expect((await getBytes(`${server.url}/${shut}?_zip`, reader)).status).toBe(404);
    expect((await getBytes(`${server.url}/mixed?_zip`, {})).status).toBe(404);
    expect((await getBytes(`${server.url}/?_zip&_ids=${shut}`, reader)).status).toBe(404);
  });

  it('holds what its client would be shown file by file', async () => {
    const folder = await server.admin.create('Folder', {
      name: 'shown',
      visibleToPublicUsers: true,
      visibleToAuthenticatedUsers: true,
    });
    const flags = { both: [true, true], public: [true, false], users: [false, true] } as const;
    const ids = new Map<string, string>();
    for (const [name, [toPublic, toUsers]] of Object.entries(flags)) {
      const id = await upload(server.url, `${name}.txt`, text(10), { parent: folder });
      await server.admin.put(`/File/${id}`, { visibleToPublicUsers: toPublic, visibleToAuthenticatedUsers: toUsers });
      ids.set(name, id);
    }
    await server.admin.create('User', { name: 'zoe', password: 'Zoe-pass-1' });
    const zoe = { 'X-User': 'zoe', 'X-Password': 'Zoe-pass-1' };
    for (const [headers, shown] of [
      [{}, ['both', 'public']],
      [zoe, ['both', 'users']],
      [ADMIN, ['both', 'public', 'users']],
    ] as const) {
      const got = await getBytes(`${server.url}/shown?_zip`, headers);
      expect(names(await unzipped(got.bytes))).toEqual(['shown/', ...shown.map((name) => `shown/${name}.txt`)]);
      for (const [name, id] of ids) {
        const status = (shown as readonly string[]).includes(name) ? 200 : 404;
        for (const path of [`/shown/${name}.txt`, `/${id}`, `/?_zip&_ids=${id}`, `/shown?_zip&_ids=${id}`])
          expect([path, (await getBytes(`${server.url}${path}`, headers)).status]).toEqual([path, status]);
      }
    }
  });

  it('names lead nowhere else, and a loop of folders has an end', async () => {
    const top = await server.admin.create('Folder', { name: 'odd' });
    const dots = await server.admin.create('Folder', { name: '..\\..', parent: top });
    await server.admin.create('File', { name: '..\\..\\evil.bat', parent: dots });
    await server.admin.create('File', { name: 'C:evil', parent: dots });
    await server.admin.create('File', { name: 'tab\tand\nline', parent: dots });
    const got = await getBytes(`${server.url}/odd?_zip`);
    expect(names(await unzipped(got.bytes))).toEqual(
      ['odd/', 'odd/.._../', 'odd/.._../.._.._evil.bat', 'odd/.._../C_evil', 'odd/.._../tab_and_line'].sort(),
    );
    const inner = await server.admin.create('Folder', { name: 'inner', parent: top });
    const closed = await server.admin.put(`/Folder/${top}`, { parent: inner });
    const loop = await getBytes(`${server.url}/${top}?_zip`);
    expect(loop.status).toBe(200);
    // Where a loop can be made at all.
    if (closed.status === 200) expect(names(await unzipped(loop.bytes))).toContain('odd/inner/');
  });

  it('only so many are made at once, and clients that vanish free their place', async () => {
    const top = await server.admin.create('Folder', { name: 'large' });
    for (let i = 0; i < 6; i++) await upload(server.url, `${String(i)}.bin`, bytesOf(8_000_000, i), { parent: top });
    const open = (): Promise<{ status: number; close: () => void }> =>
      new Promise((resolve, reject) => {
        const req = request(`${server.url}/large?_zip`, { headers: ADMIN }, (res) => {
          res.once('readable', () => {
            resolve({
              status: res.statusCode ?? 0,
              close: () => {
                res.destroy();
              },
            });
          });
          res.on('error', () => undefined);
        });
        req.on('error', reject);
        req.end();
      });
    // The server needs a moment to see that a client is gone.
    const openSoon = async (): ReturnType<typeof open> => {
      for (const end = Date.now() + 20_000; ; await sleep(20)) {
        const opened = await open();
        if (opened.status === 200 || Date.now() > end) return opened;
        opened.close();
      }
    };
    for (let round = 0; round < 3; round++) {
      const [a, b] = [await openSoon(), await openSoon()];
      expect([a.status, b.status]).toEqual([200, 200]);
      const refused = await getBytes(`${server.url}/large?_zip`);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
      a.close();
      b.close();
    }
    (await openSoon()).close();
    let whole = await getBytes(`${server.url}/large?_zip`);
    for (let i = 0; i < 100 && whole.status === 503; i++) {
      await sleep(20);
      whole = await getBytes(`${server.url}/large?_zip`);
    }
    expect((await unzipped(whole.bytes)).length).toBe(7);
  });

  it('a file that is deleted or replaced meanwhile is left out or there as it is now', async () => {
    const top = await server.admin.create('Folder', { name: 'moving' });
    await upload(server.url, '0.bin', bytesOf(60_000_000), { parent: top });
    const gone = await upload(server.url, '1.txt', text(1000), { parent: top });
    const replaced = await upload(server.url, '2.txt', text(1000), { parent: top });
    const bytes = await new Promise<Buffer>((resolve, reject) => {
      const req = request(`${server.url}/moving?_zip`, { headers: ADMIN }, (res) => {
        const chunks: Buffer[] = [];
        res.once('data', (chunk: Buffer) => {
          chunks.push(chunk);
          res.pause();
          void (async () => {
            await server.admin.delete(`/File/${gone}`);
            await fetch(`${server.url}/svc/upload/${replaced}`, {
              method: 'PUT',
              body: new Uint8Array(text(2000)),
              headers: ADMIN,
            });
            await sleep(200);
            res.on('data', (more: Buffer) => chunks.push(more));
            res.resume();
          })();
        });
        res.on('end', () => {
          resolve(Buffer.concat(chunks));
        });
        res.on('error', reject);
      });
      req.on('error', reject);
      req.end();
    });
    const entries = await unzipped(bytes);
    expect(names(entries)).toEqual(['moving/', 'moving/0.bin', 'moving/2.txt']);
    expect(entries.find(({ name }) => name.endsWith('2.txt'))?.bytes.length).toBe(2000);
  });
});
