/** Case 72: making things, what they take on the disk, and memory and start of a server that has many. */
import { series, type Context, type Sample, type Series } from '../context.js';
import { residentMegabytes } from '../process-figures.js';
import { growthResult, limitResult, type Result } from '../result.js';
import { ServerProcess } from '../server-process.js';
import { answer, asking, MOMENT } from './cost.js';
import { headersOf, WHO } from './who.js';
import { PART, ROWS } from './work.js';
import { SMALLEST, THING, world, type World } from './world.js';

const MAKING = 1.5;
const BYTES = 450;
const MORE_MEMORY = 200;
const START = 1;
/** What a thing with its relationship took to make when the goal was set, on a machine of two processors; µs. */
const MADE_BEFORE = 91;

export async function storeThings(context: Context): Promise<Result[]> {
  const { sizes } = context.options;
  const [few, many] = [await world(context, SMALLEST), await world(context, sizes.at(-1) ?? 0)];
  const of = many.objects.toLocaleString('en');
  const bytes = (many.bytes - few.bytes) / (many.objects - few.objects);
  for (const one of [few, many]) await context.stopServer(one);
  const [started, startedFew] = [await starts(context, many), await starts(context, few)];
  const [memory, memoryFew] = [await underLoad(context, many), await underLoad(context, few)];
  const beside = `with ${SMALLEST.toLocaleString('en')} objects`;
  return [
    making(many),
    limitResult(
      { case: 72, title: `an object with its relationship on the disk, ${of}`, unit: 'bytes' },
      one(bytes),
      BYTES,
    ),
    limitResult(
      {
        case: 72,
        title: `memory under reading load, ${of} objects, more than ${beside}`,
        unit: 'MB',
        note: `${memory.toFixed(0)} MB, ${beside} ${memoryFew.toFixed(0)} MB`,
      },
      one(memory - memoryFew),
      MORE_MEMORY,
    ),
    limitResult(
      {
        case: 72,
        title: `start to first answer, ${of} objects`,
        unit: 's',
        note: `${beside} ${startedFew.median.toFixed(2)} s`,
      },
      started,
      START,
    ),
  ];
}

const one = (value: number): Series => series([{ value }]);

/** The last tenth beside the second: the first has what the server compiles. */
function making({ objects, tenths, seconds, cpu }: World): Result {
  const took = (tenth: number): number =>
    (((tenths[tenth] ?? NaN) - (tenths[tenth - 1] ?? NaN)) / (objects / 10)) * 1e6;
  const about = {
    case: 72,
    title: `making things with their relationships, the last tenth of ${objects.toLocaleString('en')}`,
    unit: 'µs each',
    baselineTitle: 'the second tenth',
    note:
      `${((seconds / objects) * 1e6).toFixed(0)} µs each of all (${cpu?.toFixed(0) ?? '?'} µs of the processor); ` +
      `${String(MADE_BEFORE)} when the goal was set`,
  };
  return growthResult(about, { baseline: one(took(1)), svc: one(took(9)) }, MAKING);
}

/** Seconds from a start to the first answer. */
async function starts(context: Context, { folder, ids }: World): Promise<Series> {
  const samples: Sample[] = [];
  for (let i = 0; i < context.options.rounds; i++) {
    const begin = performance.now();
    const server = await ServerProcess.start(folder, [], context.settings);
    try {
      await answer(server, `/svc/rest/${THING}/${ids[i] ?? ''}`, {});
      samples.push({ value: (performance.now() - begin) / 1000 });
    } finally {
      await server.stop();
    }
  }
  return series(samples);
}

/** Resident megabytes of a server that has answered all the rows to both readers for a while. */
async function underLoad(context: Context, things: World): Promise<number> {
  const server = await context.server(things);
  const headers = await headersOf(server);
  const paths = ROWS.map((row) => row.paths(things));
  for (const who of WHO) {
    for (const [i, row] of ROWS.entries()) {
      // Dear ones once, not for seconds.
      const path = paths[i] ?? [];
      await answer(server, path[0] ?? '/', headers[who]);
      if (row === PART) continue;
      await context.load(
        server,
        asking(context, { paths: path, headers: headers[who] }),
        context.options.quick ? MOMENT : 1,
      );
    }
  }
  const megabytes = residentMegabytes(server.pid);
  await context.stopServer(things);
  return megabytes;
}
