/** Lists as they will be: those of the engine with what a transaction has written put in its place. */
import { type AccessRule, narrowed } from '../../access.js';
import type { CountResult, EntityOf, Predicate, Query, SortKey } from '../../query.js';
import type { GraphEntity, GraphNode, GraphRelationship } from '../../types.js';
import type { Gathered } from '../gathered.js';
import { compareBy, matches } from './matches.js';
import type { Own } from './own-index.js';

/** Pages further away than this are left to the engine. */
const FARTHEST = 5000;

/** An entity for which there is a place in a list. */
interface Added {
  readonly entity: GraphEntity;
  /** Behind all others of the same rank in the order of creation; else nobody knows where. */
  readonly last: boolean;
}

/** How a list of the engine has to be changed. */
interface Merge {
  /** Ids that are not in it any more, or elsewhere. */
  readonly removed: ReadonlySet<string>;
  /** By id: they stay where they are. */
  readonly replaced: ReadonlyMap<string, GraphEntity>;
  readonly added: readonly Added[];
}

const NOTHING: Merge = { removed: new Set(), replaced: new Map(), added: [] };

export async function findMerged<Q extends Query>(gathering: Gathered, query: Q): Promise<EntityOf<Q>[]> {
  const { host, reads } = gathering;
  if (query.limit === 0) return [];
  const merge = await mergeFor(gathering, query);
  const engine = (): Promise<EntityOf<Q>[]> =>
    host.whatIf(
      (since) => {
        reads.list(query, since);
      },
      (tx) => tx.find(query),
    );
  if (merge === undefined) return engine();
  const tell = reads.list(query, host.committed);
  if (merge === NOTHING) {
    const all = await host.read((tx) => tx.find(query));
    tell(all);
    return all;
  }
  const { offset = 0, limit } = query;
  if (offset > FARTHEST) return engine();
  const most = limit === undefined ? undefined : offset + limit + merge.removed.size;
  const { offset: _offset, limit: _limit, ...rest } = query;
  const wider = (most === undefined ? rest : { ...rest, limit: most }) as Q;
  const found: readonly GraphEntity[] = await host.read((tx) => tx.find(wider));
  tell(found);
  const list: GraphEntity[] = found
    .filter(({ id }) => !merge.removed.has(id))
    .map((entity) => merge.replaced.get(entity.id) ?? entity);
  for (const one of merge.added) {
    const at = placeIn(list, one, query.sort ?? []);
    if (at === undefined) return engine();
    list.splice(at, 0, one.entity);
  }
  return list.slice(offset, limit === undefined ? undefined : offset + limit) as EntityOf<Q>[];
}

export async function countMerged(gathering: Gathered, query: Query, limit?: number): Promise<CountResult> {
  const { host, reads } = gathering;
  const merge = await mergeFor(gathering, query);
  if (merge === undefined || (merge.removed.size > 0 && query.access !== undefined)) {
    return host.whatIf(
      (since) => {
        reads.list(query, since, true);
      },
      (tx) => tx.count(query, limit),
    );
  }
  reads.list(query, host.committed, true);
  const most = limit === undefined ? undefined : limit + merge.removed.size;
  const found = await host.read((tx) => tx.count(query, most));
  const count = found.count - merge.removed.size + merge.added.length;
  if (limit === undefined) return { count, exact: found.exact };
  return found.exact && count <= limit ? { count, exact: true } : { count: limit, exact: false };
}

/** Undefined: only the engine can tell. */
async function mergeFor(gathering: Gathered, query: Query): Promise<Merge | undefined> {
  const { overlay } = gathering;
  if (overlay.isEmpty) return NOTHING;
  const rule = narrowed(query.access, query.kind === 'nodes' ? query.types : undefined);
  if (overlay.retypes || (rule !== undefined && overlay.touchesRights(rule))) return undefined;
  const far = farOf(query);
  if (far.rules.some((one) => overlay.touchesRights(one)) || overlay.walks(far.relTypes)) return undefined;
  if (far.looks && overlay.touchesOld) return undefined;
  const merge = { removed: new Set<string>(), replaced: new Map<string, GraphEntity>(), added: [] as Added[] };
  const own: Iterable<Own<GraphEntity>> =
    query.kind === 'nodes' ? overlay.nodesFor(query) : overlay.relationshipsFor(query);
  const hasEndTypes =
    query.kind === 'relationships' && (query.sourceTypes !== undefined || query.targetTypes !== undefined);
  const inside = query.kind === 'nodes' && query.from !== undefined;
  for (const { before, now, fresh } of own) {
    // What was made here is linked to nothing, or the types of links would have told.
    if (inside && fresh && before === undefined) continue;
    const was = before === undefined ? false : isIn(before, query);
    const is = now === undefined ? false : isIn(now, query);
    if (was === undefined || is === undefined) return undefined;
    const one = now ?? before;
    if (one === undefined || (!was && !is)) continue;
    // The ends of a relationship stay the same, and so do their types here.
    if (hasEndTypes && !(await endsFit(gathering, one, query))) continue;
    if (before !== undefined && was && now !== undefined && is && !fresh) {
      if (compareBy(query.sort ?? [], before, now) === 0) merge.replaced.set(now.id, now);
      else moved(merge, now, false);
    } else {
      if (before !== undefined && was) merge.removed.add(before.id);
      if (now !== undefined && is) merge.added.push({ entity: now, last: fresh });
    }
  }
  if (rule === undefined || merge.added.length === 0) return isNothing(merge) ? NOTHING : merge;
  const visible = await visibleAmong(gathering, merge.added, rule);
  return visible.length + merge.removed.size + merge.replaced.size === 0 ? NOTHING : { ...merge, added: visible };
}

function isNothing({ removed, replaced, added }: Merge): boolean {
  return removed.size + replaced.size + added.length === 0;
}

function moved(merge: { removed: Set<string>; added: Added[] }, entity: GraphEntity, last: boolean): void {
  merge.removed.add(entity.id);
  merge.added.push({ entity, last });
}

/** What a query asks of others than the entities that it lists. */
function farOf(query: Query): {
  readonly relTypes: ReadonlySet<string>;
  readonly rules: readonly AccessRule[];
  /** It looks at properties of others, or is a list of those at the end of a step. */
  readonly looks: boolean;
} {
  const relTypes = new Set<string>();
  const rules: AccessRule[] = [];
  let looks = false;
  const visit = (predicate: Predicate): void => {
    if (predicate.op === 'and' || predicate.op === 'or') predicate.terms.forEach(visit);
    else if (predicate.op === 'not') visit(predicate.term);
    else if ('step' in predicate) {
      relTypes.add(predicate.step.relType);
      if (predicate.step.access !== undefined) rules.push(predicate.step.access);
      if (predicate.op !== 'relatedSome') return;
      looks = true;
      visit(predicate.where);
    }
  };
  if (query.where !== undefined) visit(query.where);
  if (query.kind === 'nodes' && query.from !== undefined) {
    relTypes.add(query.from.step.relType);
    if (query.from.step.access !== undefined) rules.push(query.from.step.access);
    looks = true;
  }
  return { relTypes, rules, looks };
}

/** Without regard to the types of a relationship's ends. */
function isIn(entity: GraphEntity, query: Query): boolean | undefined {
  if (query.types?.includes(entity.type) === false) return false;
  if (query.kind === 'relationships') {
    if (entity.kind !== 'relationship') return false;
    if (query.sourceId !== undefined && query.sourceId !== entity.sourceId) return false;
    if (query.targetId !== undefined && query.targetId !== entity.targetId) return false;
  }
  return query.where === undefined ? true : matches(entity, query.where);
}

/** Whether the nodes at the ends of a relationship have the types that are asked for. */
async function endsFit(gathering: Gathered, entity: GraphEntity, query: Query): Promise<boolean> {
  if (entity.kind !== 'relationship' || query.kind !== 'relationships') return true;
  const { sourceTypes, targetTypes } = query;
  const fits = async (id: string, types: readonly string[] | undefined): Promise<boolean> =>
    types === undefined || types.includes((await gathering.typeOf(id)) ?? '');
  return (await fits(entity.sourceId, sourceTypes)) && (await fits(entity.targetId, targetTypes));
}

async function visibleAmong(gathering: Gathered, added: readonly Added[], rule: AccessRule): Promise<Added[]> {
  const visible: Added[] = [];
  for (const one of added) {
    const nodes = one.entity.kind === 'node' ? [one.entity] : await endsOf(gathering, one.entity);
    if ((await gathering.permitted(nodes, rule)).every(Boolean)) visible.push(one);
  }
  return visible;
}

async function endsOf(gathering: Gathered, { sourceId, targetId }: GraphRelationship): Promise<GraphNode[]> {
  return (await gathering.nodes([sourceId, targetId])).filter((node) => node !== undefined);
}

/** The index at which an entity belongs in a list that is sorted; undefined: that depends on when it was created. */
function placeIn(list: readonly GraphEntity[], { entity, last }: Added, sort: readonly SortKey[]): number | undefined {
  let [low, high] = [0, list.length];
  // Before the first that does not sort before it.
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = list[middle];
    if (other !== undefined && compareBy(sort, other, entity) < 0) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < list.length && compareBy(sort, list[end] ?? entity, entity) === 0) end++;
  if (end === low) return low;
  if (!last) return undefined;
  return sort.at(-1)?.descending === true ? low : end;
}
