/** Work beside the loop (docs/design/media.md 1): two bounded pools for the process. */
export { WorkError, type WorkErrorCode } from './errors.js';
export { closePools, longWork, shortWork, sizePools } from './pools.js';
export { SingleFlight } from './single-flight.js';
export { WorkPool, workFigures, type Priority } from './work-pool.js';
