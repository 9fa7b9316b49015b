/** The front-end threads (`application.http.threads`, docs/design/threads.md). */
import { logger } from '../../shared/log.js';
import type { Config } from '../config/index.js';
import { EXIT } from '../exit-codes.js';
import type { Graph } from '../graph/index.js';
import type { Monitor } from './open-monitoring.js';
import type { Requests } from '../request/index.js';
import type { Security } from '../security/index.js';
import type { Ports } from '../serving/ports.js';
import { FrontEndThreads } from '../serving/threads/front-end-threads.js';
import { StartError } from '../start-error.js';

const log = logger('main');

export interface FrontEndParts {
  readonly config: Config;
  readonly version: string;
  readonly graph: Graph;
  readonly security: Security;
  readonly requests: Requests;
  readonly headers: Readonly<Record<string, string>>;
  readonly monitor: Monitor;
}

/** Starts those that the ports have places for, which may be none. Throws `StartError`. */
export async function openFrontEnds(
  ports: Ports,
  { config, version, graph, security, requests, headers, monitor }: FrontEndParts,
): Promise<FrontEndThreads> {
  const counted: ConstructorParameters<typeof FrontEndThreads>[0]['counted'] = (request) => {
    monitor.requests.add(request, request.status, request.milliseconds);
  };
  const threads = new FrontEndThreads({ config, version, graph, security, headers, ports, counted });
  ports.threads = threads;
  requests.standstill.others = threads;
  try {
    await threads.start(ports.threadCount - 1);
  } catch (error) {
    await threads.stop();
    throw new StartError(String(error), EXIT.failed);
  }
  if (threads.count > 0) log.info(`${String(ports.threadCount)} threads accept connections`);
  return threads;
}
