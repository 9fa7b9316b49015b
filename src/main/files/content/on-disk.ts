/** Content as a file of this machine, for libraries and programs that read only such (docs/design/media.md 5). */
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { newId } from '../../graph/index.js';
import { storageError } from '../errors.js';
import type { Place } from './place.js';
import type { ByteRange } from '../storage/storage.js';
import type { Storages } from '../storage/table.js';

/** What it is made from. */
export interface OnDiskParts {
  readonly storages: Storages;
  readonly read: (place: Place, range: ByteRange, signal?: AbortSignal) => AsyncIterable<Buffer>;
  /** Folder of the temporary files, which are nobody else's. */
  readonly folder: string;
}

export class OnDisk {
  constructor(private readonly parts: OnDiskParts) {}

  /** What a server left that ended suddenly goes, when it is older than so many milliseconds. */
  async clear(older: number): Promise<void> {
    await mkdir(this.parts.folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.parts.folder)) {
      const path = join(this.parts.folder, name);
      // Others that share the folder may remove it as well.
      const { mtimeMs = Infinity } = (await stat(path).catch(() => undefined)) ?? {};
      if (mtimeMs <= Date.now() - older) await rm(path, { recursive: true, force: true });
    }
  }

  /**
   * Calls `work` with the path of a file that has this content: the storage's own where it keeps files here, else a temporary one. It is
   * for reading, and only until `work` is done. Throws `FilesError` for content that cannot be read, and what `work` throws.
   */
  async with<T>(place: Place, size: number, work: (path: string) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const storage = await this.parts.storages.get(place.store);
    const own = storage.pathOf?.(place);
    if (own !== undefined) return work(own);
    return this.temporary(async (path) => {
      const bytes = this.parts.read(place, { from: 0, to: size }, signal);
      try {
        await pipeline(bytes, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal });
      } catch (error) {
        throw storageError(error, 'keep a temporary file');
      }
      return work(path);
    });
  }

  /** Calls `work` with a path for a file, or folder, of its own, which is removed afterwards. Throws `FilesError` 500, and what `work` throws. */
  async temporary<T>(work: (path: string) => Promise<T>): Promise<T> {
    const path = join(this.parts.folder, newId());
    try {
      await mkdir(this.parts.folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw storageError(error, 'keep a temporary file');
    }
    try {
      return await work(path);
    } finally {
      await rm(path, { recursive: true, force: true });
    }
  }
}
