/** Case 35: what front-end threads (docs/threads.md) serve beside one thread, on copies of one database. */
import { cp } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { series, type Context, type Requests, type Sample } from '../context.js';
import type { Dataset } from '../dataset.js';
import { makePage, staticBody } from '../pages/trees.js';
import { growthResult, rateResult, type Result } from '../result.js';
import { ServerProcess } from '../server-process.js';
import { upload } from '../upload.js';
import { getOne, getPage, postOne } from '../cases/requests.js';

/** Threads beside one. */
const THREADS = [2, 3, 4] as const;
/** Times the requests of one thread. */
const READING = 1.5;
const WRITING = 1;
/** Times the processor time of one thread. */
const TIME = 1.15;
/** Objects that the cache of each thread holds. */
const FEW = 8000;
/** Seconds of one measurement at most: there are 18 of them a round. */
const SECONDS = 2;

interface Kind {
  readonly title: string;
  readonly requests: Requests;
  readonly goal: number;
  /** With 2, 3 and 4 threads, and the processor time a request has a goal as well; else with 2 alone. */
  readonly isTimed?: boolean;
}

interface Side {
  readonly threads: number;
  readonly server: ServerProcess;
}

/** Requests a second, and processor time of the whole process a request, with 2, 3 and 4 threads beside one. */
export async function serveByThreads(context: Context): Promise<Result[]> {
  const dataset = await context.dataset(context.options.objects.normal);
  // Copied while no server has it open.
  await context.stopServer(dataset);
  const counts = [1, ...(context.options.quick ? [2] : THREADS)];
  const folder = (threads: number): string => join(context.folder, `threads-${String(threads)}`);
  await cp(dataset.folder, folder(1), { recursive: true });
  const [page, file] = await makePublic(folder(1));
  const sides: Side[] = [];
  try {
    for (const threads of counts.slice(1)) await cp(folder(1), folder(threads), { recursive: true });
    for (const threads of counts) {
      const server = await ServerProcess.start(folder(threads), [], { 'application.http.threads': threads });
      sides.push({ threads, server });
    }
    const results: Result[] = [];
    const all = kinds(context, dataset, page, file);
    if (!context.options.quick) await compile(context, sides, all[0]?.requests);
    for (const kind of all) {
      const some = sides.slice(0, kind.isTimed === true ? undefined : 2);
      results.push(...(await measure(context, some, kind)));
    }
    return results;
  } finally {
    for (const { server } of sides) await server.stop();
  }
}

/** A page and a file that everybody sees; their paths. */
async function makePublic(folder: string): Promise<readonly [page: string, file: string]> {
  const server = await ServerProcess.start(folder);
  try {
    await makePage(server, 'threads-page', staticBody());
    const text = 'body { margin: 0; color: #123456 } '.repeat(300).slice(0, 10_000);
    return ['/threads-page', `/${await upload(server, 'threads.css', new Blob([text]))}`];
  } finally {
    await server.stop();
  }
}

function kinds(context: Context, dataset: Dataset, page: string, file: string): readonly Kind[] {
  const { connections } = context.options;
  const one = getOne(dataset);
  const few = { ...one, requests: one.requests.slice(0, FEW) };
  const anybody = (path: string): Requests => ({
    method: 'GET',
    headers: {},
    requests: Array.from({ length: connections }, () => ({ path })),
  });
  return [
    { title: `GET one of ${FEW.toLocaleString('en')} objects`, requests: few, goal: READING, isTimed: true },
    { title: 'GET one object', requests: one, goal: READING, isTimed: true },
    { title: 'GET sorted page of 20', requests: getPage(dataset), goal: READING, isTimed: true },
    { title: 'GET a public page of 300 elements', requests: anybody(page), goal: READING },
    { title: 'GET a public file of 10 KB', requests: anybody(file), goal: READING },
    { title: 'POST one object', requests: postOne(), goal: WRITING },
  ];
}

/** Each thread compiles what it runs by itself: the more there are, the longer that takes. */
async function compile(context: Context, sides: readonly Side[], requests: Requests | undefined): Promise<void> {
  if (requests === undefined) return;
  for (const { threads, server } of sides)
    for (let i = 0; i < threads; i++) await context.rate(server, requests, SECONDS);
}

/** All servers in turns, so that a machine that is slow for a while is slow for each. */
async function measure(context: Context, sides: readonly Side[], kind: Kind): Promise<Result[]> {
  const { title, requests, goal, isTimed = false } = kind;
  const seconds = Math.min(SECONDS, context.options.seconds);
  context.say(`  ${title} ...`);
  const warm = { ...requests, warm: 0 };
  if (!context.options.quick) for (const { server } of sides) await context.rate(server, warm, seconds);
  const samples = new Map(sides.map((side) => [side, [] as Sample[]]));
  for (let i = 0; i < context.options.rounds; i++)
    for (const [{ server }, taken] of samples) taken.push(await context.rate(server, warm, seconds));
  const [[, one] = [undefined, []], ...others] = samples;
  return others.flatMap(([{ threads }, several]) => {
    const about = { case: 35, title: `${title}, ${String(threads)} threads`, baselineTitle: 'one thread' };
    const compared = { baseline: series(one), svc: series(several) };
    const results = [rateResult({ ...about, unit: 'requests/s', ...bound(threads, one) }, compared, goal)];
    const times = { baseline: timesOf(one), svc: timesOf(several) };
    if (isTimed && times.svc.samples.length > 0)
      results.push(growthResult({ ...about, title: `${about.title}: processor time`, unit: 'µs' }, times, TIME));
    return results;
  });
}

/** Processor time a request as what is measured. */
function timesOf(samples: readonly Sample[]): ReturnType<typeof series> {
  return series(samples.flatMap(({ cpu }) => (cpu === undefined ? [] : [{ value: cpu }])));
}

/** What so many threads can serve at most where what sends the requests has to share the processors with them. */
function bound(threads: number, one: readonly Sample[]): Pick<Result, 'note'> {
  const { cpu, sending } = series(one);
  if (cpu === undefined || sending === undefined) return {};
  const most = Math.min(threads, (availableParallelism() * cpu) / (cpu + sending));
  return {
    note: `what sends the requests takes ${sending.toFixed(1)} µs of the same processors for each: ${most.toFixed(2)} times at most`,
  };
}
