/** The services of the contract (`configured.services`). A new one is one file and one line here. */
import type { Cluster } from '../cluster/index.js';
import type { Config } from '../config/index.js';
import type { Files } from '../files/index.js';
import type { Media } from '../media/index.js';
import type { SchemaService } from '../schema/index.js';
import type { Scripting } from '../scripting/index.js';
import { Agents } from './agents.js';
import { Cron } from './cron.js';
import type { Service } from './service.js';
import { StorageSync } from './storage-sync.js';

export interface ServiceParts {
  readonly config: Config;
  readonly cluster: Cluster;
  readonly schemas: SchemaService;
  readonly scripting: Scripting;
  readonly files: Files;
  readonly media: Media;
}

/**
 * All of them, in the order of the contract. The first two and `HttpService` are the server itself; `MigrationService` has done its
 * work before (docs/interface/operations.md 2.5).
 */
export function serviceTable(parts: ServiceParts): readonly Service[] {
  const { config, cluster, schemas, scripting, files, media } = parts;
  return [
    { name: 'NodeService', vital: true },
    { name: 'SchemaService', vital: true, needs: ['NodeService'] },
    { name: 'AgentService', needs: ['SchemaService'], restsInMaintenance: true, runs: new Agents(media, cluster) },
    {
      name: 'CronService',
      needs: ['SchemaService'],
      restsInMaintenance: true,
      runs: new Cron({ config, schemas, scripting, cluster }),
    },
    { name: 'HttpService', vital: true, needs: ['SchemaService'] },
    { name: 'MigrationService', needs: ['SchemaService'], otherwise: 'ended' },
    {
      name: 'StorageSyncService',
      needs: ['SchemaService'],
      restsInMaintenance: true,
      runs: new StorageSync(files, cluster),
    },
    { name: 'ProcessTimerService', otherwise: 'absent' },
  ];
}
