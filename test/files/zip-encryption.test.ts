/** Encrypted archives: a program that knows nothing of ours reads them with the password, and nobody without it. */
import { execFile } from 'node:child_process';
import { createDecipheriv, createHmac, pbkdf2Sync } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inflateRawSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { Deflater } from '../../src/main/files/zip/container/deflater.js';
import type { ZipEncryption } from '../../src/main/files/zip/container/encryption.js';
import { zip, type ZipEntry } from '../../src/main/files/zip/container/writer.js';
import { bytesOf } from './bytes.js';

const run = promisify(execFile);
const deflater = new Deflater(() => 6);
afterAll(() => deflater.close());

async function archiveOf(entries: readonly ZipEntry[], encryption: ZipEncryption): Promise<Buffer> {
  const list = async function* (): AsyncGenerator<ZipEntry> {
    yield* entries;
  };
  const chunks: Uint8Array[] = [];
  for await (const chunk of zip(list(), deflater, encryption)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function file(name: string, bytes: Buffer, more: Partial<ZipEntry> = {}): ZipEntry {
  return {
    name,
    modified: Date.UTC(2026, 1, 3, 4, 5, 6),
    size: bytes.length,
    packed: false,
    read: async function* () {
      for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
    },
    ...more,
  };
}

const contents: Readonly<Record<string, Buffer>> = {
  'small.txt': Buffer.from('what nobody is to know, what nobody is to know'),
  'empty.txt': Buffer.alloc(0),
  'large.bin': bytesOf(700_000, 3),
  'large.txt': Buffer.alloc(900_000, 'again and again '),
  'stored.bin': bytesOf(300_001, 5),
};
const entries = Object.entries(contents).map(([name, bytes]) => file(name, bytes, { packed: name === 'stored.bin' }));

async function inFolder<T>(archive: Buffer, work: (folder: string, path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-zip-'));
  const path = join(folder, 'archive.zip');
  try {
    await writeFile(path, archive);
    return await work(folder, path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const has = async (tool: string): Promise<boolean> =>
  run(tool, ['--help']).then(
    () => true,
    () => false,
  );

/** The only file of an archive, as it lies there. */
function onlyFile(archive: Buffer): { method: number; crc: number; flags: number; sealed: Buffer; extra: Buffer } {
  const [name, extra] = [archive.readUInt16LE(26), archive.readUInt16LE(28)];
  const from = 30 + name + extra;
  return {
    flags: archive.readUInt16LE(6),
    method: archive.readUInt16LE(8),
    crc: archive.readUInt32LE(14),
    extra: archive.subarray(30 + name, from),
    sealed: archive.subarray(from, from + archive.readUInt32LE(18)),
  };
}

describe('encrypted archives', () => {
  it('by AES: salt, check, bytes and tag are where WinZip wants them', async () => {
    const text = Buffer.from('hello hello hello hello hello hello');
    const archive = await archiveOf([file('a.txt', text)], { kind: 'aes', password: 'pässword' });
    const { flags, method, crc, sealed, extra } = onlyFile(archive);
    expect([flags & 1, method, crc]).toEqual([1, 99, 0]);
    expect(extra.subarray(-11).toString('hex')).toBe('0199070002004145030800');
    const keys = pbkdf2Sync('pässword', sealed.subarray(0, 16), 1000, 66, 'sha1');
    expect(sealed.subarray(16, 18)).toEqual(keys.subarray(64));
    const bytes = sealed.subarray(18, -10);
    const tag = createHmac('sha1', keys.subarray(32, 64)).update(bytes).digest().subarray(0, 10);
    expect(sealed.subarray(-10)).toEqual(tag);
    // OpenSSL counts with the highest byte first, so each block is decrypted on its own.
    const opened: Buffer[] = [];
    for (let at = 0, block = 1; at < bytes.length; at += 16, block++) {
      const counter = Buffer.alloc(16);
      counter.writeUInt32LE(block);
      const mask = createDecipheriv('aes-256-ctr', keys.subarray(0, 32), counter);
      opened.push(mask.update(bytes.subarray(at, at + 16)));
    }
    expect(inflateRawSync(Buffer.concat(opened))).toEqual(text);
  });

  it('no two archives of the same are the same', async () => {
    for (const kind of ['aes', 'standard'] as const) {
      const [one, two] = await Promise.all([0, 1].map(() => archiveOf(entries.slice(0, 1), { kind, password: 'x' })));
      expect(one?.length).toBe(two?.length);
      expect(one).not.toEqual(two);
      expect(one?.includes('nobody')).toBe(false);
    }
  });

  it('the standard encryption tells a wrong password by its check byte', async () => {
    const archive = await archiveOf([file('a.txt', Buffer.from('hello'))], { kind: 'standard', password: 'secret' });
    const { flags, method, crc, sealed } = onlyFile(archive);
    expect([flags & 1, method, sealed.length]).toEqual([1, 0, 17]);
    expect(standardOpened(sealed, 'secret').subarray(12).toString()).toBe('hello');
    expect(standardOpened(sealed, 'secret')[11]).toBe(crc >>> 24);
  });

  it.each(['aes', 'standard'] as const)('%s is read by 7-Zip with the password alone', async (kind) => {
    if (!(await has('7z'))) return;
    const archive = await archiveOf(entries, { kind, password: 'pass word' });
    await inFolder(archive, async (folder, path) => {
      await run('7z', ['x', '-ppass word', `-o${folder}/out`, path]);
      expect((await readdir(`${folder}/out`)).sort()).toEqual(Object.keys(contents).sort());
      for (const [name, bytes] of Object.entries(contents)) {
        expect((await readFile(`${folder}/out/${name}`)).equals(bytes), name).toBe(true);
      }
      await expect(run('7z', ['t', '-pother', path])).rejects.toThrow(/Wrong password/);
    });
  });

  it('standard is read by unzip', async () => {
    if (!(await has('unzip'))) return;
    const archive = await archiveOf(entries, { kind: 'standard', password: 'secret' });
    await inFolder(archive, async (_folder, path) => {
      await run('unzip', ['-tqq', '-P', 'secret', path]);
      await expect(run('unzip', ['-tqq', '-P', 'other', path])).rejects.toThrow();
    });
  });
});

/** APPNOTE.TXT 6.1.5 to 6.1.7, written from its text. */
function standardOpened(sealed: Buffer, password: string): Buffer {
  const crc = (old: number, byte: number): number => {
    let value = (old ^ byte) & 0xff;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return (value ^ (old >>> 8)) >>> 0;
  };
  const keys: [number, number, number] = [305419896, 591751049, 878082192];
  const update = (byte: number): void => {
    keys[0] = crc(keys[0], byte);
    const sum = BigInt(keys[1]) + BigInt(keys[0] & 0xff);
    keys[1] = Number((sum * 134775813n + 1n) & 0xffffffffn);
    keys[2] = crc(keys[2], keys[1] >>> 24);
  };
  for (const byte of Buffer.from(password)) update(byte);
  return Buffer.from(
    [...sealed].map((byte) => {
      const mask = (keys[2] | 2) & 0xffff;
      const plain = byte ^ (((mask * (mask ^ 1)) >>> 8) & 0xff);
      update(plain);
      return plain;
    }),
  );
}
