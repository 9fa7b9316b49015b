/**
 * A page of what one index filters in the order of another, in either of two ways, of which the statement itself chooses: what matches is gathered
 * and put in order, or objects are walked in order and each is asked whether it matches. It knows how many match, as far as it counts, and how many
 * there are of the type, which Neo4j keeps: so it knows how far it would have to walk, if the two have nothing to do with each other. It gives up
 * after a number of objects.
 */
import type { NodeQuery, Predicate } from '../../query.js';
import { labelOf } from '../connection/names.js';
import type { Parameters } from '../connection/statement.js';
import type { Knowledge } from './knowledge.js';
import { conjuncts } from './predicates.js';
import { walkOf } from './segments.js';

/** Entries of the index that filters which are counted. */
const COUNTED = 2000;
/** Objects that are walked at most. */
const WALKED = 5000;
/** Objects that are walked for the price of one that is gathered and put in order. */
const WALKED_FOR_ONE = 2;

/** What gives the page's nodes as `n`, in order; undefined: the query does not fit. Arguments: see `pageOfHub`. `matching`: all that fulfil conditions. */
export function pageByEitherIndex(
  query: NodeQuery,
  params: Parameters,
  knowledge: Knowledge,
  entry: string | undefined,
  ways: { readonly gathered: () => string | undefined; readonly matching: (where: Predicate) => string | undefined },
): string | undefined {
  const { types = [], sort = [], limit, offset = 0, where } = query;
  const [type] = types;
  const [first] = sort;
  if (entry === undefined || entry === 'id' || first === undefined || first.key === entry) return undefined;
  if (type === undefined || limit === undefined || offset + limit > WALKED) return undefined;
  const walk = walkOf(query, params, knowledge, undefined, {
    taken: `WITH n LIMIT ${params.bind(BigInt(WALKED))}`,
    conditions: [],
  });
  const terms = conjuncts(where).filter((term) => 'key' in term && term.key === entry);
  const match = walk === undefined ? undefined : ways.matching({ op: 'and', terms });
  const gather = ways.gathered();
  if (walk === undefined || match === undefined || gather === undefined) return undefined;
  const [most, want] = [params.bind(BigInt(COUNTED)), params.bind(BigInt(offset + limit))];
  const short = `${want} * total < ${String(WALKED_FOR_ONE)} * matching * matching`;
  return (
    `CALL { ${match} WITH n LIMIT ${most} RETURN count(n) AS matching } ` +
    `CALL { MATCH (t:${labelOf(type)}) RETURN count(*) AS total } ` +
    `CALL { WITH matching, total WITH matching, total WHERE matching >= ${want} AND (matching = ${most} OR ${short}) ` +
    `${walk} WITH n LIMIT ${want} RETURN collect(n) AS page } ` +
    `CALL { WITH page WITH page WHERE size(page) = ${want} UNWIND page AS n RETURN n ` +
    `UNION ALL WITH page WITH page WHERE size(page) < ${want} ${gather} LIMIT ${want} RETURN n }`
  );
}
