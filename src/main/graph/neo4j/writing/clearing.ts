/**
 * Emptying the database but for what is kept: by type, many at once, in transactions of the server's own, as one that deletes a million
 * does not fit into its memory. The caller has the writers' lock meanwhile, and tells everybody afterwards.
 */
import type { Cleared, Kept, Steps } from '../../graph.js';
import type { Database } from '../connection/database.js';
import { COMMON, labelOf, relationshipLabel } from '../connection/names.js';
import type { Statement, Values } from '../connection/statement.js';
import type { Catalog } from '../query/catalog.js';

/** Deleted by one statement. */
const NODES = 10_000n;
const RELATIONSHIPS = 20_000n;
/** Milliseconds that it may take. */
const PATIENCE = 120_000;

export async function clear(database: Database, catalog: Catalog, kept: Kept, steps: Steps): Promise<Cleared> {
  const run = (statement: Statement, write: boolean): Promise<Values[]> =>
    database.run(statement, { deadline: Date.now() + PATIENCE }, write);
  const until = async (text: string, params: Statement['params']): Promise<number> => {
    for (let sum = 0; ;) {
      const [row] = await run({ text, params }, true);
      const deleted = Number(row?.[0]);
      sum += deleted;
      await steps.done(deleted);
      if (deleted < Number(params['most'])) return sum;
    }
  };

  steps.begin('deleting relationships');
  await catalog.load((statement) => run(statement, false));
  let relationships = 0;
  for (const relType of catalog.all) {
    if ([...catalog.sharing(relType)].every((type) => kept.relationships.includes(type))) continue;
    // Walked by their type, so that each statement begins where the last one has ended.
    const text =
      `MATCH (a)-[r:${relationshipLabel(relType)}]->(b) WHERE r.id IS NOT NULL AND NOT r.type IN $kept ` +
      `AND a:${COMMON} AND b:${COMMON} WITH r LIMIT $most DELETE r RETURN count(*)`;
    relationships += await until(text, { kept: kept.relationships, most: RELATIONSHIPS });
  }

  const [[total] = [], types] = [
    (await run({ text: `MATCH (n:${COMMON}) RETURN count(*)`, params: {} }, false))[0],
    await run({ text: `MATCH (n:${COMMON}) RETURN DISTINCT n.type`, params: {} }, false),
  ];
  steps.begin('deleting nodes', Number(total));
  let nodes = 0;
  for (const [type] of types) {
    if (typeof type !== 'string' || kept.nodes.includes(type)) continue;
    const text = `MATCH (n:${labelOf(type)}) WITH n LIMIT $most DETACH DELETE n RETURN count(*)`;
    nodes += await until(text, { most: NODES });
  }
  return { nodes, relationships };
}
