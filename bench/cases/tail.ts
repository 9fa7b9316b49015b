/** Case 7: how long the slowest readers wait while others write. */
import type { Context, Sample } from '../context.js';
import { growthResult, type Result } from '../result.js';
import { getOne, postOne } from './requests.js';

const GOAL = 5;

export async function tail(context: Context): Promise<Result[]> {
  const dataset = await context.dataset(context.options.objects.normal);
  const server = await context.server(dataset);
  const { seconds, connections } = context.options;
  const reading = getOne(dataset);
  const read = async (): Promise<Sample> => ({ value: (await context.load(server, reading)).result.p99 });
  let written = 0;
  await context.warm(server, reading);
  await context.warm(server, postOne());
  const sides = await context.compare(read, async () => {
    // They begin before the readers and end after them.
    const [writers, sample] = await Promise.all([
      context.load(server, postOne(), seconds + 3),
      new Promise((resolve) => setTimeout(resolve, 1000)).then(read),
    ]);
    written = writers.result.rate;
    return sample;
  });
  const note = `${Math.round(written).toLocaleString('en')} objects/s written meanwhile`;
  const title = `p99 of GET one object, ${String(connections)} writers`;
  return [growthResult({ case: 7, title, unit: 'ms', baselineTitle: 'nobody writes', note }, sides, GOAL)];
}
