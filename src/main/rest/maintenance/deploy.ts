/** Exports and imports the application (contract, Deployment behaviour; docs/interface/deployment.md 3). */
import { RestError } from '../errors.js';
import type { MaintenanceCommand } from './command.js';

export const deploy: MaintenanceCommand = {
  name: 'deploy',
  async run({ actor, services }, input) {
    const job = await services.deployments.application(actor, input);
    if (input['background'] === true) return [{ jobId: job.id }];
    await job.ended;
    if (job.status !== 'FINISHED')
      throw new RestError(
        job.status === 'ABORTED' ? 409 : 422,
        job.exception?.message ?? 'The deployment was aborted; nothing has changed.',
        job.exception?.tokens,
      );
    const { result } = job;
    const refused =
      result !== null && typeof result === 'object' && !Array.isArray(result) ? result['refused'] : undefined;
    return refused === undefined ? [] : [refused];
  },
};
