/** What the pages of the Configuration Interface ask for, below `/svc/config/api/` (docs/interface/operations.md 1.6). A new one is one line in `RESOURCES`. */
import type { JsonObject, JsonValue } from '../../shared/json/index.js';
import type { ServiceAction } from '../services/index.js';
import { actOnConnection, showConnections } from './connection-actions.js';
import { FIELDS } from './connections.js';
import { ConfigurationError } from './errors.js';
import type { Answer, Asked, Resource } from './resource.js';
import { changeSettings, restartNeeded, settingsView } from './settings-view.js';

const ACTIONS: ReadonlySet<string> = new Set<ServiceAction>(['start', 'stop', 'restart']);
const SHORTEST_PASSWORD = 8;
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
  ['connections', { GET: showConnections, POST: actOnConnection }],
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
    if (typeof value !== 'string' || !['driver', ...FIELDS].includes(name))
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
