/** Cases 19 and 20: a script that needs a new isolate, and requests beside scripts that wait for another server. */
import { Child } from '../child.js';
import type { SlowOrder } from '../children/slow-server.js';
import type { Context, Requests, Sample } from '../context.js';
import { series } from '../context.js';
import { growthResult, limitResult, type Result } from '../result.js';
import { CREDENTIALS, type ServerProcess } from '../server-process.js';
import { getOne } from './requests.js';

const WAITING = 200;
/** How long each call is made to wait (ms). */
const SLOW = 4000;
const GOAL = 2;
/** ms */
const COLD = 20;
const PAIRS = 40;

const FUNCTIONS = [
  { name: 'benchHoldJavaScript', source: '{ return $.GET($.methodParameters.url).status }' },
  { name: 'benchHoldExpression', source: 'GET(methodParameters.url).status' },
  { name: 'benchEmpty', source: '{ return 1 }' },
];

const prepared = new WeakSet<ServerProcess>();

async function prepare(server: ServerProcess): Promise<void> {
  if (prepared.has(server)) return;
  prepared.add(server);
  for (const one of FUNCTIONS) await server.request('POST', '/SchemaMethod', one);
}

async function withSlowServer<T>(work: (slow: Child<SlowOrder, number>, url: string) => Promise<T>): Promise<T> {
  const slow = new Child<SlowOrder, number>('slow-server');
  try {
    const port = await slow.call('start');
    return await work(slow, `http://127.0.0.1:${String(port)}`);
  } finally {
    await slow.end();
  }
}

/**
 * Scripts that wait hold their isolates: while all isolates there are wait, the next script needs a new one, and the one behind it
 * finds that unused.
 */
export async function coldIsolate(context: Context): Promise<Result[]> {
  const server = await context.fileServer();
  await prepare(server);
  const timed = async (): Promise<number> => {
    const begin = performance.now();
    await call(server, 'benchEmpty', {});
    return performance.now() - begin;
  };
  for (let i = 0; i < 20; i++) await timed();
  return withSlowServer(async (slow, url) => {
    const held: Promise<unknown>[] = [];
    const hold = async (): Promise<void> => {
      held.push(call(server, 'benchHoldJavaScript', { url }));
      while ((await slow.call('count')) < held.length) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    // Whatever is there from before.
    for (let i = 0; i < 8; i++) await hold();
    const cold: number[] = [];
    const warm: number[] = [];
    for (let i = 0; i < (context.options.quick ? 5 : PAIRS); i++) {
      cold.push(await timed());
      warm.push(await timed());
      await hold();
    }
    await slow.call('release');
    await Promise.all(held);
    const [with_, without] = [cold, warm].map((list) => series(list.map((value) => ({ value }))));
    if (with_ === undefined || without === undefined) throw new Error('nothing was measured');
    const added = cold.map((value, i) => ({ value: value - (warm[i] ?? NaN) }));
    const note = `${with_.median.toFixed(1)} ms with a new isolate, ${without.median.toFixed(1)} ms without`;
    return [limitResult({ case: 19, title: 'what a cold isolate adds', unit: 'ms', note }, series(added), COLD)];
  });
}

async function call(server: ServerProcess, name: string, body: unknown): Promise<void> {
  const answer = await fetch(`${server.url}/svc/rest/${name}`, {
    method: 'POST',
    headers: { ...CREDENTIALS, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${name} answered ${String(answer.status)}: ${text}`);
}

export async function tailBesideWaiting(context: Context): Promise<Result[]> {
  const dataset = await context.dataset(context.options.objects.normal);
  const server = await context.server(dataset);
  await prepare(server);
  const reading = getOne(dataset);
  const read = async (): Promise<Sample> => ({ value: (await context.load(server, reading)).result.p99 });
  await context.warm(server, reading);
  return withSlowServer(async (slow, url) => {
    const body = JSON.stringify({ url: `${url}/?ms=${String(SLOW)}` });
    // One after the other goes to the next connection: half of them wait in each language.
    const requests = Array.from({ length: WAITING }, (_, i) => ({
      path: `/svc/rest/${i % 2 === 0 ? 'benchHoldJavaScript' : 'benchHoldExpression'}`,
      body,
    }));
    const waiting: Requests = { method: 'POST', connections: WAITING, requests };
    const counts: number[] = [];
    const sides = await context.compare(read, async () => {
      const { seconds } = context.options;
      const [, sample] = await Promise.all([
        context.load(server, waiting, seconds + 5),
        new Promise((resolve) => setTimeout(resolve, 3000)).then(async () => {
          counts.push(await slow.call('count'));
          return read();
        }),
      ]);
      return sample;
    });
    const title = `p99 of GET one object, ${String(WAITING)} scripts wait`;
    const note = `${counts.join(', ')} calls open when measuring began; each takes ${String(SLOW / 1000)} s`;
    return [growthResult({ case: 20, title, unit: 'ms', baselineTitle: 'no scripts', note }, sides, GOAL)];
  });
}
