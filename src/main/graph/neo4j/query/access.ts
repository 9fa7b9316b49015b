/** Access rules as Cypher conditions; null counts as false, as everywhere. */
import { type AccessRule, narrowed, type Step } from '../../access.js';
import { grantsOf } from './grants.js';
import { labels, propertyName, quoted, relationshipLabel } from '../connection/names.js';
import { propagated } from './propagation.js';
import { combine, type Parameters } from '../connection/statement.js';

/** `(n)-[:T]->(m:A|B)` as seen from `near`. */
export function pattern(
  near: string,
  step: Pick<Step, 'relType' | 'direction' | 'types'>,
  far: string,
  relationship = '',
): string {
  const link = `[${relationship}:${relationshipLabel(step.relType)}]`;
  const end = step.types === undefined ? `(${far})` : `(${far}:${labels(step.types)})`;
  return step.direction === 'out' ? `(${near})-${link}->${end}` : `(${near})<-${link}-${end}`;
}

/** `MATCH` of a step to nodes that it allows, which fulfil `where`, too. */
export function matchStep(
  near: string,
  step: Step,
  far: string,
  params: Parameters,
  { where = [], relationship = '' }: { readonly where?: readonly string[]; readonly relationship?: string } = {},
): string {
  const conditions = [...where, ...allowed(far, step.access, params, step.types)];
  const match = `MATCH ${pattern(near, step, far, relationship)}`;
  return conditions.length === 0 ? match : `${match} WHERE ${conditions.join(' AND ')}`;
}

/** That `rule` allows the node; empty: it allows all. `types`: the concrete types it may have, if known. */
export function allowed(
  alias: string,
  rule: AccessRule | undefined,
  params: Parameters,
  types?: readonly string[],
): string[] {
  const needed = narrowed(rule, types);
  if (rule === undefined || needed === undefined) return [];
  const flag = flags(alias, needed, params);
  const ids = needed.propagation === undefined ? undefined : params.reach?.idsOf(rule);
  if (ids !== undefined) return [combine([`${alias}.id IN ${params.among(ids)}`, ...flag], 'OR')];
  const grants = grantsOf(needed, params);
  const terms = [...grants.byItself(alias), ...flag, ...grants.byPrincipals(alias)];
  return [combine([...terms, ...propagated(alias, needed, params, grants)], 'OR')];
}

/**
 * In a form that no index serves: for a Boolean beside other conditions on one key Neo4j can fail to make a range. And not as
 * `true IN [...]`: of two such conditions, on the two ends of a relationship, Neo4j 5.26 makes one on what their lists
 * have in common, compared as texts, and finds nothing.
 */
function flags(alias: string, { keys, keysIgnoredFor }: AccessRule, params: Parameters): string[] {
  if (keys.length === 0) return [];
  const any = `CASE true ${keys.map((key) => `WHEN ${alias}.${quoted(propertyName(key))} THEN true`).join(' ')} ELSE false END`;
  if (keysIgnoredFor === undefined || keysIgnoredFor.length === 0) return [any];
  return [`CASE WHEN ${alias}.type IN ${params.among(keysIgnoredFor)} THEN false ELSE ${any} END`];
}
