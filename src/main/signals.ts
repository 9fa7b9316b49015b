/** What signals do to a running service. */
import { logger } from '../shared/log.js';
import { ConfigError, type Config } from './config/index.js';
import { EXIT, exitCodeOf } from './exit-codes.js';
import { GraphError, type Graph } from './graph/index.js';
import type { Ports } from './serving/ports.js';
import type { Part } from './start-migrations.js';

const log = logger('main');

/** Reads the settings file again: what can change while running does (contract, Configuration 4). */
function reload(config: Config): Promise<void> {
  return config.reload().then(
    () => {
      log.info(`read ${config.confPath} again`);
      for (const problem of config.problems) log.warn(problem.message);
    },
    (error: unknown) => {
      log.warn(
        error instanceof ConfigError
          ? `kept the settings as they are: ${error.problems.map((p) => p.message).join('; ')}`
          : String(error),
      );
    },
  );
}

/** SIGHUP has settings and certificate read again. */
export function reloadOnSignal(config: Config, server: Ports): void {
  process.on('SIGHUP', () => {
    void reload(config).then(() => server.reloadCertificate());
  });
}

/** What is stopped, in this order. */
export interface Stopping {
  /** At once: what would keep requests from ending. */
  readonly first: { stop(): void };
  readonly server: Ports;
  readonly services: readonly Part[];
  readonly graph: Graph;
  /** Milliseconds that running requests have. */
  readonly grace: number;
}

/**
 * SIGTERM and SIGINT end the service cleanly, a second one at once. What is returned does the same, and has the launcher start it again
 * (bin/svc.js).
 */
export function stopOnSignals({ first, server, services, graph, grace }: Stopping): () => void {
  let stopping = false;
  const stop = (signal: string, code: number = EXIT.ok): void => {
    if (stopping) {
      if (code !== EXIT.ok) return;
      log.warn(`${signal} again: ending at once`);
      process.exit(EXIT.interrupted);
    }
    stopping = true;
    first.stop();
    log.info(`${signal}: finishing ${String(server.activeRequests)} running requests`);
    server
      .close(grace)
      .then(async () => {
        for (const service of services) await service.stop();
      })
      .then(() => graph.close())
      .then(
        () => {
          log.info('stopped');
          process.exit(code);
        },
        (error: unknown) => {
          if (error instanceof GraphError) log.error(`could not stop cleanly: ${error.message}`);
          else log.error('could not stop cleanly', error);
          // 'unavailable' is said of a Neo4j that does not answer, too, which at the end is none of the codes of a start.
          const told = error instanceof GraphError && error.code !== 'unavailable';
          process.exit(told ? exitCodeOf(error.code) : EXIT.failed);
        },
      );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      stop(signal);
    });
  return () => {
    stop('restart', EXIT.restart);
  };
}
