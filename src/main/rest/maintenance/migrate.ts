/**
 * Runs the steps of migration on the running instance (contract, Maintenance: `migrate`; docs/interface/operations.md 9.2). Findings go to
 * the log. The work is a job: it goes on when its client has gone. The answer comes when it has ended, or with `background` at once.
 */
import { logger } from '../../../shared/log.js';
import { RestError } from '../errors.js';
import type { MaintenanceCommand } from './command.js';
import { ended } from './job.js';

const log = logger('migration');

export const migrate: MaintenanceCommand = {
  name: 'migrate',
  async run({ actor, services: { cluster, files, migrations } }, input) {
    const mode = input['mode'] ?? 'dry-run';
    if (mode !== 'dry-run' && mode !== 'apply') throw new RestError(422, 'The mode of migrate is dry-run or apply.');
    if (!cluster.isCoordinator) {
      log.info('migrate does nothing here: another instance is the coordinator');
      return [];
    }
    const job = files.jobs.submit({
      jobtype: 'MIGRATE',
      name: mode,
      lane: 'maintenance',
      actor,
      run: async (control) => {
        const steps = await migrations.run(mode, async (objects) => {
          if (objects > 0) control.chunk({ objects });
          await control.checkpoint();
        });
        const findings = steps.reduce((sum, step) => sum + step.findings + step.changes, 0);
        const rewritten = steps.reduce((sum, step) => sum + step.changes, 0);
        log.info(
          `migrate (${mode}): ${String(findings)} findings, ${String(rewritten)} ${mode === 'apply' ? '' : 'would be '}rewritten`,
        );
        return { mode, findings, rewritten, steps: steps.map((step) => ({ ...step })) };
      },
    });
    if (input['background'] === true) return [{ jobId: job.id }];
    await ended(job, 'The migration');
    return [job.result ?? null];
  },
};
