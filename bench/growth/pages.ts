/** Case 70: what a request costs among many objects, beside the same among few, and beside a page. */
import { series, type Context, type Requests, type Sample, type Series } from '../context.js';
import { cpuSeconds } from '../process-figures.js';
import { growthResult, type Result } from '../result.js';
import type { ServerProcess } from '../server-process.js';
import { answer, cost } from './cost.js';
import { headersOf, WHO, type Who } from './who.js';
import { FILTER_SORT, PAGE_1, PAGE_500, RELATED, RELATED_FILTER, RELATED_SORTED, ROWS, type Row } from './work.js';
import { world, type World } from './world.js';

const GROWTH = 1.5;
/** How many times a page of the type a row may cost, at the largest size. */
const BESIDE_PAGE: readonly (readonly [Row, number])[] = [
  [RELATED, 2],
  [RELATED_FILTER, 2],
  [RELATED_SORTED, 20],
  [PAGE_500, 2],
  [FILTER_SORT, 6],
];

/** What one row costs one reader, at each size, from the smallest to the largest; µs. */
export interface RowFigures {
  readonly row: string;
  readonly who: Who;
  readonly sizes: readonly { readonly objects: number; readonly cost: Series }[];
}

interface Place {
  readonly world: World;
  readonly server: ServerProcess;
  readonly headers: Readonly<Record<Who, NonNullable<Requests['headers']>>>;
}

export async function readAmongThings(context: Context): Promise<Result[]> {
  if (cpuSeconds(process.pid) === undefined) {
    context.say('case 70 is skipped: this system does not tell the processor time of a process');
    return [];
  }
  const places: Place[] = [];
  for (const size of context.options.sizes) places.push(await place(context, await world(context, size)));
  const figures: RowFigures[] = [];
  for (const row of ROWS) {
    for (const { world: one, server, headers } of places)
      for (const who of WHO) await check(server, row, one, headers[who]);
    figures.push(...(await measure(context, places, row)));
  }
  return judge(figures);
}

async function place(context: Context, one: World): Promise<Place> {
  const server = await context.server(one);
  return { world: one, server, headers: await headersOf(server) };
}

/** All sizes and readers in turns, so that a machine that is slow for a while is slow for each. */
async function measure(context: Context, places: readonly Place[], row: Row): Promise<RowFigures[]> {
  const { quick, rounds } = context.options;
  const sides = WHO.flatMap((who) => places.map((at) => ({ who, at, samples: [] as Sample[] })));
  const asked = new Map(places.map((at) => [at, row.paths(at.world)]));
  // Each once before it counts.
  for (let round = quick ? 0 : -1; round < rounds; round++) {
    for (const { who, at, samples } of sides) {
      const sample = await cost(context, at.server, { paths: asked.get(at) ?? [], headers: at.headers[who] });
      if (round >= 0) samples.push(sample);
    }
  }
  return WHO.map((who) => {
    const own = sides.filter((side) => side.who === who);
    const sizes = own.map(({ at, samples }) => ({ objects: at.world.objects, cost: series(samples) }));
    context.say(`  ${row.name}, ${who}: ${told(sizes)}`);
    return { row: row.name, who, sizes };
  });
}

/** Throws when a row's answer has not what it is about: an empty list is a cheap one. */
async function check(
  server: ServerProcess,
  row: Row,
  one: World,
  headers: NonNullable<Requests['headers']>,
): Promise<void> {
  const path = row.paths(one)[0] ?? '/';
  const text = await answer(server, path, headers);
  const { result, result_count: count } = JSON.parse(text) as { result: unknown; result_count?: number };
  const found = Array.isArray(result) ? result.length : 1;
  const expected = row.count?.(one);
  if (found === 0 || (row.found ?? found) !== found || (expected ?? count) !== count)
    throw new Error(`GET ${path} has ${String(found)} of ${String(count)} objects: ${text.slice(0, 300)}`);
}

/** A row for each row and reader beside the smallest size, and one for each that stands beside a page. */
export function judge(figures: readonly RowFigures[]): Result[] {
  const growth = figures.map(({ row, who, sizes }) => {
    const [few, many] = ends(sizes);
    const about = {
      title: `${row}, ${who}: ${many.objects.toLocaleString('en')} beside ${few.objects.toLocaleString('en')}`,
      ...(sizes.length > 2 ? { note: `${row}, ${who}: ${told(sizes)}` } : {}),
    };
    return growthResult({ case: 70, unit: 'µs CPU', ...about }, { baseline: few.cost, svc: many.cost }, GROWTH);
  });
  const beside = BESIDE_PAGE.flatMap(([row, goal]) =>
    WHO.flatMap((who) => {
      const of = (name: string): Series | undefined => {
        const found = figures.find((one) => one.row === name && one.who === who);
        return found === undefined ? undefined : ends(found.sizes)[1].cost;
      };
      const [baseline, svc] = [of(PAGE_1.name), of(row.name)];
      if (baseline === undefined || svc === undefined) return [];
      const about = { case: 70, title: `${row.name}, ${who}: beside a page of the type`, unit: 'µs CPU' };
      return [growthResult(about, { baseline, svc }, goal)];
    }),
  );
  return [...growth, ...beside];
}

function ends<T>(sizes: readonly T[]): readonly [T, T] {
  const [few, many] = [sizes[0], sizes.at(-1)];
  if (few === undefined || many === undefined) throw new Error('nothing was measured');
  return [few, many];
}

function told(sizes: RowFigures['sizes']): string {
  return sizes
    .map(({ objects, cost: { median } }) => `${String(Math.round(median))} µs of ${objects.toLocaleString('en')}`)
    .join(', ');
}
