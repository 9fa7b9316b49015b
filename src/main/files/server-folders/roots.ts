/** Folders of the server that files may be imported from, and nothing outside of them. */
import { constants } from 'node:fs';
import { open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import type { Config } from '../../config/index.js';
import { directoriesIn } from './directory-list.js';

/** An open file of the server, and what it was when it was opened. */
export interface SourceFile {
  readonly handle: FileHandle;
  readonly path: string;
  readonly size: number;
  readonly inode: number;
  readonly modified: number;
}

export class ImportRoots {
  private constructor(
    private readonly roots: readonly string[],
    /** What the service keeps for itself, wherever it lies. */
    private readonly own: readonly string[],
  ) {}

  /** Those of the settings that are there now. */
  static async of(config: Config): Promise<ImportRoots> {
    return ImportRoots.at(config, directoriesIn(config.get('application.filesystem.import.roots')));
  }

  /** The folder of `data.exchange.path` and these, as far as they are there now. */
  static async at(config: Config, named: readonly string[] = []): Promise<ImportRoots> {
    const base = config.path('base.path');
    const folders = [config.get('data.exchange.path'), ...named].filter((folder) => folder !== '');
    const own = [config.path('files.path'), config.path('database.path'), config.confPath];
    return new ImportRoots(
      await real(folders.map((folder) => resolve(base, folder))),
      await real(own.filter((path) => path !== '')),
    );
  }

  /** Whether a path without symbolic links lies in a root, and is nothing of the service's own. */
  allows(path: string): boolean {
    return this.roots.some((root) => isIn(path, root)) && !this.own.some((own) => isIn(path, own));
  }

  /** The path behind all symbolic links; undefined when that is not allowed. Throws what the file system says. */
  async resolve(path: string): Promise<string | undefined> {
    const found = await realpath(path);
    return this.allows(found) ? found : undefined;
  }

  /** Opens a regular file; undefined when it is none, or not allowed. Throws what the file system says. */
  async open(path: string): Promise<SourceFile | undefined> {
    const found = await this.resolve(path);
    if (found === undefined) return undefined;
    return openRegular(found, (opened) => this.allows(opened));
  }
}

/** Opens a regular file, whose path has no links in it; undefined when it is none, or not allowed. Throws what the file system says. */
export async function openRegular(path: string, allows: (path: string) => boolean): Promise<SourceFile | undefined> {
  // Without waiting for somebody to write to a pipe.
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const facts = await handle.stat();
    // A folder on the way may have become a link after it was looked at: what counts is what was opened.
    const opened = await readlink(`/proc/self/fd/${String(handle.fd)}`).catch(() => path);
    if (facts.isFile() && allows(opened)) {
      return { handle, path, size: facts.size, inode: facts.ino, modified: facts.mtimeMs };
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return undefined;
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** The paths behind symbolic links of those that are there. */
async function real(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)));
  return found.filter((path) => path !== undefined);
}
