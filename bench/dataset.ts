/** The objects the bench reads and writes: one type with the usual kinds of properties, two of them indexed. */
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { residentMegabytes } from './process-figures.js';
import { ServerProcess, type ServerSettings } from './server-process.js';

export const TYPE = 'Item';

/** Ids kept for reading: enough that no cache of the server holds all of what they lead to. */
const SAMPLE = 64_000;
const BATCH = 1000;
const PARALLEL = 3;
/** After loading, the server gets this long to come to rest before its memory is read. */
const SETTLE_MS = 10_000;

/** Those of the type; all but the name, which every type has. */
export const properties = [
  { name: 'code', propertyType: 'String', indexed: true },
  { name: 'rank', propertyType: 'Long', indexed: true },
  { name: 'price', propertyType: 'Double' },
  { name: 'active', propertyType: 'Boolean' },
  { name: 'note', propertyType: 'String' },
];

/** The same "random" numbers in every run (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function makeObject(random: () => number): Record<string, unknown> {
  const number = Math.floor(random() * 1e9);
  return {
    name: `Item ${String(number)}`,
    code: number.toString(36).padStart(6, '0'),
    rank: Math.floor(random() * 1e9),
    price: Math.round(random() * 1e5) / 100 + 0.5,
    active: random() < 0.5,
    note: `Made for the bench, number ${String(number)} of its kind`,
  };
}

/** A loaded database that no server has open. */
export interface Dataset {
  readonly objects: number;
  /** Folder with the settings file and `db`. */
  readonly folder: string;
  /** Ids of objects from all over it, in random order. */
  readonly ids: readonly string[];
  readonly seconds: number;
  /** Memory of the server some seconds after the last object, in megabytes. */
  readonly residentAfterLoading: number;
}

/** Loads a new database over REST. */
export async function loadDataset(
  folder: string,
  objects: number,
  quick: boolean,
  settings: ServerSettings,
): Promise<Dataset> {
  await mkdir(folder, { recursive: true });
  const server = await ServerProcess.start(folder, [], settings);
  try {
    await server.request('POST', '/SchemaNode', {
      name: TYPE,
      schemaProperties: properties,
      schemaViews: [{ name: 'public', nonGraphProperties: properties.map((p) => p.name).join(', ') }],
    });
    const begin = performance.now();
    const ids = await loadObjects(server, objects);
    const seconds = (performance.now() - begin) / 1000;
    if (!quick) await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    return { objects, folder, ids, seconds, residentAfterLoading: residentMegabytes(server.pid) };
  } finally {
    await server.stop();
  }
}

/** Creates objects; the ids of a sample of them, or of each, in random order. */
export async function loadObjects(
  server: ServerProcess,
  objects: number,
  every = Math.max(1, Math.floor(objects / SAMPLE)),
): Promise<string[]> {
  const random = randomNumbers(objects);
  const sample: string[] = [];
  let sent = 0;
  const worker = async (): Promise<void> => {
    while (sent < objects) {
      const count = Math.min(BATCH, objects - sent);
      sent += count;
      const batch = Array.from({ length: count }, () => makeObject(random));
      const { result } = await server.request('POST', `/${TYPE}`, batch);
      sample.push(...(result as string[]).filter((_, i) => i % every === 0));
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return shuffle(sample, random);
}

export function shuffle<T>(items: T[], random: () => number): T[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    const kept = items[i] as T;
    items[i] = items[j] as T;
    items[j] = kept;
  }
  return items;
}

/** Copies the database of a stopped server; returns the copy's file. */
export async function copyDatabase(dataset: Pick<Dataset, 'folder'>, folder: string): Promise<string> {
  await cp(join(dataset.folder, 'db'), folder, { recursive: true });
  return join(folder, 'graph.db');
}
