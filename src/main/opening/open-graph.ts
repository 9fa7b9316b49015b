/** Opens the graph that `database.driver` names; a further engine is one more line in `DRIVERS`. */
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { logger } from '../../shared/log.js';
import type { Config } from '../config/index.js';
import {
  GraphError,
  openNeo4jGraph,
  openSqliteGraph,
  StatementLog,
  type Graph,
  type TransactionObserver,
} from '../graph/index.js';
import { refuseNewerData } from '../maintenance/index.js';

const log = logger('graph');

/** Pauses between attempts to reach a database that does not answer yet, in milliseconds; the last one repeats. */
const PAUSES = [500, 1000, 2000, 4000, 8000];

/** Who hears how long things took. */
export interface GraphObservers {
  readonly transactions: TransactionObserver;
  /** A statement took so many milliseconds. */
  readonly statement: (text: string, milliseconds: number) => void;
}

const DRIVERS: Readonly<
  Record<'embedded' | 'neo4j', (config: Config, observers: Partial<GraphObservers>) => Promise<Graph>>
> = {
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
export function partsOf(config: Config): { readonly partsMegabytes: number; readonly partsExcept: readonly string[] } {
  const except = config.get('database.parts.except').split(',');
  return {
    partsMegabytes: config.get('database.parts.megabytes'),
    partsExcept: except.flatMap((name) => name.trim() || []),
  };
}

/** Throws `GraphError`; `too_new` also for data that a newer program has migrated. */
export async function openGraph(config: Config, observers: Partial<GraphObservers> = {}): Promise<Graph> {
  const graph = await DRIVERS[config.get('database.driver')](config, observers);
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

function openNeo4j(config: Config, observers: Partial<GraphObservers>): Promise<Graph> {
  return openNeo4jGraph({
    url: config.get('database.connection.url'),
    user: config.get('database.connection.username'),
    password: config.get('database.connection.password'),
    database: config.get('database.connection.databasename'),
    poolSize: config.get('database.connection.poolsize'),
    connectTimeout: config.get('database.connection.timeout'),
    acquireTimeout: config.get('database.connection.acquiretimeout'),
    queryTimeout: config.get('database.query.timeout'),
    statements: statementLog(config, observers),
    ...observed(observers),
    onError,
  });
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
async function openWhenReachable(config: Config, observers: Partial<GraphObservers>): Promise<Graph> {
  const until = Date.now() + config.get('database.connection.starttimeout');
  for (let attempt = 0; ; attempt++) {
    try {
      return await openNeo4j(config, observers);
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
