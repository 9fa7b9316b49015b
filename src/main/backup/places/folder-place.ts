/** Backups in a folder of this machine, or one that is mounted here. */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { syncPath } from '../../../shared/sync-path.js';
import { BackupError } from '../errors.js';
import type { BackupPlace } from './place.js';

/** What is being written; left behind by a crash, it is overlooked. */
const PARTIAL = '.partial';

export class FolderPlace implements BackupPlace {
  readonly name: string;
  readonly #made = new Set<string>();

  constructor(private readonly root: string) {
    this.name = root;
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.root, name);
    const folder = dirname(path);
    if (!this.#made.has(folder)) {
      // What is in a backup is for its owner alone.
      await mkdir(folder, { recursive: true, mode: 0o700 });
      this.#made.add(folder);
    }
    const partial = `${path}.${randomBytes(6).toString('hex')}${PARTIAL}`;
    try {
      const file = await open(partial, 'wx', 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(partial, path);
      await syncPath(folder);
    } catch (error) {
      await rm(partial, { force: true });
      throw new BackupError(`${this.root} cannot be written: ${String(error)}`, { cause: error });
    }
  }

  async get(name: string): Promise<Buffer> {
    try {
      return await readFile(join(this.root, name));
    } catch (error) {
      throw new BackupError(`${name} cannot be read from ${this.root}: ${String(error)}`, { cause: error });
    }
  }

  async *list(prefix: string): AsyncGenerator<{ name: string; written: number }, void, undefined> {
    yield* this.#listed(join(this.root, prefix));
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.root, name), { force: true });
  }

  async *#listed(folder: string): AsyncGenerator<{ name: string; written: number }, void, undefined> {
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw new BackupError(`${folder} cannot be read: ${String(error)}`, { cause: error });
    });
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) yield* this.#listed(path);
      else if (entry.isFile() && !entry.name.endsWith(PARTIAL))
        yield { name: relative(this.root, path).split(sep).join('/'), written: (await stat(path)).mtimeMs };
    }
  }
}
