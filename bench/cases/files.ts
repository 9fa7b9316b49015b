/** Cases 10 to 14: files, served and uploaded. */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Bare } from '../bare.js';
import { Child } from '../child.js';
import type { DownloadOrder, DownloadResult } from '../children/download.js';
import type { SinkOrder } from '../children/sink.js';
import type { UploadsOrder, UploadsResult } from '../children/uploads.js';
import type { Context, Requests, Sample } from '../context.js';
import { copyDatabase } from '../dataset.js';
import { Nginx } from '../nginx.js';
import { growthResult, rateResult, type Result } from '../result.js';
import { CREDENTIALS, type ServerProcess } from '../server-process.js';
import { upload } from '../upload.js';
import { getOne } from './requests.js';

const KB = 1000;
const MB = 1_000_000;
const PARALLEL = 32;

/** Where a file that was uploaded lies. */
async function stored(server: ServerProcess, id: string): Promise<string> {
  const paths = await readdir(join(server.folder, 'files'), { recursive: true });
  const path = paths.find((one) => one.includes(id));
  if (path === undefined) throw new Error(`the server stored no file ${id}`);
  return path;
}

export async function serveSmall(context: Context): Promise<Result[]> {
  const server = await context.fileServer();
  const text = 'body { margin: 0; color: #123456 } '.repeat(300).slice(0, 10 * KB);
  const id = await upload(server, 'static.css', new Blob([text]));
  const at = (path: string): Requests => {
    const requests = Array.from({ length: context.options.connections }, () => ({ path }));
    return { method: 'GET', requests, headers: {} };
  };
  const mine = at(`/${id}`);
  const title = 'GET a file of 10 KB';
  const results: Result[] = [];
  await context.warm(server, mine);
  const bare = await Bare.start(server.url, `/${id}`, {});
  try {
    const sides = await context.compare(
      () => context.rate(bare, mine),
      () => context.rate(server, mine),
    );
    const baselineTitle = 'bare uWebSockets.js, the same bytes from memory';
    results.push(rateResult({ case: 10, title, unit: 'requests/s', baselineTitle }, sides, 0.6));
  } finally {
    await bare.end();
  }
  if (!Nginx.installed) return results;
  const nginx = await Nginx.start(join(server.folder, 'files'), join(context.folder, 'nginx-small'));
  try {
    const theirs = at(`/${await stored(server, id)}`);
    const sides = await context.compare(
      () => context.rate(nginx, theirs),
      () => context.rate(server, mine),
    );
    const baselineTitle = 'nginx, one worker';
    results.push(rateResult({ case: 10, title, unit: 'requests/s', baselineTitle }, sides, 1));
  } finally {
    await nginx.end();
  }
  return results;
}

export async function download(context: Context): Promise<Result[]> {
  if (!Nginx.installed) {
    context.say('  left out: nginx is not installed');
    return [];
  }
  const server = await context.fileServer();
  const size = context.options.quick ? 64 * MB : 1000 * MB;
  const piece = new Uint8Array(8 * MB).fill(7);
  const id = await upload(server, 'big.bin', new Blob(Array<Uint8Array>(size / piece.length).fill(piece)));
  const nginx = await Nginx.start(join(server.folder, 'files'), join(context.folder, 'nginx-big'));
  const child = new Child<DownloadOrder, DownloadResult>('download');
  try {
    const path = `/${await stored(server, id)}`;
    const get = async (port: number, from: string): Promise<Sample> => ({
      value: (await child.call({ port, path: from, times: 2 })).rate,
    });
    await child.call({ port: server.port, path: `/${id}`, times: 1 });
    const sides = await context.compare(
      () => get(nginx.port, path),
      () => get(server.port, `/${id}`),
    );
    const title = `GET a file of ${String(size / MB)} MB`;
    const baselineTitle = 'nginx with sendfile, one worker';
    return [rateResult({ case: 11, title, unit: 'MB/s', baselineTitle }, sides, 0.7)];
  } finally {
    await child.end();
    await nginx.end();
  }
}

export async function uploadBig(context: Context): Promise<Result[]> {
  const [size, files] = context.options.quick ? [8 * MB, 2] : [100 * MB, 5];
  const title = `upload ${String(size / MB)} MB, one after the other`;
  const order = { size, files, connections: 1 };
  const sides = await besideSink(context, 'sink-big', order, (seconds) => (size * files) / MB / seconds);
  const baselineTitle = 'bare uWebSockets.js writing and syncing the same bytes';
  return [rateResult({ case: 12, title, unit: 'MB/s', baselineTitle }, sides, 0.8)];
}

export async function uploadMany(context: Context): Promise<Result[]> {
  const [size, files] = [100 * KB, context.options.quick ? 100 : 1000];
  const server = await context.fileServer();
  // What the rows of a file are is learned from these.
  await uploads(server.port, { size: 1, files: context.options.quick ? 64 : 2000, connections: PARALLEL });
  const dataset = { folder: server.folder };
  await context.stopFileServer();
  const database = await copyDatabase(dataset, join(context.folder, 'sink-rows'));
  const title = `${files.toLocaleString('en')} uploads of 100 KB, ${String(PARALLEL)} at a time`;
  const order = { size, files, connections: PARALLEL };
  const sides = await besideSink(context, 'sink-many', order, (seconds) => files / seconds, database);
  const baselineTitle = 'the same sink, one synced insert of the same rows a file';
  return [rateResult({ case: 13, title, unit: 'files/s', baselineTitle }, sides, 0.6)];
}

async function uploads(
  port: number,
  order: Pick<UploadsOrder, 'size' | 'files' | 'seconds' | 'connections'>,
): Promise<UploadsResult> {
  const child = new Child<UploadsOrder, UploadsResult>('uploads');
  try {
    return await child.call({ port, headers: CREDENTIALS, ...order });
  } finally {
    await child.end();
  }
}

async function besideSink(
  context: Context,
  name: string,
  order: Pick<UploadsOrder, 'size' | 'files' | 'connections'>,
  rate: (seconds: number) => number,
  database?: string,
): ReturnType<Context['compare']> {
  const server = await context.fileServer();
  const sink = new Child<SinkOrder, number>('sink');
  const folder = join(context.folder, name);
  await mkdir(folder, { recursive: true });
  try {
    const port = await sink.call({ folder, ...(database === undefined ? {} : { database }) });
    const measure = async (at: number): Promise<Sample> => ({ value: rate((await uploads(at, order)).seconds) });
    for (const at of [port, server.port]) await context.settle(() => measure(at));
    return await context.compare(
      () => measure(port),
      () => measure(server.port),
    );
  } finally {
    await sink.end();
  }
}

export async function tailBesideUploads(context: Context): Promise<Result[]> {
  const dataset = await context.dataset(context.options.objects.normal);
  const server = await context.server(dataset);
  const reading = getOne(dataset);
  const read = async (): Promise<Sample> => ({ value: (await context.load(server, reading)).result.p99 });
  await context.warm(server, reading);
  let received = 0;
  const sides = await context.compare(read, async () => {
    // Long enough for the other's preparations, too.
    const seconds = context.options.seconds + 5;
    const [result, sample] = await Promise.all([
      uploads(server.port, { size: 10 * MB, seconds, connections: PARALLEL }),
      new Promise((resolve) => setTimeout(resolve, 1000)).then(read),
    ]);
    received = (result.files * 10) / result.seconds;
    return sample;
  });
  const note = `${Math.round(received).toLocaleString('en')} MB/s uploaded meanwhile`;
  const title = `p99 of GET one object, ${String(PARALLEL)} uploads`;
  return [growthResult({ case: 14, title, unit: 'ms', baselineTitle: 'nobody uploads', note }, sides, 4)];
}
