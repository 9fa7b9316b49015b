/** The database of the cases about readers: types whose objects are visible to everybody, to some, or by grants. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context, Requests } from './context.js';
import { makeObject, properties, randomNumbers, type Dataset } from './dataset.js';
import { residentMegabytes } from './process-figures.js';
import { CREDENTIALS, ServerProcess } from './server-process.js';
import { session } from './session.js';

const BATCH = 1000;
const PARALLEL = 3;
/** Read, for users who are logged in (1) and for everybody (16). */
const ALL_GET = 17;
/** Post for everybody: the login. */
const ANYBODY_POST = 64;
const USER = { name: 'bench-reader', password: 'bench-password' };
/** Values of `kind`, by which lists are filtered: one object in ten has each. */
const KINDS = 10;

export type Reader = 'anonymous' | 'user';

/** A type, and who sees which share of its objects. */
export interface VisibleType {
  readonly type: string;
  /** Between 0 and 1. */
  readonly share: number;
  /** By flags for both, or by grants for the user alone. */
  readonly by: 'flags' | 'grants';
  readonly readers: readonly Reader[];
}

export const ALL: VisibleType = { type: 'VisibleAll', share: 1, by: 'flags', readers: ['anonymous', 'user'] };
export const GRANTED: VisibleType = { type: 'VisibleGranted', share: 0.001, by: 'grants', readers: ['user'] };
export const TYPES: readonly VisibleType[] = [
  ALL,
  { type: 'VisibleHalf', share: 0.5, by: 'flags', readers: ['anonymous', 'user'] },
  { type: 'VisibleFew', share: 0.05, by: 'flags', readers: ['anonymous', 'user'] },
  // Who sees what everybody may see would see it beside what is granted to them: so a type of its own.
  { type: 'VisibleHardly', share: 0.001, by: 'flags', readers: ['anonymous'] },
  GRANTED,
];

/** Headers of each reader; the administrator has a session like the user. */
export interface ReaderHeaders extends Readonly<Record<Reader, NonNullable<Requests['headers']>>> {
  readonly administrator: NonNullable<Requests['headers']>;
}

/** How many objects of a type its readers see. */
export function visible({ share }: VisibleType, objects: number): number {
  return Math.max(1, Math.round(objects * share));
}

/** The objects of such a type, the same in every run; `kind` says in which tenth of them it is. */
export function* objectsOf(objects: number): Generator<Record<string, unknown>> {
  const random = randomNumbers(objects);
  for (let i = 0; i < objects; i++)
    yield { ...makeObject(random), kind: `kind${String(Math.floor(random() * KINDS))}` };
}

/** Loads the types into a database of their own; `ids` of the result are those of the first type. */
export async function loadReaders(context: Context, types: readonly VisibleType[]): Promise<Dataset> {
  const objects = context.options.readerObjects;
  const folder = join(context.folder, `readers-${String(types.length)}`);
  await mkdir(folder, { recursive: true });
  context.say(`loading ${String(types.length)} × ${objects.toLocaleString('en')} objects ...`);
  const server = await ServerProcess.start(folder, [], context.settings);
  try {
    const begin = performance.now();
    const user = await create(server, 'User', [USER]);
    const both = { flags: ALL_GET, visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };
    const signatures = types.flatMap(({ type }) => [type, `${type}/_id`]);
    await create(server, 'ResourceAccess', [
      { signature: '_login', flags: ANYBODY_POST, visibleToPublicUsers: true },
      ...signatures.map((signature) => ({ signature, ...both })),
    ]);
    const all = [...properties, { name: 'kind', propertyType: 'String', indexed: true }];
    const ids: string[][] = [];
    for (const one of types) {
      await server.request('POST', '/SchemaNode', {
        name: one.type,
        schemaProperties: all,
        schemaViews: [{ name: 'public', nonGraphProperties: all.map((p) => p.name).join(', ') }],
      });
      ids.push(await load(server, one, objects, user[0] ?? ''));
    }
    const seconds = (performance.now() - begin) / 1000;
    context.say(`  ${Math.round((types.length * objects) / seconds).toLocaleString('en')} objects/s`);
    return { objects, folder, ids: ids[0] ?? [], seconds, residentAfterLoading: residentMegabytes(server.pid) };
  } finally {
    await server.stop();
  }
}

/** Logs the readers in. */
export async function readerHeaders(server: ServerProcess): Promise<ReaderHeaders> {
  return {
    anonymous: {},
    user: await session(server, USER),
    administrator: await session(server, { name: CREDENTIALS['X-User'], password: CREDENTIALS['X-Password'] }),
  };
}

async function create(server: ServerProcess, type: string, objects: readonly unknown[]): Promise<string[]> {
  return (await server.request('POST', `/${type}`, objects)).result as string[];
}

async function load(server: ServerProcess, one: VisibleType, objects: number, user: string): Promise<string[]> {
  const source = objectsOf(objects);
  const ids: string[] = [];
  // Evenly among the objects, so that no end of any index holds more of them.
  const seen = visible(one, objects) / objects;
  const isVisible = (at: number): boolean => Math.floor((at + 1) * seen) > Math.floor(at * seen);
  let sent = 0;
  const worker = async (): Promise<void> => {
    while (sent < objects) {
      const from = sent;
      sent = Math.min(objects, from + BATCH);
      const shown = Array.from({ length: sent - from }, (_, i) => isVisible(from + i));
      const batch = shown.map((shows) => {
        const flag = shows && one.by === 'flags';
        return {
          ...(source.next().value as Record<string, unknown>),
          visibleToPublicUsers: flag,
          visibleToAuthenticatedUsers: flag,
        };
      });
      const made = await create(server, one.type, batch);
      ids.push(...made);
      const grants = made.flatMap((targetId, i) =>
        shown[i] === true ? [{ sourceId: user, targetId, allowed: ['read'] }] : [],
      );
      if (one.by === 'grants' && grants.length > 0) await create(server, 'Security', grants);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return ids;
}
