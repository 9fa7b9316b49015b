import type { GraphEntity, ReadTransaction } from '../graph/index.js';
import { explainAccess } from '../security/index.js';
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

/** Logs why these objects of an answer may be read, when the request asks for it. */
export async function explain(
  { parameters, actor, access, exchange }: RestRequest,
  tx: ReadTransaction,
  entities: readonly GraphEntity[],
): Promise<void> {
  if (!parameters.logPermissionResolution || exchange.method !== 'GET') return;
  await explainAccess(
    tx,
    actor,
    access,
    entities.filter((entity) => entity.kind === 'node'),
  );
}
