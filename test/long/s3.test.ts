/** Gigabytes into a bucket and out again: the server's memory stays what it was. `SVC_TEST_RUNS=all`: more than 32 bits can count. */
import { statfs } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { Xxh64 } from '@node-rs/xxhash';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tryAll } from '../support/random.js';
import { S3Server } from '../support/s3-server.js';
import { TestServer } from '../support/server.js';
import { memoryOf, noise, uploaded } from '../support/storage.js';

const MB = 1024 * 1024;
const SIZE = (tryAll ? 5000 : 2000) * MB;
/** s3rver keeps the parts until it has put them together. */
const ON_DISK = 2 * SIZE + 1000 * MB;

let s3: S3Server;
let server: TestServer;
let folder: string;
beforeAll(async () => {
  const { bavail, bsize } = await statfs(tmpdir());
  if (bavail * bsize < ON_DISK) throw new Error(`${tmpdir()} needs ${String(ON_DISK / MB)} MB of free disk`);
  s3 = await S3Server.start();
  server = await TestServer.start({
    settings: {
      'application.encryption.secret': 'secret of the tests',
      'uploadservlet.maxfilesize': 6000,
      'uploadservlet.maxrequestsize': 6000,
      'log.level': 'DEBUG',
    },
  });
  ({ folder } = await s3.folderFor(server.admin, 'far'));
});
afterAll(async () => {
  await server.stop();
  await s3.stop();
});

/** What `work` comes to, the most memory of the server meanwhile in MB, and the seconds it took. */
async function watched<T>(work: Promise<T>): Promise<{ result: T; memory: number; seconds: number }> {
  const begin = performance.now();
  let memory = 0;
  const look = setInterval(() => {
    void memoryOf(server.child.pid).then((now) => (memory = Math.max(memory, now)));
  }, 50);
  try {
    return { result: await work, memory, seconds: (performance.now() - begin) / 1000 };
  } finally {
    clearInterval(look);
  }
}

/** Blocks that differ in their beginnings: cheap to make, and none can be taken for another. */
function* content(size: number, sum: Xxh64): Generator<Buffer> {
  const block = Buffer.concat([...noise(8 * MB)]);
  for (let at = 0; at < size; at += block.length) {
    // A copy: what was handed over may not have left yet.
    const piece = Buffer.from(block.subarray(0, Math.min(block.length, size - at)));
    piece.writeDoubleLE(at, 0);
    sum.update(piece);
    yield piece;
  }
}

/** Size and checksum of what comes; an answer that breaks off is an error. */
async function download(id: string): Promise<{ size: number; sum: bigint }> {
  const { name = '', password = '' } = server.admin;
  const headers = { 'X-User': name, 'X-Password': password };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`${server.url}/${id}`, { headers }, resolve).once('error', reject).end();
  });
  expect(answer.statusCode).toBe(200);
  const sum = new Xxh64(0n);
  let size = 0;
  try {
    for await (const piece of answer as AsyncIterable<Buffer>) {
      size += piece.length;
      sum.update(piece);
    }
  } catch (error) {
    const said = server
      .logged(/ (WARN|ERROR|DEBUG) /)
      .slice(-20)
      .join('\n');
    throw new Error(`the answer broke off after ${String(size)} bytes; the server said:\n${said}`, { cause: error });
  }
  return { size, sum: sum.digest() };
}

it(`${String(SIZE / MB)} MB in and out`, async () => {
  // What is there once it has worked at all does not count.
  const first = await uploaded(server.admin, { parentId: folder }, 'first.bin', content(200 * MB, new Xxh64(0n)));
  await download(first);
  const before = await memoryOf(server.child.pid);
  const sent = new Xxh64(0n);
  const up = await watched(uploaded(server.admin, { parentId: folder }, 'large.bin', content(SIZE, sent)));
  const down = await watched(download(up.result));
  console.log(
    `S3: ${up.seconds.toFixed()} s up, ${down.seconds.toFixed()} s down; resident: ${before.toFixed()} MB before, ` +
      `at most ${up.memory.toFixed()} up, ${down.memory.toFixed()} down`,
  );
  expect(down.result).toEqual({ size: SIZE, sum: sent.digest() });
  expect(up.memory - before).toBeLessThan(100);
  expect(down.memory - before).toBeLessThan(100);
});
