/** `svc schema`: the schema of an instance and a file, so that instances are kept alike from version control. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { text as textOfStream } from 'node:stream/consumers';
import { setLogLevel } from '../../shared/log.js';
import { readArguments, UsageError } from './settings.js';
import { ControlError, refusalText } from '../control-socket.js';
import { compareSchemas, parseSchema, settled, textOf, type CodeFiles, type SchemaModel } from '../deployment/index.js';
import { EXIT, exitCodeOf } from '../exit-codes.js';
import { GraphError } from '../graph/index.js';
import { PASSWORD_VARIABLE, RemoteError, SERVER_OPTIONS, type ServerOptions } from '../remote/index.js';
import { SchemaError } from '../schema/index.js';
import { openInstance } from './schema-instances.js';

const HELP = `Usage: svc schema export FILE|-           writes the schema of the instance
       svc schema diff FILE|-             tells what is different in FILE
       svc schema apply FILE|- [--dry-run]  makes FILE the schema of the instance

FILE is the document that /svc/rest/maintenance/_schemaJson answers, or schema/schema.json of an export, whose scripts may lie in files
beside it. - is the standard output or input.

  --dry-run     checks all and compiles the new schema, and changes nothing
  --conf PATH   settings file that names the database; default: ./svc.conf. The server may run or be stopped
  --url URL     a server at this address in its place: https://example.org
  --user NAME   with --url: an administrator; the password is in the variable SVCPASSWORD, or asked for
  --help        print this

Exit codes: 0 it is done, diff: no difference; 1 it is not, the message says why, diff: there are differences; 2 diff has failed; 3 the
command line makes no sense; others as at a start (docs/operations.md).
`;

interface Options extends ServerOptions {
  readonly action: string;
  readonly file: string;
  readonly dryRun: boolean;
}

/** Runs the command with the arguments behind its name; the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  let options: Options | undefined;
  try {
    options = optionsOf(args);
    if (options === undefined) {
      process.stdout.write(HELP);
      return EXIT.ok;
    }
    setLogLevel('ERROR');
    return (await ACTIONS[options.action]?.(options)) ?? EXIT.usage;
  } catch (error) {
    const said = told(error);
    if (said === undefined) throw error;
    process.stderr.write(`svc schema: ${said.message}\n`);
    // As programs that compare files do: 1 says that there are differences.
    return said.code === EXIT.failed && options?.action === 'diff' ? EXIT.configuration : said.code;
  }
}

/** Undefined: help is asked for. Throws `UsageError`. */
function optionsOf(args: readonly string[]): Options | undefined {
  const known = { ...SERVER_OPTIONS, 'dry-run': { type: 'boolean' } } as const;
  const { values, positionals } = readArguments(args, known);
  if (values.help === true) return undefined;
  const [action = '', file, ...more] = positionals;
  if (!Object.hasOwn(ACTIONS, action)) throw new UsageError('say export, diff or apply; try --help.');
  if (file === undefined || more.length > 0) throw new UsageError(`${action} takes one file, or -; try --help.`);
  const { conf, url, user } = values;
  const dryRun = values['dry-run'] === true;
  if (dryRun && action !== 'apply') throw new UsageError('--dry-run is for apply.');
  if (file === '-' && action !== 'export' && url !== undefined && process.env[PASSWORD_VARIABLE] === undefined)
    throw new UsageError(`with the schema on the standard input the password has to be in ${PASSWORD_VARIABLE}.`);
  return { action, file, dryRun, conf, url, user };
}

function told(error: unknown): { message: string; code: number } | undefined {
  if (error instanceof UsageError) return { message: error.message, code: EXIT.usage };
  if (error instanceof SchemaError) return { message: refusalText(error), code: EXIT.failed };
  if (error instanceof RemoteError) return { message: error.message, code: error.isUsage ? EXIT.usage : EXIT.failed };
  if (error instanceof ControlError) return { message: error.message, code: EXIT.failed };
  if (error instanceof GraphError) return { message: error.message, code: exitCodeOf(error.code) };
  return undefined;
}

const ACTIONS: Readonly<Record<string, (options: Options) => Promise<number>>> = {
  async export(options) {
    const instance = await openInstance(options);
    const text = await instance.read().finally(() => instance.close());
    if (options.file === '-') process.stdout.write(`${text}\n`);
    else await write(options.file, text);
    return EXIT.ok;
  },

  async diff(options) {
    const file = await modelIn(options.file);
    const instance = await openInstance(options);
    const text = await instance.read().finally(() => instance.close());
    const present = settled((await parseSchema(text)).model).model;
    const wanted = settled(file.model);
    warn([...file.warnings, ...wanted.notices]);
    const differences = compareSchemas(present, wanted.model);
    print(differences);
    return differences.length === 0 ? EXIT.ok : EXIT.failed;
  },

  async apply(options) {
    const { model, warnings } = await modelIn(options.file);
    const { text } = await textOf(model, 'file');
    const instance = await openInstance(options);
    const applied = await instance.apply(text, options.dryRun).finally(() => instance.close());
    warn([...warnings, ...applied.warnings]);
    print(applied.differences);
    const count = String(applied.differences.length);
    const done = options.dryRun ? 'differences; nothing has changed' : 'differences were applied';
    process.stderr.write(`${count} ${done}.\n`);
    return EXIT.ok;
  },
};

function print(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

function warn(lines: readonly string[]): void {
  process.stderr.write(lines.map((line) => `warning: ${line}\n`).join(''));
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${messageOf(error)}`, { cause: error });
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The schema in a file; scripts in files beside it are put in. */
async function modelIn(file: string): Promise<{ model: SchemaModel; warnings: readonly string[] }> {
  let text: string;
  let code: CodeFiles | undefined;
  try {
    text = file === '-' ? await textOfStream(process.stdin) : await readFile(file, 'utf8');
    // Few texts have it anywhere else.
    if (file !== '-' && text.includes('"./')) code = await codeBeside(dirname(resolve(file)));
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  const { model, notices, missingFiles } = await parseSchema(text, code);
  return { model, warnings: [...notices, ...missingFiles.map((path) => `${path} is missing: there is no script`)] };
}

/** Scripts of the form `tree`: `_globalMethods/<name>`, `<Type>/methods/<name>`, `<Type>/functions/<name>`. */
async function codeBeside(folder: string): Promise<CodeFiles> {
  const code = new Map<string, string>();
  const filesIn = async (path: string): Promise<void> => {
    for (const entry of await readdir(join(folder, path), { withFileTypes: true }).catch(() => []))
      if (entry.isFile()) code.set(`${path}/${entry.name}`, await readFile(join(folder, path, entry.name), 'utf8'));
  };
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    if (entry.name === '_globalMethods') await filesIn(entry.name);
    else for (const kind of ['methods', 'functions']) await filesIn(`${entry.name}/${kind}`);
  }
  return code;
}
