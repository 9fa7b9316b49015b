import type { GraphEntity, ReadTransaction } from '../graph/index.js';
import { ThumbnailsMissing } from '../media/index.js';
import { explainAccess } from '../security/index.js';
import type { RestRequest } from './context.js';

/**
 * Runs `work` as the one transaction of a reading request; it ends when the client goes away. Where it has read of several states of the
 * database it is run again, unless something of the answer has left. The same once where thumbnails are missing that could be made meanwhile.
 */
export async function read<T>(request: RestRequest, work: (tx: ReadTransaction) => Promise<T>): Promise<T> {
  try {
    return await readOnce(request, work, true);
  } catch (error) {
    if (!(error instanceof ThumbnailsMissing) || request.missing === undefined) throw error;
    await request.services.media.thumbnails.make(request.missing, request.exchange.signal);
    request.missing = undefined;
    return readOnce(request, work, false);
  }
}

function readOnce<T>(request: RestRequest, work: (tx: ReadTransaction) => Promise<T>, collects: boolean): Promise<T> {
  return request.services.requests.read(request, (tx) => {
    request.missing = collects ? request.services.media.thumbnails.collect(tx) : undefined;
    if (tx.confirm === undefined) {
      if (!collects) request.memory?.startAgain();
      return work(tx);
    }
    request.memory?.startAgain();
    request.reading = tx;
    return work(tx).finally(() => {
      request.reading = undefined;
    });
  });
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
