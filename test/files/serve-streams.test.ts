/** Big files: slow readers cost no memory, those who leave leave nothing behind. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readdir, truncate } from 'node:fs/promises';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';
import { ADMIN, fetchPath, makeFile, replaceContent } from '../support/serving.js';

const MB = 1024 * 1024;

let server: TestServer;
let besides: TestServer;
/** A download that pauses for longer than the native timeout of 10 s, while the other tests run; the bytes of its body. */
let longPause: Promise<number>;
beforeAll(async () => {
  [server, besides] = await Promise.all([TestServer.start(), TestServer.start()]);
  const id = await makeFile(besides, { name: 'big.bin', content: Buffer.alloc(50 * MB) });
  longPause = paused(besides, `/${id}`, 14_000, 50 * MB);
  longPause.catch(() => undefined);
  await makeBig('big.bin', 100 * MB);
});
afterAll(async () => {
  await besides.stop();
  await server.stop();
});

/** Resident memory of the server, in MB. */
function resident(): number {
  const status = readFileSync(`/proc/${String(server.child.pid)}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/** Contents of files that the server has open. */
function openContents(): number {
  const folder = `/proc/${String(server.child.pid)}/fd`;
  const target = (fd: string): string => {
    try {
      return readlinkSync(join(folder, fd));
    } catch {
      return '';
    }
  };
  return readdirSync(folder).filter((fd) => target(fd).startsWith(join(server.folder, 'files/'))).length;
}

/** A file whose content is a hole of this size: sent like any other, but no disk is needed. */
async function makeBig(name: string, size: number): Promise<string> {
  const id = await makeFile(server, { name, content: 'x'.repeat(1000) });
  const paths = await readdir(join(server.folder, 'files'), { recursive: true });
  const path = paths.find((one) => one.includes(id)) ?? '';
  await truncate(join(server.folder, 'files', path), size);
  const answer = await server.superuser.put(`/File/${id}`, { size });
  if (answer.status !== 200) throw new Error(answer.text);
  return id;
}

/** Begins a download and reads nothing more than what comes at once. */
async function begin(path: string): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await new Promise((resolve) => socket.once('readable', resolve));
  return socket;
}

/** Reads a download to its end; the number of bytes of its body. */
function drain(path: string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: server.port, path, headers, agent: false }, (answer) => {
      let bytes = 0;
      answer.on('data', (piece: Buffer) => (bytes += piece.length));
      answer.on('error', reject);
      answer.on('end', () => {
        resolve(bytes);
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** Whether it came to that in time. */
async function until(condition: () => boolean, milliseconds = 20_000): Promise<boolean> {
  for (const end = Date.now() + milliseconds; Date.now() < end; await sleep(20)) if (condition()) return true;
  return condition();
}

describe('a slow reader', () => {
  it('keeps no more in memory than a piece or two: twenty read 100 MB each', async () => {
    await drain('/big.bin');
    const before = resident();
    const sockets = await Promise.all(Array.from({ length: 20 }, () => begin('/big.bin')));
    let most = 0;
    for (let step = 0; step < 30; step++) {
      // A few hundred KB a second each.
      for (const socket of sockets) socket.read(20_000);
      await sleep(50);
      most = Math.max(most, resident());
    }
    expect(openContents()).toBe(20);
    expect(most - before).toBeLessThan(60);
    // All that was sent is right, and the rest still comes.
    const [first, ...others] = sockets;
    for (const socket of others) socket.destroy();
    let bytes = 0;
    first?.on('data', (piece: Buffer) => (bytes += piece.length));
    await until(() => bytes > 90 * MB);
    expect(bytes).toBeGreaterThan(90 * MB);
    first?.destroy();
    await until(() => openContents() === 0);
    expect(openContents()).toBe(0);
  });
});

/** Bytes of an answer of which nothing is read for some time, then all that comes of it until it has so many. */
async function paused(on: TestServer, path: string, milliseconds: number, size: number): Promise<number> {
  const socket = connect(on.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await new Promise((resolve) => socket.once('readable', resolve));
  await sleep(milliseconds);
  let bytes = 0;
  let ended = false;
  socket.on('data', (piece: Buffer) => (bytes += piece.length));
  socket.on('close', () => (ended = true));
  await until(() => ended || bytes > size);
  socket.destroy();
  return bytes;
}

describe('a reader that pauses', () => {
  it('is given up after that time', async () => {
    const other = await TestServer.start({ settings: { 'httpservice.answers.readtimeout': 1500 } });
    try {
      const id = await makeFile(other, { name: 'big.bin', content: Buffer.alloc(50 * MB) });
      expect(await paused(other, `/${id}`, 4000, 50 * MB)).toBeLessThan(50 * MB);
    } finally {
      await other.stop();
    }
  });
});

describe('a client that leaves', () => {
  it('closes the file, whether it was waiting or reading', async () => {
    for (let round = 0; round < 3; round++) {
      const sockets = await Promise.all(Array.from({ length: 10 }, () => begin('/big.bin')));
      expect(openContents()).toBeGreaterThan(0);
      for (const [i, socket] of sockets.entries()) {
        if (i % 2 === 0) socket.resume();
        if (i % 3 === 0) socket.resetAndDestroy();
        else socket.destroy();
      }
      await until(() => openContents() === 0);
      expect(openContents()).toBe(0);
    }
    expect(await fetchPath(server, '/big.bin', { Range: 'bytes=5-9' })).toMatchObject({ status: 206 });
    expect(server.logged(/ERROR/)).toEqual([]);
  });

  it('closes it, too, in the middle of several ranges, of base64 and of compression', async () => {
    const id = await makeFile(server, { name: 'long.txt', content: 'long text '.repeat(2 * MB) });
    for (const head of [
      'GET /big.bin HTTP/1.1\r\nHost: x\r\nRange: bytes=0-30000000,40000000-60000000\r\n\r\n',
      'GET /big.bin?_as-data-url HTTP/1.1\r\nHost: x\r\n\r\n',
      `GET /${id} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n`,
    ]) {
      const socket = connect(server.port, '127.0.0.1');
      socket.write(head);
      await new Promise((resolve) => socket.once('readable', resolve));
      socket.destroy();
      // Between two ranges it is closed as well; what is never closed keeps this from ending.
      expect(await until(() => openContents() === 0)).toBe(true);
    }
  });
});

describe('the memory that pieces are read into', () => {
  it('is never sent to another reader', async () => {
    const sizes = [300_000, 700_000, 1_500_001, 3_000_000];
    const ids: string[] = [];
    for (const [i, size] of sizes.entries()) {
      ids.push(await makeFile(server, { name: `piece-${String(i)}`, content: Buffer.alloc(size, i + 1) }));
    }
    await Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        const i = n % sizes.length;
        if (n % 7 === 0) (await begin('/big.bin')).destroy();
        const answer = await fetchPath(server, `/${ids[i] ?? ''}`, n % 3 === 0 ? { Range: 'bytes=100-' } : {});
        expect(answer.body.length).toBe((sizes[i] ?? 0) - (n % 3 === 0 ? 100 : 0));
        expect(answer.body.every((byte) => byte === i + 1)).toBe(true);
      }),
    );
  });
});

describe('a file of 1 GB', () => {
  it('comes whole, with flat memory', async () => {
    await makeBig('huge.bin', 1024 * MB);
    await drain('/big.bin');
    const before = resident();
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, resident())), 20);
    expect(await drain('/huge.bin')).toBe(1024 * MB);
    clearInterval(watch);
    expect(most - before).toBeLessThan(50);
    await until(() => openContents() === 0);
    expect(openContents()).toBe(0);
  });
});

describe('content that cannot be read', () => {
  it('is an error without headers of the file; broken off, the client sees it', async () => {
    const id = await makeFile(server, {
      name: 'broken.bin',
      content: Buffer.alloc(400_000, 1),
      properties: { cacheForSeconds: 9 },
    });
    const paths = await readdir(join(server.folder, 'files'), { recursive: true });
    const path = join(server.folder, 'files', paths.find((one) => one.includes(id)) ?? '');
    await truncate(path, 300_000);
    await expect(drain('/broken.bin')).rejects.toThrow();
    await truncate(path, 0);
    const answer = await fetchPath(server, '/broken.bin');
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain(server.folder);
    for (const name of ['etag', 'cache-control', 'last-modified', 'expires']) {
      expect(answer.headers[name]).toBeUndefined();
    }
    await replaceContent(server, id, 'whole again');
    expect((await fetchPath(server, '/broken.bin', ADMIN)).text).toBe('whole again');
  });
});

describe('a reader that paused for longer than the native timeout', () => {
  it('gets the rest, as long as it takes no longer than httpservice.idle.timeout', async () => {
    expect(await longPause).toBeGreaterThan(50 * MB);
  });
});
