/**
 * Appending costs what is appended, where content lies in a folder of this machine: the new content begins as a second name
 * of the old one's bytes, and the new bytes go behind them. Whoever reads the old content reads as far as its size, which is
 * in the graph, so that it stays what it is; the commit says which one counts, and the name of the other goes. One append to
 * a file at a time, since both names share their end.
 */
import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, open, unlink, type FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { Xxh64 } from '@node-rs/xxhash';
import type { PropertyMap } from '../../graph/index.js';
import { signed, type ChecksumName } from './checksums.js';
import { storageError } from '../errors.js';
import { LocalStorage, NO_LINKS } from '../storage/local/local.js';
import type { ContentId, ContentWriter, Storage } from '../storage/storage.js';

/** Files whose checksums can go on where they ended. */
const MOST_SUMS = 256;

/** Checksums that can be told and go on. */
export class RunningSums {
  readonly #xxh64 = new Xxh64(0n);
  readonly #hashes: readonly [ChecksumName, Hash][];
  #crc32 = 0;

  constructor(private readonly names: readonly ChecksumName[]) {
    this.#hashes = names.filter((name) => name !== 'crc32').map((name) => [name, createHash(name)]);
  }

  /** Whether these are the ones that are asked for. */
  has(names: readonly ChecksumName[]): boolean {
    return names.length === this.names.length && names.every((name) => this.names.includes(name));
  }

  update(chunk: Buffer): void {
    this.#xxh64.update(chunk);
    if (this.names.includes('crc32')) this.#crc32 = crc32(chunk, this.#crc32);
    for (const [, hash] of this.#hashes) hash.update(chunk);
  }

  /** Properties of a file with the bytes so far. */
  values(): PropertyMap {
    return {
      checksum: signed(this.#xxh64.digest()),
      ...(this.names.includes('crc32') ? { crc32: this.#crc32 } : {}),
      ...Object.fromEntries(this.#hashes.map(([name, hash]) => [name, hash.copy().digest('hex')])),
    };
  }
}

/** What is known of the last appends: who appends to a file once does so again. */
export class Appends {
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #sums = new Map<string, { readonly content: string; readonly sums: RunningSums }>();

  /** Runs work on a file when what was begun on it before has ended. */
  async alone<T>(file: string, work: () => Promise<T>): Promise<T> {
    const before = this.#running.get(file) ?? Promise.resolve();
    const running = before.then(work, work);
    this.#running.set(file, running);
    try {
      return await running;
    } finally {
      if (this.#running.get(file) === running) this.#running.delete(file);
    }
  }

  /** The checksums of a content, to go on with them; nobody else gets them. */
  take(file: string, content: string, names: readonly ChecksumName[]): RunningSums | undefined {
    const known = this.#sums.get(file);
    this.#sums.delete(file);
    return known?.content === content && known.sums.has(names) ? known.sums : undefined;
  }

  keep(file: string, content: string, sums: RunningSums): void {
    this.#sums.set(file, { content, sums });
    const [oldest] = this.#sums.keys();
    if (this.#sums.size > MOST_SUMS && oldest !== undefined) this.#sums.delete(oldest);
  }
}

/**
 * A writer whose content begins with the first `size` bytes of another; undefined where the storage cannot do that. `shared`:
 * other instances may append to the same content, so that it gets bytes of its own.
 */
export async function appendWriter(
  storage: Storage,
  from: ContentId,
  to: ContentId,
  size: number,
  shared: boolean,
): Promise<ContentWriter | undefined> {
  if (!(storage instanceof LocalStorage) || size === 0) return undefined;
  const [old, path] = [storage.pathOf(from), storage.pathOf(to)];
  try {
    if (shared || !(await linked(old, path)))
      await copyFile(old, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    const handle = await open(path, 'r+');
    // What an append that was broken off left behind.
    await handle.truncate(size);
    return new Appender(handle, path, size);
  } catch (error) {
    await unlink(path).catch(() => undefined);
    // Content in another folder, or gone: reading it says what is wrong.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw storageError(error, 'store the file');
  }
}

/** Gives content a second name; false where it has more than one already, or may not have one. */
async function linked(old: string, path: string): Promise<boolean> {
  const handle = await open(old, 'r+');
  try {
    // Two files that shared their bytes would write over each other's.
    if ((await handle.stat()).nlink !== 1) return false;
    const now = new Date();
    // A sweep looks at the age of what no file has.
    await handle.utimes(now, now);
    await link(old, path);
    return true;
  } catch (error) {
    if (NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  } finally {
    await handle.close();
  }
}

class Appender implements ContentWriter {
  #closed = false;

  constructor(
    private readonly handle: FileHandle,
    private readonly path: string,
    private at: number,
  ) {}

  async write(chunk: Buffer): Promise<void> {
    try {
      for (let done = 0; done < chunk.length;) {
        const { bytesWritten } = await this.handle.write(chunk, done, chunk.length - done, this.at);
        done += bytesWritten;
        this.at += bytesWritten;
      }
    } catch (error) {
      throw storageError(error, 'store the file');
    }
  }

  async finish(): Promise<void> {
    try {
      // Not its data alone: its name is new.
      await this.handle.sync();
      await this.#close();
    } catch (error) {
      throw storageError(error, 'store the file');
    }
  }

  async discard(): Promise<void> {
    await this.#close().catch(() => undefined);
    await unlink(this.path).catch(() => undefined);
  }

  async #close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.handle.close();
  }
}
