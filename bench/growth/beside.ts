/** Case 73: all rows beside PocketBase with the same things, as anonymous, in processor time. */
import { join } from 'node:path';
import type { Context, Sample, Series } from '../context.js';
import { shuffle, randomNumbers } from '../dataset.js';
import { PocketBase } from '../pocketbase.js';
import { cpuSeconds } from '../process-figures.js';
import type { Result } from '../result.js';
import { answer, cost } from './cost.js';
import { hubsOf, things } from './things.js';
import { ROWS, type Row, type Side } from './work.js';
import { world } from './world.js';

const AHEAD = 1;
const MEDIAN = 4;

export async function readBesidePocketBase(context: Context): Promise<Result[]> {
  const built = cpuSeconds(process.pid) === undefined ? 'no processor times here' : PocketBase.build(context.folder);
  if (typeof built === 'string') {
    context.say(`case 73 is skipped: ${built}`);
    return [];
  }
  const objects = context.options.sizes.at(-1) ?? 0;
  const mine = await world(context, objects);
  const server = await context.server(mine);
  // Ids of its making, 15 letters and digits.
  const hubs = Array.from({ length: hubsOf(objects) }, (_, i) => `hub${String(i).padStart(12, '0')}`);
  const records = function* (): Generator<Record<string, unknown>> {
    for (const thing of things(objects)) yield { ...thing, hub: hubs[thing.hub] };
  };
  context.say(`loading ${objects.toLocaleString('en')} records into PocketBase ...`);
  const [number, text] = ['number', 'text'];
  const peer = await PocketBase.start(
    built.program,
    join(context.folder, 'pocketbase-growth'),
    { name: 'hubs', fields: { title: text }, indexes: [], records: hubs.map((id) => ({ id, title: id })) },
    {
      name: 'things',
      fields: { name: text, number, category: text, note: text, hub: 'hubs' },
      indexes: ['name', 'number', 'category', 'hub'],
      records: records(),
    },
  );
  try {
    const theirs: Side = { objects, hubs, ids: sample(peer.ids.slice(hubs.length), mine.ids.length) };
    const rows: Result[] = [];
    for (const row of ROWS) rows.push(await beside(context, row, { server, mine }, { peer, theirs }));
    return [...rows, median(rows, objects)];
  } finally {
    await peer.end();
    await context.stopServer(mine);
  }
}

async function beside(
  context: Context,
  row: Row,
  { server, mine }: { readonly server: Parameters<typeof cost>[1]; readonly mine: Side },
  { peer, theirs }: { readonly peer: PocketBase; readonly theirs: Side },
): Promise<Result> {
  const [their, my] = [row.peer(theirs), row.paths(mine)];
  const first = JSON.parse(await answer(peer, their[0] ?? '/', {})) as { items?: readonly unknown[] };
  if (first.items !== undefined && (row.found ?? (first.items.length || -1)) !== first.items.length)
    throw new Error(`PocketBase has ${String(first.items.length)} records for ${their[0] ?? ''}`);
  const ask = [
    (): Promise<Sample> => cost(context, peer, { paths: their, headers: {} }),
    (): Promise<Sample> => cost(context, server, { paths: my, headers: {} }),
  ] as const;
  if (!context.options.quick) for (const one of ask) await one();
  const { baseline, svc } = await context.compare(...ask);
  return result(row.name, { baseline, svc }, baseline.median / svc.median, AHEAD);
}

/** Of the ratios of all rows. */
function median(rows: readonly Result[], objects: number): Result {
  const sorted = [...rows].sort((a, b) => a.figure - b.figure);
  const [lower, upper] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  if (lower === undefined || upper === undefined) throw new Error('nothing was measured');
  const figure = (lower.figure + upper.figure) / 2;
  const { baseline, svc } = upper;
  if (baseline === undefined) throw new Error(`nothing was measured beside ${upper.title}`);
  return result(`median of all rows, ${objects.toLocaleString('en')} objects`, { baseline, svc }, figure, MEDIAN);
}

function result(
  title: string,
  sides: { readonly baseline: Series; readonly svc: Series },
  figure: number,
  goal: number,
): Result {
  const about = { case: 73, title: `${title}, beside PocketBase 0.38`, unit: 'µs CPU', ...sides, figure };
  return { ...about, goal: `≥ ${String(goal)} ×`, met: figure >= goal };
}

function sample(ids: readonly string[], count: number): string[] {
  return shuffle([...ids], randomNumbers(73)).slice(0, count);
}
