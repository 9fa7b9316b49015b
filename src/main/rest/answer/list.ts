/** Answers with a page of a query: objects, then counts that never cost more than the soft limit (docs/interface/lists.md 1.8). */
import type { CountResult, GraphEntity, Query, ReadTransaction } from '../../graph/index.js';
import { onlyReadable, Renderer } from '../../schema/index.js';
import type { RestRequest } from '../context.js';
import { arrayLimit, Envelope, renderOptions } from './envelope.js';
import { explain, explains } from '../read.js';
import { pageOf, window } from '../query/query.js';

/** Lists up to this size are read and written in one go; longer ones are streamed. */
const WHOLE = 256;

export async function sendList(request: RestRequest, tx: ReadTransaction, query: Query): Promise<void> {
  const page = pageOf(request.parameters);
  const { offset, limit } = window(request, page);
  const envelope = new Envelope(request);
  const renderer = new Renderer(envelope.out, renderOptions(request, tx));
  const visible = onlyReadable(query, request.access);
  const paged: Query = { ...visible, offset, ...(limit === undefined ? {} : { limit }) };
  let rendered: number;
  let queryTime: number;
  const found = limit === 0 ? [] : limit !== undefined && limit <= WHOLE ? await pageIn(tx, paged) : undefined;
  if (found !== undefined) {
    queryTime = performance.now() - request.startedAt;
    if (explains(request)) await explain(request, tx, found);
    rendered = await renderer.list([found], 1);
  } else {
    queryTime = performance.now() - request.startedAt;
    const batches = tx.stream(paged);
    envelope.readsAhead = true;
    rendered = await renderer.list(explains(request) ? explained(request, tx, batches) : batches, 1);
  }
  const counting = performance.now();
  const count = await total(request, tx, visible, { offset, limit, rendered });
  await envelope.end(rendered, queryTime, { count, countTime: performance.now() - counting }, page);
}

/** The same for objects that are known already, in their order. */
export async function sendKnown(request: RestRequest, tx: ReadTransaction, all: readonly GraphEntity[]): Promise<void> {
  const page = pageOf(request.parameters);
  const { offset, limit } = window(request, page);
  const envelope = new Envelope(request);
  const renderer = new Renderer(envelope.out, renderOptions(request, tx));
  const found = all.slice(offset, limit === undefined ? undefined : offset + limit);
  const queryTime = performance.now() - request.startedAt;
  if (explains(request)) await explain(request, tx, found);
  const rendered = await renderer.list([found], 1);
  await envelope.end(rendered, queryTime, { count: { count: all.length, exact: true }, countTime: 0 }, page);
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
