/**
 * Propagation as Cypher: along steps from a node to one that is allowed, or back from all that are. A walk goes level by
 * level over distinct nodes, as there can be many more paths than nodes; the levels are a loop, because Neo4j plans what
 * is in it once. What a step asks for is a parameter: each condition in the text costs milliseconds of planning.
 */
import type { AccessRule, PropagationStep, Step } from '../../access.js';
import { type Grants, GRANTING, grantsRight } from './grants.js';
import { COMMON, relationshipLabel, relationshipName } from '../connection/names.js';
import { combine, Parameters, type Statement } from '../connection/statement.js';

type Propagation = NonNullable<AccessRule['propagation']>;

/** All steps in one direction. */
interface Ways {
  /** Parameter: for each step the type of its relationships (name and place in the text), near and far types. */
  readonly steps: string;
  /** Parameter: a node with so many relationships of a type is not left by it. */
  readonly most: string;
  /** Types of the relationships. */
  readonly relTypes: readonly string[];
  readonly direction: Step['direction'];
}

function waysOf({ steps, fan }: Propagation, params: Parameters): Ways[] {
  const possible = steps.filter((step) => step.types?.length !== 0 && step.nearTypes?.length !== 0);
  const most = possible.length === 0 ? '' : params.bind(BigInt(fan));
  const listed = (types: readonly string[] | undefined): string[] | null =>
    types === undefined ? null : types.map((type) => type.toWellFormed());
  return (['out', 'in'] as const).flatMap((direction) => {
    const taken = possible.filter((step) => step.direction === direction);
    if (taken.length === 0) return [];
    const relTypes = [...new Set(taken.map((step) => step.relType))].sort();
    const row = ({ relType, types, nearTypes }: PropagationStep): unknown => ({
      name: relationshipName(relType),
      at: BigInt(relTypes.indexOf(relType)),
      near: listed(nearTypes),
      far: listed(types),
    });
    return [{ steps: params.bind(taken.map(row)), most, relTypes, direction }];
  });
}

function link(
  near: string,
  far: string,
  relationship: string,
  { relTypes, direction }: Omit<Ways, 'steps' | 'most'>,
): string {
  const types = `[${relationship}:${relTypes.map(relationshipLabel).join('|')}]`;
  return direction === 'out' ? `(${near})-${types}->(${far})` : `(${near})<-${types}-(${far})`;
}

/** That a step may be taken from a node as far as the node itself goes. */
function leaves(x: string, w: string, { relTypes, direction, most }: Ways): string {
  const counts = relTypes.map(
    (relType, at) => `WHEN ${String(at)} THEN COUNT { ${link(x, '', '', { relTypes: [relType], direction })} }`,
  );
  return `(${w}.near IS NULL OR ${x}.type IN ${w}.near) AND CASE ${w}.at ${counts.join(' ')} END < ${most}`;
}

/** That a step may be taken along a relationship to a node. */
function leads(y: string, r: string, w: string): string {
  return `${w}.name = type(${r}) AND (${w}.far IS NULL OR ${y}.type IN ${w}.far)`;
}

/** That steps lead from the node to one that is allowed. In the loop null stands for such a node, and is the end of it. */
export function propagated(alias: string, rule: AccessRule, params: Parameters, grants: Grants): string[] {
  const { propagation } = rule;
  if (propagation === undefined) return [];
  const all = waysOf(propagation, params);
  if (all.length === 0) return [];
  const [x, r, y, w, l, o] = ['x', 'r', 'y', 'w', 'l', 'o'].map((name) => `${alias}_${name}`) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const end = combine([...grants.byItself(y), ...grants.byPrincipals(y)], 'OR');
  const levels = all.map(
    (ways) =>
      // Whether a node is left at all is asked before its relationships are read: there may be 100,000.
      `COLLECT { UNWIND ${l} AS ${x} WITH DISTINCT ${x} ` +
      `WITH ${x}, [${w} IN ${ways.steps} WHERE ${leaves(x, w, ways)}] AS ${w}s WHERE size(${w}s) > 0 ` +
      `MATCH ${link(x, y, r, ways)} WHERE any(${w} IN ${w}s WHERE ${leads(y, r, w)}) WITH DISTINCT ${y} ` +
      `RETURN CASE WHEN ${end} THEN null ELSE ${y} END AS ${y}e }`,
  );
  const found = (list: string): string => `any(${o} IN ${list} WHERE ${o} IS NULL)`;
  const depth = params.bind(BigInt(propagation.depth));
  return [
    found(
      `reduce(${l} = [${alias}], ${alias}_i IN range(1, ${depth}) | ` +
        `CASE WHEN ${found(l)} THEN ${l} ELSE ${levels.join(' + ')} END)`,
    ),
  ];
}

/**
 * Ids of all nodes that a rule allows otherwise than by their flags: what it allows directly, and what leads there. At most
 * `limit`; whoever gets so many does not know all of them.
 */
export function reachedFrom(rule: AccessRule & { readonly propagation: Propagation }, limit: number): Statement {
  const { principals, ids, types, propagation } = rule;
  const params = new Parameters();
  const most = params.bind(BigInt(limit));
  const direct: string[] = [];
  if (principals.length > 0) {
    direct.push(
      `MATCH (p:${COMMON})-[s:${GRANTING}]->(n) WHERE p.id IN ${params.among(principals)} ` +
        `AND ${grantsRight('s', params.bind(rule.right))} RETURN DISTINCT n LIMIT ${most}`,
    );
  }
  if (ids.length > 0) direct.push(`MATCH (n:${COMMON}) WHERE n.id IN ${params.among(ids)} RETURN n`);
  if (types.length > 0) {
    direct.push(`MATCH (n:${COMMON}) WHERE n.type IN ${params.among(types)} RETURN n LIMIT ${most}`);
  }
  const back = waysOf(propagation, params).map(
    (ways) =>
      ` + COLLECT { UNWIND l AS y WITH DISTINCT y MATCH ${link('x', 'y', 'r', ways)} ` +
      `WHERE any(w IN ${ways.steps} WHERE ${leads('y', 'r', 'w')} AND ${leaves('x', 'w', ways)}) ` +
      `RETURN DISTINCT x LIMIT ${most} }`,
  );
  const seeds = direct.map((one) => `COLLECT { ${one} }`).join(' + ');
  const depth = params.bind(BigInt(propagation.depth));
  const all = back.length === 0 ? seeds : `reduce(l = ${seeds}, i IN range(1, ${depth}) | l${back.join('')})`;
  return {
    text: `UNWIND ${all} AS n WITH DISTINCT n LIMIT ${most} RETURN n.id`,
    params: params.values,
  };
}
