/** Answers with a page of a query: objects, then counts that never cost more than the soft limit (docs/interface/lists.md 1.8). */
import type {
  CountResult,
  GraphEntity,
  GraphNode,
  NodeQuery,
  Query,
  ReadTransaction,
  RelationshipQuery,
} from '../../graph/index.js';
import { onlyReadable, Renderer, targetsOf } from '../../schema/index.js';
import type { RestRequest } from '../context.js';
import { arrayLimit, Envelope, renderOptions } from './envelope.js';
import { explain, explains } from '../read.js';
import { pageOf, window } from '../query/query.js';

/** Lists up to this size are read and written in one go; longer ones are streamed. */
const WHOLE = 256;
/** So many matches are found first and put in order then; of more each page walks along the order. */
const SORTED = 1000;

export function sendList(request: RestRequest, tx: ReadTransaction, query: Query): Promise<void> {
  const visible = onlyReadable(query, request.access);
  return send(request, tx, visible, {
    page: (cut) => pageIn(tx, { ...visible, ...cut }),
    stream: (cut) => tx.stream({ ...visible, ...cut }),
  });
}

/**
 * The same for what a relation with an order of its own shows: the nodes that `links` lead to, in the order of these. `query` finds the same nodes and
 * may narrow them.
 */
export async function sendTargets(
  request: RestRequest,
  tx: ReadTransaction,
  links: RelationshipQuery,
  query: NodeQuery,
): Promise<void> {
  if (query.where === undefined) return sendLinked(request, tx, links);
  const visible = onlyReadable(query, request.access);
  const some = await tx.find({ ...visible, limit: SORTED + 1 });
  if (some.length <= SORTED) {
    const among = { op: 'in', key: 'targetId', values: some.map(({ id }) => id) } as const;
    const terms = links.where === undefined ? [among] : [among, links.where];
    return sendLinked(request, tx, { ...links, where: { op: 'and', terms } });
  }
  return send(request, tx, visible, { stream: (cut) => within(matching(tx, targets(tx, links), visible), cut) });
}

function sendLinked(request: RestRequest, tx: ReadTransaction, links: RelationshipQuery): Promise<void> {
  return send(request, tx, links, {
    page: async (cut) => targetsOf(tx, await tx.find({ ...links, ...cut })),
    stream: (cut) => targets(tx, { ...links, ...cut }),
  });
}

interface Cut {
  readonly offset: number;
  readonly limit?: number;
}

interface Source {
  /** A short page; undefined: it is too large to be in memory as a whole. Absent: it is streamed. */
  readonly page?: (cut: Cut) => Promise<readonly GraphEntity[] | undefined>;
  readonly stream: (cut: Cut) => AsyncIterable<readonly GraphEntity[]>;
}

/** `counted` says how many there are. */
async function send(request: RestRequest, tx: ReadTransaction, counted: Query, source: Source): Promise<void> {
  const page = pageOf(request.parameters);
  const { offset, limit } = window(request, page);
  const envelope = new Envelope(request);
  const renderer = new Renderer(envelope.out, renderOptions(request, tx));
  const cut: Cut = { offset, ...(limit === undefined ? {} : { limit }) };
  let rendered: number;
  let queryTime: number;
  const found = limit === 0 ? [] : limit !== undefined && limit <= WHOLE ? await source.page?.(cut) : undefined;
  if (found !== undefined) {
    queryTime = performance.now() - request.startedAt;
    if (explains(request)) await explain(request, tx, found);
    rendered = await renderer.list([found], 1);
  } else {
    queryTime = performance.now() - request.startedAt;
    const batches = source.stream(cut);
    envelope.readsAhead = true;
    rendered = await renderer.list(explains(request) ? explained(request, tx, batches) : batches, 1);
  }
  const counting = performance.now();
  const count = await total(request, tx, counted, { offset, limit, rendered });
  await envelope.end(rendered, queryTime, { count, countTime: performance.now() - counting }, page);
}

/** The nodes at the ends of relationships. */
async function* targets(tx: ReadTransaction, links: RelationshipQuery): AsyncGenerator<readonly GraphNode[]> {
  for await (const batch of tx.stream(links)) yield await targetsOf(tx, batch);
}

/** Those of the nodes that a query finds, from wherever it comes. */
async function* matching(
  tx: ReadTransaction,
  batches: AsyncIterable<readonly GraphNode[]>,
  { from: _from, ...query }: NodeQuery,
): AsyncGenerator<readonly GraphNode[]> {
  for await (const batch of batches) {
    const among = { op: 'in', key: 'id', values: batch.map(({ id }) => id) } as const;
    const terms = query.where === undefined ? [among] : [among, query.where];
    const found = new Set((await tx.find({ ...query, where: { op: 'and', terms } })).map(({ id }) => id));
    yield batch.filter(({ id }) => found.has(id));
  }
}

async function* within<T>(
  batches: AsyncIterable<readonly T[]>,
  { offset, limit = Infinity }: Cut,
): AsyncGenerator<readonly T[]> {
  let passed = 0;
  for await (const batch of batches) {
    yield batch.slice(Math.max(0, offset - passed), offset + limit - passed);
    passed += batch.length;
    if (passed >= offset + limit) return;
  }
}

/** Undefined: it is too large to be in memory as a whole. */
function pageIn(tx: ReadTransaction, query: Query): Promise<readonly GraphEntity[] | undefined> {
  return tx.page === undefined ? tx.find(query) : tx.page(query);
}

async function* explained(
  request: RestRequest,
  tx: ReadTransaction,
  batches: AsyncIterable<readonly GraphEntity[]>,
): AsyncGenerator<readonly GraphEntity[]> {
  for await (const batch of batches) {
    await explain(request, tx, batch);
    yield batch;
  }
}

/** Number of matches; not exact when there are more than the limit allows to count. */
async function total(
  request: RestRequest,
  tx: ReadTransaction,
  query: Query,
  seen: { offset: number; limit: number | undefined; rendered: number },
): Promise<CountResult> {
  // A page that is not full, and not beyond the end, ends the result: no need to count.
  const ends = seen.limit === undefined || seen.rendered < seen.limit;
  const most = arrayLimit(request);
  const unlimited = request.parameters.has('forceResultCount') || !Number.isFinite(most);
  if (ends && seen.limit !== 0 && (seen.rendered > 0 || seen.offset === 0)) {
    const count = seen.offset + seen.rendered;
    return { count, exact: unlimited || count <= most };
  }
  return tx.count(query, unlimited ? undefined : most);
}
