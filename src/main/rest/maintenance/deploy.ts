/** Exports and imports the application (contract, Deployment behaviour; docs/interface/deployment.md 3). */
import type { MaintenanceCommand } from './command.js';
import { resultOf } from './deployment-result.js';

export const deploy: MaintenanceCommand = {
  name: 'deploy',
  tellsTimes: true,
  async run({ actor, services }, input) {
    return resultOf(await services.deployments.application(actor, input), input, 'nothing has changed');
  },
};
