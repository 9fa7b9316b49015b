/**
 * Files of the server into the tree (docs/interface/imports.md 3.3). The work is a job: it goes on when its client has gone. The answer comes
 * when it has ended, or with `background` at once, with the job's id.
 */
import { RestError } from '../errors.js';
import type { MaintenanceCommand } from './command.js';

export const directFileImport: MaintenanceCommand = {
  name: 'directFileImport',
  async run({ actor, services }, input) {
    const job = await services.files.imports.directory(actor, input);
    if (input['background'] === true) return [{ jobId: job.id }];
    await job.ended;
    if (job.status === 'FINISHED') return [job.info(false)];
    const why = job.exception?.message ?? 'it was aborted; what was imported until then stays';
    throw new RestError(
      job.status === 'ABORTED' ? 409 : 500,
      `The import (job ${String(job.id)}) has not finished: ${why}`,
    );
  },
};
