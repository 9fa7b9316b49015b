import type { GraphEntity, ReadTransaction } from '../graph/index.js';
import { Missing, ThumbnailsMissing } from '../media/index.js';
import { explainAccess } from '../security/index.js';
import type { RestRequest } from './context.js';

/**
 * Runs `work` as the one transaction of a reading request; it ends when the client goes away. Where it has read of several states of the
 * database it is run again, unless something of the answer has left. The same once where thumbnails are missing that could be made meanwhile.
 */
export function read<T>(request: RestRequest, work: (tx: ReadTransaction) => Promise<T>): Promise<T> {
  const missing = (request.missing = new Missing());
  const { thumbnails } = request.services.media;
  return readOnce(request, work).then(
    (result) => {
      // Something of the answer had left when they were missed.
      if (missing.some) thumbnails.later(missing.all);
      return result;
    },
    async (error: unknown) => {
      if (!(error instanceof ThumbnailsMissing)) throw error;
      request.missing = undefined;
      await thumbnails.make(missing, request.exchange.signal);
      request.memory?.startAgain();
      return readOnce(request, work);
    },
  );
}

function readOnce<T>(request: RestRequest, work: (tx: ReadTransaction) => Promise<T>): Promise<T> {
  return request.services.requests.read(request, (tx) => {
    if (tx.confirm === undefined) return work(tx);
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
