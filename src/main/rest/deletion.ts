/** Deleting what a query finds, in one transaction up to a size (docs/interface/rest.md 3). */
import type { GraphEntity, NodeQuery, Predicate, ReadTransaction, RelationshipQuery } from '../graph/index.js';
import { onlyReadable, SchemaError, type ObjectTransaction } from '../schema/index.js';
import type { RestRequest } from './context.js';
import { pageOf, window } from './query/query.js';
import { read } from './read.js';
import { write } from './write.js';

/** Objects deleted in one transaction; a larger deletion is not one transaction (docs/interface/rest.md 3), as others wait while it is applied. */
const CHUNK = 5000;
/** Characters of what is deleted in one transaction, about: it is kept in memory until the end. */
const MOST_TEXT = 32 * 1024 * 1024;
/** Objects from which on they are looked at without keeping others from writing. */
const MANY = 200;

export interface Deletion {
  /** What the same GET would ask; made once, in a transaction of its own. */
  readonly query: (tx: ReadTransaction) => Promise<NodeQuery | RelationshipQuery>;
  /** Only the page that the parameters ask for; else all, whatever the limit of lists. */
  readonly windowed: boolean;
  readonly deleteOne: (objects: ObjectTransaction, id: string) => Promise<void>;
}

/**
 * Deletes what the query finds: all or nothing up to `CHUNK` objects. An error is an answer: what earlier chunks deleted stays
 * deleted, and the error says how many that are. Ends when the client goes away.
 */
export async function deleteFound(request: RestRequest, deletion: Deletion): Promise<void> {
  // A search may be long and runs beside other writers; what it found is looked at again when it is deleted, since another
  // writer may have made it something else meanwhile.
  const { query, chunks } = await read(request, async (tx) => {
    const query = onlyReadable(await deletion.query(tx), request.access);
    return { query, chunks: await (deletion.windowed ? chunksOfPage(request, tx, query) : nextChunk(tx, query)) };
  });
  let deleted = 0;
  if (deletion.windowed) {
    // Chosen before the first is deleted: what moves up into the page is not in it.
    for (let chunk = chunks.shift(); chunk !== undefined && !request.exchange.aborted; chunk = chunks.shift()) {
      await deleteChunk(request, deletion, query, chunk, deleted);
      deleted += chunk.length;
    }
    return;
  }
  for (let [chunk] = chunks; chunk !== undefined && !request.exchange.aborted;) {
    await deleteChunk(request, deletion, query, chunk, deleted);
    deleted += chunk.length;
    // Also after a chunk that was not full: it may have been large.
    chunk = (await read(request, (tx) => nextChunk(tx, query)))[0];
  }
}

async function nextChunk(tx: ReadTransaction, query: NodeQuery | RelationshipQuery): Promise<string[][]> {
  return chunksOf(tx.stream({ ...withoutSort(query), limit: CHUNK }), 1);
}

async function chunksOfPage(
  request: RestRequest,
  tx: ReadTransaction,
  query: NodeQuery | RelationshipQuery,
): Promise<string[][]> {
  const { offset, limit } = window(request, pageOf(request.parameters));
  if (limit === 0) return [];
  return chunksOf(tx.stream({ ...query, offset, ...(limit === undefined ? {} : { limit }) }));
}

/** Ids of what goes together. */
async function chunksOf(found: AsyncIterable<readonly GraphEntity[]>, most = Infinity): Promise<string[][]> {
  const chunks: string[][] = [];
  let [ids, size]: [string[], number] = [[], 0];
  for await (const batch of found) {
    for (const entity of batch) {
      if (ids.length === 0 || ids.length === CHUNK || size > MOST_TEXT) {
        if (chunks.length === most) return chunks;
        [ids, size] = [[], 0];
        chunks.push(ids);
      }
      ids.push(entity.id);
      size += textIn(entity);
    }
  }
  return chunks;
}

function textIn({ properties }: GraphEntity): number {
  let size = 0;
  for (const key in properties) {
    const value = properties[key];
    if (typeof value === 'string') size += value.length;
    else if (typeof value === 'object') for (const one of value) size += typeof one === 'string' ? one.length : 8;
  }
  return size;
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
    const work = async (objects: ObjectTransaction): Promise<void> => {
      for (const { id } of await objects.tx.find({ ...withoutSort(query), where })) await deleteOne(objects, id);
    };
    await write(request, undefined, work, ids.length >= MANY);
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
