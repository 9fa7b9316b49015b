/** The databases of the cases about growth: things, each related to one of some hubs, in several sizes. */
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../context.js';
import { randomNumbers, shuffle, type Dataset } from '../dataset.js';
import { residentMegabytes } from '../process-figures.js';
import { ServerProcess } from '../server-process.js';

export const THING = 'Thing';
export const HUB = 'Hub';

/** Things of a hub. */
const RELATED = 10_000;
/** Things of a category. */
export const CATEGORY = 1000;
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
}

/** A thing before its hub is known by its id. */
export interface Thing {
  readonly name: string;
  readonly number: number;
  readonly category: string;
  readonly note: string;
  /** Number of its hub. */
  readonly hub: number;
}

export function hubsOf(objects: number): number {
  return Math.max(1, Math.floor(objects / RELATED));
}

/** The first of the primes that shares no factor with the size: multiples of it, taken modulo the size, visit each number once. */
function step(objects: number, primes: readonly number[]): number {
  return primes.find((prime) => objects % prime !== 0) ?? 1;
}

const SYLLABLES = [...'bdfgklmnprstvz'].flatMap((consonant) => [...'aeiou'].map((vowel) => consonant + vowel));
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

function pick(random: () => number, from: string | readonly string[], count: number): string {
  let text = '';
  for (let i = 0; i < count; i++) text += from[Math.floor(random() * from.length)] ?? '';
  return text;
}

/**
 * The things of a size, the same in every run. Numbers are 0 to the size, each once; a category has 1,000; neither order has to do
 * with the other, nor with that of making. A name is two words and a number of its own.
 */
export function* things(objects: number): Generator<Thing> {
  const random = randomNumbers(objects);
  const hubs = hubsOf(objects);
  const [number, category] = [step(objects, [104_729, 104_723]), step(objects, [7919, 7907])];
  for (let i = 0; i < objects; i++) {
    yield {
      name: `${pick(random, SYLLABLES, 3)} ${pick(random, SYLLABLES, 4)} ${String(i)}`,
      number: (i * number) % objects,
      category: `c${String(Math.floor(((i * category) % objects) / CATEGORY))}`,
      note: pick(random, LETTERS, 25),
      hub: i % hubs,
    };
  }
}

export function categoriesOf(objects: number): number {
  return Math.max(1, Math.floor(objects / CATEGORY));
}

const worlds = new WeakMap<Context, Map<number, Promise<World>>>();

/** The database of a size; loaded when first asked for. */
export function world(context: Context, objects: number): Promise<World> {
  const known = worlds.get(context) ?? new Map<number, Promise<World>>();
  worlds.set(context, known);
  const loading = known.get(objects) ?? load(context, objects);
  known.set(objects, loading);
  return loading;
}

async function load(context: Context, objects: number): Promise<World> {
  context.say(`loading ${objects.toLocaleString('en')} things ...`);
  const folder = join(context.folder, `growth-${String(objects)}`);
  await mkdir(folder, { recursive: true });
  const server = await ServerProcess.start(folder, [], context.settings);
  let loaded;
  try {
    const hubs = await makeHubs(server, hubsOf(objects));
    const begin = performance.now();
    const ids = await makeThings(server, objects, hubs);
    const seconds = (performance.now() - begin) / 1000;
    context.say(`  ${Math.round(objects / seconds).toLocaleString('en')} objects with a relationship/s`);
    loaded = { objects, folder, ids, seconds, hubs, residentAfterLoading: residentMegabytes(server.pid) };
  } finally {
    await server.stop();
  }
  return {
    ...loaded,
    related: Math.ceil(objects / loaded.hubs.length),
    bytes: await folderBytes(join(folder, 'db')),
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

async function makeThings(server: ServerProcess, objects: number, hubs: readonly string[]): Promise<string[]> {
  const source = things(objects);
  const every = Math.max(1, Math.floor(objects / SAMPLE));
  const ids: string[] = [];
  let sent = 0;
  const worker = async (): Promise<void> => {
    while (sent < objects) {
      const count = Math.min(BATCH, objects - sent);
      sent += count;
      const batch = Array.from({ length: count }, () => sendable(source.next().value as Thing, hubs));
      const made = await create(server, THING, batch);
      ids.push(...made.filter((_, i) => i % every === 0));
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return shuffle(ids, randomNumbers(objects));
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
