import type { ReadTransaction } from '../graph/index.js';
import type { RestRequest } from './context.js';

/** Runs `work` as the one transaction of a reading request; it ends when the client goes away. */
export function read<T>({ exchange, services }: RestRequest, work: (tx: ReadTransaction) => Promise<T>): Promise<T> {
  return services.graph.read(work, {
    cancelled: () => exchange.aborted,
    get signal() {
      return exchange.signal;
    },
  });
}
