/** `/svc/config/api/connections`: what the pages and the addresses of the Configuration Interface do with connections (docs/interface/operations.md 1.8). */
import { access, constants, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { JsonObject, JsonValue } from '../../shared/json/index.js';
import { settingProblem, type Config } from '../config/index.js';
import { foreignCypher, GraphError } from '../graph/index.js';
import {
  addConnection,
  chooseConnection,
  chosenOf,
  connectionOf,
  connectionView,
  FIELDS,
  keptOf,
  mustHavePassword,
  placeOf,
  removeConnection,
  runningPlace,
  saveConnection,
  type Connection,
  type Field,
  type Given,
} from './connections.js';
import { ConfigurationError } from './errors.js';
import type { Asked } from './resource.js';

/** Milliseconds that a database has to answer a test. */
const TEST_TIME = 8000;
/** Stands in a command for what the one who types it has to put there. */
const PASSWORD_FILE = 'PASSWORD_FILE';
const PASSWORD = 'PASSWORD';

const KEYS: ReadonlySet<string> = new Set(['action', 'name', 'driver', 'path', ...FIELDS]);

type Action = (asked: Asked, given: Given) => Promise<JsonObject>;

const ACTIONS: ReadonlyMap<unknown, Action> = new Map<string, Action>([
  ['add', add],
  ['save', save],
  ['remove', remove],
  ['use', use],
  ['test', test],
]);

/** All connections, where the data are that the server runs with, and how they are taken along to the one that is chosen. */
export function showConnections({ parts: { config, atStart } }: Pick<Asked, 'parts'>): JsonObject {
  const running = runningPlace(config, atStart);
  const chosen = chosenOf(config);
  const kept = keptOf(config);
  const isLeft = placeOf(config, chosen) !== running;
  const left = isLeft ? kept.find((one) => placeOf(config, one) === running) : undefined;
  return {
    running,
    ...(left === undefined ? {} : { copy: copyCommand(config, left, chosen) }),
    connections: [
      connectionView(config, chosen, running),
      ...kept.map((one) => ({ ...connectionView(config, one, running), copy: copyCommand(config, chosen, one) })),
    ],
  };
}

/** `{"action": "add"|"save"|"remove"|"use"|"test", "name":…, "driver":…, "path":…, "url":…, "username":…, "password":…, "databasename":…}` */
export function actOnConnection(asked: Asked): Promise<JsonValue> {
  const act = ACTIONS.get(asked.input['action']);
  if (act === undefined)
    throw new ConfigurationError(422, `action must be one of ${[...ACTIONS.keys()].join(', ')}`, 'action');
  return act(asked, givenOf(asked.input));
}

/** Texts of a connection; an empty password is none, as it is never shown to be sent back. Throws `ConfigurationError` 422. */
function givenOf(input: JsonObject): Given {
  for (const name of Object.keys(input))
    if (!KEYS.has(name)) throw new ConfigurationError(422, `A connection has no ${name.slice(0, 60)}.`, name);
  const text = (name: string): string | undefined => {
    const value = input[name];
    if (value === undefined || typeof value === 'string') return value;
    throw new ConfigurationError(422, `${name} must be a text`, name);
  };
  const fields = FIELDS.flatMap((field): [Field, string][] => {
    const value = text(field);
    return value === undefined || (field === 'password' && value === '') ? [] : [[field, value]];
  });
  return { driver: text('driver'), path: text('path'), fields: Object.fromEntries(fields) };
}

async function add(asked: Asked, given: Given): Promise<JsonObject> {
  const { name } = asked.input;
  if (typeof name !== 'string') throw new ConfigurationError(422, 'name must be a text', 'name');
  await addConnection(asked.parts.config, actorOf(asked), name, given);
  return showConnections(asked);
}

async function save(asked: Asked, given: Given): Promise<JsonObject> {
  await saveConnection(asked.parts.config, actorOf(asked), asked.input['name'], given);
  return showConnections(asked);
}

async function remove(asked: Asked, given: Given): Promise<JsonObject> {
  mustBeAlone(given);
  const { config, atStart } = asked.parts;
  await removeConnection(config, actorOf(asked), asked.input['name'], runningPlace(config, atStart));
  return showConnections(asked);
}

async function use(asked: Asked, given: Given): Promise<JsonObject> {
  mustBeAlone(given);
  await chooseConnection(asked.parts.config, actorOf(asked), asked.input['name']);
  return showConnections(asked);
}

/** What does not change a connection takes no part of one. */
function mustBeAlone({ driver, path, fields }: Given): void {
  const [name] = Object.entries({ driver, path, ...fields }).find(([, value]) => value !== undefined) ?? [];
  if (name !== undefined) throw new ConfigurationError(422, `This takes the name alone: save ${name} before.`, name);
}

function actorOf({ parts: { sessions }, session }: Asked): { sessions: typeof sessions; session: string } {
  return { sessions, session };
}

/** The command that copies from the one to the other, once the settings name the other one. */
function copyCommand(config: Config, from: Connection, to: Connection): string {
  const bothAsk = from.driver === 'neo4j' && to.driver === 'neo4j';
  // What settings tell is the access to the new one; that to the old one is told by who types it.
  const source = bothAsk
    ? placeOf(config, from).replace('://', `://${encodeURIComponent(from.fields.username)}:${PASSWORD}@`)
    : placeOf(config, from);
  const access =
    from.driver === 'neo4j' && !bothAsk ? ['--user', from.fields.username, '--password-file', PASSWORD_FILE] : [];
  const words = ['--from', source, '--to', placeOf(config, to), ...access, '--conf', config.confPath];
  return `svc graph copy ${words.map(quoted).join(' ')}`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Whether a database can be used: `name` stands for what is saved of it, anything else for what is to be tried in its place. */
async function test({ parts: { config }, input }: Asked, { driver, path, fields }: Given): Promise<JsonObject> {
  const known = input['name'] === undefined ? chosenOf(config) : connectionOf(config, input['name']);
  if ((driver ?? known.driver) === 'embedded') return testFolder(resolve(config.folder, path ?? known.path));
  // The default is no secret, and what most servers begin with.
  const isDefault = known.chosen && config.source('database.connection.password') === 'default';
  if (!isDefault) mustHavePassword(known.fields, fields);
  const { url, username, password, databasename } = { ...known.fields, ...fields };
  const problem = settingProblem('database.connection.url', url);
  if (problem !== undefined) throw new ConfigurationError(422, `url: ${problem}`, 'url');
  try {
    const { rows } = await foreignCypher(
      { url, user: username, password, database: databasename },
      { text: 'MATCH (n) RETURN count(n) AS nodes', parameters: {}, mostRows: 1, mostText: 100 },
      TEST_TIME,
      AbortSignal.timeout(TEST_TIME),
    );
    const count = rows[0]?.[0];
    const nodes = typeof count === 'number' || typeof count === 'bigint' ? String(count) : '0';
    return { ok: true, message: `The database answers. It ${nodes === '0' ? 'is empty' : `has ${nodes} nodes`}.` };
  } catch (error) {
    return { ok: false, message: error instanceof GraphError ? error.message : 'The database does not answer.' };
  }
}

/** Whether there is an embedded database in a folder, or can be one. */
async function testFolder(folder: string): Promise<JsonObject> {
  const found = await stat(folder).catch(() => undefined);
  if (found !== undefined && !found.isDirectory()) return { ok: false, message: `${folder} is no folder.` };
  if (!(await isWritable(found === undefined ? await existing(folder) : folder)))
    return { ok: false, message: `The server may not write in ${folder}.` };
  const hasOne = (await stat(join(folder, 'graph.db')).catch(() => undefined))?.isFile() === true;
  return {
    ok: true,
    message: hasOne ? `There is a database in ${folder}.` : `A new database will be made in ${folder}.`,
  };
}

/** The nearest folder above that is there. */
async function existing(folder: string): Promise<string> {
  const above = dirname(folder);
  return above === folder || (await stat(above).catch(() => undefined)) !== undefined ? above : existing(above);
}

function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}
