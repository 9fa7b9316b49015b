/** Cases 3 and 4: creating objects, beside better-sqlite3 inserting the same rows; 23 and 24: changing and deleting one, beside creating one. */
import { join } from 'node:path';
import { Child } from '../child.js';
import type { RowsOrder, RowsResult } from '../children/sqlite-rows.js';
import type { Context, Requests } from '../context.js';
import { copyDatabase, loadObjects } from '../dataset.js';
import { rateResult, type Result } from '../result.js';
import { ARRAY_SIZE, deleteEach, postArrays, postOne, putOne } from './requests.js';

export async function writeOne(context: Context): Promise<Result[]> {
  const title = `POST one object, ${String(context.options.connections)} connections`;
  return [
    await write(context, {
      number: 3,
      title,
      requests: postOne(),
      size: 1,
      baseline: 'better-sqlite3, one sync a row',
      goal: 3,
    }),
  ];
}

export async function writeMany(context: Context): Promise<Result[]> {
  const title = 'POST arrays of 1,000';
  return [
    await write(context, {
      number: 4,
      title,
      requests: postArrays(),
      size: ARRAY_SIZE,
      baseline: 'better-sqlite3, 1,000 a transaction',
      goal: 0.4,
    }),
  ];
}

interface Writing {
  readonly number: number;
  readonly title: string;
  readonly requests: Requests;
  /** Objects of one request and of one transaction. */
  readonly size: number;
  readonly baseline: string;
  readonly goal: number;
}

async function write(context: Context, { number, title, requests, size, baseline, goal }: Writing): Promise<Result> {
  const dataset = await context.dataset(context.options.objects.normal);
  // Copied while no server has it open: the copy is the same database.
  await context.stopServer(dataset);
  const file = await copyDatabase(dataset, join(context.folder, `rows-${String(number)}`));
  const server = await context.server(dataset);
  const child = new Child<RowsOrder, RowsResult>('sqlite-rows');
  try {
    await context.warm(server, requests);
    let rows: RowsResult['rows'] = {};
    const { seconds } = context.options;
    const sides = await context.compare(
      async () => {
        const result = await child.call({ file, perTransaction: size, seconds, warm: Math.min(1, seconds / 2) });
        ({ rows } = result);
        return { value: result.rate };
      },
      async () => ({ value: (await context.rate(server, requests)).value * size }),
    );
    const note = `rows of one object: ${Object.entries(rows)
      .map(([table, n]) => `${String(n)} ${table}`)
      .join(', ')}`;
    return rateResult({ case: number, title, unit: 'objects/s', baselineTitle: baseline, note }, sides, goal);
  } finally {
    await child.end();
  }
}

/** Objects deleted a second at most, as far as is provided for: what is deleted twice would be refused. */
const MOST_DELETED = 20_000;
/** Milliseconds in which a server comes to rest behind them. */
const SETTLE = 3000;

export async function changeOne(context: Context): Promise<Result[]> {
  const dataset = await context.dataset(context.options.objects.normal);
  const server = await context.server(dataset);
  const [put, post] = [putOne(dataset), postOne()];
  await context.warm(server, put);
  const sides = await context.compare(
    () => context.rate(server, post),
    () => context.rate(server, put),
  );
  const title = `PUT one indexed property, ${String(context.options.connections)} connections`;
  return [rateResult({ case: 23, title, unit: 'requests/s', baselineTitle: 'POST one object' }, sides, 1)];
}

export async function deleteOne(context: Context): Promise<Result[]> {
  const { options } = context;
  const dataset = await context.dataset(options.objects.normal);
  const server = await context.server(dataset);
  const post = postOne();
  const seconds = Math.min(1, options.seconds);
  const sides = await context.compare(
    () => context.rate(server, { ...post, tool: 'autocannon' }, seconds),
    async () => {
      // What warms is deleted as well.
      const ids = await loadObjects(server, MOST_DELETED * seconds * 2, 1);
      // What the server does behind so many objects (copying its log) is no part of it.
      await new Promise((resolve) => setTimeout(resolve, options.quick ? 0 : SETTLE));
      return context.rate(server, deleteEach(ids), seconds);
    },
  );
  const title = `DELETE one object, ${String(options.connections)} connections`;
  return [rateResult({ case: 24, title, unit: 'requests/s', baselineTitle: 'POST one object' }, sides, 1)];
}
