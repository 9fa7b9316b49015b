/** Access rules as SQL conditions, 0 or 1 like all others. */
import { type AccessRule, narrowed, type PropagationStep } from '../access.js';
import type { Step } from '../types.js';
import { hasRight } from './access-table.js';
import type { Catalog } from './catalog.js';
import { ends, inTypes, jsonPath } from './parts.js';
import { alive, combine, join, list, raw, type Sql, sql, TRUE_SQL } from './sql.js';

/** That `rule` allows the row of `node` with this alias. `types`: the concrete types it may have, if known. */
export function allowed(alias: string, rule: AccessRule | undefined, catalog: Catalog, types?: readonly string[]): Sql {
  const needed = narrowed(rule, types);
  if (needed === undefined) return TRUE_SQL;
  const terms = [...byItself(alias, needed, catalog), ...flags(alias, needed, catalog), ...byPrincipals(alias, needed)];
  const led = propagates(alias, needed, catalog);
  return combine(led === undefined ? terms : [...terms, led], 'OR');
}

/** Types and ids. The unary plus keeps the planner from entering by them: the condition has other parts. */
function byItself(alias: string, rule: AccessRule, catalog: Catalog): Sql[] {
  const terms: Sql[] = [];
  if (rule.types.length > 0) terms.push(inTypes(`+${alias}.type`, rule.types, catalog));
  if (rule.ids.length > 0) terms.push(sql`+${raw(alias)}.id IN (${list(rule.ids)})`);
  return terms;
}

function flags(alias: string, rule: AccessRule, catalog: Catalog): Sql[] {
  const each = rule.keys.map((key) => sql`coalesce(json_type(${raw(alias)}.props,${jsonPath(key)})='true',0)`);
  if (each.length === 0) return [];
  const any = combine(each, 'OR');
  const { keysIgnoredFor } = rule;
  if (keysIgnoredFor === undefined || keysIgnoredFor.length === 0) return [any];
  return [sql`(NOT ${inTypes(`+${alias}.type`, keysIgnoredFor, catalog)} AND ${any})`];
}

function byPrincipals(alias: string, rule: AccessRule): Sql[] {
  if (rule.principals.length === 0) return [];
  return [hasRight(rule.principals, rule.right, raw(`${alias}.type`), raw(`${alias}.pk`))];
}

/**
 * That steps lead to a node that is allowed: a search in breadth that ends with the first one found. Undefined: there is
 * nothing to search.
 */
export function propagates(alias: string, rule: AccessRule, catalog: Catalog): Sql | undefined {
  const { propagation } = rule;
  if (propagation === undefined) return undefined;
  const walks = propagation.steps.flatMap((step) => walk(step, propagation, catalog) ?? []);
  if (walks.length === 0) return undefined;
  const found = combine([...byItself('x', rule, catalog), ...byPrincipals('x', rule)], 'OR');
  const search = sql`WITH RECURSIVE reach(pk,d) AS (SELECT ${raw(alias)}.pk,0 UNION ${join(walks, ' UNION ')})`;
  return sql`EXISTS (${search} SELECT 1 FROM reach y CROSS JOIN node x ON x.pk=y.pk WHERE y.d>0 AND ${found})`;
}

/** One step from all nodes reached; undefined: nothing in the data can be reached by it. */
function walk(
  step: PropagationStep,
  { depth, fan }: NonNullable<AccessRule['propagation']>,
  catalog: Catalog,
): Sql | undefined {
  const relType = catalog.idOf(step.relType);
  if (relType === undefined || step.types?.length === 0) return undefined;
  const { near, far } = ends(step);
  const index = raw(step.direction === 'out' ? 'rel_out' : 'rel_in');
  const where = [sql`q.d<${depth}`];
  if (step.nearTypes !== undefined) {
    where.push(inTypes('(SELECT type FROM node WHERE pk=q.pk)', step.nearTypes, catalog));
  }
  const degree = sql`SELECT 1 FROM rel g INDEXED BY ${index} WHERE g.${raw(near)}=q.pk AND g.relType=${relType} AND ${alive(raw('g.pk'))} LIMIT ${fan}`;
  where.push(sql`(SELECT count(*) FROM (${degree}))<${fan}`, alive(raw('r.pk')));
  if (step.types !== undefined) {
    where.push(inTypes(`(SELECT type FROM node WHERE pk=r.${far})`, step.types, catalog));
  }
  return sql`SELECT r.${raw(far)},q.d+1 FROM reach q CROSS JOIN rel r INDEXED BY ${index} ON r.${raw(near)}=q.pk AND r.relType=${relType} WHERE ${join(where, ' AND ')}`;
}

/** What a step or a relationship query asks of a node. */
type FarEnd = Pick<Step, 'types' | 'access'>;

/** What a step asks of the row of `node` at its far end. The unary plus keeps the planner from entering by type. */
export function nodeFits(alias: string, { types, access }: FarEnd, catalog: Catalog): Sql[] {
  const terms = types === undefined ? [] : [inTypes(`+${alias}.type`, types, catalog)];
  if (access !== undefined) terms.push(allowed(alias, access, catalog, types));
  return terms;
}

/** The same of the key of a node; `alias` is free to use. */
export function farFits(far: string, alias: string, step: FarEnd, catalog: Catalog): Sql {
  const { types, access } = step;
  if (types === undefined && access === undefined) return TRUE_SQL;
  if (types !== undefined && access === undefined) {
    return inTypes(`(SELECT type FROM node WHERE pk=${far})`, types, catalog);
  }
  const fits = join(nodeFits(alias, step, catalog), ' AND ');
  return sql`EXISTS (SELECT 1 FROM node ${raw(alias)} WHERE ${raw(alias)}.pk=${raw(far)} AND ${fits})`;
}
