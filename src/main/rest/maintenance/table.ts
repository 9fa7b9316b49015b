import { DATABASE_COMMANDS, type MaintenanceCommand as DatabaseCommand } from '../../maintenance/index.js';
import { writeOptions } from '../settings.js';
import type { MaintenanceCommand } from './command.js';
import { deploy } from './deploy.js';
import { deployData } from './deploy-data.js';
import { directFileImport } from './direct-file-import.js';
import { schemaSnapshot } from './schema-snapshot.js';
import { sync } from './sync.js';

/** All commands; a new one is one file and one line here, and leaves the list below. */
const COMMANDS: readonly MaintenanceCommand[] = [
  deploy,
  deployData,
  directFileImport,
  schemaSnapshot,
  sync,
  ...DATABASE_COMMANDS.map(withServices),
];

/** Commands of the interface that are not part of the service yet (docs/interface/operations.md 9.2). */
const MISSING: ReadonlySet<string> = new Set(['letsencrypt', 'manageDatabases', 'migrateChangelog']);

/** The command of this name; `missing`: it is known, and cannot be used yet. */
export function maintenanceCommand(name: string): MaintenanceCommand | 'missing' | undefined {
  return COMMANDS.find((command) => command.name === name) ?? (MISSING.has(name) ? 'missing' : undefined);
}

/** A command of the room `maintenance`, which knows of the service what it works with. */
function withServices(command: DatabaseCommand): MaintenanceCommand {
  return {
    name: command.name,
    tellsTimes: command.tellsTimes,
    run: ({ actor, access, services }, input) =>
      command.run({ ...services, actor, access, write: () => writeOptions(services.config, 'command') }, input),
  };
}
