/** The writer of archives alone: whatever goes in comes out, by the eyes of others. */
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { Deflater } from '../../src/main/files/zip/container/deflater.js';
import { descriptor, Directory, localHeader, STORED } from '../../src/main/files/zip/container/format.js';
import { EntryGone, zip, type ZipEntry } from '../../src/main/files/zip/container/writer.js';
import { bytesOf } from './bytes.js';
import { checkedByTools, unzipped } from '../support/unzipped.js';
import { runsOf } from '../support/random.js';

const deflater = new Deflater(() => 6);
afterAll(() => deflater.close());

async function archiveOf(entries: Iterable<ZipEntry>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const list = async function* (): AsyncGenerator<ZipEntry> {
    yield* entries;
  };
  for await (const chunk of zip(list(), deflater)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A file that arrives in chunks of this size. */
function file(name: string, bytes: Buffer, more: Partial<ZipEntry> = {}, chunk = 100_000): ZipEntry {
  return {
    name,
    modified: Date.UTC(2026, 1, 3, 4, 5, 6),
    size: bytes.length,
    packed: false,
    read: async function* () {
      for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
    },
    ...more,
  };
}

const segment = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .map((name) => name.replace(/[/\\:]|\p{Cc}/gu, '_').toWellFormed())
  .filter((name) => !/^\.+$/.test(name));
const content = fc.oneof(
  fc.constant(Buffer.alloc(0)),
  fc.uint8Array({ maxLength: 2000 }).map((bytes) => Buffer.from(bytes)),
  fc
    .record({ size: fc.integer({ min: 0, max: 900_000 }), seed: fc.nat() })
    .map(({ size, seed }) => bytesOf(size, seed)),
  fc
    .record({ unit: fc.string({ minLength: 1, maxLength: 30 }), size: fc.integer({ min: 0, max: 1_500_000 }) })
    .map(({ unit, size }) => Buffer.from(unit.repeat(Math.ceil(size / unit.length))).subarray(0, size)),
);

describe('the writer of ZIP archives', () => {
  it('what goes in comes out', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(
          fc.record({
            path: fc.array(segment, { minLength: 1, maxLength: 4 }),
            bytes: content,
            packed: fc.boolean(),
            chunk: fc.constantFrom(1000, 65_536, 262_144, 1_000_000),
          }),
          { maxLength: 8, selector: ({ path }) => path.join('/') },
        ),
        async (files) => {
          const archive = await archiveOf(
            files.map(({ path, bytes, packed, chunk }) => file(path.join('/'), bytes, { packed }, chunk)),
          );
          const entries = await unzipped(archive);
          expect(entries.map(({ name }) => name)).toEqual(files.map(({ path }) => path.join('/')));
          for (const [i, { bytes, packed }] of files.entries()) {
            expect(entries[i]?.bytes.equals(bytes)).toBe(true);
            if (packed) expect(entries[i]?.method).toBe(0);
          }
        },
      ),
      { numRuns: runsOf(60) },
    );
  });

  it('every tool that is here reads it', async () => {
    const text = Buffer.from('one line after the other\n'.repeat(60_000));
    const archive = await archiveOf([
      { name: 'folder/', modified: Date.now(), size: 0, packed: true },
      file('folder/ü.txt', text),
      file('folder/small.txt', text.subarray(0, 5000)),
      file('folder/random.bin', bytesOf(2_000_000)),
      file('folder/stored.bin', bytesOf(2_000_000), { packed: true }),
      file('folder/old', Buffer.from('x'), { modified: 0 }),
      file('folder/far', Buffer.from('x'), { modified: Date.UTC(2200, 0) }),
    ]);
    expect(await checkedByTools(archive)).toBeOneOf([7, undefined]);
    expect((await unzipped(archive))[1]?.bytes.equals(text)).toBe(true);
    expect((await unzipped(archive))[1]?.modified).toBe(Date.UTC(2026, 1, 3, 4, 5, 6));
  });

  it('more than 65,535 entries need the larger format', async () => {
    const many = Array.from({ length: 66_000 }, (_, i) => file(`f${String(i)}`, Buffer.alloc(0)));
    const archive = await archiveOf(many);
    expect(new Set((await unzipped(archive)).map(({ name }) => name)).size).toBe(66_000);
    expect(await checkedByTools(archive)).toBeOneOf([66_000, undefined]);
  });

  it('sizes beyond 32 bits have fields of their own', () => {
    const name = Buffer.from('large');
    const heading = { name, modified: 0, method: STORED, isFolder: false, expected: 2 ** 32 + 5 } as const;
    const sums = { crc: 1, size: 2 ** 32 + 5, packed: 2 ** 32 + 6 };
    const header = localHeader(heading, undefined);
    expect([header.readUInt32LE(18), header.readUInt16LE(30 + name.length)]).toEqual([0xffffffff, 1]);
    const follows = descriptor(heading, sums);
    expect([follows.length, follows.readBigUInt64LE(16)]).toEqual([24, 2n ** 32n + 5n]);
    const directory = new Directory();
    directory.add(heading, sums, 2 ** 33, true);
    const record = Buffer.concat([...directory.end(2 ** 34)]);
    expect(record.readBigUInt64LE(46 + name.length + 4)).toBe(2n ** 32n + 5n);
    expect(record.readBigUInt64LE(46 + name.length + 4 + 16)).toBe(2n ** 33n);
    expect(record.readUInt32LE(record.length - 22 + 16)).toBe(0xffffffff);
  });

  it('a file that is gone is left out, one that changed is there as it is, and one that is too short ends it all', async () => {
    const gone = (now?: ZipEntry): ZipEntry =>
      file('gone', bytesOf(10), {
        read: async function* () {
          throw new EntryGone(now);
        },
      });
    const entries = await unzipped(await archiveOf([gone(), gone(file('now', bytesOf(20))), file('last', bytesOf(5))]));
    expect(entries.map(({ name, bytes }) => [name, bytes.length])).toEqual([
      ['now', 20],
      ['last', 5],
    ]);
    for (const size of [9, 11]) {
      await expect(archiveOf([file('wrong', bytesOf(10), { size })])).rejects.toThrow(/does not have/);
    }
  });

  it('whoever stops reading frees what is ahead', async () => {
    let open = 0;
    let read = 0;
    const endless = async function* (): AsyncGenerator<ZipEntry> {
      open++;
      try {
        for (let i = 0; ; i++) {
          yield file(`f${String(i)}`, bytesOf(1_000_000), {
            packed: true,
            read: async function* () {
              open++;
              try {
                for (let n = 0; n < 10; n++) {
                  read += 100_000;
                  yield bytesOf(100_000);
                }
              } finally {
                open--;
              }
            },
          });
        }
      } finally {
        open--;
      }
    };
    const archive = zip(endless(), deflater);
    let taken = 0;
    for await (const chunk of archive) {
      taken += chunk.length;
      if (taken > 20_000_000) break;
    }
    expect(open).toBe(0);
    // What is ahead is bounded.
    expect(read - taken).toBeLessThan(6_000_000);
  });
});
