/** Case 37: what a further thread takes beside the largest database of the cases about growth. */
import { setTimeout as delay } from 'node:timers/promises';
import { getOne } from '../cases/requests.js';
import { series, type Context, type Requests } from '../context.js';
import { THING, world } from '../growth/world.js';
import { residentMegabytes } from '../process-figures.js';
import { limitResult, type Result } from '../result.js';
import { ServerProcess } from '../server-process.js';

/** MB each. */
const LIMIT = 60;
const THREADS = [1, 2, 4] as const;
/** Milliseconds of rest before memory is read: a thread gives back what it does not need when it is idle. */
const RESTS = 8000;

/** Resident memory after reading objects and pages on all threads, beside one thread that has read the same. */
export async function memoryOfThreads(context: Context): Promise<Result[]> {
  const largest = await world(context, context.options.sizes.at(-1) ?? 0);
  await context.stopServer(largest);
  const one = getOne(largest, THING);
  const work = [one, pages(largest.objects), one];
  const taken = new Map<number, number>();
  for (const threads of THREADS) {
    const server = await ServerProcess.start(largest.folder, [], { 'application.http.threads': threads });
    try {
      for (const requests of work) await context.rate(server, requests);
      await delay(context.options.quick ? 0 : RESTS);
      taken.set(threads, residentMegabytes(server.pid));
      context.say(`  ${String(threads)}: ${(taken.get(threads) ?? NaN).toFixed(0)} MB`);
    } finally {
      await server.stop();
    }
  }
  const alone = taken.get(1) ?? NaN;
  return [...taken].slice(1).map(([threads, all]) => {
    const title = `memory for each further thread, ${String(threads)} of them, ${largest.objects.toLocaleString('en')} objects`;
    const note = `${all.toFixed(0)} MB in all, ${alone.toFixed(0)} with one thread`;
    const each = series([{ value: (all - alone) / (threads - 1) }]);
    return limitResult({ case: 37, title, unit: 'MB', note }, each, LIMIT);
  });
}

function pages(objects: number): Requests {
  const count = Math.min(100, Math.floor(objects / 20));
  const requests = Array.from({ length: count * 64 }, (_, i) => {
    const order = i % 2 === 0 ? 'asc' : 'desc';
    const page = String(((i * 37) % count) + 1);
    return { path: `/svc/rest/${THING}?_sort=number&_order=${order}&_pageSize=20&_page=${page}` };
  });
  return { method: 'GET', requests };
}
