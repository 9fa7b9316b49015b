/**
 * Uploads that are not complete yet, in a folder of this machine: `<folder>/<owner>/<id>.info` says what it is and how
 * much of it counts, `<id>.data` is the content so far. What counts was synced before it was said to count, so that a
 * crash at any moment leaves an upload that goes on from there.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rmdir, stat, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { syncPath } from '../../../shared/sync-path.js';
import { logger } from '../../../shared/log.js';
import { FilesError, storageError } from '../errors.js';

const log = logger('files.resumable');

const ID = /^[0-9a-f]{32}$/;
const OWNER = /^[0-9A-Za-z-]{1,64}$/;
/** Bytes between two syncs while a long body arrives: a crash costs a client at most so much. */
const SYNC_EVERY = 32 * 1024 * 1024;
/** The first line of an info file is rewritten in place: 16 digits and a letter fit into one sector. */
const STATE = /^([od])(\d{16})\n/;
const STATE_SIZE = 18;

/** What is known of an upload from its beginning on. */
export interface About {
  /** Bytes it is to have. */
  readonly length: number;
  /** `Upload-Metadata` as it was sent. */
  readonly metadata: string;
  /** Id of the file that it becomes. */
  readonly file: string;
}

/** A file is that of a user or of nobody. */
export type Owner = string | undefined;

export class PartialUploads {
  readonly #creating = new Map<string, number>();

  constructor(private readonly folder: string) {}

  /** Begins an upload, unless its owner has `most` already. */
  async create(owner: Owner, about: About, most: number): Promise<PartialUpload> {
    const folder = this.#folderOf(owner);
    const creating = (this.#creating.get(folder) ?? 0) + 1;
    this.#creating.set(folder, creating);
    try {
      const begun = (await list(folder)).filter((name) => name.endsWith('.data')).length;
      if (begun + creating > most) {
        throw new FilesError(429, `You have ${String(most)} uploads already that are not complete.`, {
          'Retry-After': '60',
        });
      }
      return await PartialUpload.create(folder, about).catch((error: unknown) => {
        // The folder was empty, and removed in this very moment.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        return PartialUpload.create(folder, about);
      });
    } catch (error) {
      throw described(error);
    } finally {
      const left = (this.#creating.get(folder) ?? 1) - 1;
      if (left === 0) this.#creating.delete(folder);
      else this.#creating.set(folder, left);
    }
  }

  /** The upload of this id, which its owner alone finds. */
  async find(owner: Owner, id: string): Promise<PartialUpload | undefined> {
    return ID.test(id) ? PartialUpload.read(this.#folderOf(owner), id) : undefined;
  }

  /** Removes what nobody has gone on with since `before`; returns how many. `busy`: ids that are being worked on. */
  async expire(before: number, busy: (id: string) => boolean): Promise<number> {
    let count = 0;
    for (const owner of await list(this.folder)) {
      const folder = join(this.folder, owner);
      for (const name of await list(folder)) {
        const [id = '', kind] = name.split('.');
        if (busy(id) || !ID.test(id)) continue;
        const path = join(folder, name);
        // Data without info is what a crash left while it was begun or removed.
        if (kind === 'data' && (await modified(join(folder, `${id}.info`))) !== undefined) continue;
        const time = await modified(path);
        if (time === undefined || time > before) continue;
        if (kind === 'info') {
          await remove(join(folder, `${id}.data`));
          count++;
        }
        await remove(path);
      }
      await rmdir(folder).catch(() => undefined);
    }
    return count;
  }

  #folderOf(owner: Owner): string {
    if (owner !== undefined && !OWNER.test(owner)) throw new FilesError(500, 'The id of the user cannot be a name.');
    return join(this.folder, owner ?? 'nobody');
  }
}

export class PartialUpload {
  private constructor(
    private readonly folder: string,
    readonly id: string,
    readonly about: About,
    /** Bytes that count. */
    public offset: number,
    /** It has become a file. */
    public done: boolean,
    /** When somebody went on with it last, in milliseconds since 1970. */
    readonly touched: number,
  ) {}

  static async create(folder: string, about: About): Promise<PartialUpload> {
    const id = randomBytes(16).toString('hex');
    const upload = new PartialUpload(folder, id, about, 0, false, Date.now());
    await mkdir(folder, { recursive: true, mode: 0o750 });
    try {
      await upload.#begin();
      await syncPath(folder);
    } catch (error) {
      // What is left behind would count as begun, until it expires.
      await upload.remove().catch((left: unknown) => {
        log.warn(`an upload that did not begin could not be removed: ${upload.dataPath}`, left);
      });
      throw error;
    }
    return upload;
  }

  async #begin(): Promise<void> {
    const data = await open(this.dataPath, 'wx', 0o640);
    await data.close();
    const info = await open(this.#infoPath, 'wx', 0o640);
    try {
      await info.writeFile(stateLine(this) + JSON.stringify(this.about));
      await info.sync();
    } finally {
      await info.close();
    }
  }

  static async read(folder: string, id: string): Promise<PartialUpload | undefined> {
    const path = join(folder, `${id}.info`);
    let handle: FileHandle;
    try {
      handle = await open(path, 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw described(error);
    }
    try {
      const text = await handle.readFile('utf8');
      const { mtimeMs } = await handle.stat();
      const state = STATE.exec(text);
      // A crash while it was begun: nobody has been told of it.
      if (state === null) return undefined;
      const about = JSON.parse(text.slice(STATE_SIZE)) as About;
      return new PartialUpload(folder, id, about, Number(state[2]), state[1] === 'd', mtimeMs);
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw described(error);
    } finally {
      await handle.close();
    }
  }

  get complete(): boolean {
    return this.offset === this.about.length;
  }

  /** Where the bytes are that have arrived. */
  get dataPath(): string {
    return join(this.folder, `${this.id}.data`);
  }

  get #infoPath(): string {
    return join(this.folder, `${this.id}.info`);
  }

  /**
   * Adds bytes; what has come before an error counts, too. With `accepts` nothing counts before it has said at the end
   * that all of it does.
   */
  async append(bytes: AsyncIterable<Buffer>, accepts?: () => boolean): Promise<boolean> {
    const begin = this.offset;
    let data: FileHandle;
    let info: FileHandle | undefined;
    try {
      data = await open(this.dataPath, 'r+');
      info = await open(this.#infoPath, 'r+').catch(async (error: unknown) => {
        await data.close();
        throw error;
      });
    } catch (error) {
      throw described(error);
    }
    let end = begin;
    let accepted = accepts === undefined;
    try {
      // What a crash left behind did not count.
      await data.truncate(begin);
      for await (const chunk of bytes) {
        if (end + chunk.length > this.about.length) {
          throw new FilesError(413, `The upload is larger than the ${String(this.about.length)} bytes it was to have.`);
        }
        for (let at = 0; at < chunk.length;) {
          at += (await data.write(chunk, at, chunk.length - at, end + at)).bytesWritten;
        }
        end += chunk.length;
        if (accepted && end - this.offset >= SYNC_EVERY) await this.#count(data, info, end);
      }
      accepted ||= accepts?.() === true;
      return accepted;
    } catch (error) {
      throw described(error);
    } finally {
      try {
        if (accepted) await this.#count(data, info, end);
        else await data.truncate(begin);
      } finally {
        await data.close();
        await info.close();
      }
    }
  }

  /** It has become a file, which is remembered for a client that has not heard the answer. */
  async finish(): Promise<void> {
    this.done = true;
    const info = await open(this.#infoPath, 'r+');
    try {
      await info.write(stateLine(this), 0);
      await info.datasync();
    } finally {
      await info.close();
    }
    await remove(this.dataPath);
  }

  async remove(): Promise<void> {
    await remove(this.#infoPath);
    await remove(this.dataPath);
  }

  async #count(data: FileHandle, info: FileHandle, end: number): Promise<void> {
    if (end === this.offset) return;
    await data.datasync();
    await info.write(stateLine({ offset: end, done: false }), 0);
    await info.datasync();
    this.offset = end;
  }
}

function stateLine({ offset, done }: { readonly offset: number; readonly done: boolean }): string {
  return `${done ? 'd' : 'o'}${String(offset).padStart(16, '0')}\n`;
}

async function list(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  });
}

async function modified(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.mtimeMs;
}

async function remove(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw described(error);
  });
}

/** The error for the client; errors of others stay as they are. */
function described(error: unknown): unknown {
  if (error instanceof FilesError || (error as NodeJS.ErrnoException).code === undefined) return error;
  log.error('a resumable upload could not be stored', error);
  return storageError(error, 'store the upload');
}
