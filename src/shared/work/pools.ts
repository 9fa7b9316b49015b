/**
 * The two pools of this process: one for short work, which clients wait for, and one for long work, which goes on for minutes. They are the
 * process's and nobody else's, as its processors are.
 */
import { availableParallelism } from 'node:os';
import { WorkPool } from './work-pool.js';

/** How large the pools are; to be said before they are used. */
export interface PoolSizes {
  /** Pieces of short work at a time; 0: one for each processor. */
  readonly short: number;
  /** The same of long work; 0: half as many. */
  readonly long: number;
  /** How much may wait in each. */
  readonly waiting: number;
  /** Memory for the JavaScript of one thread (MB). */
  readonly memory: number;
}

let sizes: PoolSizes = { short: 0, long: 0, waiting: 1000, memory: 512 };
let short: WorkPool | undefined;
let long: WorkPool | undefined;

/** Says how large the pools are, for those that nothing has used yet. */
export function sizePools(given: PoolSizes): void {
  sizes = given;
}

function pool(name: 'short' | 'long', usual: number): WorkPool {
  const threads = sizes[name] === 0 ? usual : sizes[name];
  return new WorkPool({ name, threads, waiting: sizes.waiting, memory: sizes.memory });
}

/** For work of up to a few seconds: images, barcodes, what functions of scripts leave to threads. */
export function shortWork(): WorkPool {
  return (short ??= pool('short', availableParallelism()));
}

/** For work of minutes: texts of documents, OCR, videos. Half of the processors at most, so that they are not all taken by it. */
export function longWork(): WorkPool {
  return (long ??= pool('long', Math.max(1, Math.floor(availableParallelism() / 2))));
}

/** Ends both; what is asked for later begins new ones. */
export async function closePools(): Promise<void> {
  const open = [short, long].filter((one) => one !== undefined);
  short = long = undefined;
  await Promise.all(open.map((one) => one.close()));
}
