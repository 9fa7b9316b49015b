/** Cases 50, and 51 to 54, which share a database: events written beside ordinary objects, questions about them beside DuckDB, readers meanwhile. */
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { Child } from '../child.js';
import type { DuckDbOrder } from '../children/duckdb.js';
import type { Context, Requests } from '../context.js';
import { randomNumbers } from '../dataset.js';
import { growthResult, rateResult, type Result } from '../result.js';
import { ServerProcess } from '../server-process.js';
import { postOne } from './requests.js';

const BATCH = 2000;
/** A time that questions may take, in milliseconds: that of the setting would end them on a slow machine. */
const PATIENCE = 600_000;

function makeEvent(random: () => number, timestamp: number): Record<string, string> {
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? '';
  const action = pick(['VIEW', 'VIEW', 'VIEW', 'CLICK', 'CLICK', 'PURCHASE']);
  const start =
    action === 'PURCHASE'
      ? `amount=${String(Math.floor(random() * 300))};category=${pick(['books', 'toys', 'food'])}`
      : `ref=${pick(['mail', 'ad', 'search'])}`;
  return {
    timestamp: new Date(timestamp).toISOString(),
    action,
    subject: `u${String(Math.floor(random() * 10_000))}`,
    object: `p${String(Math.floor(random() * 1000))}`,
    message: `${start};session=${String(Math.floor(random() * 100_000))}`,
  };
}

export function postEvent(): Requests {
  const random = randomNumbers(50);
  const requests = Array.from({ length: 12_800 }, () => {
    const { timestamp: _, ...event } = makeEvent(random, 0);
    return { path: '/svc/rest/log', body: JSON.stringify(event) };
  });
  return { method: 'POST', requests };
}

export async function logEvents(context: Context): Promise<Result[]> {
  const server = await context.server(await context.dataset(context.options.objects.normal));
  const [post, log] = [postOne(), postEvent()];
  await context.warm(server, log);
  await context.warm(server, post);
  const sides = await context.compare(
    () => context.rate(server, post),
    () => context.rate(server, log),
  );
  const title = `POST log, ${String(context.options.connections)} connections`;
  return [rateResult({ case: 50, title, unit: 'requests/s', baselineTitle: 'POST one object' }, sides, 2)];
}

interface Question {
  readonly number: number;
  readonly title: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly sql: string;
  /** At most so many times what DuckDB takes. */
  readonly goal: number;
}

const DAY = "date_trunc('day', timestamp)";
const sum = (name: string, pattern: string): string =>
  `count(*) FILTER (regexp_full_match(message, '${pattern}')) AS ${name}`;

const QUESTIONS: readonly Question[] = [
  {
    number: 51,
    title: 'events by day',
    parameters: { aggregate: 'yyyy-MM-dd' },
    sql: `SELECT ${DAY}, count(*) FROM events GROUP BY 1`,
    goal: 2,
  },
  {
    number: 52,
    title: 'events by day, two named expressions, a histogram',
    parameters: {
      aggregate: 'yyyy-MM-dd',
      books: '.*category=books;.*',
      cheap: 'amount=\\d;.*',
      histogram: 'ref:ref=(\\w+);.*',
    },
    sql:
      `SELECT ${DAY}, count(*), ${sum('books', '.*category=books;.*')}, ${sum('cheap', 'amount=\\d;.*')}, ` +
      `histogram(regexp_extract(message, '^ref=(\\w+);.*$', 1)) FROM events GROUP BY 1`,
    goal: 2,
  },
  {
    number: 53,
    title: 'views by month of whoever has bought the same',
    parameters: { aggregate: 'yyyy-MM', action: 'VIEW', correlate: 'PURCHASE::and' },
    sql:
      "SELECT date_trunc('month', timestamp), count(*) FROM events e WHERE action = 'VIEW' AND EXISTS (SELECT 1 FROM events r " +
      "WHERE r.action = 'PURCHASE' AND r.subject = e.subject AND r.object = e.object) GROUP BY 1",
    goal: 3,
  },
];

const path = (parameters: Readonly<Record<string, string>>): string =>
  `/log?${new URLSearchParams(parameters).toString()}`;

export async function askAboutEvents(context: Context): Promise<Result[]> {
  const { options, folder } = context;
  const { many } = options.objects;
  const home = join(folder, 'events');
  await mkdir(home, { recursive: true });
  const server = await ServerProcess.start(home, [], {
    ...context.settings,
    'database.query.timeout': PATIENCE,
    'application.timezone': 'UTC',
  });
  const duck = new Child<DuckDbOrder, number | undefined>('duckdb');
  try {
    const file = await load(context, server, many, home);
    const hasDuck = (await duck.call({ file })) !== undefined;
    if (!hasDuck) context.say('@duckdb/node-api is not installed: cases 51 to 53 are left out');
    const results: Result[] = [];
    for (const { number, title, parameters, sql, goal } of hasDuck ? QUESTIONS : []) {
      const ask = (): Promise<number> => timeOf(() => server.request('GET', path(parameters)));
      await ask();
      const sides = await context.compare(
        async () => ({ value: (await duck.call({ sql })) ?? NaN }),
        async () => ({ value: await ask() }),
      );
      const about = { case: number, title: `${title}, ${many.toLocaleString('en')}`, unit: 'ms' };
      results.push(growthResult({ ...about, baselineTitle: 'DuckDB, its own table, 2 threads' }, sides, goal));
    }
    results.push(await readMeanwhile(context, server));
    return results;
  } finally {
    await duck.end();
    await server.stop();
  }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** The same events for both; answers the file of the other. */
async function load(context: Context, server: ServerProcess, count: number, home: string): Promise<string> {
  context.say(`loading ${count.toLocaleString('en')} events ...`);
  const file = join(home, 'events.ndjson');
  const out = createWriteStream(file);
  const random = randomNumbers(51);
  const begin = Date.parse('2026-01-01T00:00:00Z');
  const year = 365 * 86_400_000;
  for (let at = 0; at < count; at += BATCH) {
    const events = Array.from({ length: Math.min(BATCH, count - at) }, (_, i) =>
      makeEvent(random, begin + Math.floor(((at + i) / count) * year)),
    );
    out.write(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    await server.request('POST', '/LogEvent', events);
  }
  out.end();
  await finished(out);
  return file;
}

/** How long those wait who read one object while a question is answered. */
async function readMeanwhile(context: Context, server: ServerProcess): Promise<Result> {
  const { result } = await server.request('GET', '/LogEvent?_pageSize=1000');
  const ids = (result as { id: string }[]).map(({ id }) => id);
  const requests = ids.map((id) => ({ path: `/svc/rest/LogEvent/${id}` }));
  const reading: Requests = { method: 'GET', requests, connections: 4 };
  const read = async (): Promise<{ value: number }> => ({ value: (await context.load(server, reading)).result.p99 });
  const question = QUESTIONS[1]?.parameters ?? {};
  let over = false;
  const sides = await context.compare(read, async () => {
    over = false;
    const asking = (async () => {
      while (!over) await server.request('GET', path(question));
    })();
    const sample = await read();
    over = true;
    await asking;
    return sample;
  });
  const title = 'p99 of GET one object while events are counted, 4 connections';
  return growthResult({ case: 54, title, unit: 'ms', baselineTitle: 'idle' }, sides, 3);
}
