/** Statements on databases that are not the service's own. */
import neo4j from 'neo4j-driver';
import type { CypherResult, CypherStatement } from '../cypher.js';
import { collect, decoded, FETCH_OF_OTHERS, parametersOf } from './query/cypher.js';
import { ignored } from './connection/database.js';
import { serverTimeout } from './connection/limits.js';

export interface ForeignDatabase {
  /** `bolt://`, `bolt+s://` or `bolt+ssc://` */
  readonly url: string;
  /** Absent: the database asks for none. */
  readonly user?: string;
  readonly password: string;
  /** Name of the database; absent: the user's home database. */
  readonly database?: string;
}

/** Runs a statement as a transaction of its own; nodes and relationships are maps of their properties. Throws `GraphError`. */
export async function foreignCypher(
  { url, user, password, database }: ForeignDatabase,
  statement: CypherStatement,
  time: number,
  signal: AbortSignal,
): Promise<CypherResult> {
  const auth = user === undefined ? neo4j.auth.custom('', '', '', 'none') : neo4j.auth.basic(user, password);
  const driver = neo4j.driver(url, auth, {
    useBigInt: true,
    telemetryDisabled: true,
    fetchSize: FETCH_OF_OTHERS,
    userAgent: 'svc',
    maxConnectionPoolSize: 1,
    connectionTimeout: time,
    connectionAcquisitionTimeout: time,
    maxTransactionRetryTime: 0,
    notificationFilter: { minimumSeverityLevel: 'OFF' },
  });
  const limits = { deadline: Date.now() + time, signal };
  try {
    const session = driver.session(database === undefined ? {} : { database });
    const result = session.run(statement.text, parametersOf(statement), { timeout: serverTimeout(limits) });
    return decoded(await collect(result, limits, statement), undefined);
  } finally {
    driver.close().catch(ignored);
  }
}
