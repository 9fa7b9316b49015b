/** The statement that tells whether something kept still holds: one, which costs the same however much was looked at to find it. */
import type { NodeQuery } from '../../query.js';
import { pattern } from '../query/access.js';
import { hubStep } from '../query/hub.js';
import { integer } from '../connection/codec.js';
import { COMMON, labelOf, META } from '../connection/names.js';
import { listed, Parameters, type Statement } from '../connection/statement.js';
import { newsBetween } from '../instances/commits.js';

/** Types whose numbers of nodes are asked for. */
const MOST_TYPES = 8;

/** `RETURN` of a check. */
export interface Checked {
  /** Number of the last commit of any instance. */
  readonly last: number;
  /** What was committed after the one that was asked about, as `RecentCommits.heard` takes it. */
  readonly news: unknown;
  /** A number that another client of the database changes with most of what could make it wrong. */
  readonly guard: unknown;
  /** Properties of the nodes that were asked for, of those that are there. */
  readonly rows: readonly unknown[];
}

/** `known`: the commit up to which it is known to hold; `ids`: nodes to be read with it. */
export function checkStatement(query: NodeQuery, known: number, ids: readonly string[] | undefined): Statement {
  const params = new Parameters();
  const since = params.bind(integer(BigInt(known)));
  const rows =
    ids === undefined
      ? '[] AS rows'
      : `COLLECT { UNWIND ${params.bind(listed(ids))}.all AS id MATCH (n:${COMMON} {id: id}) RETURN properties(n) } AS rows`;
  // The number of the last commit is read before the nodes: one that comes between shows in the bookmark (states.ts).
  const text =
    `MATCH (m:${META} {name: 'writer'}) WITH m.commit AS last CALL { WITH last ${newsBetween(since, 'last')} } ` +
    `CALL { ${guardOf(query, params)} } RETURN last, news, guard, ${rows}`;
  return { text, params: params.values };
}

/** Of a hub the number of its relationships, else the number of nodes of the types: Neo4j keeps both. */
function guardOf(query: NodeQuery, params: Parameters): string {
  const hub = hubStep(query);
  if (hub !== undefined) {
    const { id, relType, direction } = hub;
    const from = `(f:${COMMON} {id: ${params.bind(id.toWellFormed())}})`;
    return `MATCH ${from} RETURN sum(COUNT { ${pattern('f', { relType, direction }, '')} }) AS guard`;
  }
  const types = [...new Set(query.types)];
  if (types.length === 0 || types.length > MOST_TYPES) return 'RETURN 0 AS guard';
  const each = types.map((type) => `MATCH (t:${labelOf(type)}) RETURN count(*) AS nodes`);
  return types.length === 1
    ? `MATCH (t:${labelOf(types[0] ?? '')}) RETURN count(*) AS guard`
    : `CALL { ${each.join(' UNION ALL ')} } RETURN sum(nodes) AS guard`;
}
