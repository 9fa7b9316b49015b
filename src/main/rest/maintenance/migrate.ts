/**
 * Looks through the scripts of the database for what version 7.0 changed, and puts right what is certain (contract, Maintenance:
 * `migrate`, Startup migration mode). Findings go to the log.
 */
import { analyseStoredScripts } from '../../scripting/index.js';
import { logger } from '../../../shared/log.js';
import { RestError } from '../errors.js';
import type { MaintenanceCommand } from './command.js';

const log = logger('migration');

export const migrate: MaintenanceCommand = {
  name: 'migrate',
  async run({ services }, input) {
    const mode = input['mode'] ?? 'dry-run';
    if (mode !== 'dry-run' && mode !== 'apply') throw new RestError(422, 'The mode of migrate is dry-run or apply.');
    if (!services.cluster.isCoordinator) {
      log.info('migrate does nothing here: another instance is the coordinator');
      return [];
    }
    let findings = 0;
    const rewritten = await analyseStoredScripts(services.scripting.parts, mode === 'apply', (finding) => {
      findings++;
      const { matter, where, position, message, isRewritten } = finding;
      const done = isRewritten ? (mode === 'apply' ? ' (rewritten)' : ' (would be rewritten)') : '';
      log.info(`${matter} ${where}:${String(position.line)}:${String(position.column)}: ${message}${done}`);
    });
    log.info(
      `migrate (${mode}): ${String(findings)} findings, ${String(rewritten)} scripts ${mode === 'apply' ? 'rewritten' : 'to rewrite'}`,
    );
    return [{ mode, findings, rewritten }];
  },
};
