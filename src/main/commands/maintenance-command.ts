/** `svc maintenance`: a maintenance command on a running server. */
import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { isJsonObject, type JsonObject, type JsonValue } from '../../shared/json/index.js';
import { EXIT } from '../exit-codes.js';
import { reachServer } from './reach-server.js';
import {
  RemoteError,
  runShown,
  SERVER_HELP,
  SERVER_OPTIONS,
  type Outcome,
  type ServerOptions,
} from '../remote/index.js';

const HELP = `Usage: svc maintenance COMMAND [KEY=VALUE ...] [--input FILE] [--conf PATH | --url URL --user NAME]

Runs a maintenance command on a running server, shows how far it is and prints its result as JSON. Ctrl-C ends it between two steps, as far as
it can be ended: what was done until then stays.

  svc maintenance rebuildIndex type=Project
  svc maintenance setNodeProperties type=Task state=open priority=3
  svc maintenance clearDatabase --url https://example.org --user admin

  KEY=VALUE     a parameter; a value that is JSON counts as that (3, true, null, '"3"', '["a"]'), any other as text
  --input FILE  the parameters as a JSON object in a file; - is the standard input
${SERVER_HELP}
The commands, with their parameters: docs/interface/operations.md, 9.

Exit codes: 0 it has ended; 1 it was refused, has failed or was ended, the message says why; 3 the command line makes no sense;
130 it was interrupted.
`;

/** Runs the command with the arguments behind its name; the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  let given;
  try {
    given = parseArgs({
      args: [...args],
      options: { ...SERVER_OPTIONS, input: { type: 'string' } },
      allowPositionals: true,
    });
  } catch {
    return failed('these arguments are not understood; try --help.', EXIT.usage);
  }
  const { values, positionals } = given;
  if (values.help === true) {
    process.stdout.write(HELP);
    return EXIT.ok;
  }
  const [command, ...pairs] = positionals;
  if (command === undefined || !/^[a-zA-Z_]+$/.test(command))
    return failed('it takes the name of a command; try --help.', EXIT.usage);
  try {
    const input = { ...(values.input === undefined ? {} : await inputIn(values.input)), ...inputOf(pairs) };
    return await runCommand('svc maintenance', values, command, input);
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    return failed(error.message, error.isUsage ? EXIT.usage : EXIT.failed);
  }
}

/**
 * Runs a maintenance command on the server that the options name, with progress on the standard error and its result on the standard output;
 * the exit code. `program` begins messages. Throws `RemoteError`.
 */
export async function runCommand(
  program: string,
  options: ServerOptions,
  command: string,
  input: JsonObject,
): Promise<number> {
  const server = await reachServer(options);
  const interrupting = new AbortController();
  const interrupt = (): void => {
    // Who asks twice does not want to wait for its end.
    if (interrupting.signal.aborted) process.exit(EXIT.interrupted);
    interrupting.abort();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    const outcome = await runShown(server, command, input, {
      display: process.stderr,
      interrupted: interrupting.signal,
    });
    return told(program, command, outcome, interrupting.signal.aborted);
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}

function told(
  program: string,
  command: string,
  { status, result, problems, message }: Outcome,
  interrupted: boolean,
): number {
  for (const problem of problems) process.stderr.write(`${program}: ${problem}\n`);
  const refused = isJsonObject(result) ? result['refused'] : undefined;
  if (status === 'FINISHED' && typeof refused === 'string') {
    process.stderr.write(`${program}: ${refused}\n`);
    return EXIT.failed;
  }
  if (status === 'FINISHED') {
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
    return EXIT.ok;
  }
  const why =
    status === 'ABORTED'
      ? 'it was ended before its end; what was done until then stays'
      : (message ?? 'it has failed; see the log of the server');
  process.stderr.write(`${program}: ${command}: ${why}\n`);
  return interrupted ? EXIT.interrupted : EXIT.failed;
}

function failed(message: string, code: number): number {
  process.stderr.write(`svc maintenance: ${message}\n`);
  return code;
}

/** Parameters as arguments. Throws `RemoteError`. */
export function inputOf(pairs: readonly string[]): JsonObject {
  const input: JsonObject = {};
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    // Not repeated: it may be a secret.
    if (at <= 0) throw new RemoteError('parameters are KEY=VALUE; try --help.', true);
    input[pair.slice(0, at)] = valueOf(pair.slice(at + 1));
  }
  return input;
}

function valueOf(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

async function inputIn(file: string): Promise<JsonObject> {
  let value: JsonValue;
  try {
    value = JSON.parse(file === '-' ? await textOf(process.stdin) : await readFile(file, 'utf8')) as JsonValue;
  } catch (error) {
    if (error instanceof SyntaxError) throw new RemoteError('what --input names is no JSON.', true);
    throw new RemoteError(`${file} cannot be read: ${String(error)}`, true);
  }
  if (isJsonObject(value)) return value;
  throw new RemoteError('what --input names is no JSON object.', true);
}
