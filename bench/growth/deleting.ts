/** Case 74: deleting things by a filter beside making them, and what others wait for while a hub of many is deleted. */
import { setTimeout as delay } from 'node:timers/promises';
import { series, type Context, type Sample } from '../context.js';
import { cpuSeconds } from '../process-figures.js';
import { growthResult, limitResult, type Result } from '../result.js';
import type { ServerProcess } from '../server-process.js';
import { at, times } from '../spaced.js';
import { answer } from './cost.js';
import { CATEGORY, things } from './things.js';
import { headersOf } from './who.js';
import { changing, create, HUB, sendable, THING, world, type World } from './world.js';

const GOAL = 3;
/** Milliseconds from one request to the next. */
const READS = 5;
const WRITES = 20;
/** Milliseconds that others wait at most. */
const LONGEST_READ = 50;
const LONGEST_WRITE = 100;
/** How long others are measured while nothing is deleted, for the notes (ms). */
const IDLE = 1000;

export async function deleteThings(context: Context): Promise<Result[]> {
  const largest = await world(context, context.options.sizes.at(-1) ?? 0);
  await changing(context, largest);
  const server = await context.server(largest);
  const results = [await byFilter(context, server, largest), ...(await hubs(context, server, largest))];
  await context.stopServer(largest);
  return results;
}

/** Each round makes as many as it deletes; those deleted are of a category, so from all over. */
async function byFilter(context: Context, server: ServerProcess, one: World): Promise<Result> {
  const made = [...take(things(one.objects), CATEGORY)];
  let round = 0;
  const bodies = (): unknown =>
    made.map((thing) => ({ ...sendable(thing, one.hubs), category: `made${String(round)}` }));
  const make = (): Promise<Sample> => timed(server, () => create(server, THING, bodies()));
  // The first deletion and the first making compile.
  if (!context.options.quick) {
    await make();
    await server.request('DELETE', `/${THING}?category=made0`);
  }
  const sides = await context.compare(make, () =>
    timed(server, () => server.request('DELETE', `/${THING}?category=c${String(round++)}`)),
  );
  const left = await counted(server, `category=c0`);
  if (left > 0) throw new Error(`${String(left)} of a category that was deleted are left`);
  const of = one.objects.toLocaleString('en');
  const about = {
    case: 74,
    title: `deleting ${CATEGORY.toLocaleString('en')} of ${of} by a filter`,
    unit: 'ms',
    baselineTitle: 'making as many, with their relationships',
    note: 'processor time is that of a request',
  };
  return growthResult(about, sides, GOAL);
}

/** Milliseconds of one request, and the processor time of the server meanwhile. */
async function timed(server: ServerProcess, request: () => Promise<unknown>): Promise<Sample> {
  const [begin, before] = [performance.now(), cpuSeconds(server.pid)];
  await request();
  const value = performance.now() - begin;
  const after = cpuSeconds(server.pid);
  return { value, cpu: before === undefined || after === undefined ? undefined : (after - before) * 1e6 };
}

/** The longest that a reader and a writer waited, and what they waited beside; ms. */
interface Waits {
  readonly read: number;
  readonly write: number;
  readonly ms: number;
}

async function hubs(context: Context, server: ServerProcess, one: World): Promise<Result[]> {
  const headers = await headersOf(server);
  const id = await remaining(server);
  const read = async (): Promise<void> => void (await answer(server, `/svc/rest/${THING}/${id}`, headers.anonymous));
  const write = async (): Promise<void> => void (await create(server, HUB, { title: 'made meanwhile' }));
  const beside = async (work: () => Promise<unknown>): Promise<Waits> => {
    let ended = false;
    const begin = performance.now();
    let ms = 0;
    const working = work().finally(() => {
      ms = performance.now() - begin;
      ended = true;
    });
    const over = (): boolean => ended;
    const [written, seen] = await Promise.all([times(over, WRITES, write), times(over, READS, read), working]);
    return { read: at(seen, 1), write: at(written, 1), ms };
  };
  await beside(() => delay(IDLE));
  const idle = await beside(() => delay(IDLE));
  const found: Waits[] = [];
  for (const hub of one.hubs.slice(0, context.options.rounds))
    found.push(await beside(() => server.request('DELETE', `/${HUB}/${hub}`)));
  const note =
    `deleted in ${found.map(({ ms }) => ms.toFixed(0)).join(', ')} ms; ` +
    `while nothing is deleted the longest are ${idle.read.toFixed(0)} and ${idle.write.toFixed(0)} ms`;
  const result = (what: 'read' | 'write', title: string, limit: number): Result => {
    const values = series(found.map((each) => ({ value: each[what] })));
    const full = `${title} while a hub of ${one.related.toLocaleString('en')} is deleted`;
    return limitResult({ case: 74, title: full, unit: 'ms', note }, values, limit);
  };
  return [result('read', 'longest GET of one', LONGEST_READ), result('write', 'longest POST of one', LONGEST_WRITE)];
}

/** The id of a thing that is still there. */
async function remaining(server: ServerProcess): Promise<string> {
  const text = await answer(server, `/svc/rest/${THING}?_pageSize=1`, {});
  const { result } = JSON.parse(text) as { result: readonly { readonly id: string }[] };
  return result[0]?.id ?? '';
}

async function counted(server: ServerProcess, filter: string): Promise<number> {
  const text = await answer(server, `/svc/rest/${THING}?${filter}`, {});
  return (JSON.parse(text) as { result_count: number }).result_count;
}

function* take<T>(source: Iterable<T>, count: number): Generator<T> {
  for (const item of source) {
    if (count-- <= 0) return;
    yield item;
  }
}
