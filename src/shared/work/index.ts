/** Work beside the loop (docs/design/media.md 1): two bounded pools for the process. */
export { WorkError, type WorkErrorCode } from './errors.js';
export type { KindFigures, WorkFigures } from './figures.js';
export { closePools, longWork, shortWork, sizePools, type PoolSizes } from './pools.js';
export { SingleFlight } from './single-flight.js';
export { WorkPool, workFigures, type Priority, type ThreadWork, type Work } from './work-pool.js';
