/** Cases 5 and 6: what a million objects cost the reader, the memory and the start. */
import { series, type Context, type Sample } from '../context.js';
import { TYPE } from '../dataset.js';
import { residentMegabytes } from '../process-figures.js';
import { growthResult, limitResult, type Result } from '../result.js';
import { ServerProcess } from '../server-process.js';
import { getOne } from './requests.js';

export async function readAmongMany(context: Context): Promise<Result[]> {
  const { few, many } = context.options.objects;
  const [small, large] = [await context.dataset(few), await context.dataset(many)];
  const servers = { few: await context.server(small), many: await context.server(large) };
  await context.warm(servers.few, getOne(small));
  await context.warm(servers.many, getOne(large));
  const sides = await context.compare(
    () => context.rate(servers.few, getOne(small)),
    () => context.rate(servers.many, getOne(large)),
  );
  await context.stopServer(small);
  const title = `GET one object of ${many.toLocaleString('en')}`;
  const baselineTitle = `of ${few.toLocaleString('en')}`;
  // The goal is about time, the measurement about requests a second.
  return [
    growthResult(
      { case: 5, title, unit: 'requests/s', baselineTitle },
      sides,
      1.3,
      sides.baseline.median / sides.svc.median,
    ),
  ];
}

const MEMORY_GOAL = 400;
const START_GOAL = 3;

export async function atRest(context: Context): Promise<Result[]> {
  const { many } = context.options.objects;
  const dataset = await context.dataset(many);
  await context.stopServer(dataset);
  const memory: Sample[] = [];
  const times: Sample[] = [];
  for (let i = 0; i < context.options.rounds; i++) {
    const begin = performance.now();
    const server = await ServerProcess.start(dataset.folder);
    try {
      await server.request('GET', `/${TYPE}/${dataset.ids[i] ?? ''}`);
      times.push({ value: (performance.now() - begin) / 1000 });
      await new Promise((resolve) => setTimeout(resolve, context.options.quick ? 100 : 3000));
      memory.push({ value: residentMegabytes(server.pid) });
    } finally {
      await server.stop();
    }
  }
  const of = many.toLocaleString('en');
  return [
    limitResult({ case: 6, title: `memory after a start, ${of} objects`, unit: 'MB' }, series(memory), MEMORY_GOAL),
    limitResult(
      { case: 6, title: `memory after loading ${of} objects`, unit: 'MB' },
      series([{ value: dataset.residentAfterLoading }]),
      MEMORY_GOAL,
    ),
    limitResult({ case: 6, title: `start to first answer, ${of} objects`, unit: 's' }, series(times), START_GOAL),
  ];
}
