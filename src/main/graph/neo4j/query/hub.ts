/**
 * A page of what is linked to one node, in either of two ways, of which the statement itself chooses: all that is linked is gathered and put in order, or
 * objects are walked in order and each is asked whether it is linked. Of a node with few relationships the first is cheap; where a
 * good part of a type is linked to it, the second has the page after a few. It gives up after a number of objects.
 */
import type { Step } from '../../access.js';
import type { NodeQuery, Predicate } from '../../query.js';
import { allowed, pattern } from './access.js';
import type { Knowledge } from './knowledge.js';
import { conjuncts } from './predicates.js';
import { COMMON, labels } from '../connection/names.js';
import { walkOf } from './segments.js';
import type { Parameters } from '../connection/statement.js';

/** A node with at most so many relationships of a type is always gathered from. */
const FEW = 500;
/** Objects that are walked for one of the page, and at most. */
const WALKED_EACH = 100;
const WALKED = 5000;

export interface Hub {
  readonly id: string;
  /** `(f)-[:T]->(n)`, and the same to any node. */
  readonly link: string;
  readonly all: string;
  /** What the node itself must be. */
  readonly fits: readonly string[];
  /** What those that are linked must be, as far as the step says it. */
  readonly linked: readonly string[];
  /** What is left of the query's conditions. */
  readonly rest: readonly Predicate[];
}

/** The node that all of a query's are linked to, and by what; undefined: its conditions name none. */
export function hubStep(query: NodeQuery): (Pick<Step, 'relType' | 'direction'> & { readonly id: string }) | undefined {
  if (query.from !== undefined) return { id: query.from.id, ...query.from.step };
  for (const term of conjuncts(query.where)) {
    if (term.op !== 'relatedAll' && term.op !== 'relatedExactly') continue;
    const [id] = term.ids;
    // Seen from the other side.
    const direction = term.step.direction === 'out' ? 'in' : 'out';
    if (id !== undefined) return { id, relType: term.step.relType, direction };
  }
  return undefined;
}

/** The node that all of a query's are linked to: where it comes from, or the first of those that its conditions name. */
export function hubOf(query: NodeQuery, params: Parameters): Hub | undefined {
  const terms = conjuncts(query.where);
  if (query.from !== undefined) {
    const { id, step } = query.from;
    if (step.types?.length === 0) return undefined;
    const { relType, direction } = step;
    return {
      id,
      link: pattern('f', { relType, direction }, 'n'),
      all: pattern('f', { relType, direction }, ''),
      fits: [],
      linked: [
        ...(step.types === undefined ? [] : [`n:${labels(step.types)}`]),
        ...allowed('n', step.access, params, step.types),
      ],
      rest: terms,
    };
  }
  for (const term of terms) {
    if (term.op !== 'relatedAll' && term.op !== 'relatedExactly') continue;
    const { step, ids } = term;
    const [id] = ids;
    if (id === undefined || step.types?.length === 0) continue;
    const { relType, direction } = step;
    return {
      id,
      link: pattern('n', { relType, direction }, 'f'),
      all: pattern('', { relType, direction }, 'f'),
      fits: [
        ...(step.types === undefined ? [] : [`f:${labels(step.types)}`]),
        ...allowed('f', step.access, params, step.types),
      ],
      linked: [],
      rest: ids.length === 1 && term.op === 'relatedAll' ? terms.filter((one) => one !== term) : terms,
    };
  }
  return undefined;
}

/** `... RETURN` of the page's nodes, without the word itself; undefined: the query does not fit. `gathered`: the other way, which gives `n` in order; `fromHub`: of a hub that is there as `f`. */
export function pageOfHub(
  query: NodeQuery,
  params: Parameters,
  knowledge: Knowledge,
  entry: string | undefined,
  gathered: (fromHub: boolean) => string | undefined,
): string | undefined {
  const { limit, offset = 0 } = query;
  if (limit === undefined || !Number.isFinite(limit)) return undefined;
  const hub = hubOf(query, params);
  if (hub === undefined) return undefined;
  const { from, ...all } = query;
  // Who asks for what a node is linked to names types at the end of the step alone.
  const types = query.types ?? from?.step.types;
  const where: Predicate = { op: 'and', terms: hub.rest };
  const page = offset + limit;
  const want = params.bind(BigInt(page));
  const gather = gathered(page <= WALKED);
  if (gather === undefined) return undefined;
  if (page > WALKED) return `CALL { ${gather} LIMIT ${want} RETURN n }`;
  const budget = params.bind(BigInt(Math.min(page * WALKED_EACH, WALKED)));
  const walk = walkOf({ ...all, ...(types === undefined ? {} : { types }), where }, params, knowledge, entry, {
    taken: `WITH f, n LIMIT ${budget}`,
    conditions: [`EXISTS { ${hub.link} }`, ...hub.linked],
  });
  if (walk === undefined) return undefined;
  const few = params.bind(BigInt(FEW));
  const fits = hub.fits.length === 0 ? '' : ` WHERE ${hub.fits.join(' AND ')}`;
  return (
    `MATCH (f:${COMMON} {id: ${params.bind(hub.id.toWellFormed())}})${fits} WITH f, COUNT { ${hub.all} } AS degree ` +
    `CALL { WITH f, degree WITH f, degree WHERE degree > ${few} ${walk} WITH n LIMIT ${want} RETURN collect(n) AS page } ` +
    `CALL { WITH page WITH page WHERE size(page) = ${want} UNWIND page AS n RETURN n ` +
    // Not looked up again: Neo4j may plan that as a scan of all ids.
    `UNION ALL WITH page, f WITH page, f WHERE size(page) < ${want} ${gather} LIMIT ${want} RETURN n }`
  );
}
