/**
 * Content in a folder of this machine (or one that all instances share): `<root>/y/z/<uuid>.<key>`, by the last two
 * characters of the file's id. Content without key comes from elsewhere: `<root>/a/b/c/d/<uuid>`, by the first four
 * (docs/interface/files.md 9.1).
 */
import * as fs from 'node:fs';
import { link, mkdir, open, opendir, stat, unlink, utimes, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { logger } from '../../../../shared/log.js';
import { ContentMissing, FilesError, storageError } from '../../errors.js';
import { LocalTrash } from './local-trash.js';
import { PIECE, PieceMemory } from './piece-memory.js';
import {
  CONTENT_KEY,
  FILE_ID,
  type ByteRange,
  type ContentId,
  type ContentWriter,
  type Storage,
  type StoredContent,
} from '../storage.js';

const log = logger('files.storage');

/*
 * Writers have file descriptors, not FileHandles: what these bring along costs more than the calls themselves. Nobody else
 * closes a descriptor: each writer must end in `finish` or `discard`, and none may be closed while a call with it runs.
 */
const openFd = promisify(fs.open);
const writePieces = promisify(fs.writev);
const writeBytes = promisify(fs.write);
const syncContent = promisify(fs.fdatasync);
const closeFd = promisify(fs.close);

/** Bytes that wait to be written before the sender does. */
const BEHIND = 1024 * 1024;
/** Bytes after which the disk is given its work while more arrives. */
const SYNC_EVERY = 16 * 1024 * 1024;
/** Errors of file systems that give a file one name only. */
export const NO_LINKS: ReadonlySet<string> = new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);
/** What a sweep may take for content: other files are not ours to remove. */
const UUID = /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
/** Depth of the folders above content that comes from elsewhere. */
const LEVELS = 4;
/** The same of ours: a folder that must be made costs more than a file, and so does its sync. So they are few, 256. */
const OWN_LEVELS = 2;

/** Where a content lies below the folder. Throws `FilesError` 500 for what cannot be part of a name. */
export function pathBelow({ file, key }: ContentId): string {
  // Ids come from the database, which others may write to: a path must not lead out of the folder.
  if (!FILE_ID.test(file) || !CONTENT_KEY.test(key))
    throw new FilesError(500, 'The id of the file cannot be the name of a file.');
  if (key === '') return join(...file.slice(0, LEVELS), file);
  // Ids begin with the time: by their first characters, all files of a year would lie in one folder.
  return join(...file.slice(-OWN_LEVELS), `${file}.${key}`);
}

export class LocalStorage implements Storage {
  readonly name = 'local';
  /** Folders that have been made, few as there are; one may be gone again. */
  readonly #made = new Set<string>();

  readonly trash: LocalTrash;

  constructor(private readonly root: string) {
    this.trash = new LocalTrash(root, (id) => this.pathOf(id));
  }

  async write(id: ContentId): Promise<ContentWriter> {
    const path = this.pathOf(id);
    try {
      return new LocalWriter(await this.#create(path), path);
    } catch (error) {
      throw described(error, 'store the file', path);
    }
  }

  async *read(
    id: ContentId,
    { from, to }: ByteRange,
    signal?: AbortSignal,
    reused = false,
  ): AsyncGenerator<Buffer, void, undefined> {
    if (from >= to) return;
    const path = this.pathOf(id);
    let handle: FileHandle;
    try {
      handle = await this.opened(path);
    } catch (error) {
      throw missing(error, id, path);
    }
    const memory = reused ? new PieceMemory() : undefined;
    const next = (start: number): Promise<Buffer> =>
      readPiece(handle, memory?.take(to - start) ?? Buffer.allocUnsafeSlow(Math.min(PIECE, to - start)), start, to);
    // Two pieces in turn: one is read while the other is on its way out.
    let at = from;
    let ahead = next(at);
    try {
      while (at < to) {
        signal?.throwIfAborted();
        const piece = await ahead;
        if (piece.length === 0)
          throw new FilesError(500, `The content of file ${id.file} is shorter than it should be.`);
        at += piece.length;
        if (at < to) ahead = next(at);
        yield piece;
      }
    } finally {
      await ahead.catch(() => undefined);
      memory?.release();
      await handle.close();
    }
  }

  async adopt(id: ContentId, from: string): Promise<boolean> {
    const path = this.pathOf(id);
    try {
      // A sweep looks at the age of what no file has: this begins now.
      const now = new Date();
      await utimes(from, now, now);
      await mkdir(dirname(path), { recursive: true, mode: 0o750 });
      await link(from, path);
      return true;
    } catch (error) {
      if (NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) return false;
      throw described(error, 'store the file', path);
    }
  }

  async remove(id: ContentId): Promise<void> {
    const path = this.pathOf(id);
    await unlink(path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw described(error, 'remove the content', path);
    });
  }

  async *list(): AsyncGenerator<StoredContent, void, undefined> {
    yield* this.#listed(this.root, 0);
  }

  /** Where a content lies. */
  pathOf(id: ContentId): string {
    return join(this.root, pathBelow(id));
  }

  protected opened(path: string): Promise<FileHandle> {
    return open(path, 'r');
  }

  /** Whether a folder is most likely there. */
  protected isThere(folder: string): boolean {
    return this.#made.has(folder);
  }

  async #create(path: string): Promise<number> {
    const folder = dirname(path);
    // Failing to open costs as much as opening.
    if (this.isThere(folder)) {
      try {
        return await openFd(path, 'wx', 0o640);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
    }
    await mkdir(folder, { recursive: true, mode: 0o750 });
    this.#made.add(folder);
    return openFd(path, 'wx', 0o640);
  }

  async *#listed(folder: string, depth: number): AsyncGenerator<StoredContent, void, undefined> {
    let entries;
    try {
      entries = await opendir(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw described(error, 'list the storage', folder);
    }
    for await (const entry of entries) {
      const path = join(folder, entry.name);
      if (depth < LEVELS && entry.isDirectory() && entry.name.length === 1) {
        yield* this.#listed(path, depth + 1);
        continue;
      }
      const [file = '', key = '', ...more] = entry.name.split('.');
      if (!entry.isFile() || more.length > 0 || !UUID.test(file) || !CONTENT_KEY.test(key)) continue;
      if (path !== this.pathOf({ file, key })) continue;
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined) yield { file, key, modified: found.mtimeMs };
    }
  }
}

async function readPiece(handle: FileHandle, buffer: Buffer, at: number, to: number): Promise<Buffer> {
  const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, to - at), at);
  return bytesRead === buffer.length ? buffer : buffer.subarray(0, bytesRead);
}

/**
 * Writes while more arrives: pieces that have come meanwhile leave together. What is written of a large file is synced
 * meanwhile, too, so that the sync at its end is short.
 */
class LocalWriter implements ContentWriter {
  /** One at a time in the process: a sync keeps a thread of the few that all files share. */
  static #syncing = false;
  private waiting: Buffer[] = [];
  private bytes = 0;
  private running: Promise<void> | undefined;
  private unsynced = 0;
  private syncing: Promise<void> | undefined;
  private finishing: Promise<void> | undefined;
  private failure: unknown;
  private closed = false;

  constructor(
    private readonly fd: number,
    private readonly path: string,
  ) {}

  async write(chunk: Buffer): Promise<void> {
    this.waiting.push(chunk);
    this.bytes += chunk.length;
    this.running ??= this.#drain();
    if (this.bytes > BEHIND) await this.running;
    if (this.failure !== undefined) throw described(this.failure, 'store the file', this.path);
  }

  finish(): Promise<void> {
    this.finishing = this.#finish();
    return this.finishing;
  }

  async #finish(): Promise<void> {
    await this.running;
    await this.syncing;
    if (this.failure !== undefined) throw described(this.failure, 'store the file', this.path);
    try {
      // The entry of a new file comes with it on the file systems in use (ext4, xfs, btrfs, zfs).
      await syncContent(this.fd);
      await this.#close();
    } catch (error) {
      throw described(error, 'store the file', this.path);
    }
  }

  async discard(): Promise<void> {
    this.waiting = [];
    await this.running;
    await this.syncing;
    // Who computes checksums may fail while the last sync runs.
    await this.finishing?.catch(() => undefined);
    await this.#close().catch(() => undefined);
    await unlink(this.path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') log.warn(`could not remove ${this.path}`, error);
    });
  }

  async #drain(): Promise<void> {
    try {
      while (this.waiting.length > 0) {
        const batch = this.waiting;
        this.waiting = [];
        this.bytes = 0;
        const size = batch.reduce((sum, chunk) => sum + chunk.length, 0);
        const { bytesWritten } = await writePieces(this.fd, batch);
        // A full disk may take a part of it.
        if (bytesWritten < size) await this.#writeAll(Buffer.concat(batch).subarray(bytesWritten));
        this.unsynced += size;
        if (this.unsynced >= SYNC_EVERY && !LocalWriter.#syncing) this.syncing = this.#sync();
      }
    } catch (error) {
      this.failure = error;
      this.waiting = [];
    } finally {
      this.running = undefined;
    }
  }

  async #sync(): Promise<void> {
    LocalWriter.#syncing = true;
    this.unsynced = 0;
    try {
      await syncContent(this.fd);
    } catch (error) {
      // The kernel tells of what it could not write only once.
      this.failure ??= error;
    } finally {
      LocalWriter.#syncing = false;
    }
  }

  async #writeAll(rest: Buffer): Promise<void> {
    for (let at = 0; at < rest.length;) at += (await writeBytes(this.fd, rest, at)).bytesWritten;
  }

  async #close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await closeFd(this.fd);
  }
}

/** The error for the client; the path is for the log alone. */
function described(error: unknown, what: string, path: string): Error {
  if (error instanceof FilesError) return error;
  log.error(`could not ${what}: ${path}`, error);
  return storageError(error, what);
}

function missing(error: unknown, { file }: ContentId, path: string): Error {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return described(error, 'read the file', path);
  log.error(`the content of file ${file} is missing: ${path}`);
  return new ContentMissing(file);
}
