/** Deleting what a query finds, a chunk a transaction (rest.md 6.1). */
import type { GraphEntity, NodeQuery, Predicate, ReadTransaction, RelationshipQuery } from '../graph/index.js';
import { onlyReadable, SchemaError, type ObjectTransaction } from '../schema/index.js';
import type { RestRequest } from './context.js';
import { pageOf, window } from './query.js';
import { read } from './read.js';
import { write } from './write.js';

/** Objects deleted in one transaction; a larger deletion is not one transaction (rest.md 6.1). */
const CHUNK = 500;

export interface Deletion {
  /** What the same GET would ask; made once, in a transaction of its own. */
  readonly query: (tx: ReadTransaction) => Promise<NodeQuery | RelationshipQuery>;
  /** Only the page that the parameters ask for; else all, whatever the limit of lists. */
  readonly windowed: boolean;
  readonly deleteOne: (objects: ObjectTransaction, id: string) => Promise<void>;
}

/**
 * Deletes what the query finds. An error is an answer: what earlier chunks deleted stays deleted, and the error says how
 * many that are. Ends when the client goes away.
 */
export async function deleteFound(request: RestRequest, deletion: Deletion): Promise<void> {
  // A search may be long and runs beside other writers; what it found is looked at again when it is deleted, since another
  // writer may have made it something else meanwhile.
  const { query, ids } = await read(request, async (tx) => {
    const query = onlyReadable(await deletion.query(tx), request.access);
    return { query, ids: await (deletion.windowed ? idsOfPage(request, tx, query) : nextIds(tx, query)) };
  });
  let deleted = 0;
  if (deletion.windowed) {
    // Chosen before the first is deleted: what moves up into the page is not in it.
    for (let at = 0; at < ids.length && !request.exchange.aborted; at += CHUNK) {
      const chunk = ids.slice(at, at + CHUNK);
      await deleteChunk(request, deletion, query, chunk, deleted);
      deleted += chunk.length;
    }
    return;
  }
  for (let chunk = ids; chunk.length > 0;) {
    await deleteChunk(request, deletion, query, chunk, deleted);
    deleted += chunk.length;
    if (chunk.length < CHUNK || request.exchange.aborted) return;
    chunk = await read(request, (tx) => nextIds(tx, query));
  }
}

async function nextIds(tx: ReadTransaction, query: NodeQuery | RelationshipQuery): Promise<string[]> {
  const found: readonly GraphEntity[] = await tx.find({ ...withoutSort(query), limit: CHUNK });
  return found.map(({ id }) => id);
}

async function idsOfPage(
  request: RestRequest,
  tx: ReadTransaction,
  query: NodeQuery | RelationshipQuery,
): Promise<string[]> {
  const { offset, limit } = window(request, pageOf(request.parameters));
  if (limit === 0) return [];
  const ids: string[] = [];
  for await (const batch of tx.stream({ ...query, offset, ...(limit === undefined ? {} : { limit }) }))
    for (const { id } of batch) ids.push(id);
  return ids;
}

async function deleteChunk(
  request: RestRequest,
  { deleteOne }: Deletion,
  query: NodeQuery | RelationshipQuery,
  ids: readonly string[],
  before: number,
): Promise<void> {
  const among: Predicate = { op: 'in', key: 'id', values: ids };
  const where: Predicate = query.where === undefined ? among : { op: 'and', terms: [query.where, among] };
  try {
    await write(request, undefined, async (objects) => {
      for (const { id } of await objects.tx.find({ ...withoutSort(query), where })) await deleteOne(objects, id);
    });
  } catch (error) {
    if (before > 0 && error instanceof SchemaError) {
      const message = `${error.message} (${String(before)} objects were deleted before)`;
      throw new SchemaError(message, error.tokens, error.kind);
    }
    throw error;
  }
}

function withoutSort<Q extends NodeQuery | RelationshipQuery>(query: Q): Q {
  return { ...query, sort: [] };
}
