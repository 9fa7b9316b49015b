/** `svc user passwd`: a new password for a user who has forgotten theirs, whether the server runs or not. */
import { parseArgs } from 'node:util';
import { askNewSecret } from '../../shared/ask-hidden.js';
import { setLogLevel } from '../../shared/log.js';
import { mustOwn, settingsIn, UsageError } from './settings.js';
import type { Config } from '../config/index.js';
import { askServer, ControlError, refusalText, USER_PASSWD } from '../control-socket.js';
import { EXIT, exitCodeOf } from '../exit-codes.js';
import { GraphError } from '../graph/index.js';
import { openGraph } from '../opening/open-graph.js';
import { openSchema } from '../opening/open-schema.js';
import { writeOptions } from '../rest/index.js';
import { SchemaError } from '../schema/index.js';
import { Principals, setPassword } from '../security/index.js';

const HELP = `Usage: svc user passwd NAME [--conf PATH]

Sets a new password for the user with this name or e-mail address. It is asked for on the terminal, or read as the first line of the
standard input. Their sessions and tokens end, and failed logins are forgotten. A user who is blocked stays so.

  --conf PATH   settings file that names the database; default: ./svc.conf
  --help        print this

The server may run or be stopped. With the embedded database the command has to be run by the user who owns its folder.

Exit codes: 0 the password is set; 1 it is not, the message says why; 3 the command line makes no sense; others as at a start (docs/operations.md).
`;

/** Runs the command with the arguments behind its name; the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const fail = (message: string, code: number): number => {
    process.stderr.write(`svc user passwd: ${message}\n`);
    return code;
  };
  let given: { values: { conf?: string; help?: boolean }; positionals: string[] };
  try {
    const options = { conf: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;
    given = parseArgs({ args: [...args], options, allowPositionals: true });
  } catch {
    return fail('these arguments are not understood; try --help.', EXIT.usage);
  }
  const { values, positionals } = given;
  if (values.help === true) {
    process.stdout.write(HELP);
    return EXIT.ok;
  }
  const [name, ...more] = positionals;
  // Not repeated: it may be a password.
  if (name === undefined || more.length > 0) return fail('it takes one name, and no password; try --help.', EXIT.usage);
  try {
    const config = await settingsIn(values.conf ?? 'svc.conf');
    setLogLevel('ERROR');
    const user = await change(config, name);
    if (user === undefined) return fail('no password was given; nothing has changed.', EXIT.failed);
    process.stdout.write(`The password of ${user} is changed. Their sessions have ended.\n`);
    return EXIT.ok;
  } catch (error) {
    if (error instanceof UsageError) return fail(error.message, EXIT.usage);
    if (error instanceof SchemaError) return fail(refusalText(error), EXIT.failed);
    if (error instanceof ControlError) return fail(error.message, EXIT.failed);
    if (error instanceof GraphError) return fail(error.message, exitCodeOf(error.code));
    throw error;
  }
}

/** The name of the user; undefined when no password was given. */
async function change(config: Config, name: string): Promise<string | undefined> {
  const folder = config.get('database.driver') === 'embedded' ? config.path('database.path') : undefined;
  if (folder !== undefined) await mustOwn(folder);
  const password = await askNewSecret(`New password of ${name}`);
  if (password === undefined) return undefined;
  // Neo4j takes any number of clients: the running instances hear of the change as they do of each other's.
  const answered = folder === undefined ? undefined : await askServer(folder, USER_PASSWD, { name, password });
  if (typeof answered === 'string') return answered;
  const graph = await openGraph(config);
  try {
    const schemas = await openSchema(config, graph);
    const write = writeOptions(config, 'command');
    return await setPassword({ schemas, principals: new Principals(graph, schemas), write }, name, password);
  } finally {
    await graph.close();
  }
}
