import type { GraphEntity, ReadTransaction } from '../graph/index.js';
import { explainAccess } from '../security/index.js';
import type { RestRequest } from './context.js';

/** Runs `work` as the one transaction of a reading request; it ends when the client goes away. */
export function read<T>(request: RestRequest, work: (tx: ReadTransaction) => Promise<T>): Promise<T> {
  return request.services.requests.read(request, work);
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
