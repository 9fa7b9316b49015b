/** What survives a power cut. */
import { open } from 'node:fs/promises';

/** Resolves when what is at a path is on the disk: the bytes of a file, or what was made, renamed or removed in a folder. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
