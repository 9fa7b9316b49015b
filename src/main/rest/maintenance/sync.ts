/** The graph as one archive, out and in (contract, Maintenance; docs/interface/deployment.md 5). */
import { RestError } from '../errors.js';
import type { MaintenanceCommand } from './command.js';
import { resultOf } from './deployment-result.js';

const MODES: ReadonlySet<unknown> = new Set(['import', 'export', 'exportDb']);

export const sync: MaintenanceCommand = {
  name: 'sync',
  async run({ actor, services }, input) {
    const { mode, file } = input;
    if (!MODES.has(mode)) throw new RestError(400, 'Please specify sync mode (import|export).');
    if (typeof file !== 'string' || file === '') throw new RestError(400, 'Please specify sync file.');
    return resultOf(await services.deployments.sync(actor, input), input, 'what was written until then stays');
  },
};
