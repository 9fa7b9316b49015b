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
  if (set === 1) return 1;
  const { transport } = chooseTransport(
    config.get('application.http.transport'),
    config.get('httpservice.headers.maxsize'),
  );
  const problem =
    config.get('database.driver') === 'embedded'
      ? sharingProblem(transport)
      : 'application.http.threads needs the embedded database: instances on Neo4j share its data as processes';
  if (problem === undefined) return set === 0 ? Math.min(MOST, availableParallelism()) : set;
  if (set > 1) log.warn(`${problem}; one thread accepts connections`);
  return 1;
}
