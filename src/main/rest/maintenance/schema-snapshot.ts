/** Snapshots of the schema on the server: saved, listed, read, restored and purged (docs/interface/deployment.md). */
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import { logger } from '../../../shared/log.js';
import { changeSchema, parseSchema, SchemaSnapshots, writeSchema } from '../../deployment/index.js';
import { RestError } from '../errors.js';
import { writeOptions } from '../settings.js';
import type { CommandCaller, MaintenanceCommand } from './command.js';

const log = logger('schema');

type Mode = (caller: CommandCaller, snapshots: SchemaSnapshots, input: JsonObject) => Promise<readonly JsonValue[]>;

const MODES: ReadonlyMap<string, Mode> = new Map<string, Mode>([
  ['list', async (_, snapshots) => listed(snapshots)],
  ['save', save],
  ['get', async (_, snapshots, input) => [{ name: nameIn(input), schema: await snapshots.read(nameIn(input)) }]],
  ['restore', restore],
  ['purge', purge],
]);

export const schemaSnapshot: MaintenanceCommand = {
  name: 'schemaSnapshot',
  async run(caller, input) {
    const mode = MODES.get(typeof input['mode'] === 'string' ? input['mode'] : '');
    if (mode === undefined)
      throw new RestError(422, `The mode of schemaSnapshot is one of ${[...MODES.keys()].join(', ')}.`);
    return mode(caller, new SchemaSnapshots(caller.services.config.path('snapshot.path')), input);
  },
};

async function listed(snapshots: SchemaSnapshots): Promise<JsonObject[]> {
  return (await snapshots.list()).map(({ name, size, created }) => ({ name, size, created: created.toISOString() }));
}

function nameIn(input: JsonObject): string {
  const { name } = input;
  if (typeof name === 'string' && name !== '') return name;
  throw new RestError(422, 'The name of the snapshot is missing.', [{ property: 'name', token: 'must_not_be_empty' }]);
}

async function save(
  { services }: CommandCaller,
  snapshots: SchemaSnapshots,
  input: JsonObject,
): Promise<readonly JsonValue[]> {
  // A time is a name that no other has.
  const given = input['name'] ?? null;
  const name = given === null ? new Date().toISOString().replace(/[:.]/g, '-') : nameIn(input);
  const { graph, schemas } = services;
  const { text } = await graph.read((tx) => writeSchema(tx, schemas.schema, 'file'), { snapshot: true });
  await snapshots.save(name, text, input['overwrite'] === true);
  log.info(`the schema was saved as the snapshot ${name}`);
  return (await listed(snapshots)).filter((one) => one['name'] === name);
}

async function restore(
  { actor, access, services }: CommandCaller,
  snapshots: SchemaSnapshots,
  input: JsonObject,
): Promise<readonly JsonValue[]> {
  const name = nameIn(input);
  const dryRun = input['dryRun'] === true;
  const { model, notices } = await parseSchema(await snapshots.read(name));
  const write = writeOptions(services.config, 'rest');
  const done = await changeSchema(services.schemas, model, { actor, access, write, mode: 'replace', dryRun });
  if (!dryRun) log.info(`the schema is that of the snapshot ${name}: ${String(done.differences.length)} differences`);
  return [{ name, dryRun, differences: [...done.differences], warnings: [...notices, ...done.warnings] }];
}

async function purge(_: CommandCaller, snapshots: SchemaSnapshots, input: JsonObject): Promise<readonly JsonValue[]> {
  const gone = async (): Promise<string[]> => {
    if (input['name'] !== undefined && input['name'] !== null) {
      await snapshots.remove(nameIn(input));
      return [nameIn(input)];
    }
    const keep = input['keep'] ?? 0;
    if (typeof keep !== 'number' || !Number.isInteger(keep) || keep < 0)
      throw new RestError(422, 'keep is how many of the newest snapshots stay: an integer from 0.');
    return snapshots.purge(keep);
  };
  const names = await gone();
  if (names.length > 0) log.info(`snapshots of the schema were removed: ${names.join(', ')}`);
  return names.map((name) => ({ name }));
}
