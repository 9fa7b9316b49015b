/** Cases 60 to 62: what running it takes: the start from nothing, many connections, and a soak of a million requests. */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { Child } from '../child.js';
import type { IdleOrder, IdleResult } from '../children/idle.js';
import type { SoakOrder, SoakResult } from '../children/soak.js';
import { series, type Context, type Sample, type Series } from '../context.js';
import { firstStart } from '../first-start.js';
import { residentMegabytes } from '../process-figures.js';
import { growthResult, limitResult, rateResult, type Result } from '../result.js';
import { ServerProcess } from '../server-process.js';
import { makeWorld } from '../soak/world.js';
import { getOne } from './requests.js';

/** s */
const START_GOAL = 1.5;
/** A start takes a second: more of them than of other measurements. */
const STARTS = 3;

/** In an empty folder, by the launcher, until an object is answered that needs the database, the schema and a password. */
export async function startFromNothing(context: Context): Promise<Result[]> {
  const samples: Sample[] = [];
  const rounds = context.options.rounds * (context.options.quick ? 1 : STARTS);
  for (let i = 0; i < rounds; i++) {
    const { seconds, processor } = await firstStart(await mkdtemp(join(context.folder, 'start-')));
    samples.push({ value: seconds, cpu: processor });
  }
  const times = series(samples);
  const note = `${(times.cpu ?? NaN).toFixed(2)} s of the processor`;
  const title = 'start from nothing to the first answer';
  return [
    limitResult({ case: 60, title, unit: 's', note }, { median: times.median, samples: times.samples }, START_GOAL),
  ];
}

const IDLE = 10_000;
const BUSY = 500;
/** Connections without a request are closed after some 10 s with uws, whatever the settings say: these ask before. */
const ASK_EVERY = 6000;
const BESIDE_IDLE = 0.8;

/** 500 connections that ask without a pause, beside 10,000 that do nothing, with each transport. */
export async function manyConnections(context: Context): Promise<Result[]> {
  const { quick, objects, seconds } = context.options;
  const idle = quick ? 200 : IDLE;
  const busy = quick ? 20 : BUSY;
  const dataset = await context.dataset(objects.few);
  await context.stopServer(dataset);
  const results: Result[] = [];
  for (const transport of ['uws', 'node'] as const) {
    const server = await ServerProcess.start(dataset.folder, [], {
      'application.http.transport': transport,
      'httpservice.connections.maxperaddress': 0,
      'httpservice.idle.timeout': 600_000,
    }).catch((error: unknown) => error as Error);
    if (server instanceof Error) {
      context.say(`  left out: transport ${transport}, ${server.message.split('\n').slice(0, 2).join(' ')}`);
      continue;
    }
    try {
      const requests = { ...getOne(dataset), connections: busy };
      await context.warm(server, requests);
      const p99: { alone: number; beside: number } = { alone: NaN, beside: NaN };
      const measure = async (side: keyof typeof p99): Promise<Sample> => {
        const { result, cpu } = await context.load(server, requests, seconds);
        p99[side] = result.p99;
        return { value: result.rate, cpu };
      };
      let [memory, lost] = [0, 0];
      const sides = await context.compare(
        () => measure('alone'),
        async () => {
          const before = residentMegabytes(server.pid);
          const child = new Child<IdleOrder, IdleResult>('idle');
          try {
            const every = transport === 'uws' ? ASK_EVERY : 0;
            const opened = await child.call({
              open: { port: server.port, count: idle, path: '/svc/health/live', every },
            });
            memory = ((residentMegabytes(server.pid) - before) * 1000) / opened.open;
            const sample = await measure('beside');
            ({ lost } = await child.call({}));
            if (lost > 0) throw new Error(`${String(lost)} idle connections were closed`);
            return sample;
          } finally {
            await child.end();
          }
        },
      );
      const title = `${String(busy)} busy connections beside ${idle.toLocaleString('en')} idle ones, ${transport}`;
      const note = `p99 ${p99.beside.toFixed(0)} ms, ${p99.alone.toFixed(0)} alone; ${memory.toFixed(1)} KB an idle one`;
      const about = { case: 61, title, unit: 'requests/s', baselineTitle: 'them alone', note };
      results.push(rateResult(about, sides, BESIDE_IDLE));
    } finally {
      await server.stop();
    }
  }
  return results;
}

const REQUESTS = 1_000_000;
const CLIENTS = 40;
/** Looks at the memory. */
const SLICES = 40;
const FLAT = 1.05;

/** Visitors, users and an administrator who read, write, log in, upload, and run scripts: the memory of the last quarter beside that of the third. */
export async function soak(context: Context): Promise<Result[]> {
  const requests = context.options.quick ? 4000 : REQUESTS;
  const folder = await mkdtemp(join(context.folder, 'soak-'));
  const server = await ServerProcess.start(folder, [], { ...context.settings, 'security.login.maxperminute': 0 });
  const child = new Child<SoakOrder, SoakResult>('soak');
  try {
    const world = await makeWorld(server);
    const memory: Sample[] = [];
    const begin = performance.now();
    for (let i = 1; i <= SLICES; i++) {
      const order = { url: server.url, world, clients: CLIENTS, requests: requests / SLICES };
      const { answers, unexpected } = await child.call(order);
      if (Object.keys(unexpected).length > 0) throw new Error(`unexpected answers: ${JSON.stringify(unexpected)}`);
      const value = residentMegabytes(server.pid);
      memory.push({ value });
      const rate = Math.round((answers / (performance.now() - begin)) * 1000);
      context.say(`  ${answers.toLocaleString('en')} requests, ${String(rate)} /s, ${value.toFixed(0)} MB`);
    }
    const [third, last] = [memory.slice(SLICES / 2, (SLICES * 3) / 4), memory.slice((SLICES * 3) / 4)];
    const title = `least memory in the last quarter of ${requests.toLocaleString('en')} requests`;
    const sides = { baseline: least(third), svc: least(last) };
    return [growthResult({ case: 62, title, unit: 'MB', baselineTitle: 'in the third quarter' }, sides, FLAT)];
  } finally {
    await child.end();
    await server.stop();
  }
}

/** Garbage that waits for its collection comes and goes by 100 MB; what a server keeps is in the least. */
function least(samples: readonly Sample[]): Series {
  const values = samples.map(({ value }) => value);
  return { median: Math.min(...values), samples: values };
}
