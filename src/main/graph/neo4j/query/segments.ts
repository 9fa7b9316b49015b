/**
 * A page of one type in the order of an indexed key, read from the index only as far as the page goes. Neo4j orders
 * values of different kinds in its own way and has no index entry for what is missing, so the page is read as a
 * UNION of one walk a kind, in the order of kinds. Each begins only when those before have not filled the page.
 */
import type { NodeQuery, SortKey } from '../../query.js';
import { allowed } from './access.js';
import type { Knowledge } from './knowledge.js';
import { integer, LONG } from '../connection/codec.js';
import { sinceExpression } from './gaps.js';
import { COMMON, META, propertyName, quoted, SEQUENCE } from '../connection/names.js';
import { condition, conjuncts, hasSteps, isList, type Scope } from './predicates.js';
import type { Parameters } from '../connection/statement.js';

/** How a statement that walks begins. */
export const SLOTTED = 'CYPHER runtime=slotted';

/** `CALL { ... }` that gives `n` in order; undefined: the query does not fit. `entry`: a key that serves its filter. */
export function sortedByIndex(
  query: NodeQuery,
  params: Parameters,
  knowledge: Knowledge,
  entry: string | undefined,
): string | undefined {
  return walkOf(query, params, knowledge, entry);
}

/** The same; `bounded`: no further than that, and then everything is asked of what it gives, these conditions first. */
export function walkOf(
  query: NodeQuery,
  params: Parameters,
  knowledge: Knowledge,
  entry: string | undefined,
  bounded?: { readonly taken: string; readonly conditions: readonly string[] },
): string | undefined {
  const { types, sort = [], from, limit, offset = 0, where, access } = query;
  const [type] = types ?? [];
  const [first] = sort;
  if (type === undefined || new Set(types).size !== 1 || from !== undefined || limit === undefined) return undefined;
  if (sort.length > 1 || (first !== undefined && !knowledge.indexed(first.key))) return undefined;
  if (entry !== undefined && entry !== first?.key) return undefined;
  const scope: Scope = { kind: 'nodes', alias: 'n', depth: 0, params };
  // What takes Neo4j long to plan is asked once, of what the walks give, and not in each of them.
  const terms = conjuncts(where);
  const costly = bounded === undefined ? terms.filter(hasSteps) : terms;
  const later = [
    ...(bounded?.conditions ?? []),
    ...costly.map((term) => condition(scope, term)),
    ...allowed('n', access, params, types),
  ];
  const filter = terms
    .filter((term) => !costly.includes(term))
    .map((term) => ` AND ${condition(scope, term)}`)
    .join('');
  const most = later.length > 0 ? '' : ` LIMIT ${params.bind(BigInt(offset + limit))}`;
  const typed = `n.type = ${params.bind(type)}`;
  const down = first?.descending === true ? ' DESC' : '';
  const byKey = (test: string, order: string): string =>
    `MATCH (n:${COMMON}) WHERE ${typed} AND ${test}${filter} RETURN n ORDER BY ${order}${most}`;
  const created = (test: string): string =>
    byKey(`n.${SEQUENCE} >= ${params.bind(-Infinity)}${test}`, `n.type${down}, n.${SEQUENCE}${down}`);
  let walks: string[];
  if (first === undefined) walks = [created('')];
  else {
    const v = `n.${quoted(propertyName(first.key))}`;
    const gapless = down === '' ? undefined : knowledge.gapless?.(type, first.key);
    let missing: string;
    if (gapless === undefined) missing = created(` AND ${v} IS NULL`);
    else {
      const [gaps, since] = [params.bind(integer(gapless.gaps)), params.bind(integer(gapless.since))];
      const from = sinceExpression(gaps, since, params.bind(-Infinity));
      missing =
        `MATCH (m:${META} {name: 'writer'}) WITH ${from} AS since ` +
        byKey(`n.${SEQUENCE} >= since AND ${v} IS NULL`, `n.type${down}, n.${SEQUENCE}${down}`);
    }
    walks = inOrderOfKinds(first, params, typed, byKey, down);
    if (down === '') walks.push(missing);
    else walks.unshift(missing);
  }
  const rest = later.length === 0 ? '' : ` WHERE ${later.join(' AND ')}`;
  return `CALL { ${walks.join(' UNION ALL ')} } ${bounded?.taken ?? 'WITH n'}${rest}`;
}

function inOrderOfKinds(
  { key }: SortKey,
  params: Parameters,
  typed: string,
  byKey: (test: string, order: string) => string,
  down: string,
): string[] {
  const name = propertyName(key);
  const v = `n.${quoted(name)}`;
  // Long texts that begin alike have the same entry in the index.
  const order = `n.type${down}, ${v}${down}, coalesce(n.${quoted(LONG + name)}, '')${down}, n.${SEQUENCE}${down}, n.id${down}`;
  // Neo4j puts lists before all other values: when its first value is none, there are none, and nothing more is read.
  const anyList =
    `MATCH (n:${COMMON}) WHERE ${typed} AND ${v} IS NOT NULL WITH n ORDER BY n.type, ${v} LIMIT 1 ` +
    `WITH n AS least WHERE ${isList(`least.${quoted(name)}`)} WITH count(*) AS lists WHERE lists > 0 `;
  const walks = [
    byKey(`${v} >= ${params.bind(-Infinity)}`, order),
    byKey(`${v} >= ''`, order),
    // Not as a range: in a transaction that has written, Neo4j fails to make one of Booleans.
    byKey(`${v} = false`, order),
    byKey(`${v} = true`, order),
    anyList + byKey(`${v} IS NOT NULL AND ${isList(v)}`, `n.${SEQUENCE}${down}`),
  ];
  return down === '' ? walks : walks.reverse();
}
