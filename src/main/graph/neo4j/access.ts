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
  // In a form that no index serves: for a Boolean beside other conditions on one key Neo4j can fail to make a range.
  const any = combine(
    keys.map((key) => `coalesce(${alias}.${quoted(propertyName(key))}, false) = true`),
    'OR',
  );
  if (keysIgnoredFor === undefined || keysIgnoredFor.length === 0) return [any];
  return [`(NOT ${alias}.type IN ${params.bind(texts(keysIgnoredFor))} AND ${any})`];
}

/** Entered from the node: it has few owners and grants, a principal may have 100,000. */
function byPrincipals(alias: string, { principals, right }: AccessRule, params: Parameters): string[] {
  if (principals.length === 0) return [];
  const [p, s] = [`${alias}_p`, `${alias}_s`];
  const rights = `${s}.${quoted(propertyName(ALLOWED))}`;
  // A single text is no list of rights.
  const granted = `${params.bind(right)} IN ${rights} AND toStringOrNull(${rights}) IS NULL`;
  const [owns, security] = [relationshipLabel(OWNS), relationshipLabel(SECURITY)];
  return [
    `EXISTS { MATCH (${p}:${COMMON})-[${s}:${owns}|${security}]->(${alias}) ` +
      `WHERE ${p}.id IN ${params.bind(texts(principals))} AND (${s}:${owns} OR ${granted}) }`,
  ];
}

/**
 * That steps lead to a node that is allowed. Rows are pairs of a node and its distance, each once: without that there would
 * be as many rows as there are paths. A subquery a step would say it more plainly, but takes Neo4j a second to plan.
 */
function propagated(alias: string, rule: AccessRule, params: Parameters): string[] {
  const { propagation } = rule;
  if (propagation === undefined) return [];
  const { steps, depth, fan } = propagation;
  const possible = steps.filter((step) => step.types?.length !== 0 && step.nearTypes?.length !== 0);
  if (possible.length === 0) return [];
  const most = params.bind(BigInt(fan));
  // The same parameters at each level keep the statement short.
  const taken = possible.map((step) => ({
    step,
    near: step.nearTypes === undefined ? undefined : params.bind(texts(step.nearTypes)),
  }));
  let x = `${alias}_0`;
  let walk = `WITH ${alias} AS ${x}, 0 AS ${alias}_d`;
  for (let level = 1; level <= depth; level++) {
    for (const direction of ['out', 'in'] as const) {
      const ways = taken.filter((one) => one.step.direction === direction);
      if (ways.length === 0) continue;
      const next = `${alias}_${String(level)}${direction}`;
      walk += oneLevel({ alias, x, next, level, most }, ways);
      x = next;
    }
  }
  const found = combine([...byItself(x, rule, params), ...byPrincipals(x, rule, params)], 'OR');
  return [`EXISTS { ${walk} WITH ${x} WHERE ${found} RETURN ${x} }`];
}

interface Level {
  readonly alias: string;
  /** Nodes reached so far, and what they are called with those that are reached now. */
  readonly x: string;
  readonly next: string;
  readonly level: number;
  /** Parameter: a node with so many relationships is not left. */
  readonly most: string;
}

/** All steps in one direction from the nodes that were reached last. */
function oneLevel(
  { alias, x, next, level, most }: Level,
  ways: readonly { readonly step: PropagationStep; readonly near: string | undefined }[],
): string {
  const [d, r, y, i] = [`${alias}_d`, `${alias}_r`, `${alias}_y`, `${alias}_i`];
  const leaves = ways.map(({ step: { relType, direction }, near }) => {
    const degree = `COUNT { ${pattern(x, { relType, direction }, '')} } < ${most}`;
    return near === undefined ? degree : `${x}.type IN ${near} AND ${degree}`;
  });
  const each = ways.map(({ step: { relType, types } }, at) => {
    const far = types === undefined ? '' : ` AND ${y}:${labels(types)}`;
    return `(${r}:${relationshipLabel(relType)}${far} AND ${leaves[at] ?? 'false'})`;
  });
  const kinds = [...new Set(ways.map(({ step }) => relationshipLabel(step.relType)))].join('|');
  const link = ways[0]?.step.direction === 'in' ? `<-[${r}:${kinds}]-` : `-[${r}:${kinds}]->`;
  // Whether a node is left at all is asked before its relationships are read: there may be 100,000.
  const from = `${d} = ${String(level - 1)} AND (${leaves.join(' OR ')})`;
  return (
    ` OPTIONAL MATCH (${x})${link}(${y}) WHERE ${from} AND (${each.join(' OR ')}) UNWIND [0, 1] AS ${i}` +
    ` WITH DISTINCT CASE ${i} WHEN 0 THEN ${x} ELSE ${y} END AS ${next},` +
    ` CASE ${i} WHEN 0 THEN ${d} ELSE ${String(level)} END AS ${d} WHERE ${next} IS NOT NULL`
  );
}
