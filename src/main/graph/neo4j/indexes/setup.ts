/** What a database must have before the engine works with it. */
import { GraphError } from '../../errors.js';
import type { Catalog } from '../query/catalog.js';
import { type Database, FAR } from '../connection/database.js';
import type { Values } from '../connection/statement.js';
import { isLost, isTransient } from '../connection/errors.js';
import { CATALOG, COMMIT, COMMON, JOURNAL, labelOf, META, NOTICE, quoted, SEQUENCE } from '../connection/names.js';

const LEAST_VERSION = 5;
/** More than any number Neo4j gives to a node; the positions of adopted ones are less than zero by it. */
export const BEFORE = 1n << 53n;
const SCHEMA = [
  `CREATE CONSTRAINT svc_id IF NOT EXISTS FOR (n:${COMMON}) REQUIRE n.id IS UNIQUE`,
  `CREATE CONSTRAINT svc_meta IF NOT EXISTS FOR (n:${META}) REQUIRE n.name IS UNIQUE`,
  `CREATE CONSTRAINT svc_notice IF NOT EXISTS FOR (n:${NOTICE}) REQUIRE n.n IS UNIQUE`,
  `CREATE CONSTRAINT svc_commit IF NOT EXISTS FOR (n:${COMMIT}) REQUIRE n.slot IS UNIQUE`,
  `CREATE CONSTRAINT svc_journal IF NOT EXISTS FOR (n:${JOURNAL}) REQUIRE (n.name, n.position) IS UNIQUE`,
  `CREATE RANGE INDEX svc_order IF NOT EXISTS FOR (n:${COMMON}) ON (n.type, n.${SEQUENCE})`,
];

/** Instances that start together get into each other's way when they make the same things. */
const ATTEMPTS = 6;

/** Numbers that the database has reached: of the last notice (notices.ts) and of the last commit. */
export interface Reached {
  readonly notice: bigint;
  readonly commit: bigint;
}

/** Checks the server, makes constraint, lock and catalog if need be. */
export async function setUp(database: Database, catalog: Catalog): Promise<Reached> {
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

/** Throws for a version of the server, `4.4.12` for example, that the engine cannot work with. */
export function assertSupported(version: string): void {
  if (Number.parseInt(version, 10) >= LEAST_VERSION) return;
  throw new GraphError('unavailable', `Neo4j ${version} is too old: ${String(LEAST_VERSION)} or newer is needed.`);
}

async function once(database: Database, catalog: Catalog): Promise<Reached> {
  const limits = { deadline: FAR };
  const run = (text: string, params = {}, write = true): Promise<Values[]> =>
    database.run({ text, params }, limits, write);
  const [component] = await run('CALL dbms.components() YIELD versions RETURN versions[0]', {}, false);
  assertSupported(String(component?.[0]));
  await dropIndexOnId(run);
  for (const text of SCHEMA) await run(text);
  await run("CALL db.awaitIndex('svc_order', 600)");
  const [meta] = await run(
    `MERGE (m:${META} {name: 'writer'}) ON CREATE SET m.seq = 0 ` +
      'SET m.notice = coalesce(m.notice, 0), m.commit = coalesce(m.commit, 0) RETURN m.catalog, m.notice, m.commit',
  );
  if (meta?.[0] !== true) {
    // Once, in a database that something else may have written before.
    await run(
      `MATCH ()-[r]->() WITH DISTINCT r.type AS type, type(r) AS relType WHERE type IS NOT NULL ` +
        `MERGE (:${CATALOG} {type: type, relType: relType})`,
    );
    await adopt(run);
    await run(`MATCH (m:${META} {name: 'writer'}) SET m.catalog = true`);
  }
  await catalog.load((statement) => database.run(statement, limits));
  return { notice: meta?.[1] as bigint, commit: meta?.[2] as bigint };
}

type Run = (text: string, params?: Record<string, unknown>, write?: boolean) => Promise<Values[]>;

/** A constraint brings its own index and cannot be made beside another one, which serves the same queries. */
async function dropIndexOnId(run: Run): Promise<void> {
  const text =
    "SHOW INDEXES YIELD name, type, labelsOrTypes, properties, owningConstraint WHERE type = 'RANGE' AND " +
    `labelsOrTypes = ['${COMMON}'] AND properties = ['id'] AND owningConstraint IS NULL RETURN name`;
  for (const [name] of await run(text, {}, false)) await run(`DROP INDEX ${quoted(String(name))} IF EXISTS`);
}

/**
 * Makes nodes that another client has written ours: those with our common label, an id and a type. They come before all
 * of ours in the order of creation, in the order Neo4j keeps them.
 */
async function adopt(run: Run): Promise<void> {
  const theirs = `MATCH (n:${COMMON}) WHERE n.${SEQUENCE} IS NULL AND n.id IS NOT NULL`;
  const types = await run(`${theirs} AND n.type IS NOT NULL RETURN DISTINCT n.type`);
  for (const [type] of types) {
    await run(
      `${theirs} AND n.type = $type CALL { WITH n SET n:${labelOf(String(type))}, n.${SEQUENCE} = id(n) - $before } ` +
        `IN TRANSACTIONS OF 5000 ROWS`,
      { type, before: BEFORE },
    );
  }
}
