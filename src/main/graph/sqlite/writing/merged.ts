/**
 * Lists as a unit sees them while something is written that the connections do not show: those of what is committed, with what was
 * written put in its place. Undefined: that cannot be told from the entities alone (docs/design/writer.md).
 */
import { narrowed } from '../../access.js';
import type { ReadTransaction } from '../../graph.js';
import { matches } from '../../optimistic/own-writes/matches.js';
import type { CountResult, EntityOf, NodeQuery, Predicate, Query, RelationshipQuery } from '../../query.js';
import type { GraphNode, GraphRelationship } from '../../types.js';
import type { CachedNode } from '../caches/cached-node.js';
import type { Layers } from './pending.js';

/** Entities of a list that are compared one by one, at most. */
const MOST = 256;

/** What a unit sees. */
export interface PendingView {
  readonly layers: Layers;
  /** What is committed. */
  readonly committed: ReadTransaction;
  /** The row of a committed node. */
  readonly keyOf: (id: string) => number | undefined;
}

export async function findIn<Q extends Query>(view: PendingView, query: Q): Promise<EntityOf<Q>[] | undefined> {
  if (!isOwn(view, query)) return undefined;
  if (query.kind === 'relationships') return concerns(view, query) ? undefined : view.committed.find(query);
  const concerned = concernedBy(view, query);
  if (concerned?.size === 0) return view.committed.find(query);
  const { limit, offset = 0, sort = [] } = query;
  if (
    concerned === undefined ||
    concerned.size > MOST ||
    limit === undefined ||
    limit > MOST ||
    offset > 0 ||
    sort.length > 0
  )
    return undefined;
  return (await foundIn(view, query, limit, concerned)) as EntityOf<Q>[];
}

export async function countIn(view: PendingView, query: Query, limit?: number): Promise<CountResult | undefined> {
  if (!isOwn(view, query)) return undefined;
  const concerned = query.kind === 'nodes' ? concernedBy(view, query)?.size : concerns(view, query) ? 1 : 0;
  return concerned === 0 ? view.committed.count(query, limit) : undefined;
}

/** A short list in the order of creation. */
async function foundIn(
  { layers, committed, keyOf }: PendingView,
  query: NodeQuery,
  limit: number,
  concerned: ReadonlySet<string>,
): Promise<GraphNode[]> {
  const found: { readonly pk: number; readonly node: GraphNode }[] = [];
  for (const node of await committed.find({ ...query, limit: limit + concerned.size })) {
    if (!concerned.has(node.id)) found.push({ pk: keyOf(node.id) ?? 0, node });
  }
  for (const id of concerned) {
    const now: CachedNode | undefined = layers.node(id)?.now;
    if (now !== undefined && isIn(now.node, query) === true) found.push(now);
  }
  found.sort((a, b) => a.pk - b.pk);
  return found.slice(0, limit).map(({ node }) => node);
}

/** Whether a list is decided by its entities alone. */
function isOwn({ layers }: PendingView, query: Query): boolean {
  if (narrowed(query.access, query.kind === 'nodes' ? query.types : undefined) !== undefined) return false;
  if (query.where !== undefined && looksFar(query.where)) return false;
  if (query.kind === 'nodes') return query.from === undefined;
  return !layers.retypes || (query.sourceTypes === undefined && query.targetTypes === undefined);
}

function looksFar(predicate: Predicate): boolean {
  switch (predicate.op) {
    case 'and':
    case 'or':
      return predicate.terms.some(looksFar);
    case 'not':
      return looksFar(predicate.term);
    case 'relatedNone':
    case 'relatedExactly':
    case 'relatedAll':
    case 'relatedSome':
      return true;
    default:
      return false;
  }
}

/** Nodes that were written and are in the list in one of their states; undefined: of some that is not known. */
function concernedBy({ layers }: PendingView, query: NodeQuery): ReadonlySet<string> | undefined {
  const concerned = new Set<string>();
  for (const [id, { before, now }] of layers.nodes()) {
    for (const state of [before, now?.node]) {
      const is = state === undefined ? false : isIn(state, query);
      if (is === undefined) return undefined;
      if (is) concerned.add(id);
    }
  }
  return concerned;
}

function isIn(node: GraphNode, { types, where }: NodeQuery): boolean | undefined {
  if (types !== undefined && !types.includes(node.type)) return false;
  return where === undefined ? true : matches(node, where);
}

/** Whether a relationship that was written may be in the list, or was. */
function concerns({ layers }: PendingView, query: RelationshipQuery): boolean {
  for (const [, { before, now }] of layers.links()) {
    if (before !== undefined && mayBeIn(before, query)) return true;
    if (now !== undefined && mayBeIn(now.relationship, query)) return true;
  }
  return false;
}

function mayBeIn(relationship: GraphRelationship, { types, sourceId, targetId, where }: RelationshipQuery): boolean {
  if (types !== undefined && !types.includes(relationship.type)) return false;
  if (sourceId !== undefined && relationship.sourceId !== sourceId) return false;
  if (targetId !== undefined && relationship.targetId !== targetId) return false;
  return where === undefined || matches(relationship, where) !== false;
}
