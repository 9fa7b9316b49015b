/** Cases 40 to 42: objects out to files beside a dump of the database, in again beside POST of arrays, and readers meanwhile. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Child } from '../child.js';
import type { DumpOrder } from '../children/sqlite-dump.js';
import type { Context, Sample } from '../context.js';
import { copyDatabase, TYPE, type Dataset } from '../dataset.js';
import { growthResult, rateResult, type Result } from '../result.js';
import type { ServerProcess } from '../server-process.js';
import { ARRAY_SIZE, getOne, postArrays } from './requests.js';

/** A dump is this many times as fast at most, an import this many times as fast as arrays at least. */
const EXPORT_GOAL = 1 / 3;
const IMPORT_GOAL = 2;
const TAIL_GOAL = 4;

interface Job {
  readonly status: string;
  readonly ended: string | null;
  /** Milliseconds. */
  readonly duration: number;
  readonly processedObjects: number;
}

/** Runs `deployData`; answers objects and relationships a second. */
async function deployData(server: ServerProcess, parameters: Readonly<Record<string, unknown>>): Promise<number> {
  const { result } = await server.request('POST', '/maintenance/deployData', { ...parameters, background: true });
  const [{ jobId }] = result as [{ jobId: number }];
  for (;;) {
    const job = (await server.request('GET', `/jobs/${String(jobId)}`)).result as Job;
    if (job.ended === null) await delay(50);
    else if (job.status !== 'FINISHED') throw new Error(`deployData has ended as ${job.status}`);
    else return (1000 * job.processedObjects) / job.duration;
  }
}

const exported = (context: Context, { objects }: Dataset): string => join(context.folder, `data-${String(objects)}`);

export async function exportObjects(context: Context): Promise<Result[]> {
  const dataset = await context.dataset(context.options.objects.normal);
  await context.stopServer(dataset);
  const file = await copyDatabase(dataset, join(context.folder, 'dump'));
  const server = await context.server(dataset);
  const child = new Child<DumpOrder, number>('sqlite-dump');
  try {
    const sides = await context.compare(
      async () => ({ value: await child.call({ file, to: join(context.folder, 'dump.sql') }) }),
      async () => ({
        value: await deployData(server, { mode: 'export', target: exported(context, dataset), types: TYPE }),
      }),
    );
    const title = 'data export';
    const baselineTitle = 'the rows of objects and relationships as SQL, by better-sqlite3';
    const note = 'objects with owner and grants; their relationships of rights are rows of the dump as well';
    return [rateResult({ case: 40, title, unit: 'rows/s', baselineTitle, note }, sides, EXPORT_GOAL)];
  } finally {
    await child.end();
  }
}

export async function importObjects(context: Context): Promise<Result[]> {
  const dataset = await context.dataset(context.options.objects.normal);
  const server = await context.server(dataset);
  const source = exported(context, dataset);
  await deployData(server, { mode: 'export', target: source, types: TYPE });
  const arrays = postArrays();
  await context.warm(server, arrays);
  const reading = getOne(dataset);
  const read = async (): Promise<Sample> => ({ value: (await context.load(server, reading)).result.p99 });
  const idle = await context.compare(read, async () => {
    let over = false;
    const work = deployData(server, { mode: 'import', source }).finally(() => (over = true));
    await delay(500);
    const sample = await read();
    if (over) context.say('  the import had ended before the readers: more objects are needed for case 42');
    await work;
    return sample;
  });
  // Measured with the same export: it is no case of its own to ask for.
  const tail = { case: 42, title: 'p99 of GET one object beside a data import', unit: 'ms' };
  const sides = await context.compare(
    async () => ({ value: (await context.rate(server, arrays)).value * ARRAY_SIZE }),
    async () => ({ value: await deployData(server, { mode: 'import', source }) }),
  );
  const about = { case: 41, title: 'data import of objects that are there', unit: 'objects/s' };
  return [
    rateResult({ ...about, baselineTitle: 'POST arrays of 1,000' }, sides, IMPORT_GOAL),
    growthResult({ ...tail, baselineTitle: 'nobody writes' }, idle, TAIL_GOAL),
  ];
}
