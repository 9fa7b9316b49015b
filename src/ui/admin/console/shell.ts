/** Commands for administrators (docs/interface/admin-ui.md, Console). A command is a row here. */
import type { ConsoleKey } from '../texts/console.js';

export interface Command {
  readonly name: string;
  /** Arguments as users read them. */
  readonly usage: string;
  readonly meaning: ConsoleKey;
  /** The maintenance command that does it; absent: the page itself. */
  readonly maintenance?: string;
  /** How many arguments there must be. */
  readonly min: number;
  readonly max: number;
  readonly input?: (args: readonly string[]) => Readonly<Record<string, unknown>>;
}

/** What was given, without what was not. */
function named(names: readonly string[], args: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(names.flatMap((name, i) => (args[i] === undefined ? [] : [[name, args[i]]])));
}

export const COMMANDS: readonly Command[] = [
  {
    name: 'export',
    usage: 'export <target>',
    meaning: 'console.shell.export',
    maintenance: 'deploy',
    min: 1,
    max: 1,
    input: ([target]) => ({ mode: 'export', target }),
  },
  {
    name: 'export-data',
    usage: 'export-data <target> <Type1,Type2,…>',
    meaning: 'console.shell.exportData',
    maintenance: 'deployData',
    min: 2,
    max: 2,
    input: ([target, types]) => ({ mode: 'export', target, types }),
  },
  {
    name: 'file-import',
    usage: 'file-import <source> <target> [copy|move] [skip|overwrite|rename] [true|false]',
    meaning: 'console.shell.fileImport',
    maintenance: 'directFileImport',
    min: 2,
    max: 5,
    input: (args) => ({
      ...named(['source', 'target', 'mode', 'existing'], args),
      ...(args[4] === undefined ? {} : { index: args[4] === 'true' }),
    }),
  },
  { name: 'help', usage: 'help [command]', meaning: 'console.shell.help', min: 0, max: 1 },
  {
    name: 'import',
    usage: 'import <source>',
    meaning: 'console.shell.import',
    maintenance: 'deploy',
    min: 1,
    max: 1,
    input: ([source]) => ({ mode: 'import', source }),
  },
  {
    name: 'import-data',
    usage: 'import-data <source>',
    meaning: 'console.shell.importData',
    maintenance: 'deployData',
    min: 1,
    max: 1,
    input: ([source]) => ({ mode: 'import', source }),
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
