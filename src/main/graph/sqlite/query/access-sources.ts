/**
 * What a rule allows as a set of keys, each source of it read from an index: the way into a list. In the order of creation
 * the sources are merged, and read no further than a page goes.
 */
import type { AccessRule, PropagationStep, Right } from '../../access.js';
import { idList, keyOf, keysOf } from '../connection/records.js';
import { flagPrincipal } from '../indexes/access-table.js';
import type { Catalog } from './catalog.js';
import type { Branch } from './plan.js';
import { ends, indexOfEnd, inTypes } from '../connection/parts.js';
import { rightBit } from '../indexes/rights.js';
import { alive, cutTo, FALSE_SQL, join, list, raw, type Sql, sql } from '../connection/sql.js';

/** More sources than this are not merged. */
const MAX_MERGED = 64;

/**
 * Selects of `pk` that together give exactly the nodes of these types that the rule allows, some perhaps more than once.
 * `types`: the concrete types asked for; undefined: any.
 */
export function visibleSources(
  rule: AccessRule,
  types: readonly number[] | undefined,
  catalog: Catalog,
): readonly Sql[] {
  const own = ownSources(rule, types, catalog);
  const flagged = flagSource(rule, types, catalog);
  const back = propagated(rule, types, catalog);
  return [...own, ...flagged, ...(back === undefined ? [] : [back])];
}

/** One select of each key once. */
export function union(sources: readonly Sql[]): Sql {
  if (sources.length === 0) return sql`SELECT 0 AS pk WHERE ${FALSE_SQL}`;
  return sources.length === 1 ? sql`SELECT DISTINCT pk FROM (${join(sources, '')})` : join(sources, ' UNION ');
}

/**
 * The same as branches, each read in the order of creation from an index. Undefined: they would be too many, or one of
 * them has no order. `rest`: what else is asked of the node, as `n0`.
 */
export function visibleBranches(
  rule: AccessRule,
  types: readonly number[],
  catalog: Catalog,
  rest: readonly Sql[],
): readonly Branch[] | undefined {
  if (propagated(rule, types, catalog) !== undefined) return undefined;
  const whole = new Set(rule.types.map((type) => catalog.idOf(type)));
  const ignored = new Set(rule.keysIgnoredFor?.map((type) => catalog.idOf(type)));
  const flags = rule.keys.map((key) => raw(String(flagPrincipal(key))));
  const principals = rule.principals.map((id) => sql`(${keyOf(id)})`);
  if (types.length * (flags.length + principals.length) > MAX_MERGED) return undefined;
  const entries = rest.length === 0 ? 'access_entry a' : 'access_entry a CROSS JOIN node n0 ON n0.pk=a.node';
  const right = sql`a.rights&${raw(String(rightBit(rule.right)))}`;
  const branches: Branch[] = [];
  const node = (...where: Sql[]): void => {
    branches.push({ from: raw('node n0'), where: [...where, ...rest], pk: raw('n0.pk'), sort: [] });
  };
  for (const type of types) {
    if (whole.has(type)) {
      node(sql`n0.type=${type}`, alive(raw('n0.pk')));
      continue;
    }
    for (const holder of ignored.has(type) ? principals : [...flags, ...principals]) {
      const where = [sql`a.principal=${holder}`, sql`a.type=${type}`, right, alive(raw('a.node')), ...rest];
      branches.push({ from: raw(entries), where, pk: raw('a.node'), sort: [] });
    }
  }
  if (rule.ids.length > 0) node(sql`n0.id IN (${idList(rule.ids)})`, sql`+n0.type IN (${list(types)})`);
  return branches.length === 0 ? undefined : branches;
}

/** By owner and grant, type and id. */
function ownSources(rule: AccessRule, types: readonly number[] | undefined, catalog: Catalog): Sql[] {
  const sources: Sql[] = [];
  const typed = types === undefined ? raw('') : sql` AND type IN (${list(types)})`;
  if (rule.principals.length > 0) sources.push(entriesOf(keysOf(rule.principals), rule.right, typed));
  const granted = rule.types.flatMap((type) => catalog.idOf(type) ?? []);
  const whole = types === undefined ? granted : granted.filter((type) => types.includes(type));
  if (whole.length > 0) {
    sources.push(sql`SELECT pk FROM node WHERE type IN (${list(whole)}) AND ${alive(raw('pk'))}`);
  }
  if (rule.ids.length > 0) {
    const unary = types === undefined ? raw('') : sql` AND +type IN (${list(types)})`;
    sources.push(sql`${keysOf(rule.ids)}${unary}`);
  }
  return sources;
}

function flagSource(rule: AccessRule, types: readonly number[] | undefined, catalog: Catalog): Sql[] {
  if (rule.keys.length === 0) return [];
  const ignored = rule.keysIgnoredFor?.flatMap((type) => catalog.idOf(type) ?? []) ?? [];
  const flagged = types?.filter((type) => !ignored.includes(type));
  const typed = flagged === undefined ? sql` AND type NOT IN (${list(ignored)})` : sql` AND type IN (${list(flagged)})`;
  return [entriesOf(raw(rule.keys.map(flagPrincipal).join(',')), rule.right, typed)];
}

/** Nodes on which one of the holders has the right, by type in the order of creation. */
function entriesOf(holders: Sql, right: Right, typed: Sql): Sql {
  return sql`SELECT node AS pk FROM access_entry WHERE principal IN (${holders})${typed} AND rights&${raw(String(rightBit(right)))} AND ${alive(raw('node'))}`;
}

/** Steps taken backwards, from what is allowed as such to all whose search would end there. */
function propagated(rule: AccessRule, types: readonly number[] | undefined, catalog: Catalog): Sql | undefined {
  const { propagation } = rule;
  if (propagation === undefined) return undefined;
  const walks = propagation.steps.flatMap((step) => backwards(step, propagation, catalog) ?? []);
  const seeds = ownSources(rule, undefined, catalog);
  if (walks.length === 0 || seeds.length === 0) return undefined;
  const start = sql`SELECT pk,0 FROM (${join(seeds, ' UNION ALL ')})`;
  const typed = types === undefined ? raw('') : sql` WHERE n.type IN (${list(types)})`;
  return sql`SELECT n.pk AS pk FROM (WITH RECURSIVE back(pk,d) AS (${start} UNION ${join(walks, ' UNION ')}) SELECT pk FROM back) b CROSS JOIN node n ON n.pk=b.pk${typed}`;
}

function backwards(
  step: PropagationStep,
  { depth, fan }: NonNullable<AccessRule['propagation']>,
  catalog: Catalog,
): Sql | undefined {
  const relType = catalog.idOf(step.relType);
  if (relType === undefined) return undefined;
  const { near, far } = ends(step);
  const where = [sql`q.d<${depth}`];
  if (step.types !== undefined) where.push(inTypes('(SELECT type FROM node WHERE pk=q.pk)', step.types, catalog));
  where.push(alive(raw('r.pk')));
  if (step.nearTypes !== undefined) {
    where.push(inTypes(`(SELECT type FROM node WHERE pk=r.${near})`, step.nearTypes, catalog));
  }
  const degree = sql`SELECT 1 FROM rel g INDEXED BY ${indexOfEnd(near)} WHERE g.${raw(near)}=r.${raw(near)} AND g.relType=${relType} AND ${alive(raw('g.pk'))}${cutTo(fan)}`;
  where.push(sql`(SELECT count(*) FROM (${degree}))<${fan}`);
  return sql`SELECT r.${raw(near)},q.d+1 FROM back q CROSS JOIN rel r INDEXED BY ${indexOfEnd(far)} ON r.${raw(far)}=q.pk AND r.relType=${relType} WHERE ${join(where, ' AND ')}`;
}
