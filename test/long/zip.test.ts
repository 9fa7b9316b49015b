/** 5 GB by a resumable upload, and out again as they are and as a ZIP archive: the server's memory stays what it was. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import * as tus from 'tus-js-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADMIN, bytesOf, upload } from '../files/bytes.js';
import { TestServer } from '../support/server.js';

const run = promisify(execFile);
const MB = 1024 * 1024;
const SIZE = 4800 * MB;

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ settings: { 'uploadservlet.maxfilesize': 6000 } });
});
afterAll(() => server.stop());

async function resident(): Promise<number> {
  const status = await readFile(`/proc/${String(server.child.pid)}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** The most memory while `work` runs, in MB. */
async function most<T>(work: Promise<T>): Promise<{ result: T; memory: number }> {
  let memory = 0;
  const look = setInterval(() => {
    void resident().then((now) => (memory = Math.max(memory, now)));
  }, 50);
  try {
    return { result: await work, memory };
  } finally {
    clearInterval(look);
  }
}

const block = bytesOf(8 * MB, 4);

it('5 GB in and out', async () => {
  const folder = await server.admin.create('Folder', { name: 'big' });
  // What is there once it has worked at all does not count.
  await upload(server.url, 'a.txt', Buffer.from('text '.repeat(4 * MB)), { parent: folder });
  await upload(server.url, 'b.bin', bytesOf(30 * MB), { parent: folder });
  const fetchZip = async (): Promise<string> => {
    const path = join(server.folder, 'out.zip');
    const answer = await fetch(`${server.url}/big?_zip`, { headers: ADMIN });
    if (answer.body === null) throw new Error('no body');
    await pipeline(Readable.fromWeb(answer.body), createWriteStream(path));
    return path;
  };
  for (let i = 0; i < 3; i++) await fetchZip();
  const before = await resident();
  const sum = createHash('md5');
  const source = Readable.from(
    (function* () {
      for (let sent = 0; sent < SIZE;) {
        const piece = block.subarray(0, Math.min(block.length, SIZE - sent));
        sum.update(piece);
        sent += piece.length;
        yield piece;
      }
    })(),
    { objectMode: false },
  );
  const uploading = new Promise<void>((resolve, reject) => {
    new tus.Upload(source, {
      endpoint: `${server.url}/svc/upload/tus`,
      headers: ADMIN,
      metadata: { filename: 'large.bin', parent: folder },
      uploadSize: SIZE,
      chunkSize: 64 * MB,
      onSuccess: () => {
        resolve();
      },
      onError: reject,
    }).start();
  });
  const up = await most(uploading);
  const fetchPlain = async (): Promise<string> => {
    const answer = await fetch(`${server.url}/big/large.bin`, { headers: ADMIN });
    if (answer.body === null) throw new Error('no body');
    const got = createHash('md5');
    for await (const piece of Readable.fromWeb(answer.body)) got.update(piece as Buffer);
    return got.digest('hex');
  };
  const plain = await most(fetchPlain());
  const sent = sum.digest('hex');
  expect(plain.result).toBe(sent);
  const down = await most(fetchZip());
  const figures = [before, up.memory, plain.memory, down.memory].map((one) => one.toFixed());
  console.log(`resident (MB): before, up, down, down as ZIP: ${figures.join(', ')}`);
  expect(up.memory - before).toBeLessThan(100);
  expect(plain.memory - before).toBeLessThan(100);
  expect(down.memory - before).toBeLessThan(100);
  const check = `
import zipfile, hashlib, sys
with zipfile.ZipFile(sys.argv[1]) as z:
    h = hashlib.md5()
    for one in z.namelist():
        with z.open(one) as f: # at its end the checksum is compared
            while True:
                b = f.read(1 << 20)
                if not b: break
                if one == 'big/large.bin': h.update(b)
    print(len(z.infolist()), z.getinfo('big/large.bin').file_size, h.hexdigest())
`;
  const { stdout } = await run('python3', ['-c', check, down.result]);
  expect(stdout.trim()).toBe(`4 ${String(SIZE)} ${sent}`);
  await rm(down.result);
});
