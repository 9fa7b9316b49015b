/** What `svc deploy`, `svc data` and `svc sync` have in common: a direction and a place, done by a running server. */
import { resolve } from 'node:path';
import { parseArgs, type ParseArgsConfig } from 'node:util';
import type { JsonObject } from '../../shared/json/index.js';
import { EXIT } from '../exit-codes.js';
import { runCommand } from './maintenance-command.js';
import { RemoteError, SERVER_HELP, SERVER_OPTIONS } from '../remote/index.js';

export interface Transfer {
  /** `svc deploy` */
  readonly program: string;
  /** The maintenance command. */
  readonly command: string;
  /** Lines of the help: usage, what it does, options of its own. */
  readonly help: string;
  readonly options: NonNullable<ParseArgsConfig['options']>;
  /** Input of the command; undefined: the arguments make no sense. `place`: an absolute path of the server, or a URL. */
  readonly input: (
    direction: 'export' | 'import',
    place: string,
    more: readonly string[],
    values: Readonly<Record<string, unknown>>,
  ) => JsonObject | undefined;
}

/** Runs the command with the arguments behind its name; the exit code. */
export async function runTransfer(transfer: Transfer, args: readonly string[]): Promise<number> {
  const { program, command, help, options, input } = transfer;
  const refused = (message: string, code: number): number => {
    process.stderr.write(`${program}: ${message}\n`);
    return code;
  };
  let given;
  try {
    given = parseArgs({ args: [...args], options: { ...SERVER_OPTIONS, ...options }, allowPositionals: true });
  } catch {
    return refused('these arguments are not understood; try --help.', EXIT.usage);
  }
  const { positionals } = given;
  const values = given.values as Parameters<typeof runCommand>[1] & Readonly<Record<string, unknown>>;
  if (values.help === true) {
    process.stdout.write(`${help}\n${SERVER_HELP}
Paths are those of the server; of one on this machine they count from the folder the command is run in.

Exit codes: 0 it has ended; 1 it was refused, has failed or was ended, the message says why; 3 the command line makes no sense;
130 it was interrupted.
`);
    return EXIT.ok;
  }
  const [direction, said, ...more] = positionals;
  if ((direction !== 'export' && direction !== 'import') || said === undefined)
    return refused('it takes export or import, and a place; try --help.', EXIT.usage);
  const isUrl = /^https?:\/\//i.test(said);
  const place = isUrl || values.url !== undefined ? said : resolve(said);
  const wanted = input(direction, place, more, values);
  if (wanted === undefined) return refused('these arguments are not understood; try --help.', EXIT.usage);
  try {
    return await runCommand(program, values, command, wanted);
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    return refused(error.message, error.isUsage ? EXIT.usage : EXIT.failed);
  }
}
