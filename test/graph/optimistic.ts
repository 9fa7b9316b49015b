/** A graph whose every write is an optimistic transaction, begun anew after each conflict. */
import {
  GraphError,
  type Graph,
  type OpenTransaction,
  type TransactionOptions,
  type WriteTransaction,
} from '../../src/main/graph/index.js';

export function isConflict(error: unknown): boolean {
  return error instanceof GraphError && error.code === 'conflict';
}

/** Runs work in transactions of its own until one is committed. */
export async function optimistically<T>(
  graph: Graph,
  work: (tx: WriteTransaction) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  for (;;) {
    const tx = graph.open({ ...options, origin: () => options.origin, locking: 'last' });
    try {
      const value = await limited(work(tx), options, tx);
      await tx.commit();
      return value;
    } catch (error) {
      await tx.rollBack();
      if (!isConflict(error)) throw error;
      await tx.conflictSeen();
    }
  }
}

/** Work that never ends: nobody waits for it, so nothing ends it but its caller. */
async function limited<T>(working: Promise<T>, options: TransactionOptions, tx: OpenTransaction): Promise<T> {
  if (options.timeout === undefined && options.signal === undefined) return working;
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    const look = (): void => {
      tx.node('nobody').catch(reject);
    };
    timer = setInterval(look, 5);
  });
  try {
    return await Promise.race([working, over]);
  } finally {
    clearInterval(timer);
  }
}

/** The same graph. */
export function optimistic(graph: Graph): Graph {
  return new Proxy(graph, {
    get: (target, name) => {
      if (name === 'write') {
        return (work: (tx: WriteTransaction) => Promise<unknown>, options?: TransactionOptions) =>
          optimistically(target, work, options);
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
}
