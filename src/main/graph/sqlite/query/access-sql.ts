/** Access rules as SQL conditions, 0 or 1 like all others. Flags are decided by their entries (access-table.ts). */
import { type AccessRule, type FlagKey, narrowed, type PropagationStep, type Step } from '../../access.js';
import { flagPrincipal } from '../indexes/access-table.js';
import type { Catalog } from './catalog.js';
import { ends, indexOfEnd, inTypes } from '../connection/parts.js';
import { keysOf } from '../connection/records.js';
import { rightBit } from '../indexes/rights.js';
import { alive, combine, cutTo, join, raw, type Sql, sql, TRUE_SQL } from '../connection/sql.js';

/** Where the type and the key of a node stand: in its own row, or in that of an index. */
export interface NodeColumns {
  readonly type: string;
  readonly pk: string;
}

function columns(alias: string): NodeColumns {
  return { type: `${alias}.type`, pk: `${alias}.pk` };
}

/** That `rule` allows the node. `types`: the concrete types it may have, if known. */
export function allowed(
  node: NodeColumns,
  rule: AccessRule | undefined,
  catalog: Catalog,
  types?: readonly string[],
): Sql {
  const needed = narrowed(rule, types);
  if (needed === undefined) return TRUE_SQL;
  const terms = [...byItself(node, needed, catalog), ...byEntries(node, needed, catalog)];
  const led = propagates(node.pk, needed, catalog);
  return combine(led === undefined ? terms : [...terms, led], 'OR');
}

/** Types and ids. The unary plus keeps the planner from entering by them: the condition has other parts. */
function byItself({ type, pk }: NodeColumns, rule: AccessRule, catalog: Catalog): Sql[] {
  const terms: Sql[] = [];
  if (rule.types.length > 0) terms.push(inTypes(`+${type}`, rule.types, catalog));
  if (rule.ids.length > 0) terms.push(sql`+${raw(pk)} IN (${keysOf(rule.ids)})`);
  return terms;
}

/** Flags, owners and grants: one look-up a flag and principal, flags first. The row of the node is not needed. */
function byEntries(node: NodeColumns, rule: AccessRule, catalog: Catalog): Sql[] {
  const { principals, keys, keysIgnoredFor = [] } = rule;
  if (keysIgnoredFor.length === 0) return has(principals, keys, rule, node);
  const flagged = has([], keys, rule, node).map(
    (any) => sql`(NOT ${inTypes(`+${node.type}`, keysIgnoredFor, catalog)} AND ${any})`,
  );
  return [...flagged, ...has(principals, [], rule, node)];
}

function has(
  principals: readonly string[],
  keys: readonly FlagKey[],
  { right }: AccessRule,
  { type, pk }: NodeColumns,
): Sql[] {
  if (principals.length + keys.length === 0) return [];
  return [
    sql`EXISTS (SELECT 1 FROM access_entry ae WHERE ae.principal IN (${holders(principals, keys)}) AND ae.type=${raw(type)} AND ae.node=${raw(pk)} AND ae.rights&${raw(String(rightBit(right)))})`,
  ];
}

/** What stands for principals and flags in entries, for IN. */
function holders(principals: readonly string[], keys: readonly FlagKey[]): Sql {
  const flags = keys.map((key) => String(flagPrincipal(key)));
  if (principals.length === 0) return raw(flags.join(','));
  return join([...flags.map((flag) => raw(`SELECT ${flag}`)), keysOf(principals)], ' UNION ALL ');
}

/**
 * That steps lead to a node that is allowed: a search in breadth that ends with the first one found. Undefined: there is
 * nothing to search.
 */
export function propagates(pk: string, rule: AccessRule, catalog: Catalog): Sql | undefined {
  const { propagation } = rule;
  if (propagation === undefined) return undefined;
  const walks = propagation.steps.flatMap((step) => walk(step, propagation, catalog) ?? []);
  if (walks.length === 0) return undefined;
  const x = columns('x');
  const found = combine([...byItself(x, rule, catalog), ...has(rule.principals, [], rule, x)], 'OR');
  const search = sql`WITH RECURSIVE reach(pk,d) AS (SELECT ${raw(pk)},0 UNION ${join(walks, ' UNION ')})`;
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
  const index = indexOfEnd(near);
  const where = [sql`q.d<${depth}`];
  if (step.nearTypes !== undefined) {
    where.push(inTypes('(SELECT type FROM node WHERE pk=q.pk)', step.nearTypes, catalog));
  }
  const degree = sql`SELECT 1 FROM rel g INDEXED BY ${index} WHERE g.${raw(near)}=q.pk AND g.relType=${relType} AND ${alive(raw('g.pk'))}${cutTo(fan)}`;
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
  if (access !== undefined) terms.push(allowed(columns(alias), access, catalog, types));
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
