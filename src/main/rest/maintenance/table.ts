import type { MaintenanceCommand } from './command.js';
import { deploy } from './deploy.js';
import { directFileImport } from './direct-file-import.js';
import { migrate } from './migrate.js';

/** All commands; a new one is one file and one line here, and leaves the list below. */
const COMMANDS: readonly MaintenanceCommand[] = [deploy, directFileImport, migrate];

/** Commands of the interface that are not part of the service yet (docs/interface/operations.md 9.1). */
const MISSING: ReadonlySet<string> = new Set([
  'analyzeSchema',
  'changeNodePropertyKey',
  'clearDatabase',
  'copyRelationshipProperties',
  'createLabels',
  'deleteSpatialIndex',
  'deployData',
  'fixNodeProperties',
  'flushCaches',
  'letsencrypt',
  'maintenanceMode',
  'manageDatabases',
  'manageThreads',
  'migrateChangelog',
  'rebuildIndex',
  'setNodeProperties',
  'setRelationshipProperties',
  'setUuid',
  'sync',
]);

/** The command of this name; `missing`: it is known, and cannot be used yet. */
export function maintenanceCommand(name: string): MaintenanceCommand | 'missing' | undefined {
  return COMMANDS.find((command) => command.name === name) ?? (MISSING.has(name) ? 'missing' : undefined);
}
