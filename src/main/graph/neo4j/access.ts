/** Access rules as Cypher conditions; null counts as false, as everywhere. */
import { ALLOWED, type AccessRule, narrowed, OWNS, type PropagationStep, SECURITY } from '../access.js';
import type { Step } from '../types.js';
import { COMMON, labels, propertyName, quoted, relationshipLabel } from './names.js';
import { combine, type Parameters } from './statement.js';

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
  if (needed === undefined) return [];
  const terms = [...byItself(alias, needed, params), ...flags(alias, needed, params)];
  terms.push(...byPrincipals(alias, needed, params), ...propagated(alias, needed, params));
  return [combine(terms, 'OR')];
}

function texts(values: readonly string[]): string[] {
  return [...new Set(values)].map((one) => one.toWellFormed());
}

function byItself(alias: string, rule: AccessRule, params: Parameters): string[] {
  const terms: string[] = [];
  if (rule.types.length > 0) terms.push(`${alias}.type IN ${params.bind(texts(rule.types))}`);
  if (rule.ids.length > 0) terms.push(`${alias}.id IN ${params.bind(texts(rule.ids))}`);
  return terms;
}

function flags(alias: string, { keys, keysIgnoredFor }: AccessRule, params: Parameters): string[] {
  if (keys.length === 0) return [];
  const any = combine(
    keys.map((key) => `${alias}.${quoted(propertyName(key))} = true`),
    'OR',
  );
  if (keysIgnoredFor === undefined || keysIgnoredFor.length === 0) return [any];
  return [`(NOT ${alias}.type IN ${params.bind(texts(keysIgnoredFor))} AND ${any})`];
}

/** Entered from the node: it has few owners and grants, a principal may have 100,000. */
function byPrincipals(alias: string, { principals, right }: AccessRule, params: Parameters): string[] {
  if (principals.length === 0) return [];
  const [p, s] = [`${alias}_p`, `${alias}_s`];
  const known = `${p}.id IN ${params.bind(texts(principals))}`;
  const rights = `${s}.${quoted(propertyName(ALLOWED))}`;
  // A single text is no list of rights.
  const granted = `${params.bind(right)} IN ${rights} AND toStringOrNull(${rights}) IS NULL`;
  return [
    `EXISTS { MATCH (${p}:${COMMON})-[:${relationshipLabel(OWNS)}]->(${alias}) WHERE ${known} }`,
    `EXISTS { MATCH (${p}:${COMMON})-[${s}:${relationshipLabel(SECURITY)}]->(${alias}) WHERE ${known} AND ${granted} }`,
  ];
}

/**
 * That steps lead to a node that is allowed. Each level is the set of nodes reached so far: without making it a set again
 * and again there would be as many rows as there are paths.
 */
function propagated(alias: string, rule: AccessRule, params: Parameters): string[] {
  const { propagation } = rule;
  if (propagation === undefined) return [];
  const { steps, depth, fan } = propagation;
  const possible = steps.filter((step) => step.types?.length !== 0 && step.nearTypes?.length !== 0);
  if (possible.length === 0) return [];
  const most = params.bind(BigInt(fan));
  const reached = (level: number): string => `${alias}_${String(level)}`;
  // The same parameters at each level keep the statement short.
  const taken = possible.map((step) => ({
    step,
    near: step.nearTypes === undefined ? undefined : params.bind(texts(step.nearTypes)),
  }));
  let walk = `WITH ${alias} AS ${reached(0)}`;
  for (let level = 1; level <= depth; level++) {
    const [m, x] = [reached(level - 1), reached(level)];
    const ways = [`WITH ${m} RETURN ${m} AS ${x}`];
    for (const { step, near } of taken) ways.push(oneStep(m, x, step, near, most));
    walk += ` CALL { ${ways.join(' UNION ALL ')} } WITH DISTINCT ${x}`;
  }
  const x = reached(depth);
  const found = combine([...byItself(x, rule, params), ...byPrincipals(x, rule, params)], 'OR');
  return [`EXISTS { ${walk} WHERE ${found} RETURN ${x} }`];
}

function oneStep(m: string, x: string, step: PropagationStep, near: string | undefined, most: string): string {
  const { relType, direction } = step;
  const degree = `COUNT { ${pattern(m, { relType, direction }, '')} } < ${most}`;
  const fits = near === undefined ? degree : `${m}.type IN ${near} AND ${degree}`;
  return `WITH ${m} WITH ${m} WHERE ${fits} MATCH ${pattern(m, step, x)} RETURN ${x}`;
}
