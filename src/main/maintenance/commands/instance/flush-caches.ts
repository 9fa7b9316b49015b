/** All that the service keeps of the database in memory is read anew. */
import { logger } from '../../../../shared/log.js';
import type { MaintenanceCommand } from '../command.js';
import { Parameters } from '../parameters.js';

const log = logger('maintenance');
const NAME = 'flushCaches';

export const flushCaches: MaintenanceCommand = {
  name: NAME,
  async run({ graph }, input) {
    new Parameters(NAME, input).only();
    // The engine first: caches are read anew from it.
    await graph.forget();
    await graph.caches.flush();
    log.info(`all caches were emptied: ${graph.caches.list.map(({ name }) => name).join(', ')}`);
    return [];
  },
};
