/** What a database must have before the engine works with it. */
import { GraphError } from '../errors.js';
import type { Catalog } from './catalog.js';
import { type Database, FAR, type Values } from './database.js';
import { isLost, isTransient } from './errors.js';
import { CATALOG, COMMON, META, NOTICE, SEQUENCE } from './names.js';

const LEAST_VERSION = 5;
const SCHEMA = [
  `CREATE CONSTRAINT svc_id IF NOT EXISTS FOR (n:${COMMON}) REQUIRE n.id IS UNIQUE`,
  `CREATE CONSTRAINT svc_meta IF NOT EXISTS FOR (n:${META}) REQUIRE n.name IS UNIQUE`,
  `CREATE CONSTRAINT svc_notice IF NOT EXISTS FOR (n:${NOTICE}) REQUIRE n.n IS UNIQUE`,
  `CREATE RANGE INDEX svc_order IF NOT EXISTS FOR (n:${COMMON}) ON (n.type, n.${SEQUENCE})`,
];

/** Instances that start together get into each other's way when they make the same things. */
const ATTEMPTS = 6;

/** Checks the server, makes constraint, lock and catalog if need be. The number of the last notice so far (notices.ts). */
export async function setUp(database: Database, catalog: Catalog): Promise<bigint> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await once(database, catalog);
    } catch (error) {
      if (!(error instanceof GraphError)) throw error;
      const { cause } = error;
      if (isLost(cause)) throw new GraphError('unreachable', error.message, undefined, { cause });
      const again = error.code === 'already_taken' || isTransient(cause);
      if (!again || attempt === ATTEMPTS) {
        throw isTransient(cause) ? new GraphError('unreachable', error.message, undefined, { cause }) : error;
      }
      await new Promise((resolve) => setTimeout(resolve, 200 * attempt * Math.random()));
    }
  }
}

async function once(database: Database, catalog: Catalog): Promise<bigint> {
  const limits = { deadline: FAR };
  const run = (text: string, params = {}, write = true): Promise<Values[]> =>
    database.run({ text, params }, limits, write);
  const [component] = await run('CALL dbms.components() YIELD versions RETURN versions[0]', {}, false);
  const version = String(component?.[0]);
  if (Number.parseInt(version, 10) < LEAST_VERSION) {
    throw new GraphError('unavailable', `Neo4j ${version} is too old: ${String(LEAST_VERSION)} or newer is needed.`);
  }
  for (const text of SCHEMA) await run(text);
  await run('CALL db.awaitIndexes(600)');
  const [meta] = await run(
    `MERGE (m:${META} {name: 'writer'}) ON CREATE SET m.seq = 0, m.notice = 0 RETURN m.catalog, m.notice`,
  );
  if (meta?.[0] !== true) {
    // Once, in a database that something else may have written before.
    await run(
      `MATCH ()-[r]->() WITH DISTINCT r.type AS type, type(r) AS relType WHERE type IS NOT NULL ` +
        `MERGE (:${CATALOG} {type: type, relType: relType})`,
    );
    await run(`MATCH (m:${META} {name: 'writer'}) SET m.catalog = true`);
  }
  await catalog.load((statement) => database.run(statement, limits));
  return meta?.[1] as bigint;
}
