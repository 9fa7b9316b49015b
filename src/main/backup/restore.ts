/** Puts a backup back, into folders that are empty or not there. */
import { mkdir, open, readdir } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { syncPath } from '../../shared/sync-path.js';
import { settleSqlite } from '../graph/index.js';
import { readChunk } from './chunks.js';
import { BackupError } from './errors.js';
import { readManifest, type BackedUpFile } from './manifest.js';
import type { BackupPlace } from './places/index.js';

export interface RestoreTarget {
  /** `database.path` */
  readonly database: string;
  /** `files.path` */
  readonly files: string;
}

/** Restores a backup by its name, and has all pages of the database looked at; how many files were written. Throws `BackupError`, `GraphError` `damaged`. */
export async function restoreBackup(
  place: BackupPlace,
  name: string,
  target: RestoreTarget,
  tell: (text: string) => void = () => undefined,
): Promise<number> {
  const { files } = await readManifest(place, name);
  for (const folder of [target.database, target.files]) await mustBeEmpty(folder);
  tell(`restoring ${String(files.length)} files of ${name}`);
  for (const file of files) {
    const root = file.kind === 'database' ? target.database : target.files;
    await write(place, file, root);
  }
  tell('looking at the database');
  settleSqlite(target.database);
  return files.length;
}

/** Reads all that a backup needs; how many files it has. Throws `BackupError` for what is missing or damaged. */
export async function verifyBackup(place: BackupPlace, name: string): Promise<number> {
  const { files } = await readManifest(place, name);
  const seen = new Set<string>();
  for (const { chunks } of files)
    for (const hash of chunks) {
      if (seen.has(hash)) continue;
      seen.add(hash);
      await readChunk(place, hash);
    }
  return files.length;
}

async function mustBeEmpty(folder: string): Promise<void> {
  const entries = await readdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new BackupError(`${folder} cannot be read: ${String(error)}`, { cause: error });
  });
  if (entries.length > 0) throw new BackupError(`${folder} is not empty: move what is there away first.`);
}

async function write(place: BackupPlace, { path, size, chunks }: BackedUpFile, root: string): Promise<void> {
  const to = resolve(root, path);
  // The list comes from elsewhere.
  if (!to.startsWith(resolve(root) + sep))
    throw new BackupError(`the backup names a file outside of its folder: ${path}`);
  await mkdir(dirname(to), { recursive: true, mode: 0o750 });
  const file = await open(to, 'wx', 0o640);
  try {
    let written = 0;
    for (const hash of chunks) {
      const bytes = await readChunk(place, hash);
      await file.writeFile(bytes);
      written += bytes.length;
    }
    if (written !== size) throw new BackupError(`${path} has ${String(written)} bytes in place of ${String(size)}.`);
    await file.sync();
  } finally {
    await file.close();
  }
  await syncPath(dirname(to));
}
