/** Exports and imports objects of chosen types (contract, Deployment behaviour; docs/interface/deployment.md 4). */
import type { MaintenanceCommand } from './command.js';
import { resultOf } from './deployment-result.js';

export const deployData: MaintenanceCommand = {
  name: 'deployData',
  async run({ actor, services }, input) {
    return resultOf(await services.deployments.data(actor, input), input, 'what was written until then stays');
  },
};
