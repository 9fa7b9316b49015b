/** Sets of node keys that an index can give for a predicate: supersets of its matches, the way into a query. */
import type { Predicate } from '../../query.js';
import type { Catalog } from './catalog.js';
import { ends } from '../connection/parts.js';
import { keyOf, keysOf } from '../connection/records.js';
import { isRarePart, partCondition, partOf } from './part-of-text.js';
import { comparison, isField, linkedTo } from './predicates.js';
import { alive, FALSE_SQL, join, list, raw, type Sql, sql } from '../connection/sql.js';

export interface Candidates {
  /** A select of node keys. */
  readonly select: Sql;
  /** Smaller is likely narrower: 0 by id, 1 by relationship, 2 equality, 3 prefix or range, 4 missing, 5 part of a text. */
  readonly rank: number;
  /** True only of the moment. */
  readonly now?: true;
}

/** The conditions that must all hold. */
export function conjuncts(predicate: Predicate | undefined): readonly Predicate[] {
  if (predicate === undefined) return [];
  return predicate.op === 'and' ? predicate.terms.flatMap(conjuncts) : [predicate];
}

/** Whether the node's own row decides. */
export function isLocal(predicate: Predicate): boolean {
  switch (predicate.op) {
    case 'and':
    case 'or':
      return predicate.terms.every(isLocal);
    case 'not':
      return isLocal(predicate.term);
    default:
      return !('step' in predicate);
  }
}

/** Ids of the index's key for each of the types; undefined when the index is not complete for one of them. */
export function indexedKeys(types: readonly number[] | undefined, key: string, catalog: Catalog): number | undefined {
  if (types === undefined || types.length === 0 || isField('nodes', key)) return undefined;
  let found: number | undefined;
  for (const type of types) {
    const id = catalog.indexed(type, key);
    if (id === undefined) return undefined;
    found = id;
  }
  return found;
}

/** Nodes with a part of a text that are compared with their rows rather than walking. */
const FEW_MATCHES = 500;
/** All of the index is looked through. */
export const LOOKED_THROUGH = 5;
const RANKS: Partial<Record<Predicate['op'], number>> = { equals: 2, in: 2, startsWith: 3, range: 3, isNull: 4 };

/** Undefined: no index helps with this predicate. `types`: the concrete types of the nodes, if known. */
export function candidates(
  predicate: Predicate,
  types: readonly number[] | undefined,
  catalog: Catalog,
): Candidates | undefined {
  switch (predicate.op) {
    case 'and': {
      const each = predicate.terms.map((term) => candidates(term, types, catalog));
      return each.reduce((a, b) => (a === undefined || (b !== undefined && b.rank < a.rank) ? b : a), undefined);
    }
    case 'or': {
      const each: Candidates[] = [];
      for (const term of predicate.terms) {
        const one = candidates(term, types, catalog);
        if (one === undefined) return undefined;
        each.push(one);
      }
      if (each.length === 0 || each.length > 200) return undefined;
      const select = join(
        each.map((one) => one.select),
        ' UNION ',
      );
      return { select, rank: Math.max(...each.map((one) => one.rank)), ...ofNow(each) };
    }
    case 'relatedAll':
    case 'relatedExactly': {
      const [id] = predicate.ids;
      const relType = catalog.idOf(predicate.step.relType);
      if (id === undefined) return undefined;
      if (relType === undefined) return { select: sql`SELECT 0 WHERE ${FALSE_SQL}`, rank: 0 };
      return { select: linkedTo(predicate.step, relType, id, catalog), rank: 1 };
    }
    case 'relatedSome': {
      const { step } = predicate;
      const relType = catalog.idOf(step.relType);
      if (relType === undefined) return { select: sql`SELECT 0 WHERE ${FALSE_SQL}`, rank: 0 };
      const far = step.types?.flatMap((type) => catalog.idOf(type) ?? []);
      const inner = candidates(predicate.where, far, catalog);
      if (inner === undefined) return undefined;
      const columns = ends(step);
      const select = sql`SELECT ${raw(columns.near)} FROM rel WHERE relType=${relType} AND ${raw(columns.far)} IN (SELECT * FROM (${inner.select})) AND ${alive(raw('pk'))}`;
      return { select, rank: Math.max(1, inner.rank), ...ofNow([inner]) };
    }
    case 'distance': {
      // A band of latitudes holds the circle; a degree is 111.195 km on the sphere the distance is measured on.
      const { latitude, kilometres, latitudeKey } = predicate;
      const degrees = kilometres / 111 + 1e-6;
      const band = { op: 'range', key: latitudeKey, from: latitude - degrees, to: latitude + degrees } as const;
      return byValue(band, types, catalog);
    }
    default:
      return byValue(predicate, types, catalog);
  }
}

function ofNow(parts: readonly Candidates[]): Pick<Candidates, 'now'> {
  return parts.some(({ now }) => now === true) ? { now: true } : {};
}

function byValue(predicate: Predicate, types: readonly number[] | undefined, catalog: Catalog): Candidates | undefined {
  if (predicate.op === 'equals' && predicate.key === 'id') {
    return typeof predicate.value === 'string'
      ? { select: keyOf(predicate.value), rank: 0 }
      : { select: sql`SELECT 0 WHERE ${FALSE_SQL}`, rank: 0 };
  }
  if (predicate.op === 'in' && predicate.key === 'id') {
    const ids = predicate.values.filter((id) => typeof id === 'string');
    return { select: keysOf(ids), rank: 0 };
  }
  const rank = RANKS[predicate.op] ?? (isRarePart(predicate) ? LOOKED_THROUGH : undefined);
  if (rank === undefined || !('key' in predicate)) return undefined;
  const key = indexedKeys(types, predicate.key, catalog);
  const found = matchesOfPart(predicate, types, catalog, FEW_MATCHES);
  if (found?.upTo === Infinity && found.keys.length <= FEW_MATCHES)
    return { select: keysIn(found.keys), rank: RANKS.equals ?? 2, now: true };
  const compared = onIndex(raw('value'), predicate);
  if (key === undefined || types === undefined || compared === undefined) return undefined;
  const select = sql`SELECT node FROM prop_index WHERE type IN (${list(types)}) AND key=${key} AND ${compared} AND ${alive(raw('node'))}`;
  return { select, rank: predicate.op === 'startsWith' && predicate.ignoreCase === true ? LOOKED_THROUGH : rank };
}

/** Whether the set that the index of a property gives for a predicate has matches only. */
export function isToldByIndex(predicate: Predicate): boolean {
  return 'key' in predicate && predicate.key !== 'id' && comparison(FALSE_SQL, predicate) !== undefined;
}

/** That the node of an entry `p` has the value that is asked for, by the index of that property; undefined: no index tells with one look. */
export function hasValue(
  predicate: Predicate,
  types: readonly number[] | undefined,
  catalog: Catalog,
): Sql | undefined {
  if (predicate.op !== 'equals' || predicate.orNull === true) return undefined;
  const key = indexedKeys(types, predicate.key, catalog);
  const compared = onIndex(raw('v.value'), predicate);
  if (key === undefined || compared === undefined) return undefined;
  return sql`EXISTS (SELECT 1 FROM prop_index v WHERE v.type=p.type AND v.key=${key} AND ${compared} AND v.node=p.node)`;
}

/** A condition on the value of a property, where its index stands. */
export function onIndex(column: Sql, predicate: Predicate): Sql | undefined {
  return comparison(column, predicate) ?? partCondition(column, predicate);
}

/** What memory tells of texts with a part. */
export interface PartKeys {
  /** Keys of nodes, ascending, each once; some have been written lately and may have another text. */
  readonly keys: readonly number[];
  /** All up to this key are among them; Infinity: all. */
  readonly upTo: number;
}

/** The first nodes whose text has a part, `most` of a type or some more. Undefined: it is not a part, or nobody knows. True only of the moment. */
export function matchesOfPart(
  predicate: Predicate,
  types: readonly number[] | undefined,
  catalog: Catalog,
  most: number,
): PartKeys | undefined {
  const part = catalog.parts === undefined ? undefined : partOf(predicate);
  if (part === undefined || types === undefined || !('key' in predicate)) return undefined;
  const key = indexedKeys(types, predicate.key, catalog);
  if (key === undefined) return undefined;
  const all = new Set<number>();
  let upTo = Infinity;
  for (const type of types) {
    const found = catalog.parts?.(type, key, part, most);
    if (found === undefined) return undefined;
    for (const one of found.keys) all.add(one);
    for (const one of found.recent) all.add(one);
    upTo = Math.min(upTo, found.upTo);
  }
  const keys = [...all].filter((one) => one <= upTo);
  return { keys: keys.sort((a, b) => a - b), upTo };
}

/** Keys that are known, as a select. */
export function keysIn(keys: readonly number[]): Sql {
  return sql`SELECT value FROM json_each(${JSON.stringify(keys)})`;
}

/** Types of a query as ids, without those that have no nodes; undefined: any. */
export function concreteTypes(types: readonly string[] | undefined, catalog: Catalog): number[] | undefined {
  if (types === undefined) return undefined;
  const ids = new Set<number>();
  for (const type of types) {
    const id = catalog.idOf(type);
    if (id !== undefined && catalog.nodes(id) > 0) ids.add(id);
  }
  return [...ids];
}
