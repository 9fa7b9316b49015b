/** Directories for archives that arrive, or are made. They go when the work has ended; what a process has left that was killed goes with the next one. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { logger } from '../../../shared/log.js';

const log = logger('deployment');
const PREFIX = 'svc-deployment-';
const NAME = /^svc-deployment-(.+)-(\d+)-\w{6}$/;

/** A directory that goes when the work has ended. */
export async function withTemporary<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), `${PREFIX}${hostname()}-${String(process.pid)}-`));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Removes directories of processes of this machine that are gone. What cannot be removed is told. */
export async function tidyTemporary(): Promise<void> {
  try {
    for (const name of await readdir(tmpdir())) {
      const [, host, pid] = NAME.exec(name) ?? [];
      const directory = join(tmpdir(), name);
      if (host !== hostname() || !(await isLeft(directory, Number(pid)))) continue;
      await rm(directory, { recursive: true, force: true });
      log.info(`${directory} was removed: the server that unpacked an archive there has ended`);
    }
  } catch (error) {
    log.warn('what servers before this one have unpacked could not be removed', error);
  }
}

async function isLeft(directory: string, pid: number): Promise<boolean> {
  // In a container each start may have the same number.
  if (pid === process.pid) return (await stat(directory)).mtimeMs < performance.timeOrigin;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
