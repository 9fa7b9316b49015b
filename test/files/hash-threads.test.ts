import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Checksums, checksumNames } from '../../src/main/files/content/checksums.js';
import { HashThreads } from '../../src/main/files/content/hash-threads.js';

const MB = 1024 * 1024;
const hex = (name: string, bytes: Buffer): string => createHash(name).update(bytes).digest('hex');

/** Checksums that take long have threads (docs/interface/files.md 7). */
describe('checksums in threads', () => {
  it('are those of the bytes as they were given, whatever becomes of the buffer', async () => {
    const threads = new HashThreads(2);
    const streams = Array.from({ length: 20 }, () => threads.open(['md5', 'sha1', 'sha512']));
    const bytes = Buffer.alloc(300_000);
    const all = streams.map(() => [] as Buffer[]);
    for (let round = 0; round < 5; round++) {
      for (const [i, stream] of streams.entries()) {
        bytes.fill(i * 7 + round);
        all[i]?.push(Buffer.from(bytes));
        await stream.update(bytes.subarray(i, bytes.length - round));
        all[i] = [...(all[i]?.slice(0, -1) ?? []), Buffer.from(bytes.subarray(i, bytes.length - round))];
        bytes.fill(255);
      }
    }
    for (const [i, stream] of streams.entries()) {
      const whole = Buffer.concat(all[i] ?? []);
      expect(await stream.values()).toEqual({
        md5: hex('md5', whole),
        sha1: hex('sha1', whole),
        sha512: hex('sha512', whole),
      });
    }
  });

  it('hold back a sender who is faster than they are', async () => {
    const stream = new HashThreads(1).open(['sha512', 'md5', 'sha1']);
    const chunk = Buffer.alloc(MB / 4);
    let waits = 0;
    // Nobody waits for them here: they have no turn to tell how far they are.
    for (let i = 0; i < 8; i++) if (stream.update(chunk) !== undefined) waits++;
    expect(waits).toBeGreaterThanOrEqual(4);
    expect((await stream.values())['md5']).toBe(hex('md5', Buffer.alloc(2 * MB)));
  });

  it('what nobody wants any more costs nothing, and does not hold up others', async () => {
    const threads = new HashThreads(1);
    for (let i = 0; i < 200; i++) {
      const given = threads.open(['md5']);
      void given.update(Buffer.alloc(MB));
      given.drop();
      given.drop();
    }
    const stream = threads.open(['md5']);
    for (let i = 0; i < 10; i++) await stream.update(Buffer.alloc(MB));
    expect((await stream.values())['md5']).toBe(hex('md5', Buffer.alloc(10 * MB)));
  });

  it('a thread that fails is an error for its contents, and the next has a new one', async () => {
    const threads = new HashThreads(1);
    const broken = threads.open(['no such algorithm']);
    await expect(broken.values()).rejects.toThrow(/thread/);
    expect(() => broken.update(Buffer.of(1))).toThrow(/thread/);
    broken.drop();
    expect((await threads.open(['md5']).values())['md5']).toBe(hex('md5', Buffer.alloc(0)));
  });

  it('CRC-32 and xxHash need none', async () => {
    const none = { open: () => expect.fail('no thread is needed') } as unknown as HashThreads;
    const sums = new Checksums(['crc32'], none);
    expect(sums.update(Buffer.from('123456789'))).toBeUndefined();
    expect(await sums.values()).toMatchObject({ crc32: 0xcbf43926 });
    sums.drop();
  });

  it('are named in any way', () => {
    expect(checksumNames('CRC32;md5, sha512')).toEqual(['crc32', 'md5', 'sha512']);
    expect(checksumNames('')).toEqual([]);
    expect(checksumNames('sha1sha512')).toEqual(['sha1', 'sha512']);
  });
});
