import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** The priority of this thread alone, from 0 up to 19, the lowest. Only Linux knows such; to get back a higher one may be refused. */
export function setThreadPriority(nice: number): void {
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), nice);
  } catch {
    // Then it is one of many.
  }
}
