/** Bytes of many files on the disk. */
import { spawn } from 'node:child_process';
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';

/** Files up to which each is synced by itself. */
const FEW = 32;

/** Everything that was written to these files and folders is on the disk afterwards. `folder`: all of them are on its file system. */
export async function syncAll(folder: string, paths: ReadonlySet<string>): Promise<void> {
  if (paths.size > FEW && (await syncFileSystem(folder))) return;
  for (const path of paths) {
    const file = await open(path, 'r').catch(unlessMissing);
    // What somebody has removed need not be kept.
    if (file === undefined) continue;
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }
}

/** False where there is no such program. Node has no call for it. */
function syncFileSystem(folder: string): Promise<boolean> {
  if (process.platform !== 'linux') return Promise.resolve(false);
  return new Promise((resolve) => {
    const program = spawn('sync', ['-f', folder], { stdio: 'ignore' });
    program.once('error', () => {
      resolve(false);
    });
    program.once('close', (code) => {
      resolve(code === 0);
    });
  });
}

function unlessMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

/** One file, while the thread waits. */
export function syncNow(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
