/** What the pages of the Configuration Interface ask for, below `/svc/config/api/` (docs/interface/operations.md 1.6). A new one is one line in `RESOURCES`. */
import type { JsonObject, JsonValue } from '../../shared/json/index.js';
import { foreignCypher, GraphError, type Graph } from '../graph/index.js';
import { settingProblem, type Config } from '../config/index.js';
import type { MaintenanceMode, Services, ServiceAction } from '../services/index.js';
import { ConfigurationError } from './errors.js';
import type { ConfigSessions } from './sessions.js';
import { changeSettings, restartNeeded, settingsView, type AtStart } from './settings-view.js';
import type { Setup } from './setup.js';

/** What the resources work with. */
export interface ResourceParts {
  readonly config: Config;
  readonly graph: Graph;
  readonly services: Services;
  readonly maintenanceMode: MaintenanceMode;
  readonly setup: Setup;
  readonly sessions: ConfigSessions;
  readonly atStart: AtStart;
  /** Where the application answers now, without a slash at the end. */
  readonly address: () => string;
  /** Ends the server so that its launcher starts it again. */
  readonly restart: () => void;
}

export interface Asked {
  readonly parts: ResourceParts;
  /** The secret of the session. */
  readonly session: string;
  /** Of a POST. */
  readonly input: JsonObject;
}

type Answer = (asked: Asked) => JsonValue | Promise<JsonValue>;

export interface Resource {
  readonly GET?: Answer;
  readonly POST?: Answer;
}

const ACTIONS: ReadonlySet<string> = new Set<ServiceAction>(['start', 'stop', 'restart']);
const SHORTEST_PASSWORD = 8;
/** Milliseconds that a database has to answer a test. */
const TEST_TIME = 8000;
/** Changes of one request. */
const MOST_CHANGES = 2000;

const showSettings: Answer = ({ parts }) => settingsView(parts.config, parts.atStart);
const showServices: Answer = ({ parts }) => parts.services.list().map((one) => ({ ...one }) as unknown as JsonObject);
const showSessions: Answer = ({ parts, session }) => parts.sessions.list(session).map((one) => ({ ...one }));
const showMaintenance: Answer = ({ parts }) => ({
  enabled: parts.maintenanceMode.enabled,
  address: parts.address(),
  fromEnvironment: parts.config.source('maintenance.enabled') === 'environment',
});

/** By their names. */
export const RESOURCES: ReadonlyMap<string, Resource> = new Map<string, Resource>([
  ['settings', { GET: showSettings, POST: saveSettings }],
  ['reload', { POST: reload }],
  ['services', { GET: showServices, POST: actOnService }],
  ['maintenance', { GET: showMaintenance, POST: switchMaintenance }],
  ['sessions', { GET: showSessions, POST: endSession }],
  ['database', { GET: showDatabase, POST: testDatabase }],
  ['setup', { POST: finishSetup }],
  ['restart', { POST: restart }],
]);

/** `{"changes":{name: text, or null for the default}}` */
async function saveSettings(asked: Asked): Promise<JsonValue> {
  const { changes } = asked.input;
  if (typeof changes !== 'object' || changes === null || Array.isArray(changes))
    throw new ConfigurationError(422, 'changes must be an object of settings and their texts', 'changes');
  const entries = Object.entries(changes);
  if (entries.length > MOST_CHANGES)
    throw new ConfigurationError(422, `changes has more than ${String(MOST_CHANGES)} settings`, 'changes');
  const texts = entries.map(([name, text]): [string, string | null] => {
    if (typeof text !== 'string' && text !== null)
      throw new ConfigurationError(422, `'${name.slice(0, 60)}' must be a text, or null for the default`, name);
    return [name, text];
  });
  const { config, sessions, atStart } = asked.parts;
  await changeSettings(config, { sessions, session: asked.session }, new Map(texts));
  return settingsView(config, atStart);
}

async function reload({ parts }: Asked): Promise<JsonValue> {
  const changed = await parts.config.reload();
  return {
    changed: changed.map(({ name, restart: needs }) => ({ name, restart: needs })),
    restartNeeded: [...restartNeeded(parts.config, parts.atStart)],
  };
}

/** `{"name":…,"action":"start"|"stop"|"restart"}` */
async function actOnService(asked: Asked): Promise<JsonValue> {
  const { name, action } = asked.input;
  if (typeof name !== 'string') throw new ConfigurationError(422, 'name must be that of a service', 'name');
  if (typeof action !== 'string' || !ACTIONS.has(action))
    throw new ConfigurationError(422, `action must be one of ${[...ACTIONS].join(', ')}`, 'action');
  await asked.parts.services.act(name, action as ServiceAction);
  return showServices(asked);
}

/** `{"enabled":true|false}` */
async function switchMaintenance(asked: Asked): Promise<JsonValue> {
  const { enabled } = asked.input;
  if (typeof enabled !== 'boolean') throw new ConfigurationError(422, 'enabled must be true or false', 'enabled');
  await asked.parts.maintenanceMode.switch(enabled);
  return showMaintenance(asked);
}

/** `{"end": id}` */
function endSession(asked: Asked): JsonValue | Promise<JsonValue> {
  const { end } = asked.input;
  if (typeof end !== 'string' || !asked.parts.sessions.endById(end))
    throw new ConfigurationError(404, 'There is no such session.', 'end');
  return showSessions(asked);
}

function showDatabase({ parts: { config, graph } }: Asked): JsonValue {
  return {
    engine: graph.engine,
    driver: config.get('database.driver'),
    path: config.path('database.path'),
    url: config.get('database.connection.url'),
    username: config.get('database.connection.username'),
    databasename: config.get('database.connection.databasename'),
    fromEnvironment: config.source('database.driver') === 'environment',
  };
}

/** Whether a Neo4j server can be used: `{"url","username","password","databasename"}`, what is absent is that of the settings. */
async function testDatabase({ parts: { config }, input }: Asked): Promise<JsonValue> {
  const text = (name: string, absent: string): string => {
    const value = input[name] ?? absent;
    if (typeof value !== 'string') throw new ConfigurationError(422, `${name} must be a text`, name);
    return value;
  };
  const url = text('url', config.get('database.connection.url'));
  const problem = settingProblem('database.connection.url', url);
  if (problem !== undefined) throw new ConfigurationError(422, `url: ${problem}`, 'url');
  const target = {
    url,
    user: text('username', config.get('database.connection.username')),
    password: text('password', config.get('database.connection.password')),
    database: text('databasename', config.get('database.connection.databasename')),
  };
  try {
    await foreignCypher(
      target,
      { text: 'RETURN 1', parameters: {}, mostRows: 1, mostText: 100 },
      TEST_TIME,
      AbortSignal.timeout(TEST_TIME),
    );
    return { ok: true, message: 'The database answers.' };
  } catch (error) {
    return { ok: false, message: error instanceof GraphError ? error.message : 'The database does not answer.' };
  }
}

/** `{"password":…, "database":{"driver":…, "url":…, "username":…, "password":…, "databasename":…}}`: the end of the wizard. */
async function finishSetup({ parts, session, input }: Asked): Promise<JsonValue> {
  const { config, setup, sessions } = parts;
  if (setup.isComplete) throw new ConfigurationError(409, 'The initial setup is complete.');
  const { password, database = {} } = input;
  if (typeof password !== 'string' || password.length < SHORTEST_PASSWORD)
    throw new ConfigurationError(
      422,
      `password must have at least ${String(SHORTEST_PASSWORD)} characters`,
      'password',
    );
  if (typeof database !== 'object' || database === null || Array.isArray(database))
    throw new ConfigurationError(422, 'database must be an object', 'database');
  const changes = new Map<string, string | null>([['superuser.password', password]]);
  for (const [name, value] of Object.entries(database)) {
    const setting = name === 'driver' ? 'database.driver' : `database.connection.${name}`;
    if (typeof value !== 'string' || !['driver', 'url', 'username', 'password', 'databasename'].includes(name))
      throw new ConfigurationError(422, `database has no text ${name.slice(0, 60)}`, name);
    changes.set(setting, value);
  }
  await changeSettings(config, { sessions, session }, changes);
  await setup.complete();
  return { completed: true, restartNeeded: [...restartNeeded(config, parts.atStart)] };
}

function restart({ parts }: Asked): JsonValue {
  parts.restart();
  return { restarting: true };
}
