/**
 * A node that all nodes of a list are linked to, by `from` or by a condition on related nodes: the list is read from its relationships, in the
 * order of linking, no further than the page goes.
 */
import { narrowed, type Step } from '../../access.js';
import type { NodeQuery, Predicate } from '../../query.js';
import { farFits, nodeFits } from './access-sql.js';
import { candidates, conjuncts as conjunctsOf } from './candidates.js';
import type { Catalog } from './catalog.js';
import type { FarEnd } from '../connection/far-types.js';
import { ends, indexOfEnd } from '../connection/parts.js';
import { condition } from './predicates.js';
import { alive, join, list, raw, type Sql, sql } from '../connection/sql.js';
import { keyOf, storedId } from '../connection/records.js';

export interface Hub {
  /** Select of its key: one row, or none. */
  readonly fixed: Sql;
  /** Columns of `rel`: where the hub stands, and where the nodes of the list do. */
  readonly near: string;
  readonly far: FarEnd;
  readonly relType: number;
  /** Number of its relationships, counted up to one more than was asked for when somebody wants to know. */
  readonly degree: number;
  /** Whether they are no more than so many, without counting the rest. */
  readonly isAtMost: (most: number) => boolean;
  /** What the nodes of the list have to be besides what the query says. */
  readonly fits: Pick<Step, 'types' | 'access'>;
  /** The condition that is true of all that are linked; absent: `from` is what says so. */
  readonly instead?: Predicate | undefined;
  /** That there is no other such node only holds at this moment. */
  readonly isNow?: boolean;
  /** What is left of it. */
  readonly rest: readonly Predicate[];
  /** That the node with this key is linked to nothing else by this step; absent: it may be. */
  readonly alone?: ((pk: string) => Sql) | undefined;
  /** Names whose changes change who is linked; undefined: it depends on more. */
  readonly dependsOn: readonly number[] | undefined;
}

/** Nodes in the conditions of a query that are compared by how many relationships they have: each costs a count. */
const MOST = 8;

/**
 * The hub with the fewest relationships of those that a query names; undefined: it names none. `conjuncts`: the conditions that must all hold.
 * Null: one of them is linked to nothing, as there is no such relationship.
 */
export function hubOf(
  query: NodeQuery,
  conjuncts: readonly Predicate[],
  catalog: Catalog,
  upTo: number,
): Hub | undefined | null {
  const found: Hub[] = [];
  const add = (hub: Omit<Hub, 'degree' | 'relType' | 'isAtMost'>, step: Step): boolean => {
    const relType = catalog.idOf(step.relType);
    if (relType === undefined) return false;
    const keys = linkedKeys({ ...hub, relType });
    // What takes too long to be counted is many.
    const howMany = (most: number): number => Math.min(catalog.probe(keys, most + 1, hub.dependsOn), most + 1);
    let degree: number | undefined;
    found.push({
      ...hub,
      relType,
      isAtMost: (most) => howMany(most) <= most,
      get degree() {
        return (degree ??= howMany(upTo));
      },
    });
    return true;
  };
  const { from } = query;
  if (from !== undefined) {
    const { near, far } = ends(from.step);
    const fixed = keyOf(from.id);
    const hub = { fixed, near, far, fits: from.step, rest: [], dependsOn: dependsOn(from.step, [], catalog) };
    if (!add(hub, from.step)) return null;
  } else {
    for (const term of conjuncts) {
      for (const one of hubsIn(term, catalog)) {
        if (!add(one.hub, one.step)) return null;
        if (found.length >= MOST) return narrowest(found);
      }
    }
  }
  return narrowest(found);
}

function narrowest(found: readonly Hub[]): Hub | undefined {
  return [...found].sort((a, b) => a.degree - b.degree)[0];
}

function* hubsIn(
  term: Predicate,
  catalog: Catalog,
): Generator<{ readonly hub: Omit<Hub, 'degree' | 'relType' | 'isAtMost'>; readonly step: Step }> {
  if (term.op !== 'relatedAll' && term.op !== 'relatedExactly' && term.op !== 'relatedSome') return;
  const { step } = term;
  const { near: far, far: near } = ends(step);
  const fits = nodeFits('t', step, catalog);
  const names = dependsOn(step, step.types, catalog);
  if (term.op === 'relatedSome') {
    const types = step.types?.flatMap((type) => catalog.idOf(type) ?? []);
    const inner = candidates(term.where, types, catalog);
    if (inner === undefined) return;
    const holds = condition({ kind: 'nodes', alias: 't', depth: 1, catalog }, term.where);
    const fixed = sql`SELECT t.pk FROM node t WHERE ${join([sql`t.pk IN (${inner.select})`, ...fits, holds], ' AND ')}`;
    // Of several the nodes would come more than once, and in no order. That there is one only holds at this moment, but for an id.
    const isById = conjunctsOf(term.where).some((one) => one.op === 'equals' && one.key === 'id');
    if (isById || catalog.probe(fixed, 2) <= 1)
      yield {
        hub: { fixed, near, far, fits: {}, instead: term, isNow: !isById, rest: [], dependsOn: undefined },
        step,
      };
    return;
  }
  const ids = [...new Set(term.ids)];
  for (const id of ids.slice(0, MOST)) {
    const others = ids.filter((one) => one !== id);
    const exactly = term.op === 'relatedExactly';
    const rest: Predicate[] = others.length === 0 ? [] : [exactly ? term : { ...term, ids: others }];
    const fixed = sql`SELECT t.pk FROM node t WHERE ${join([sql`t.id=${storedId(id)}`, ...fits], ' AND ')}`;
    const alone =
      exactly && rest.length === 0 ? (pk: string) => hasNoOther({ fixed, near, far }, step, pk, catalog) : undefined;
    const hub = {
      fixed,
      near,
      far,
      fits: {},
      instead: term,
      rest,
      alone,
      dependsOn: rest.length > 0 ? undefined : names,
    };
    yield { hub, step };
  }
}

function hasNoOther(
  { fixed, near, far }: Pick<Hub, 'fixed' | 'near' | 'far'>,
  step: Step,
  pk: string,
  catalog: Catalog,
): Sql {
  const relType = catalog.idOf(step.relType) ?? -1;
  const fits = farFits(`o.${near}`, 'u', step, catalog);
  return sql`NOT EXISTS (SELECT 1 FROM rel o INDEXED BY ${indexOfEnd(far)} WHERE o.${raw(far)}=${raw(pk)} AND o.relType=${relType} AND o.${raw(near)}<>(${fixed}) AND ${alive(raw('o.pk'))} AND ${fits})`;
}

/** Relationships of that name, and the nodes of these types (undefined: any), whose rights may count. */
function dependsOn(
  { relType, access }: Step,
  types: readonly string[] | undefined,
  catalog: Catalog,
): readonly number[] | undefined {
  const link = catalog.idOf(relType);
  if (link === undefined || narrowed(access)?.propagation !== undefined) return undefined;
  // Rights are told by the type of the node.
  if (access !== undefined && types === undefined) return undefined;
  return [link, ...(types ?? []).flatMap((type) => catalog.idOf(type) ?? [])];
}

/** Keys of all that are linked to it, each as often as it is linked. */
export function linkedKeys({ fixed, near, far, relType }: Omit<Hub, 'degree' | 'isAtMost'>): Sql {
  return sql`SELECT ${raw(far)} FROM rel WHERE ${raw(near)} IN (${fixed}) AND relType=${relType} AND ${alive(raw('pk'))}`;
}

/** That this key is that of the hub; where there may be another one as well by the time it is asked, of any of them. */
function isIt(key: string, { fixed, isNow }: Pick<Hub, 'fixed' | 'isNow'>): Sql {
  return isNow === true ? sql`${raw(key)} IN (${fixed})` : sql`${raw(key)}=(${fixed})`;
}

/** That the node with this key is linked to it. */
export function isLinked(hub: Hub, pk: string): Sql {
  const { near, far, relType } = hub;
  return sql`EXISTS (SELECT 1 FROM rel f INDEXED BY ${indexOfEnd(far)} WHERE f.${raw(far)}=${raw(pk)} AND f.relType=${relType} AND ${isIt(`f.${near}`, hub)} AND ${alive(raw('f.pk'))})`;
}

/** Its relationships, `r`, in the order of linking (`later`: in none, as there may be several by then): where to read from, and the conditions. */
export function linksOf(
  { fixed, near, far, relType, isNow = false }: Hub,
  later: boolean,
): {
  readonly from: Sql;
  readonly where: readonly Sql[];
  readonly once: Sql;
} {
  return {
    from: sql`rel r INDEXED BY ${indexOfEnd(near)}`,
    where: [isIt(`r.${near}`, { fixed, isNow: isNow && later }), sql`r.relType=${relType}`, alive(raw('r.pk'))],
    // Two nodes can be linked twice; the first time counts.
    once: sql`NOT EXISTS (SELECT 1 FROM rel e INDEXED BY ${indexOfEnd(far)} WHERE e.${raw(far)}=r.${raw(far)} AND e.relType=${relType} AND e.pk<r.pk AND e.${raw(near)}=r.${raw(near)})`,
  };
}

/** The key of the relationship by which a node stands in that order. */
export function firstLink(hub: Hub, pk: string): Sql {
  const { near, far, relType } = hub;
  return sql`(SELECT min(l.pk) FROM rel l INDEXED BY ${indexOfEnd(far)} WHERE l.${raw(far)}=${raw(pk)} AND l.relType=${relType} AND ${isIt(`l.${near}`, hub)})`;
}

/** That a node with this key has one of these types, without a look at its row. */
export function hasType(pk: string, types: readonly number[]): Sql {
  return sql`EXISTS (SELECT 1 FROM node x INDEXED BY node_type WHERE x.type IN (${list(types)}) AND x.pk=${raw(pk)})`;
}
