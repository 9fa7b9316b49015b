/** What the disk asks for a sync, which decides what durable writes cost; and disks that ask for more. */
import { execFile } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Child } from './child.js';

const SOURCE = fileURLToPath(new URL('../../bench/slow-sync.c', import.meta.url));
const PAGE = 4096;
const SYNCS = 200;

/** Milliseconds that a sync of a page takes in a folder; the median. */
export async function syncTime(folder: string): Promise<number> {
  const path = join(folder, 'sync');
  const file = await open(path, 'wx');
  const times: number[] = [];
  try {
    for (let i = 0; i < SYNCS; i++) {
      await file.write(Buffer.alloc(PAGE, 1), 0, PAGE, i * PAGE);
      const begin = performance.now();
      await file.datasync();
      times.push(performance.now() - begin);
    }
  } finally {
    await file.close();
    await rm(path);
  }
  return times.sort((a, b) => a - b)[SYNCS >> 1] ?? NaN;
}

/**
 * From now on no sync of a process that is started takes less than so many milliseconds. Answers what one takes such a process. Needs
 * a C compiler and Linux; rejects where the processes of this machine do not load the library.
 */
export async function slowSyncs(folder: string, milliseconds: number): Promise<number> {
  const library = join(folder, 'slow-sync.so');
  await promisify(execFile)('cc', ['-shared', '-fPIC', '-O2', '-o', library, SOURCE, '-ldl']);
  process.env['BENCH_SYNC_MICROSECONDS'] = String(Math.round(milliseconds * 1000));
  process.env['LD_PRELOAD'] = [library, process.env['LD_PRELOAD'] ?? ''].filter((path) => path !== '').join(' ');
  const child = new Child<string, number>('sync-time');
  try {
    const taken = await child.call(folder);
    if (taken < milliseconds) throw new Error(`--sync has no effect here: a sync takes ${taken.toFixed(2)} ms`);
    return taken;
  } finally {
    await child.end();
  }
}
