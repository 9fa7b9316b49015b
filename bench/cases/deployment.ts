/**
 * Cases 40 to 44: objects out to files beside a dump of the database, in again beside POST of arrays, an application in beside a copy of its files, and
 * readers meanwhile.
 */
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { copySynced, writeApplication } from '../application-tree.js';
import { Child } from '../child.js';
import type { DumpOrder } from '../children/sqlite-dump.js';
import type { Context, Sample } from '../context.js';
import { copyDatabase, TYPE, type Dataset } from '../dataset.js';
import { growthResult, limitResult, rateResult, type Result } from '../result.js';
import type { ServerProcess } from '../server-process.js';
import { ARRAY_SIZE, getOne, postArrays } from './requests.js';

/** A dump is this many times as fast at most, an import this many times as fast as arrays at least. */
const EXPORT_GOAL = 1 / 3;
const IMPORT_GOAL = 2;
const TAIL_GOAL = 4;
/** An application takes this many times as long as copying its files at most, and so many seconds. */
const COPY_GOAL = 5;
const SECONDS_GOAL = 20;
const APPLICATION = { types: 300, pages: 200, files: 2000 };
const SMALL_APPLICATION = { types: 30, pages: 20, files: 200 };

interface Job {
  readonly status: string;
  readonly ended: string | null;
  /** Milliseconds. */
  readonly duration: number;
  readonly processedObjects: number;
}

/** Runs a command to its end. */
async function ran(
  server: ServerProcess,
  command: string,
  parameters: Readonly<Record<string, unknown>>,
): Promise<Job> {
  const { result } = await server.request('POST', `/maintenance/${command}`, { ...parameters, background: true });
  const [{ jobId }] = result as [{ jobId: number }];
  for (;;) {
    const job = (await server.request('GET', `/jobs/${String(jobId)}`)).result as Job;
    if (job.ended === null) await delay(50);
    else if (job.status !== 'FINISHED') throw new Error(`${command} has ended as ${job.status}`);
    else return job;
  }
}

/** Runs `deployData`; answers objects and relationships a second. */
async function deployData(server: ServerProcess, parameters: Readonly<Record<string, unknown>>): Promise<number> {
  const { processedObjects, duration } = await ran(server, 'deployData', parameters);
  return (1000 * processedObjects) / duration;
}

/** Readers while a command runs, from half a second behind its beginning; the command ends before this does. */
async function beside(context: Context, work: () => Promise<unknown>, read: () => Promise<Sample>): Promise<Sample> {
  let over = false;
  const running = work().finally(() => (over = true));
  await delay(500);
  const sample = await read();
  if (over) context.say('  it had ended before the readers: more objects, or less seconds of load, are needed');
  await running;
  return sample;
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
    const baselineTitle = 'their rows, those of owners and grants with them, as SQL';
    const note = 'an object is its row and those of its owner and grants, on both sides';
    return [rateResult({ case: 40, title, unit: 'objects/s', baselineTitle, note }, sides, EXPORT_GOAL)];
  } finally {
    await child.end();
  }
}

/** The same export with other ids. */
async function renamed(source: string, target: string, mark: number): Promise<void> {
  const prefix = `  "id": "b${mark.toString(16).padStart(3, '0')}`;
  await mkdir(join(target, 'nodes'), { recursive: true });
  await mkdir(join(target, 'relationships'), { recursive: true });
  for (const name of await readdir(join(source, 'nodes'))) {
    const out = await open(join(target, 'nodes', name), 'w');
    let text = '';
    for await (const line of createInterface({ input: createReadStream(join(source, 'nodes', name)) })) {
      text += `${line.replace(/^ {2}"id": "..../, prefix)}\n`;
      if (text.length < 1_000_000) continue;
      await out.write(text);
      text = '';
    }
    await out.write(text);
    await out.close();
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
  const idle = await context.compare(read, () =>
    beside(context, () => deployData(server, { mode: 'import', source }), read),
  );
  let round = 0;
  const baseline = async (): Promise<Sample> => ({ value: (await context.rate(server, arrays)).value * ARRAY_SIZE });
  const fresh = await context.compare(baseline, async () => {
    const target = join(context.folder, `renamed-${String(++round)}`);
    await renamed(source, target, round);
    return { value: await deployData(server, { mode: 'import', source: target }) };
  });
  const there = await context.compare(baseline, async () => ({
    value: await deployData(server, { mode: 'import', source }),
  }));
  // Measured with the same export: it is no case of its own to ask for.
  const tail = { case: 42, title: 'p99 of GET one object beside a data import', unit: 'ms' };
  const about = { case: 41, unit: 'objects/s', baselineTitle: 'POST arrays of 1,000' };
  return [
    rateResult({ ...about, title: 'data import' }, fresh, IMPORT_GOAL),
    rateResult({ ...about, title: 'data import of objects that are there' }, there, IMPORT_GOAL),
    growthResult({ ...tail, baselineTitle: 'nobody writes' }, idle, TAIL_GOAL),
  ];
}

export async function importApplication(context: Context): Promise<Result[]> {
  const size = context.options.quick ? SMALL_APPLICATION : APPLICATION;
  const dataset = await context.dataset(context.options.objects.few);
  const source = join(context.folder, 'application');
  await writeApplication(source, size);
  const server = await context.server(dataset);
  // What is there stays: the readers ask for it.
  const parameters = { mode: 'import', source, extendExistingApp: true };
  const work = (): Promise<Job> => ran(server, 'deploy', parameters);
  const forget = async (): Promise<void> => {
    for (const type of ['File', 'Folder', 'Page']) await server.request('DELETE', `/${type}`);
  };
  const times = await context.compare(
    async () => ({ value: await copySynced(source, join(context.folder, 'copy')) }),
    async () => {
      await forget();
      return { value: (await work()).duration / 1000 };
    },
  );
  const reading = getOne(dataset);
  const read = async (): Promise<Sample> => ({ value: (await context.load(server, reading)).result.p99 });
  const tail = await context.compare(read, async () => {
    await forget();
    return beside(context, work, read);
  });
  const note = `${String(size.types)} types, ${String(size.pages)} pages, ${String(size.files)} files of 10 KB`;
  const title = 'import of an application';
  const meanwhile = { case: 44, title: 'p99 of GET one object meanwhile', unit: 'ms', baselineTitle: 'nobody writes' };
  return [
    growthResult({ case: 43, title, unit: 's', baselineTitle: 'copying its files, synced', note }, times, COPY_GOAL),
    limitResult({ case: 43, title, unit: 's', note }, times.svc, SECONDS_GOAL),
    growthResult(meanwhile, tail, TAIL_GOAL),
  ];
}
