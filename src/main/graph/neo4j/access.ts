/** Access rules as Cypher conditions; null counts as false, as everywhere. */
import { ALLOWED, type AccessRule, narrowed, OWNS, type PropagationStep, SECURITY } from '../access.js';
import type { Step } from '../types.js';
import { labels, propertyName, quoted, relationshipLabel } from './names.js';
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
  const grants = grantsOf(needed, params);
  const terms = [...grants.byItself(alias), ...flags(alias, needed, params), ...grants.byPrincipals(alias)];
  return [combine([...terms, ...propagated(alias, needed, params, grants)], 'OR')];
}

/**
 * A list for IN, made of at least two: Neo4j plans a statement anew for lists of one, of up to 10, of up to 100 and so on,
 * and most users are in a group or in none.
 */
function texts(values: readonly string[]): string[] {
  const all = [...new Set(values)].map((one) => one.toWellFormed());
  return all.length === 1 ? [...all, ...all] : all;
}

/** Conditions that hold at either end of propagation, with parameters that all of them share. */
interface Grants {
  byItself(alias: string): string[];
  byPrincipals(alias: string): string[];
}

function grantsOf({ types, ids, principals, right }: AccessRule, params: Parameters): Grants {
  const [type, id, principal] = [types, ids, principals].map((list) =>
    list.length === 0 ? undefined : params.bind(texts(list)),
  );
  const wanted = principal === undefined ? '' : params.bind(right);
  const [owns, security] = [relationshipLabel(OWNS), relationshipLabel(SECURITY)];
  return {
    byItself: (alias) => [
      ...(type === undefined ? [] : [`${alias}.type IN ${type}`]),
      ...(id === undefined ? [] : [`${alias}.id IN ${id}`]),
    ],
    // Entered from the node, as there is no label: it has few owners and grants, a principal may have 100,000.
    byPrincipals: (alias) => {
      if (principal === undefined) return [];
      const [p, s] = [`${alias}_p`, `${alias}_s`];
      const rights = `${s}.${quoted(propertyName(ALLOWED))}`;
      // A single text is no list of rights.
      const granted = `${wanted} IN ${rights} AND toStringOrNull(${rights}) IS NULL`;
      return [
        `EXISTS { MATCH (${p})-[${s}:${owns}|${security}]->(${alias}) ` +
          `WHERE ${p}.id IN ${principal} AND (${s}:${owns} OR ${granted}) }`,
      ];
    },
  };
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

/**
 * That steps lead to a node that is allowed. Level by level, all nodes that were reached last, each once; null stands for
 * one that is allowed, and is the end of it. The levels are a loop, because Neo4j plans what is in it once, and not a
 * quantified path, because there can be many more paths than nodes.
 */
function propagated(alias: string, rule: AccessRule, params: Parameters, grants: Grants): string[] {
  const { propagation } = rule;
  if (propagation === undefined) return [];
  const { steps, depth, fan } = propagation;
  const ways = steps.filter((step) => step.types?.length !== 0 && step.nearTypes?.length !== 0);
  if (ways.length === 0) return [];
  const [most, deep] = [params.bind(BigInt(fan)), params.bind(BigInt(depth))];
  const [level, reached, one] = [`${alias}_i`, `${alias}_l`, `${alias}_o`];
  const next = (['out', 'in'] as const).flatMap((direction) => {
    const taken = ways.filter((way) => way.direction === direction);
    return taken.length === 0 ? [] : [oneLevel(alias, direction, taken, { most, params, grants })];
  });
  const found = (list: string): string => `any(${one} IN ${list} WHERE ${one} IS NULL)`;
  const walk =
    `reduce(${reached} = [${alias}], ${level} IN range(1, ${deep}) | ` +
    `CASE WHEN ${found(reached)} THEN ${reached} ELSE ${next.join(' + ')} END)`;
  return [found(walk)];
}

/** List of the nodes to which all steps in one direction lead from those in the list `<alias>_l`. */
function oneLevel(
  alias: string,
  direction: Step['direction'],
  ways: readonly PropagationStep[],
  { most, params, grants }: { readonly most: string; readonly params: Parameters; readonly grants: Grants },
): string {
  const [x, r, y] = [`${alias}_x`, `${alias}_r`, `${alias}_y`];
  const leaves = ways.map(({ relType, nearTypes }) => {
    const degree = `COUNT { ${pattern(x, { relType, direction }, '')} } < ${most}`;
    return nearTypes === undefined ? degree : `(${x}.type IN ${params.bind(texts(nearTypes))} AND ${degree})`;
  });
  const each = ways.map(({ relType, types }, at) => {
    const far = types === undefined ? '' : ` AND ${y}.type IN ${params.bind(texts(types))}`;
    return `(${r}:${relationshipLabel(relType)}${far} AND ${leaves[at] ?? 'false'})`;
  });
  const kinds = [...new Set(ways.map(({ relType }) => relationshipLabel(relType)))].join('|');
  const link = direction === 'in' ? `<-[${r}:${kinds}]-` : `-[${r}:${kinds}]->`;
  // Whether a node is left at all is asked before its relationships are read: there may be 100,000.
  const walk =
    `UNWIND ${alias}_l AS ${x} WITH DISTINCT ${x} WHERE ${combine(leaves, 'OR')} ` +
    `MATCH (${x})${link}(${y}) WHERE ${combine(each, 'OR')} WITH DISTINCT ${y}`;
  const allowed = combine([...grants.byItself(y), ...grants.byPrincipals(y)], 'OR');
  return `COLLECT { ${walk} RETURN CASE WHEN ${allowed} THEN null ELSE ${y} END AS ${alias}_e }`;
}
