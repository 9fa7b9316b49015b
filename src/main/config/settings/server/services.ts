import { group, multiChoice } from '../../setting.js';

const SERVICES = [
  'NodeService',
  'SchemaService',
  'AgentService',
  'CronService',
  'HttpService',
  'MigrationService',
  'StorageSyncService',
  'ProcessTimerService',
] as const;

export const serviceSettings = group('general/Services', {
  'configured.services': multiChoice(
    SERVICES,
    'Services that are started; AgentService, CronService, MigrationService and StorageSyncService can be left out',
    { restart: true, among: SERVICES },
  ),
});
