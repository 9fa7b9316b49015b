/** Opens the graph that `database.driver` names; a further engine is one more line in `DRIVERS`. */
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { logger } from '../../shared/log.js';
import type { Config } from '../config/index.js';
import {
  GraphError,
  openNeo4jFollower,
  openNeo4jGraph,
  openSqliteFollower,
  openSqliteGraph,
  StatementLog,
  type Graph,
  type Neo4jOptions,
  type Seat,
  type TransactionObserver,
} from '../graph/index.js';
import { refuseNewerData } from '../maintenance/index.js';

const log = logger('graph');

/** Connections to Neo4j that a thread has at least. */
const LEAST_SHARE = 2;
/** Pauses between attempts to reach a database that does not answer yet, in milliseconds; the last one repeats. */
const PAUSES = [500, 1000, 2000, 4000, 8000];

/** Who hears how long things took. */
export interface GraphObservers {
  readonly transactions: TransactionObserver;
  /** A statement took so many milliseconds. */
  readonly statement: (text: string, milliseconds: number) => void;
}

/** Who opens it. */
export interface GraphOpening extends Partial<GraphObservers> {
  /** Threads that are to read the database, the one that opens it counted (1). */
  readonly threads?: number;
}

const DRIVERS: Readonly<Record<'embedded' | 'neo4j', (config: Config, opening: GraphOpening) => Promise<Graph>>> = {
  embedded: (config, observers) =>
    openSqliteGraph({
      path: config.path('database.path'),
      queryTimeout: config.get('database.query.timeout'),
      writerTimeout: config.get('database.writer.timeout'),
      readerThreads: config.get('database.reader.threads') || usualReaders(),
      cacheMegabytes: config.get('database.cache.megabytes'),
      ...partsOf(config),
      statements: statementLog(config, observers),
      ...observed(observers),
      onError,
    }),
  neo4j: openWhenReachable,
};

/** What the settings say of indexes of parts of texts. */
function partsOf(config: Config): { readonly partsMegabytes: number; readonly partsExcept: readonly string[] } {
  const except = config.get('database.parts.except').split(',');
  return {
    partsMegabytes: config.get('database.parts.megabytes'),
    partsExcept: except.flatMap((name) => name.trim() || []),
  };
}

/** Throws `GraphError`; `too_new` also for data that a newer program has migrated. */
export async function openGraph(config: Config, opening: GraphOpening = {}): Promise<Graph> {
  const graph = await DRIVERS[config.get('database.driver')](config, opening);
  try {
    await refuseNewerData(graph);
    return graph;
  } catch (error) {
    await graph.close();
    throw error;
  }
}

function observed({ transactions }: Partial<GraphObservers>): { readonly observer?: TransactionObserver } {
  return transactions === undefined ? {} : { observer: transactions };
}

/** `share`: of the connections. */
function openNeo4j(config: Config, share: number, observers: Partial<GraphObservers>): Promise<Graph> {
  return openNeo4jGraph({
    ...neo4jConnection(config),
    poolSize: share,
    statements: statementLog(config, observers),
    ...observed(observers),
    onError,
  });
}

function neo4jConnection(config: Config): Omit<Neo4jOptions, 'poolSize'> {
  return {
    url: config.get('database.connection.url'),
    user: config.get('database.connection.username'),
    password: config.get('database.connection.password'),
    database: config.get('database.connection.databasename'),
    connectTimeout: config.get('database.connection.timeout'),
    acquireTimeout: config.get('database.connection.acquiretimeout'),
    queryTimeout: config.get('database.query.timeout'),
  };
}

/** Connections of `database.connection.poolsize` that each of so many threads has besides the main one, which has what is left. */
function connectionShares(config: Config, threads: number): { readonly main: number; readonly each: number } {
  const all = config.get('database.connection.poolsize');
  if (threads === 1) return { main: all, each: 0 };
  const each = Math.max(LEAST_SHARE, Math.floor(all / threads));
  return { main: Math.max(LEAST_SHARE, all - each * (threads - 1)), each };
}

/**
 * Opens a place that the main thread has given (`Graph.seat`) in one of its front-end threads, of which there are `threads`, the main thread counted.
 * Throws `GraphError`.
 */
export async function openFollower(config: Config, seat: Seat, threads: number): Promise<Graph> {
  const statements = statementLog(config, {});
  if (seat.engine === 'neo4j') {
    const poolSize = connectionShares(config, threads).each;
    return openNeo4jFollower(seat, { ...neo4jConnection(config), poolSize, statements, onError });
  }
  const queryTimeout = config.get('database.query.timeout');
  return openSqliteFollower(seat, { queryTimeout, readerThreads: 1, ...partsOf(config), statements, onError });
}

function onError(error: unknown): void {
  log.error('work in the background failed', error);
}

/** Statements have no values in their text, so no secret of an object can get into the log. */
function statementLog(config: Config, { statement }: Partial<GraphObservers>): StatementLog {
  const statements = new StatementLog(({ text, milliseconds, slow }) => {
    const line = `${milliseconds.toFixed(1)} ms: ${text}`;
    if (slow) log.warn(`slow statement, ${line}`);
    else log.info(line);
  });
  statements.onEach = statement;
  statements.all = config.get('log.cypher.debug');
  statements.slow = config.get('log.querytime.threshold');
  config.onChange('log.cypher.debug', (all) => {
    statements.all = all;
  });
  config.onChange('log.querytime.threshold', (slow) => {
    statements.slow = slow;
  });
  return statements;
}

/** A server that is still starting, or restarting, is waited for; wrong credentials and the like are not. */
async function openWhenReachable(config: Config, { threads = 1, ...observers }: GraphOpening): Promise<Graph> {
  const { main, each } = connectionShares(config, threads);
  if (threads > 1) {
    const all = config.get('database.connection.poolsize');
    const shares = `the main thread has ${String(main)} connections, each of the others ${String(each)}`;
    log.info(`database.connection.poolsize is ${String(all)}: ${shares}`);
  }
  const until = Date.now() + config.get('database.connection.starttimeout');
  for (let attempt = 0; ; attempt++) {
    try {
      return await openNeo4j(config, main, observers);
    } catch (error) {
      const pause = PAUSES[Math.min(attempt, PAUSES.length - 1)] ?? 0;
      if (!(error instanceof GraphError) || error.code !== 'unreachable' || Date.now() + pause > until) throw error;
      log.warn(`${error.message} Trying again in ${String(pause / 1000)} s`);
      await sleep(pause);
    }
  }
}

/** Threads for long queries where no setting says how many. */
function usualReaders(): number {
  return Math.max(2, Math.min(4, availableParallelism()));
}
