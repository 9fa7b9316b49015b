/** Commands for administrators (docs/interface/admin-ui.md, Console). A command is a row here. */
import type { Command } from './command.js';
import { initialize } from './init.js';
import { user } from './users.js';

/** What was given, without what was not. */
function named(names: readonly string[], args: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.flatMap((name, i) => (args[i] === undefined ? [] : [[name, args[i]]])));
}

export const COMMANDS: readonly Command[] = [
  {
    name: 'export',
    usage: 'export <target>',
    meaning: 'console.shell.export',
    min: 1,
    max: 1,
    begin: ([target]) => ({ maintenance: 'deploy', input: { mode: 'export', target } }),
  },
  {
    name: 'export-data',
    usage: 'export-data <target> <Type1,Type2,…>',
    meaning: 'console.shell.exportData',
    min: 2,
    max: 2,
    begin: ([target, types]) => ({ maintenance: 'deployData', input: { mode: 'export', target, types } }),
  },
  {
    name: 'file-import',
    usage: 'file-import <source> <target> [copy|move] [skip|overwrite|rename] [true|false]',
    meaning: 'console.shell.fileImport',
    min: 2,
    max: 5,
    begin: (args) => ({
      maintenance: 'directFileImport',
      input: {
        ...named(['source', 'target', 'mode', 'existing'], args),
        ...(args[4] === undefined ? {} : { index: args[4] === 'true' }),
      },
    }),
  },
  { name: 'help', usage: 'help [command]', meaning: 'console.shell.help', min: 0, max: 1 },
  {
    name: 'import',
    usage: 'import <source>',
    meaning: 'console.shell.import',
    min: 1,
    max: 1,
    begin: ([source]) => ({ maintenance: 'deploy', input: { mode: 'import', source } }),
  },
  {
    name: 'import-data',
    usage: 'import-data <source>',
    meaning: 'console.shell.importData',
    min: 1,
    max: 1,
    begin: ([source]) => ({ maintenance: 'deployData', input: { mode: 'import', source } }),
  },
  {
    name: 'init',
    usage: 'init [node|rel] index|ids|labels [for <Type>]',
    meaning: 'console.shell.init',
    min: 0,
    max: Infinity,
    begin: initialize,
  },
  {
    name: 'user',
    usage:
      'user list | user add <name> [<eMail>|isAdmin] [isAdmin] | user delete <name or id> [confirm] | user password <name> <password>',
    meaning: 'console.shell.user',
    min: 1,
    max: 4,
    begin: user,
  },
];

export const commandNamed = (name: string): Command | undefined => COMMANDS.find((one) => one.name === name);

/** Words of a line: separated by blanks, unless they stand in quotes. Undefined: a quote is not closed. */
export function wordsOf(line: string): readonly string[] | undefined {
  const words: string[] = [];
  const pattern = /\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))(?=\s|$)/y;
  const text = line.trim();
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text);
    if (match === null) return undefined;
    words.push(match[1] ?? match[2] ?? match[3] ?? '');
  }
  return words;
}

/** Whether a line of the AdminShell holds a password: such lines are not kept, and not shown. */
export const isSecret = (line: string): boolean => /^\s*(["']?)user\1\s+(["']?)password\2\s/i.test(line);
