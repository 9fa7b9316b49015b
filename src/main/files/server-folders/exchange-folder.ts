/** The folder for files that scripts and other programs exchange (`data.exchange.path`), and nothing outside of it. */
import { constants } from 'node:fs';
import { mkdir, open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Config } from '../../config/index.js';
import { FilesError } from '../errors.js';
import { ImportRoots } from './roots.js';
import { largestFile } from '../upload/upload-target.js';

const MB = 1024 * 1024;
/** A file that is read whole. */
const MOST_READ = 16 * MB;

/**
 * Names are paths within the folder. What leads out of it, over a symbolic link or to what the service keeps for itself is refused:
 * `FilesError` 403; 422 for what is no file, or lies in a folder that is not there.
 */
export class ExchangeFolder {
  constructor(private readonly config: Config) {}

  /** The text of a file in UTF-8; undefined: there is none. Throws `FilesError` 413 for one that is too large. */
  async read(name: string): Promise<string | undefined> {
    return (await this.readBytes(name))?.toString('utf8');
  }

  /** The bytes of a file; as `read`. */
  async readBytes(name: string): Promise<Buffer | undefined> {
    const handle = await this.#open(name, constants.O_RDONLY, 'ENOENT');
    if (handle === undefined) return undefined;
    try {
      const { size } = await handle.stat();
      const bytes = Buffer.alloc(Math.min(size, MOST_READ + 1));
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
      if (bytesRead > MOST_READ) {
        throw new FilesError(413, `The file ${shown(name)} is larger than ${String(MOST_READ / MB)} MB.`);
      }
      return bytes.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  }

  /** Makes a new file; false: there is one of this name, which stays as it is. */
  async write(name: string, text: string): Promise<boolean> {
    const handle = await this.#open(name, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 'EEXIST');
    if (handle === undefined) return false;
    try {
      await handle.writeFile(text);
      return true;
    } finally {
      await handle.close();
    }
  }

  /** Adds to the end of a file, which is made where it is missing. Throws `FilesError` 413 when it gets too large. */
  async append(name: string, text: string): Promise<void> {
    const handle = await this.#open(name, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND);
    if (handle === undefined) return;
    try {
      const limit = largestFile(this.config);
      if ((await handle.stat()).size + Buffer.byteLength(text) > limit) {
        throw new FilesError(413, `The file ${shown(name)} would be larger than ${String(limit / MB)} MB.`);
      }
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
  }

  /** Undefined: the file system answers `tolerated`. */
  async #open(name: string, flags: number, tolerated?: string): Promise<FileHandle | undefined> {
    const names = namesIn(name);
    const folder = this.config.get('data.exchange.path');
    if (folder === '') throw new FilesError(403, 'No files are exchanged: the setting data.exchange.path is empty.');
    const root = resolve(this.config.path('base.path'), folder);
    if ((flags & constants.O_CREAT) !== 0) await mkdir(root, { recursive: true });
    try {
      const real = await realpath(root);
      const path = join(real, ...names);
      const parent = join(path, '..');
      const roots = await ImportRoots.at(this.config);
      if ((await realpath(parent)) !== parent || !roots.allows(path)) throw refused(name);
      const handle = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o640);
      // A folder on the way may have become a link after it was looked at: what counts is what was opened.
      const opened = await readlink(`/proc/self/fd/${String(handle.fd)}`).catch(() => path);
      if (opened === path && (await handle.stat()).isFile()) return handle;
      await handle.close();
      throw opened === path ? noFile(name) : refused(name);
    } catch (error) {
      if (error instanceof FilesError) throw error;
      const code = (error as NodeJS.ErrnoException).code ?? '';
      if (code === 'ELOOP') throw refused(name);
      if (code === tolerated) return undefined;
      if (['EISDIR', 'ENXIO', 'ENOTDIR', 'EEXIST'].includes(code)) throw noFile(name);
      throw new FilesError(422, `The file ${shown(name)} cannot be opened: ${code || String(error)}.`);
    }
  }
}

function namesIn(name: string): string[] {
  const names = name.split('/').filter((one) => one !== '' && one !== '.');
  if (names.includes('..')) throw refused(name);
  if (names.length === 0 || name.includes('\0')) throw noFile(name);
  return names;
}

function refused(name: string): FilesError {
  return new FilesError(
    403,
    `The path ${shown(name)} leads out of the folder for files that are exchanged, or over a link.`,
  );
}

function noFile(name: string): FilesError {
  return new FilesError(422, `${shown(name)} is no file.`);
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 200));
}
