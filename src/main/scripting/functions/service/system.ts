/** The server that scripts run on: settings, environment, maintenance (docs/interface/script-runtime.md 8.11). */
import { availableParallelism, freemem, totalmem } from 'node:os';
import type { JsonObject } from '../../../../shared/json/index.js';
import { fromJsonValue, toJsonValue } from '../../language/conversion.js';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { note } from '../../run/notes.js';
import { visibleSetting, visibleVariable } from '../../outside/programs/secrets.js';
import { textOf } from '../../language/text.js';
import type { ScriptMap, ScriptValue } from '../../language/values.js';
import { misused, optionalText } from '../../run/function/arguments.js';
import { pairsIn } from '../../run/function/pairs.js';

const SECOND = 1000;

const config: ScriptFunction = {
  name: 'config',
  signature: 'config(name [, default])',
  meaning: 'A setting as text, or the default, or null, when there is none of this name. Secrets are not shown.',
  example: "config('application.title') // Svc",
  min: 1,
  max: 2,
  pure: true,
  run: ([name = null, absent = null], context) => {
    if (name === null) return null;
    const found = visibleSetting(context.run.parts.config, textOf(name, context));
    return found ?? (absent === null ? null : textOf(absent, context));
  },
};

const getenv: ScriptFunction = {
  name: 'getenv',
  signature: 'getenv([name])',
  meaning:
    'A variable of the environment that the server was started in, null when there is none; without a name a map of all. ' +
    'What looks like a secret is not shown.',
  example: "getenv('NO_SUCH_VARIABLE') // ",
  max: 1,
  pure: true,
  run: (args, context) => {
    const [name = null] = args;
    if (args.length === 0) {
      return new Map(
        Object.entries(process.env).map(([key, value = '']) => [key, visibleVariable(key, value)] as const),
      );
    }
    if (name === null) return null;
    const key = textOf(name, context);
    const value = process.env[key];
    return value === undefined ? null : visibleVariable(key, value);
  },
};

const svcEnv: ScriptFunction = {
  name: 'svcEnv',
  signature: 'svcEnv()',
  meaning: 'Map of what is running, as `/_env` answers it.',
  example: "get(svcEnv(), 'edition') // Community",
  max: 0,
  pure: true,
  run: (_args, { run }) => run.parts.host.environment().then(fromJsonValue),
};

async function systemFacts({ run }: ScriptContext): Promise<ScriptMap> {
  const { nodes, relationships } = await run.transaction.read(async (tx) => ({
    nodes: await tx.count({ kind: 'nodes' }),
    relationships: await tx.count({ kind: 'relationships' }),
  }));
  const memory = process.memoryUsage();
  const environment = await run.parts.host.environment();
  return new Map<string, ScriptValue>([
    ['now', BigInt(Date.now())],
    ['uptime', BigInt(Math.round(process.uptime() * SECOND))],
    [
      'runtime',
      new Map<string, ScriptValue>([
        ['version', process.version],
        ['platform', process.platform],
      ]),
    ],
    [
      'counts',
      new Map<string, ScriptValue>([
        ['nodes', BigInt(nodes.count)],
        ['relationships', BigInt(relationships.count)],
      ]),
    ],
    ['deploymentActive', environment['isDeploymentActive'] === true],
    ['maintenanceActive', environment['maintenanceModeActive'] === true],
    [
      'memory',
      new Map<string, ScriptValue>([
        ['processors', BigInt(availableParallelism())],
        ['total', BigInt(totalmem())],
        ['free', BigInt(freemem())],
        ['used', BigInt(memory.rss)],
        ['heap', BigInt(memory.heapUsed)],
      ]),
    ],
  ]);
}

const systemInfo: ScriptFunction = {
  name: 'systemInfo',
  signature: 'systemInfo([key])',
  meaning:
    'Map of `now` and `uptime` (ms), `runtime`, `counts` of all nodes and relationships, `memory` (bytes), `deploymentActive` and ' +
    '`maintenanceActive`; with a key that entry alone.',
  example: "systemInfo('maintenanceActive') // false",
  max: 1,
  pure: true,
  run: async ([key = null], context) => {
    const facts = await systemFacts(context);
    return key === null ? facts : (facts.get(textOf(key, context)) ?? null);
  },
};

const maintenance: ScriptFunction = {
  name: 'maintenance',
  signature: 'maintenance(command [, key, value... | map])',
  meaning:
    'Runs a maintenance command with these parameters and answers its result. For administrators, and before anything is written; ' +
    'what goes wrong is logged, and answered by null.',
  example: "maintenance('directFileImport', 'source', '/srv/import')",
  min: 1,
  run: async (args, context) => {
    const [command = null] = args;
    if (command === null) return null;
    const { run, actor, access } = context;
    const name = textOf(command, context);
    const input: JsonObject = Object.create(null) as JsonObject;
    for (const [key, value] of pairsIn(args, 1)) input[key] = toJsonValue(value);
    try {
      if (!actor.isAdmin) throw new ScriptError(403, 'only administrators may run maintenance commands');
      run.transaction.refuseReading();
      // It has transactions of its own, which would wait for this script's for ever.
      if (run.transaction.writes || run.transaction.besideWriter !== undefined)
        throw new ScriptError(422, 'the script has written something already');
      run.transaction.reachesOut('a maintenance command');
      const results = await run.parts.host.maintenance(name, input, { actor, access });
      run.transaction.refresh();
      const [first = null] = results;
      return fromJsonValue(results.length > 1 ? [...results] : first);
    } catch (error) {
      note(context, `maintenance('${name}') failed: ${error instanceof Error ? error.message : String(error)}`);
      return null;
    }
  },
};

const geocode: ScriptFunction = {
  name: 'geocode',
  signature: 'geocode(street, city, country)',
  meaning:
    'Map of `latitude` and `longitude` of an address; the empty text when the geocoder of the settings does not know it, or there is ' +
    'none.',
  example: "geocode('Hauptstr. 1', 'Frankfurt', 'Germany')",
  min: 3,
  max: 3,
  pure: true,
  async run(args, context) {
    const [street = '', city = '', country = ''] = args.map((one) => optionalText(one, '', context));
    if (street + city + country === '') return misused(this, 'needs an address', context);
    try {
      const point = await context.run.parts.host.geocode({ street, city, country });
      if (point === undefined) return '';
      return new Map([
        ['latitude', point.latitude],
        ['longitude', point.longitude],
      ]);
    } catch (error) {
      note(context, `geocode(): ${error instanceof Error ? error.message : String(error)}`);
      return '';
    }
  },
};

export const system: FunctionCategory = {
  title: 'The server',
  functions: [config, getenv, svcEnv, systemInfo, maintenance, geocode],
};
