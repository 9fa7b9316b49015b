/** Whether the setting names a service that does its work at the start alone. */
import type { Config } from '../config/index.js';
import { logger } from '../../shared/log.js';

const log = logger('services');

/** Whether `configured.services` names it; says in the log when it does not. */
export function isConfigured(config: Config, service: 'MigrationService'): boolean {
  if (config.get('configured.services').includes(service)) return true;
  log.info(`${service} is not started: configured.services does not name it`);
  return false;
}
