/** `svc backup`: the database and its content, to another place and back (docs/interface/operations.md 7.2). */
import { setLogLevel } from '../../shared/log.js';
import {
  BackupError,
  backupsIn,
  createBackup,
  openPlace,
  pruneBackups,
  restoreBackup,
  verifyBackup,
} from '../backup/index.js';
import type { Config } from '../config/index.js';
import { askServer, ControlError, KEEP_CONTENT } from '../control-socket.js';
import { EXIT, exitCodeOf } from '../exit-codes.js';
import { GraphError } from '../graph/index.js';
import { readVersion } from '../own-facts.js';
import { readArguments, settingsIn, UsageError } from './settings.js';

const HELP = `Usage: svc backup create [--prune DAYS]   makes a backup; the server may run, and writing goes on
       svc backup list                    names the backups, the oldest first
       svc backup verify [NAME]           reads all of a backup; without a name the last one
       svc backup restore [NAME]          writes database and content of a backup into the folders of the settings, which must be empty
       svc backup prune DAYS              removes backups that are older, but for the last one

  --place PLACE   a folder, or s3://bucket/prefix; default: backup.place of the settings
  --conf PATH     settings file; default: ./svc.conf
  --help          print this

Of a backup only parts of the database that have changed and new content are copied. Back up svc.conf yourself: it has secrets.

Exit codes: 0 it is done; 1 it is not, the message says why; 3 the command line makes no sense; others as at a start (docs/operations.md).
`;
const OPTIONS = {
  conf: { type: 'string' },
  place: { type: 'string' },
  prune: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;
/** Milliseconds for which the server removes no content, and after which it is asked again. */
const KEPT = 60_000;
const ASK_EVERY = 15_000;

interface Given {
  readonly config: Config;
  readonly place: string;
  readonly rest: readonly string[];
  readonly prune: string | undefined;
}

/** Runs the command with the arguments behind its name; the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = readArguments(args, OPTIONS);
    if (values.help === true) {
      process.stdout.write(HELP);
      return EXIT.ok;
    }
    setLogLevel('ERROR');
    const [action = '', ...rest] = positionals;
    const act = ACTIONS.get(action);
    if (act === undefined) throw new UsageError('say create, list, verify, restore or prune; try --help.');
    if (values.prune !== undefined && action !== 'create') throw new UsageError('--prune is for create; try --help.');
    const config = await settingsIn(values.conf ?? 'svc.conf');
    if (config.get('database.driver') !== 'embedded')
      throw new UsageError('the database is a Neo4j, which has backups of its own (neo4j-admin database backup).');
    await act({ config, place: values.place ?? config.get('backup.place'), rest, prune: values.prune });
    return EXIT.ok;
  } catch (error) {
    if (error instanceof UsageError) return failed(error, EXIT.usage);
    if (error instanceof BackupError || error instanceof ControlError) return failed(error, EXIT.failed);
    if (error instanceof GraphError) return failed(error, exitCodeOf(error.code));
    throw error;
  }
}

function failed(error: Error, code: number): number {
  process.stderr.write(`svc backup: ${error.message}\n`);
  return code;
}

const ACTIONS: ReadonlyMap<string, (given: Given) => Promise<void>> = new Map([
  ['create', create],
  ['list', list],
  ['verify', verify],
  ['restore', restore],
  ['prune', prune],
]);

const tell = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

async function create({ config, place: address, rest, prune: days }: Given): Promise<void> {
  if (rest.length > 0) throw new UsageError('create takes no names; try --help.');
  const keep = days === undefined ? undefined : daysIn(days);
  const place = await openPlace(address, config);
  const database = config.path('database.path');
  const keepContent = (): Promise<unknown> => askServer(database, KEEP_CONTENT, { milliseconds: KEPT });
  await keepContent();
  const asking = setInterval(() => {
    // A server that ends meanwhile removes nothing.
    keepContent().catch(() => undefined);
  }, ASK_EVERY);
  try {
    const source = { database, files: config.path('files.path'), svc: await readVersion() };
    const { name, contents, elsewhere, chunks, bytes } = await createBackup(source, place, new Date(), tell);
    const pruned = keep === undefined ? undefined : await pruneBackups(place, keep);
    process.stdout.write(
      `${name}: the database and ${String(contents)} contents; ${String(chunks)} pieces with ${String(bytes)} bytes were new` +
        (elsewhere > 0 ? `; ${String(elsewhere)} contents lie in other storages and are not in it` : '') +
        (pruned === undefined ? '' : `; ${String(pruned.backups)} old backups were removed`) +
        '\n',
    );
  } finally {
    clearInterval(asking);
    await askServer(database, KEEP_CONTENT, { milliseconds: 0 }).catch(() => undefined);
  }
}

async function list({ config, place, rest }: Given): Promise<void> {
  if (rest.length > 0) throw new UsageError('list takes no names; try --help.');
  for (const { name } of await backupsIn(await openPlace(place, config))) process.stdout.write(`${name}\n`);
}

async function verify(given: Given): Promise<void> {
  const place = await openPlace(given.place, given.config);
  const name = await named(given, place);
  const files = await verifyBackup(place, name);
  process.stdout.write(`${name}: all of ${String(files)} files are there and as they were\n`);
}

async function restore(given: Given): Promise<void> {
  const { config } = given;
  const place = await openPlace(given.place, config);
  const name = await named(given, place);
  const target = { database: config.path('database.path'), files: config.path('files.path') };
  const files = await restoreBackup(place, name, target, tell);
  process.stdout.write(`${name}: ${String(files)} files were restored\n`);
}

async function prune({ config, place, rest: [days = '', ...more] }: Given): Promise<void> {
  if (more.length > 0) throw new UsageError('prune takes a number of days; try --help.');
  const { backups, chunks } = await pruneBackups(await openPlace(place, config), daysIn(days));
  process.stdout.write(`${String(backups)} backups and ${String(chunks)} pieces were removed\n`);
}

async function named({ rest: [name, ...more] }: Given, place: Awaited<ReturnType<typeof openPlace>>): Promise<string> {
  if (more.length > 0) throw new UsageError('one name at a time; try --help.');
  const names = (await backupsIn(place)).map((one) => one.name);
  const found = name === undefined ? names.at(-1) : names.find((one) => one === name);
  if (found === undefined)
    throw new BackupError(
      name === undefined ? `there is no backup in ${place.name}.` : `there is no backup ${name} in ${place.name}.`,
    );
  return found;
}

function daysIn(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new UsageError('the days must be a whole number; try --help.');
}
