/** Files that can be made again, in a folder of this machine: so many bytes of them, what was not asked for the longest goes first. */
import { mkdir, readdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../../graph/index.js';
import { logger } from '../../../../shared/log.js';

const log = logger('media.cache');

/** A part of the folder, so that no folder has too many files. */
const PART = 2;
const NAME = /^[0-9a-f]{40}$/;
/** When it is full so much of it goes at once. */
const ROOM = 0.1;
/** Bytes that the smallest file takes. */
const BLOCK = 4096;
/** Files that are removed beside each other. */
const TOGETHER = 20;

export class DiskCache {
  /** Bytes by name; what was asked for last is last. */
  readonly #files = new Map<string, number>();
  #bytes = 0;
  #ready: Promise<void> | undefined;
  #tidying: Promise<void> | undefined;

  /** `capacity`: bytes, as they are now. */
  constructor(
    private readonly folder: string,
    private readonly capacity: () => number,
  ) {}

  /** The content of a name (40 hexadecimal digits); undefined: it has to be made. */
  async get(name: string): Promise<Buffer | undefined> {
    await this.#look();
    const size = this.#files.get(name);
    if (size === undefined) return undefined;
    try {
      const content = await readFile(this.#pathOf(name));
      if (content.length !== size) throw new Error('it has another size than it had');
      // It may have been removed meanwhile.
      if (this.#files.delete(name)) this.#files.set(name, size);
      return content;
    } catch (error) {
      log.debug(`a file of the cache is made again: ${error instanceof Error ? error.message : ''}`);
      this.#forget(name);
      return undefined;
    }
  }

  /** Keeps it, if there is room. Never rejects: without it it is made again. */
  async put(name: string, content: Uint8Array): Promise<void> {
    if (!NAME.test(name) || content.length > this.capacity() * ROOM) return;
    const temporary = join(this.folder, `${newId()}.new`);
    try {
      await this.#look();
      const path = this.#pathOf(name);
      await mkdir(join(this.folder, name.slice(0, PART)), { recursive: true, mode: 0o700 });
      await writeFile(temporary, content, { flag: 'wx', mode: 0o600 });
      await rename(temporary, path);
      this.#forget(name);
      this.#files.set(name, content.length);
      this.#bytes += onDisk(content.length);
      this.#tidy();
    } catch (error) {
      log.warn('an image could not be kept', error);
      // On a full disk what has been written of it would stay.
      await rm(temporary, { force: true }).catch(() => undefined);
    }
  }

  /** Resolves when nothing is being removed. */
  async idle(): Promise<void> {
    await this.#tidying;
  }

  #forget(name: string): void {
    this.#bytes -= onDisk(this.#files.get(name) ?? 0);
    this.#files.delete(name);
  }

  #pathOf(name: string): string {
    return join(this.folder, name.slice(0, PART), name);
  }

  #tidy(): void {
    if (this.#bytes <= this.capacity()) return;
    this.#tidying ??= this.#removeOldest().finally(() => {
      this.#tidying = undefined;
    });
  }

  async #removeOldest(): Promise<void> {
    const most = this.capacity() * (1 - ROOM);
    while (this.#bytes > most) {
      const oldest = [...this.#files.keys()].slice(0, TOGETHER);
      if (oldest.length === 0) return;
      for (const name of oldest) this.#forget(name);
      await Promise.all(oldest.map((name) => unlink(this.#pathOf(name)).catch(() => undefined)));
    }
  }

  /** What was kept before the start, once. */
  #look(): Promise<void> {
    return (this.#ready ??= this.#read().catch((error: unknown) => {
      log.warn('what is in the cache of images could not be looked at', error);
    }));
  }

  async #read(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const found: { readonly name: string; readonly size: number; readonly at: number }[] = [];
    for (const part of await readdir(this.folder, { withFileTypes: true })) {
      const path = join(this.folder, part.name);
      // What was being written when the server ended.
      if (!part.isDirectory()) await rm(path, { force: true });
      else {
        for (const name of await readdir(path)) {
          const { size, mtimeMs } = await stat(join(path, name));
          if (NAME.test(name)) found.push({ name, size, at: mtimeMs });
        }
      }
    }
    found.sort((a, b) => a.at - b.at);
    for (const { name, size } of found) {
      this.#files.set(name, size);
      this.#bytes += onDisk(size);
    }
    this.#tidy();
  }
}

function onDisk(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}
