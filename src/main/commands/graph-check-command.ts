/** `svc graph check`: verifies the embedded database of a settings file, or in a folder. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { settingsIn, UsageError } from './settings.js';
import { EXIT, exitCodeOf } from '../exit-codes.js';
import { checkSqliteGraph, GraphError } from '../graph/index.js';

const HELP = `Usage: svc graph check [--conf PATH | --path FOLDER]

Verifies the embedded database: its log, its pages, nodes and relationships, indexes, rights and counters. It reads only and changes
nothing. Stop the server before.

  --conf PATH    settings file that names the database (database.path); default: ./svc.conf
  --path FOLDER  folder of a database, a restored one for example
  --help         print this

Exit codes: 0 all is well; 12 a server has the database open; 19, 20, 21 something was found, as at a start (docs/operations.md).
`;

/** Runs the command with the arguments behind its name; the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const fail = (message: string, code: number): number => {
    process.stderr.write(`svc graph check: ${message}\n`);
    return code;
  };
  let given: { conf?: string; path?: string; help?: boolean };
  try {
    const options = {
      conf: { type: 'string' },
      path: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    } as const;
    given = parseArgs({ args: [...args], options }).values;
  } catch {
    return fail('these arguments are not understood; try --help.', EXIT.usage);
  }
  if (given.help === true) {
    process.stdout.write(HELP);
    return EXIT.ok;
  }
  if (given.conf !== undefined && given.path !== undefined) return fail('give --conf or --path.', EXIT.usage);
  try {
    return await check(given.path === undefined ? await folderIn(given.conf ?? 'svc.conf') : resolve(given.path));
  } catch (error) {
    if (error instanceof UsageError) return fail(error.message, EXIT.usage);
    if (error instanceof GraphError) return fail(error.message, exitCodeOf(error.code));
    throw error;
  }
}

async function folderIn(confPath: string): Promise<string> {
  const config = await settingsIn(confPath);
  if (config.get('database.driver') === 'embedded') return config.path('database.path');
  throw new UsageError('the database is a Neo4j, which has tools of its own (neo4j-admin database check).');
}

async function check(folder: string): Promise<number> {
  let code: number = EXIT.ok;
  const step = (what: string): void => {
    process.stderr.write(`looking at ${what}\n`);
  };
  for await (const finding of checkSqliteGraph(folder, step)) {
    process.stdout.write(`${finding.message}\n`);
    if (code === EXIT.ok) code = exitCodeOf(finding.code);
  }
  process.stdout.write(code === EXIT.ok ? `${folder}: all is well\n` : `${folder}: damaged\n`);
  return code;
}
