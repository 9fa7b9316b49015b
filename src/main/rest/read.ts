import type { GraphEntity, ReadTransaction, TransactionOptions } from '../graph/index.js';
import type { Exchange } from '../http/index.js';
import { explainAccess } from '../security/index.js';
import type { RestRequest } from './context.js';

/** Ends what is read when the client goes away. A class for the reason given at the graph's own (`ReadScope`). */
class WhileListening implements TransactionOptions {
  constructor(private readonly exchange: Exchange) {}

  readonly cancelled = (): boolean => this.exchange.aborted;

  get signal(): AbortSignal {
    return this.exchange.signal;
  }
}

/** Runs `work` as the one transaction of a reading request; it ends when the client goes away. */
export function read<T>({ exchange, services }: RestRequest, work: (tx: ReadTransaction) => Promise<T>): Promise<T> {
  return services.graph.read(work, new WhileListening(exchange));
}

/** Whether the request asks to be told in the log why it may read what it reads. */
export function explains({ parameters, exchange }: RestRequest): boolean {
  return parameters.logPermissionResolution && exchange.method === 'GET';
}

/** Logs why these objects of an answer may be read. */
export async function explain(
  { actor, access }: RestRequest,
  tx: ReadTransaction,
  entities: readonly GraphEntity[],
): Promise<void> {
  await explainAccess(
    tx,
    actor,
    access,
    entities.filter((entity) => entity.kind === 'node'),
  );
}
