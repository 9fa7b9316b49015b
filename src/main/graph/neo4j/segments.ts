/**
 * A page of one type in the order of an indexed key, read from the index only as far as the page goes. Neo4j orders
 * values of different kinds in its own way and has no index entry for what is missing, so the page is read as a
 * UNION of one walk a kind, in the order of kinds. Each begins only when those before have not filled the page.
 */
import type { NodeQuery, SortKey } from '../query.js';
import type { Knowledge } from './compile.js';
import { LONG } from './codec.js';
import { COMMON, labelOf, propertyName, quoted, SEQUENCE } from './names.js';
import { condition, isList, type Scope } from './predicates.js';
import type { Parameters } from './statement.js';

/** `CALL { ... }` that gives `n` in order; undefined: the query does not fit. `entry`: a key that serves its filter. */
export function sortedByIndex(
  query: NodeQuery,
  params: Parameters,
  knowledge: Knowledge,
  entry: string | undefined,
): string | undefined {
  const { types, sort = [], from, limit, offset = 0, where } = query;
  const [type] = types ?? [];
  const [first] = sort;
  if (type === undefined || new Set(types).size !== 1 || from !== undefined || limit === undefined) return undefined;
  if (sort.length > 1 || (first !== undefined && !knowledge.indexed(first.key))) return undefined;
  if (entry !== undefined && entry !== first?.key) return undefined;
  const scope: Scope = { kind: 'nodes', alias: 'n', depth: 0, params };
  const filter = where === undefined ? '' : ` AND ${condition(scope, where)}`;
  const most = params.bind(BigInt(offset + limit));
  const label = labelOf(type);
  const typed = `n.type = ${params.bind(type)}`;
  const down = first?.descending === true ? ' DESC' : '';
  const byKey = (test: string, order: string): string =>
    `MATCH (n:${COMMON}) WHERE ${typed} AND ${test}${filter} RETURN n ORDER BY ${order} LIMIT ${most}`;
  const created = (test: string): string[] => {
    // Nodes that others made have no place in the order of creation; they come after all that have.
    const known = byKey(`n.${SEQUENCE} >= ${params.bind(-Infinity)}${test}`, `n.type${down}, n.${SEQUENCE}${down}`);
    const foreign = `MATCH (n:${label}) WHERE n.${SEQUENCE} IS NULL${test}${filter} RETURN n ORDER BY n.id${down} LIMIT ${most}`;
    return down === '' ? [known, foreign] : [foreign, known];
  };
  const walks = first === undefined ? created('') : inOrderOfKinds(first, params, byKey, created, down);
  return `CYPHER runtime=slotted CALL { ${walks.join(' UNION ALL ')} } WITH n`;
}

function inOrderOfKinds(
  { key }: SortKey,
  params: Parameters,
  byKey: (test: string, order: string) => string,
  created: (test: string) => string[],
  down: string,
): string[] {
  const name = propertyName(key);
  const v = `n.${quoted(name)}`;
  // Long texts that begin alike have the same entry in the index.
  const order = `n.type${down}, ${v}${down}, coalesce(n.${quoted(LONG + name)}, '')${down}, n.${SEQUENCE}${down}, n.id${down}`;
  const walks = [
    byKey(`${v} >= ${params.bind(-Infinity)}`, order),
    byKey(`${v} >= ''`, order),
    byKey(`${v} >= false`, order),
    byKey(`${v} IS NOT NULL AND ${isList(v)}`, `n.${SEQUENCE}${down}`),
  ];
  const missing = created(` AND ${v} IS NULL`);
  return down === '' ? [...walks, ...missing] : [...missing, ...walks.reverse()];
}
