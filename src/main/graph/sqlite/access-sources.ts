/**
 * What a rule allows as a set of keys, each source of it read from an index: the way into a list for somebody who may see
 * little of it.
 */
import type { AccessRule, PropagationStep } from '../access.js';
import { entriesOf } from './access-table.js';
import type { Catalog } from './catalog.js';
import { ends, inTypes } from './parts.js';
import { alive, FALSE_SQL, join, list, raw, type Sql, sql } from './sql.js';
import { TRUE } from './values.js';

/**
 * Selects of `pk` that together give exactly the nodes of these types that the rule allows, some perhaps more than once;
 * undefined: no index knows them. `types`: the concrete types asked for; undefined: any.
 */
export function visibleSources(
  rule: AccessRule,
  types: readonly number[] | undefined,
  catalog: Catalog,
): readonly Sql[] | undefined {
  const flagged = flagSources(rule, types, catalog);
  if (flagged === undefined) return undefined;
  const own = ownSources(rule, types, catalog);
  const back = propagated(rule, types, catalog);
  return [...own, ...flagged, ...(back === undefined ? [] : [back])];
}

/** One select of each key once. */
export function union(sources: readonly Sql[]): Sql {
  if (sources.length === 0) return sql`SELECT 0 AS pk WHERE ${FALSE_SQL}`;
  return sources.length === 1 ? sql`SELECT DISTINCT pk FROM (${join(sources, '')})` : join(sources, ' UNION ');
}

/** By owner and grant, type and id. */
function ownSources(rule: AccessRule, types: readonly number[] | undefined, catalog: Catalog): Sql[] {
  const sources: Sql[] = [];
  if (rule.principals.length > 0) sources.push(entriesOf(rule.principals, rule.right, types));
  const granted = rule.types.flatMap((type) => catalog.idOf(type) ?? []);
  const whole = types === undefined ? granted : granted.filter((type) => types.includes(type));
  if (whole.length > 0) {
    sources.push(sql`SELECT pk FROM node WHERE type IN (${list(whole)}) AND ${alive(raw('pk'))}`);
  }
  if (rule.ids.length > 0) {
    const typed = types === undefined ? raw('') : sql` AND +type IN (${list(types)})`;
    sources.push(sql`SELECT pk FROM node WHERE id IN (${list(rule.ids)})${typed}`);
  }
  return sources;
}

/** From the property index of the flags; undefined: it is not complete. */
function flagSources(rule: AccessRule, types: readonly number[] | undefined, catalog: Catalog): Sql[] | undefined {
  if (rule.keys.length === 0) return [];
  const ignored = new Set(rule.keysIgnoredFor?.map((type) => catalog.idOf(type)));
  const flagged = types?.filter((type) => !ignored.has(type));
  if (flagged === undefined) return undefined;
  const sources: Sql[] = [];
  for (const name of rule.keys) {
    const keys = new Set(flagged.map((type) => catalog.indexed(type, name)));
    const [key] = keys;
    if (keys.size === 0) continue;
    if (key === undefined || keys.size > 1) return undefined;
    sources.push(
      sql`SELECT node AS pk FROM prop_index WHERE type IN (${list(flagged)}) AND key=${key} AND value=${TRUE} AND ${alive(raw('node'))}`,
    );
  }
  return sources;
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
  const [there, back] = step.direction === 'out' ? ['rel_out', 'rel_in'] : ['rel_in', 'rel_out'];
  const where = [sql`q.d<${depth}`];
  if (step.types !== undefined) where.push(inTypes('(SELECT type FROM node WHERE pk=q.pk)', step.types, catalog));
  where.push(alive(raw('r.pk')));
  if (step.nearTypes !== undefined) {
    where.push(inTypes(`(SELECT type FROM node WHERE pk=r.${near})`, step.nearTypes, catalog));
  }
  const degree = sql`SELECT 1 FROM rel g INDEXED BY ${raw(there)} WHERE g.${raw(near)}=r.${raw(near)} AND g.relType=${relType} AND ${alive(raw('g.pk'))} LIMIT ${fan}`;
  where.push(sql`(SELECT count(*) FROM (${degree}))<${fan}`);
  return sql`SELECT r.${raw(near)},q.d+1 FROM back q CROSS JOIN rel r INDEXED BY ${raw(back)} ON r.${raw(far)}=q.pk AND r.relType=${relType} WHERE ${join(where, ' AND ')}`;
}
