/** Threads for work that would hold up the loop. */
import { createRequire } from 'node:module';
import type { Piscina as Package } from 'piscina';

const load = createRequire(import.meta.url);

/**
 * A pool of threads that run worker files. Their package is loaded with the first pool: a server that starts needs none, and it
 * would take a twentieth of the start.
 */
export function workerPool(options: ConstructorParameters<typeof Package>[0]): Package {
  const { Piscina: Pool } = load('piscina') as { readonly Piscina: typeof Package };
  return new Pool(options);
}
