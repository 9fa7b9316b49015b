/**
 * The commands of `svc` besides starting the server. A further one is one line here; its module exports
 * `run(args): Promise<number>`, which answers the exit code.
 */
export const COMMANDS = [
  {
    name: 'deploy',
    summary: 'export and import the application of a running server',
    module: 'commands/deploy-command.js',
  },
  { name: 'data', summary: 'export and import objects of a running server', module: 'commands/data-command.js' },
  { name: 'sync', summary: 'export and import the graph of a running server', module: 'commands/sync-command.js' },
  {
    name: 'graph copy',
    summary: 'copy the database to another place or engine',
    module: 'commands/graph-copy-command.js',
  },
  { name: 'graph check', summary: 'verify the embedded database', module: 'commands/graph-check-command.js' },
  { name: 'schema', summary: 'export, compare and apply the schema as a file', module: 'commands/schema-command.js' },
  {
    name: 'user passwd',
    summary: 'set a new password for a user who forgot theirs',
    module: 'commands/user-passwd-command.js',
  },
  {
    name: 'backup',
    summary: 'back up database and content while the server runs, and restore them',
    module: 'commands/backup-command.js',
  },
  { name: 'config', summary: 'read and change settings', module: 'commands/config-command.js' },
  {
    name: 'maintenance',
    summary: 'run a maintenance command on a running server',
    module: 'commands/maintenance-command.js',
  },
];

/** The command that the arguments begin with, and those behind its name; undefined: there is none. */
export function findCommand(args) {
  for (const command of COMMANDS) {
    const words = command.name.split(' ');
    if (words.every((word, i) => args[i] === word)) return { ...command, rest: args.slice(words.length) };
  }
  return undefined;
}

/** Lines for the help of `svc`. */
export function commandsHelp() {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return COMMANDS.map(({ name, summary }) => `  svc ${name.padEnd(width)}   ${summary}; see svc ${name} --help\n`).join(
    '',
  );
}
