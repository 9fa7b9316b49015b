/** An archive of this machine, extracted into a directory: for those who read it as files. */
import { createReadStream } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../../config/index.js';
import { FilesError } from '../errors.js';
import type { ArchiveBytes } from './container/random-access.js';
import { within } from './unarchive.js';
import { OpenArchive, type ArchivedEntry } from './zip-reader.js';

/**
 * Extracts the archive at a path of the server, within the limits for archives in the tree (`application.filesystem.unarchive.*`). Throws `FilesError`
 * 422 for what is no ZIP archive, broken, encrypted, too large, or leads elsewhere; what was written until then stays.
 */
export async function extractToDirectory(
  config: Config,
  path: string,
  directory: string,
  signal?: AbortSignal,
): Promise<void> {
  const { size } = await stat(path);
  const bytes: ArchiveBytes = {
    size,
    read: ({ from, to }) => (to > from ? createReadStream(path, { start: from, end: to - 1 }) : nothing()),
  };
  // What an archive says of its entries it says once: they are counted before any of them is written.
  await OpenArchive.of(bytes, signal, (opened) => within(config, size, opened));
  await OpenArchive.of(bytes, signal, async (opened) => {
    for await (const entry of opened.entries()) await write(entry, join(directory, ...entry.path));
  });
}

async function* nothing(): AsyncGenerator<Buffer> {
  // There are no bytes.
}

async function write({ isFolder, size, read }: ArchivedEntry, target: string): Promise<void> {
  try {
    await mkdir(isFolder ? target : dirname(target), { recursive: true });
    if (isFolder) return;
    // Two entries of one name are one too many.
    const handle = await open(target, 'wx');
    try {
      let written = 0;
      for await (const piece of read()) {
        written += piece.length;
        if (written > size) throw new FilesError(422, 'The archive is broken: an entry is larger than it says.');
        await handle.write(piece);
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || code === 'ENOTDIR' || code === 'ENAMETOOLONG')
      throw new FilesError(422, 'The archive is broken: it has two entries for one place, or a name that is too long.');
    throw error;
  }
}
