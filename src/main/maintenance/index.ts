/** Work on the whole database: commands of administrators. */
export { DATABASE_COMMANDS } from './commands/table.js';
export { asJob } from './commands/as-job.js';
export { Parameters } from './commands/parameters.js';
export { CommandError, type CommandContext, type MaintenanceCommand } from './commands/command.js';
export { Threads } from './commands/instance/threads.js';
