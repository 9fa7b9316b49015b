/** The databases of the cases about growth: things, each related to one of some hubs, in several sizes. */
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../context.js';
import { randomNumbers, shuffle, type Dataset } from '../dataset.js';
import { cpuSeconds, residentMegabytes } from '../process-figures.js';
import { ServerProcess } from '../server-process.js';
import { hubsOf, things, type Thing } from './things.js';

export const THING = 'Thing';
export const HUB = 'Hub';

/** The size beside which memory, start and bytes of the others are looked at. */
export const SMALLEST = 1000;

const BATCH = 1000;
const PARALLEL = 3;
/** Ids kept for reading. */
const SAMPLE = 64_000;
/** GET, for everybody. */
const ANYBODY_GET = 16;
/** POST, for everybody: the login. */
const ANYBODY_POST = 64;

/** A loaded database that no server has open. `ids` are those of things, `seconds` what making them took. */
export interface World extends Dataset {
  readonly hubs: readonly string[];
  /** Things of the first hub. */
  readonly related: number;
  /** Of the database after a clean stop. */
  readonly bytes: number;
  /** Seconds from the first request until each tenth of the things was made. */
  readonly tenths: readonly number[];
  /** Processor time of the server for making one, in microseconds; undefined where the system does not tell. */
  readonly cpu: number | undefined;
}

const worlds = new WeakMap<Context, Map<number, Promise<World>>>();

/** The database of a size; loaded when first asked for. */
export function world(context: Context, objects: number): Promise<World> {
  const known = worlds.get(context) ?? new Map<number, Promise<World>>();
  worlds.set(context, known);
  const loading = known.get(objects) ?? kept(context, objects);
  known.set(objects, loading);
  return loading;
}

/** Of an earlier run, where such are kept. */
async function kept(context: Context, objects: number): Promise<World> {
  const { keep } = context.options;
  if (keep === undefined) return load(context, objects, context.folder);
  const note = noteOf(keep, objects);
  const text = await readFile(note, 'utf8').catch(() => undefined);
  if (text !== undefined) return JSON.parse(text) as World;
  // One that was left half made.
  await rm(join(keep, nameOf(objects)), { recursive: true, force: true });
  const made = await load(context, objects, keep);
  await writeFile(note, JSON.stringify(made));
  return made;
}

/** To be called before a database is changed: it is of no use to other runs any more. */
export async function changing({ options }: Context, { objects }: World): Promise<void> {
  if (options.keep !== undefined) await rm(noteOf(options.keep, objects), { force: true });
}

function nameOf(objects: number): string {
  return `growth-${String(objects)}`;
}

function noteOf(keep: string, objects: number): string {
  return join(keep, `${nameOf(objects)}.json`);
}

async function load(context: Context, objects: number, parent: string): Promise<World> {
  context.say(`loading ${objects.toLocaleString('en')} things ...`);
  const folder = join(parent, nameOf(objects));
  await mkdir(folder, { recursive: true });
  const server = await ServerProcess.start(folder, [], context.settings);
  let loaded;
  try {
    const hubs = await makeHubs(server, hubsOf(objects));
    const before = cpuSeconds(server.pid);
    const { ids, tenths } = await makeThings(server, objects, hubs);
    const [seconds, after] = [tenths.at(-1) ?? NaN, cpuSeconds(server.pid)];
    const cpu = before === undefined || after === undefined ? undefined : ((after - before) / objects) * 1e6;
    context.say(
      `  ${Math.round(objects / seconds).toLocaleString('en')} a second, ${cpu?.toFixed(0) ?? '?'} µs CPU each`,
    );
    loaded = { objects, folder, ids, seconds, tenths, cpu, hubs, residentAfterLoading: residentMegabytes(server.pid) };
  } finally {
    await server.stop();
  }
  return {
    ...loaded,
    related: Math.ceil(objects / loaded.hubs.length),
    // Neo4j has its own elsewhere.
    bytes: context.settings['database.driver'] === 'neo4j' ? NaN : await folderBytes(join(folder, 'db')),
  };
}

/** Types, rights of everybody to read them, and the hubs. */
async function makeHubs(server: ServerProcess, count: number): Promise<string[]> {
  const type = async (name: string, schemaProperties: readonly Record<string, unknown>[]): Promise<string> => {
    const shown = schemaProperties.map((one) => String(one['name'])).join(', ');
    const schemaViews = [{ name: 'public', nonGraphProperties: shown }];
    return (await create(server, 'SchemaNode', { name, schemaProperties, schemaViews }))[0] ?? '';
  };
  const sourceId = await type(HUB, [{ name: 'title', propertyType: 'String', indexed: true }]);
  const targetId = await type(THING, [
    { name: 'number', propertyType: 'Long', indexed: true },
    { name: 'category', propertyType: 'String', indexed: true },
    { name: 'note', propertyType: 'String' },
  ]);
  await create(server, 'SchemaRelationshipNode', {
    ...{ sourceId, targetId, relationshipType: 'HAS', sourceJsonName: 'hub', targetJsonName: 'things' },
    ...{ sourceMultiplicity: '1', targetMultiplicity: '*' },
  });
  const signatures = [THING, `${THING}/_id`, HUB, `${HUB}/_id/things`];
  await create(server, 'ResourceAccess', [
    { signature: '_login', flags: ANYBODY_POST, visibleToPublicUsers: true },
    ...signatures.map((signature) => ({ signature, flags: ANYBODY_GET, visibleToPublicUsers: true })),
  ]);
  const hubs = Array.from({ length: count }, (_, i) => ({ title: `hub ${String(i)}`, visibleToPublicUsers: true }));
  return create(server, HUB, hubs);
}

async function makeThings(
  server: ServerProcess,
  objects: number,
  hubs: readonly string[],
): Promise<Pick<World, 'ids' | 'tenths'>> {
  const source = things(objects);
  const every = Math.max(1, Math.floor(objects / SAMPLE));
  const ids: string[] = [];
  const [begin, tenths] = [performance.now(), [] as number[]];
  let [sent, answered] = [0, 0];
  const worker = async (): Promise<void> => {
    while (sent < objects) {
      const count = Math.min(BATCH, objects - sent);
      sent += count;
      const batch = Array.from({ length: count }, () => sendable(source.next().value as Thing, hubs));
      const made = await create(server, THING, batch);
      ids.push(...made.filter((_, i) => i % every === 0));
      answered += count;
      while ((tenths.length + 1) * objects <= answered * 10) tenths.push((performance.now() - begin) / 1000);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return { ids: shuffle(ids, randomNumbers(objects)), tenths };
}

/** A thing as it is sent; everybody may see it. */
export function sendable(thing: Thing, hubs: readonly string[]): Record<string, unknown> {
  return { ...thing, hub: hubs[thing.hub], visibleToPublicUsers: true };
}

export async function create(server: ServerProcess, type: string, body: unknown): Promise<string[]> {
  return (await server.request('POST', `/${type}`, body)).result as string[];
}

/** Bytes of all files in a folder. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
