/** The maintenance room: work on the whole database, by migrations and commands of administrators. */
import type { Graph } from '../graph/index.js';
import { refuseNewer } from './migrations/record.js';
import { STEPS } from './migrations/table.js';

export { DATABASE_COMMANDS } from './commands/table.js';
export { asJob } from './commands/as-job.js';
export { Parameters } from './commands/parameters.js';
export { CommandError, type CommandContext, type MaintenanceCommand } from './commands/command.js';
export { Threads } from './commands/instance/threads.js';
export { CoordinatorError, Migrations, type MigrationsParts } from './migrations/migrations.js';
export { MigrationError } from './migrations/run.js';
export type { MigrationMode, StepOutcome } from './migrations/step.js';

/** Refuses a database that a newer program has migrated. Throws `GraphError` `too_new`. */
export function refuseNewerData(graph: Graph): Promise<void> {
  return refuseNewer(graph, STEPS);
}
