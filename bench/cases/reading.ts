/** Cases 1, 2 and 33: one object and one page, beside uWebSockets.js sending the same bytes. */
import { Bare } from '../bare.js';
import type { Context, Requests } from '../context.js';
import { ALL, loadReaders, readerHeaders } from '../readers.js';
import { processorResult, type Result } from '../result.js';
import { CREDENTIALS, type ServerProcess } from '../server-process.js';
import { getOne, getPage } from './requests.js';

/** Of the baseline's processor time a request. */
const ONE = 0.45;
const PAGE = 0.2;

export async function readOne(context: Context): Promise<Result[]> {
  const dataset = await context.dataset(context.options.objects.normal);
  const server = await context.server(dataset);
  return [await read(context, server, 1, 'GET one object', getOne(dataset), ONE)];
}

export async function readPage(context: Context): Promise<Result[]> {
  const dataset = await context.dataset(context.options.objects.normal);
  const server = await context.server(dataset);
  return [await read(context, server, 2, 'GET sorted page of 20', getPage(dataset), PAGE)];
}

/** The same of objects that everybody may see, as nobody in particular and as a user with a session. */
export async function readAsOthers(context: Context): Promise<Result[]> {
  const dataset = await loadReaders(context, [ALL]);
  const server = await context.server(dataset);
  try {
    const headers = await readerHeaders(server);
    const results: Result[] = [];
    for (const reader of ALL.readers) {
      const as = (requests: Requests): Requests => ({ ...requests, headers: headers[reader] });
      const [one, page] = [as(getOne(dataset, ALL.type)), as(getPage(dataset, ALL.type))];
      results.push(await read(context, server, 33, `GET one object, ${reader}`, one, ONE));
      results.push(await read(context, server, 33, `GET sorted page of 20, ${reader}`, page, PAGE));
    }
    return results;
  } finally {
    await context.stopServer(dataset);
  }
}

async function read(
  context: Context,
  server: ServerProcess,
  number: number,
  title: string,
  requests: Requests,
  goal: number,
): Promise<Result> {
  const path = requests.requests[0]?.path ?? '/';
  const bare = await Bare.start(server.url, path, requests.headers ?? CREDENTIALS);
  try {
    await context.warm(server, requests);
    const sides = await context.compare(
      () => context.rate(bare, requests),
      () => context.rate(server, requests),
    );
    const note = `${String(bare.bytes)} bytes of body`;
    const about = { case: number, title, unit: 'requests/s', baselineTitle: 'bare uWebSockets.js', note };
    return processorResult(about, sides, goal);
  } finally {
    await bare.end();
  }
}
