/**
 * Runs the steps of migration on the running instance (contract, Maintenance: `migrate`; docs/interface/operations.md 9.2). Findings go to
 * the log.
 */
import { logger } from '../../../../shared/log.js';
import { asJob } from '../as-job.js';
import type { MaintenanceCommand } from '../command.js';
import { Parameters } from '../parameters.js';

const log = logger('migration');

const MODES = ['dry-run', 'apply'] as const;

export const migrate: MaintenanceCommand = {
  name: 'migrate',
  async run(context, input) {
    const parameters = new Parameters('migrate', input);
    parameters.only('mode');
    const background = parameters.flag('background');
    const mode = parameters.word('mode', MODES) ?? 'dry-run';
    const { cluster, migrations } = context;
    if (!cluster.isCoordinator) {
      log.info('migrate does nothing here: another instance is the coordinator');
      return [];
    }
    return asJob(context, 'migrate', { background, tells: true }, async (job) => {
      const steps = await migrations.run(mode, async (objects) => {
        if (objects > 0) job.chunk({ objects });
        await job.checkpoint();
      });
      const findings = steps.reduce((sum, step) => sum + step.findings + step.changes, 0);
      const rewritten = steps.reduce((sum, step) => sum + step.changes, 0);
      const would = mode === 'apply' ? '' : 'would be ';
      log.info(`migrate (${mode}): ${String(findings)} findings, ${String(rewritten)} ${would}rewritten`);
      return { mode, findings, rewritten, steps: steps.map((step) => ({ ...step })) };
    });
  },
};
