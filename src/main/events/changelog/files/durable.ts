/** Bytes of many files on the disk, on a thread that may wait. */
import { spawnSync } from 'node:child_process';
import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Files up to which each is synced by itself. */
const FEW = 32;

/** Everything that was written to these files and folders is on the disk afterwards. `folder`: all of them are on its file system. */
export function syncAll(folder: string, paths: ReadonlySet<string>): void {
  if (paths.size > FEW && syncFileSystem(folder)) return;
  for (const path of paths) sync(path);
}

/** False where there is no such program. Node has no call for it. */
function syncFileSystem(folder: string): boolean {
  return process.platform === 'linux' && spawnSync('sync', ['-f', folder], { stdio: 'ignore' }).status === 0;
}

function sync(path: string): void {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    // What somebody has removed need not be kept.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
