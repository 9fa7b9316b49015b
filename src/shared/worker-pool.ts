/** Threads for work that would hold up the loop. */
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import type { Piscina as Package } from 'piscina';

const load = createRequire(import.meta.url);

/** Pools that there are, for those who watch the process: as its threads, they are the process's and nobody else's. */
const pools = new Map<Package, string>();

/** Pools of one kind of work, together. */
export interface PoolFigures {
  threads: number;
  /** Tasks that wait for a thread. */
  waiting: number;
  /** Tasks that are done. */
  completed: number;
}

/**
 * A pool of threads that run worker files. Their package is loaded with the first pool: a server that starts needs none, and it
 * would take a twentieth of the start. `name`: for who watches the process; absent: the name of the file.
 */
export function workerPool(options: ConstructorParameters<typeof Package>[0], name?: string): Package {
  const { Piscina: Pool } = load('piscina') as { readonly Piscina: typeof Package };
  const pool = new Pool(options);
  pools.set(pool, name ?? basename(options?.filename ?? 'unknown').replace(/\.[cm]?[jt]s$/, ''));
  // It tells of its end only when it may end its tasks first.
  const destroy = pool.destroy.bind(pool);
  pool.destroy = () => {
    pools.delete(pool);
    return destroy();
  };
  return pool;
}

/** How pools are doing now, by the file that they run. */
export function poolFigures(): ReadonlyMap<string, PoolFigures> {
  const all = new Map<string, PoolFigures>();
  for (const [pool, name] of pools) {
    let figures = all.get(name);
    if (figures === undefined) all.set(name, (figures = { threads: 0, waiting: 0, completed: 0 }));
    figures.threads += pool.threads.length;
    figures.waiting += pool.queueSize;
    figures.completed += pool.completed;
  }
  return all;
}
