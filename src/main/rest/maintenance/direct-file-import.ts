/**
 * Files of the server into the tree (docs/interface/imports.md 3.3). The work is a job: it goes on when its client has gone. The answer comes
 * when it has ended, or with `background` at once, with the job's id.
 */
import type { MaintenanceCommand } from './command.js';
import { ended } from './job.js';

export const directFileImport: MaintenanceCommand = {
  name: 'directFileImport',
  async run({ actor, services }, input) {
    const job = await services.files.imports.directory(actor, input);
    if (input['background'] === true) return [{ jobId: job.id }];
    await ended(job, 'The import');
    return [job.info(false)];
  },
};
