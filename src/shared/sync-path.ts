/** Names in a folder that survive a power cut. */
import { open } from 'node:fs/promises';

/** Resolves when what was made, renamed or removed in a folder is on the disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
