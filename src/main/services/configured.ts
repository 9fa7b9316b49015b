/** Which services are started (`configured.services`; docs/interface/operations.md 5.1). */
import type { Config } from '../config/index.js';
import { logger } from '../../shared/log.js';

const log = logger('services');

/** Services without which nothing would answer. */
const VITAL = ['NodeService', 'SchemaService', 'HttpService'] as const;

/** Services that can be left out. */
export type OptionalService = 'CronService' | 'MigrationService' | 'StorageSyncService';

/** Whether a service is to be started; says in the log when it is not. */
export function isConfigured(config: Config, service: OptionalService): boolean {
  if (config.get('configured.services').includes(service)) return true;
  log.info(`${service} is not started: configured.services does not name it`);
  return false;
}

/** Says in the log which services run whatever the setting says. */
export function tellVitalServices(config: Config): void {
  const configured = config.get('configured.services');
  const missing = VITAL.filter((name) => !configured.includes(name));
  if (missing.length > 0) log.warn(`configured.services leaves out ${missing.join(', ')}: started all the same`);
}
