/** Case 71: part of a name, beside SQLite looking through a bare column of the same names. */
import { Child } from '../child.js';
import type { ScanOrder } from '../children/sqlite-scan.js';
import type { Context } from '../context.js';
import { cpuSeconds } from '../process-figures.js';
import { growthResult, type Result } from '../result.js';
import { cost, MOMENT } from './cost.js';
import { headersOf, WHO } from './who.js';
import { PART } from './work.js';
import { world } from './world.js';

const GOAL = 0.25;

export async function findParts(context: Context): Promise<Result[]> {
  if (cpuSeconds(process.pid) === undefined) {
    context.say('case 71 is skipped: this system does not tell the processor time of a process');
    return [];
  }
  const { quick, seconds } = context.options;
  const objects = context.options.sizes.at(-1) ?? 0;
  const things = await world(context, objects);
  const server = await context.server(things);
  const headers = await headersOf(server);
  const paths = PART.paths(things);
  const child = new Child<ScanOrder, number>('sqlite-scan');
  try {
    const results: Result[] = [];
    for (const who of WHO) {
      const mine = (): ReturnType<typeof cost> => cost(context, server, { paths, headers: headers[who] });
      if (!quick) await mine();
      const sides = await context.compare(
        async () => ({ value: await child.call({ objects, seconds: quick ? MOMENT : Math.min(1, seconds) }) }),
        mine,
      );
      const title = `${PART.name} of ${objects.toLocaleString('en')}, ${who}`;
      const baselineTitle = 'SQLite, one bare column in memory';
      results.push(growthResult({ case: 71, title, unit: 'µs CPU', baselineTitle }, sides, GOAL));
    }
    return results;
  } finally {
    await child.end();
  }
}
