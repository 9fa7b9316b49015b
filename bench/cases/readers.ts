/** Case 25: what lists cost readers who are no administrators, where they see all, half, a twentieth and a thousandth. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoadOrder } from '../children/load.js';
import { type Context, type Requests, type Sample, series, type Series } from '../context.js';
import { makeObject, randomNumbers } from '../dataset.js';
import { growthResult, type Result } from '../result.js';
import { CREDENTIALS, ServerProcess } from '../server-process.js';

const BATCH = 1000;
/** Of a page. */
const SIZE = 20;
/** Read one and list, for everybody; and post, for the login. */
const READ = 1 | 16;
const ANYBODY_POST = 64;
/** Seconds of one measurement, at most: there are many. */
const MOST_SECONDS = 2;

type Headers = LoadOrder['headers'];
type Reader = 'administrator' | 'user' | 'anonymous';
type Question = 'sorted' | 'unsorted' | 'filtered';

const QUERIES: Readonly<Record<Question, string>> = {
  sorted: '_sort=rank&',
  unsorted: '',
  filtered: '_sort=rank&kind=7&',
};

/** Objects of one type, a share of which everybody may see. */
interface Shared {
  readonly type: string;
  readonly share: number;
  readonly objects: number;
}

export async function listAsReader(context: Context): Promise<Result[]> {
  const folder = join(context.folder, 'readers');
  await mkdir(folder, { recursive: true });
  const server = await ServerProcess.start(folder, [], context.settings);
  try {
    const { normal, many } = context.options.objects;
    const all: Shared[] = [1, 0.5, 0.05, 0.001].map((share, i) => ({
      type: `Shared${String(i)}`,
      share,
      objects: normal,
    }));
    // The share that is kept by no list of all that is visible, and the one that counters decide.
    all.push({ type: 'SharedMany0', share: 1, objects: many }, { type: 'SharedMany1', share: 0.5, objects: many });
    const readers = await makeReaders(server, all);
    const results: Result[] = [];
    for (const shared of all) {
      context.say(`loading ${shared.objects.toLocaleString('en')} objects, ${percent(shared)} visible ...`);
      await load(server, shared);
      results.push(...(await measure(context, server, shared, readers)));
    }
    return results;
  } finally {
    await server.stop();
  }
}

/** The worst of what readers ask for beside the administrator; the deep page beside the first; unsorted beside sorted. */
async function measure(
  context: Context,
  server: ServerProcess,
  shared: Shared,
  readers: Readonly<Record<Reader, Headers>>,
): Promise<Result[]> {
  const last = Math.max(1, Math.floor((shared.objects * shared.share) / SIZE));
  const deep = Math.min(90, last);
  const time = async (reader: Reader, question: Question, page: number): Promise<Series> => {
    const requests: Requests = {
      method: 'GET',
      headers: readers[reader],
      requests: Array.from({ length: 640 }, (_, i) => ({
        path: `/svc/rest/${shared.type}?${QUERIES[question]}_pageSize=${String(SIZE)}&_page=${String(Math.max(1, page - (i % 3)))}`,
      })),
    };
    const seconds = Math.min(MOST_SECONDS, context.options.seconds);
    await context.rate(server, requests, seconds / 2);
    const samples: Sample[] = [];
    for (let round = 0; round < context.options.rounds; round++) {
      const { value, cpu } = await context.rate(server, requests, seconds);
      // Processor time of the server; where the system does not tell it, the time of a connection.
      samples.push({ value: cpu ?? (context.options.connections * 1e6) / value });
    }
    return series(samples);
  };
  const title = `${percent(shared)} of ${shared.objects.toLocaleString('en')} visible`;
  const about = (what: string, baselineTitle: string): Parameters<typeof growthResult>[0] => ({
    case: 25,
    title: `${what}, ${title}`,
    unit: 'µs',
    baselineTitle,
  });
  const ratios: Result[] = [];
  const depth: Result[] = [];
  const orders: Result[] = [];
  const administrator = new Map<Question, Series>();
  for (const question of ['sorted', 'unsorted', 'filtered'] as const) {
    administrator.set(question, await time('administrator', question, 3));
  }
  for (const reader of ['user', 'anonymous'] as const) {
    const times = new Map<Question, Series>();
    for (const [question, baseline] of administrator) {
      const svc = await time(reader, question, 3);
      times.set(question, svc);
      const goal = shared.share === 1 ? 1.3 : 2;
      ratios.push(
        growthResult(about(`GET page of 20, ${question}, ${reader}`, 'an administrator'), { baseline, svc }, goal),
      );
    }
    const [sorted, unsorted] = [times.get('sorted'), times.get('unsorted')];
    if (sorted === undefined || unsorted === undefined) continue;
    const far = await time(reader, 'sorted', deep);
    depth.push(
      growthResult(about(`page ${String(deep)}, ${reader}`, 'page 1 to 3'), { baseline: sorted, svc: far }, 1.5),
    );
    orders.push(growthResult(about(`unsorted page, ${reader}`, 'sorted'), { baseline: sorted, svc: unsorted }, 1));
  }
  return [ratios, depth, orders].flatMap((some) => worst(some));
}

function worst(results: readonly Result[]): Result[] {
  return [...results].sort((a, b) => b.figure - a.figure).slice(0, 1);
}

function percent({ share }: Shared): string {
  return `${String(share * 100)} %`;
}

async function load(server: ServerProcess, { type, share, objects }: Shared): Promise<void> {
  const random = randomNumbers(25);
  for (let at = 0; at < objects; at += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, objects - at) }, (_, i) => {
      const visible = random() < share;
      return {
        ...makeObject(random),
        kind: (at + i) % 100,
        visibleToPublicUsers: visible,
        visibleToAuthenticatedUsers: visible,
      };
    });
    await server.request('POST', `/${type}`, batch);
  }
}

/** Types, permissions and headers of those who ask. */
async function makeReaders(server: ServerProcess, all: readonly Shared[]): Promise<Record<Reader, Headers>> {
  for (const { type } of all) {
    const properties = [
      { name: 'code', propertyType: 'String' },
      { name: 'rank', propertyType: 'Long', indexed: true },
      { name: 'kind', propertyType: 'Integer', indexed: true },
      { name: 'price', propertyType: 'Double' },
      { name: 'active', propertyType: 'Boolean' },
      { name: 'note', propertyType: 'String' },
    ];
    await server.request('POST', '/SchemaNode', { name: type, schemaProperties: properties });
  }
  const user = { name: 'bench-reader', password: 'bench-password' };
  await server.request('POST', '/User', user);
  const visible = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };
  await server.request('POST', '/ResourceAccess', [
    { signature: '_login', flags: ANYBODY_POST, ...visible },
    ...all.map(({ type }) => ({ signature: type, flags: READ, ...visible })),
  ]);
  const administrator = { name: CREDENTIALS['X-User'], password: CREDENTIALS['X-Password'] };
  return {
    administrator: await server.session(administrator),
    user: await server.session(user),
    anonymous: {},
  };
}
