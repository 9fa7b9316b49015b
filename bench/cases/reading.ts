/** Cases 1 and 2: one object and one page, beside uWebSockets.js sending the same bytes. */
import { Bare } from '../bare.js';
import type { Context, Requests } from '../context.js';
import { rateResult, type Result } from '../result.js';
import { CREDENTIALS } from '../server-process.js';
import { getOne, getPage } from './requests.js';

export async function readOne(context: Context): Promise<Result[]> {
  const dataset = await context.dataset(context.options.objects.normal);
  return [await read(context, 1, 'GET one object', getOne(dataset), 0.45)];
}

export async function readPage(context: Context): Promise<Result[]> {
  const dataset = await context.dataset(context.options.objects.normal);
  return [await read(context, 2, 'GET sorted page of 20', getPage(dataset), 0.12)];
}

async function read(
  context: Context,
  number: number,
  title: string,
  requests: Requests,
  goal: number,
): Promise<Result> {
  const server = await context.server(await context.dataset(context.options.objects.normal));
  const path = requests.requests[0]?.path ?? '/';
  const bare = await Bare.start(server.url, path, CREDENTIALS);
  try {
    await context.warm(server, requests);
    const sides = await context.compare(
      () => context.rate(bare, requests),
      () => context.rate(server, requests),
    );
    const note = `${String(bare.bytes)} bytes of body`;
    return rateResult(
      { case: number, title, unit: 'requests/s', baselineTitle: 'bare uWebSockets.js', note },
      sides,
      goal,
    );
  } finally {
    await bare.end();
  }
}
