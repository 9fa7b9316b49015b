/** How many threads accept connections. */
import { availableParallelism } from 'node:os';
import { logger } from '../../../shared/log.js';
import type { Config } from '../../config/index.js';
import { chooseTransport, sharingProblem } from '../../http/index.js';

const log = logger('http');
/** Where the setting leaves it open. */
const MOST = 8;

/** `application.http.threads`, the main thread counted; 1 where there can be no more, which is said in the log when more were asked for. */
export function threadCount(config: Config): number {
  const set = config.get('application.http.threads');
  const problem = problemOf(config);
  if (problem !== undefined && set > 1) log.warn(`${problem}; one thread accepts connections`);
  return plannedThreads(config);
}

/** The same for who plans with it. */
export function plannedThreads(config: Config): number {
  const set = config.get('application.http.threads');
  if (set === 1 || problemOf(config) !== undefined) return 1;
  return set === 0 ? Math.min(MOST, availableParallelism()) : set;
}

/** Why there can be one thread only. */
function problemOf(config: Config): string | undefined {
  if (config.get('application.http.threads') === 1) return undefined;
  const { transport } = chooseTransport(
    config.get('application.http.transport'),
    config.get('httpservice.headers.maxsize'),
  );
  return sharingProblem(transport);
}
