/** Cases 80 to 83: images. */
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { together } from '../../src/shared/together.js';
import type { Context, Requests, Sample } from '../context.js';
import { randomNumbers } from '../dataset.js';
import { installed } from '../programs.js';
import { growthResult, rateResult, type Result } from '../result.js';
import { CREDENTIALS, ServerProcess } from '../server-process.js';
import { upload } from '../upload.js';
import { getOne } from './requests.js';

const run = promisify(execFile);
const SECRET = 'the secret of the bench';
/** Who asks for thumbnails, or uploads, at the same time. */
const CLIENTS = 8;

/** A picture that is as hard to pack as a photo. */
async function photo(width: number, height: number): Promise<Buffer> {
  const small = Buffer.alloc(Math.ceil(width / 4) * Math.ceil(height / 4) * 3);
  const random = randomNumbers(1);
  for (let i = 0; i < small.length; i++) small[i] = 90 + 70 * Math.sin(i / 999) + 60 * random();
  const raw = { width: Math.ceil(width / 4), height: Math.ceil(height / 4), channels: 3 } as const;
  return sharp(small, { raw }).resize(width, height, { kernel: 'cubic', fit: 'fill' }).jpeg({ quality: 85 }).toBuffer();
}

/** Does it for all, some at a time; seconds. */
async function each<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await together(all, CLIENTS, async (one) => void (await work(one)));
  return (performance.now() - begun) / 1000;
}

/** The thumbnails that an image shows. */
async function shown(server: ServerProcess, id: string): Promise<Record<'tnSmall' | 'tnMid', { id: string } | null>> {
  return (await server.request('GET', `/Image/${id}`)).result as Awaited<ReturnType<typeof shown>>;
}

async function withServer<T>(context: Context, work: (server: ServerProcess) => Promise<T>): Promise<T> {
  const folder = join(context.folder, 'images-server');
  await mkdir(folder, { recursive: true });
  // What was made is made again: it is the work that is measured.
  const own = { 'application.images.url.secret': SECRET, 'application.images.cache.size': 0 };
  const server = await ServerProcess.start(folder, [], {
    ...context.settings,
    ...own,
    'application.images.thumbnails.wait': 60_000,
  });
  try {
    return await work(server);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** 80: both thumbnails of each image, beside one of libvips' own. */
export async function firstThumbnails(context: Context): Promise<Result[]> {
  const count = context.options.quick ? 16 : 500;
  if (!installed('vipsthumbnail')) {
    context.say('  left out: vipsthumbnail is not installed');
    return [];
  }
  const picture = await photo(4000, 3000);
  const files = join(context.folder, 'photos');
  await mkdir(files, { recursive: true });
  const names = Array.from({ length: count }, (_, i) => join(files, `${String(i)}.jpg`));
  for (const name of names) await writeFile(name, picture);
  try {
    return await withServer(context, async (server) => {
      const ids: string[] = [];
      const blob = new Blob([new Uint8Array(picture)]);
      await each(names, async () => ids.push(await upload(server, 'photo.jpg', blob)));
      const theirs = async (): Promise<Sample> => {
        const begun = performance.now();
        const cores = availableParallelism();
        await Promise.all(
          Array.from({ length: cores }, async (_, core) => {
            const mine = names.filter((__, i) => i % cores === core);
            // One after the other in a process, as it does for a list of files; a process a processor.
            const env = { ...process.env, VIPS_CONCURRENCY: '1' };
            if (mine.length > 0) await run('vipsthumbnail', [...mine, '-s', '300x300', '-o', '%s_tn.png'], { env });
          }),
        );
        return { value: count / ((performance.now() - begun) / 1000) };
      };
      const ours = async (): Promise<Sample> => {
        await server.request('DELETE', '/Image?isThumbnail=true');
        const seconds = await each(ids, async (id) => {
          const { tnSmall, tnMid } = await shown(server, id);
          if (tnSmall?.id === undefined || tnMid?.id === undefined) throw new Error('a thumbnail is missing');
        });
        return { value: count / seconds };
      };
      const sides = await context.compare(theirs, ours);
      const title = `first thumbnails of ${String(count)} JPEGs of 12 megapixels, both sizes of each, stored`;
      const baselineTitle = 'vipsthumbnail, one size, a process a processor';
      return [rateResult({ case: 80, title, unit: 'images/s', baselineTitle }, sides, 0.85)];
    });
  } finally {
    await rm(files, { recursive: true, force: true });
  }
}

/** 81: thumbnails that are there, beside a file of the same bytes. */
export async function cachedThumbnail(context: Context): Promise<Result[]> {
  const server = await context.fileServer();
  const id = await upload(server, 'cached.jpg', new Blob([new Uint8Array(await photo(1200, 900))]));
  const { tnMid } = await shown(server, id);
  if (tnMid === null) throw new Error('the thumbnail is missing');
  const thumbnail = tnMid.id;
  const bytes = await (await fetch(`${server.url}/${thumbnail}`, { headers: CREDENTIALS })).arrayBuffer();
  const twin = await upload(server, 'twin.png', new Blob([bytes]));
  const at = (path: string): Requests => ({
    method: 'GET',
    requests: Array.from({ length: context.options.connections }, () => ({ path })),
    headers: {},
  });
  await context.warm(server, at(`/${thumbnail}`));
  const sides = await context.compare(
    () => context.rate(server, at(`/${twin}`)),
    () => context.rate(server, at(`/${thumbnail}`)),
  );
  const title = `GET a thumbnail that is there, ${String(Math.round(bytes.byteLength / 1000))} KB`;
  return [rateResult({ case: 81, title, unit: 'requests/s', baselineTitle: 'a file of the same bytes' }, sides, 0.8)];
}

/** 82: whether an image costs the same when there are many. */
export async function uploadImages(context: Context): Promise<Result[]> {
  const [count, part] = context.options.quick ? [200, 50] : [10_000, 1000];
  const blob = new Blob([new Uint8Array(await photo(640, 480))]);
  return withServer(context, async (server) => {
    const seconds: number[] = [];
    for (let at = 0; at < count; at += part) {
      const numbers = Array.from({ length: part }, (_, i) => at + i);
      seconds.push(await each(numbers, (number) => upload(server, `bulk-${String(number)}.jpg`, blob)));
    }
    const per = (all: readonly number[]): Sample => ({ value: (1000 * Math.min(...all)) / part });
    // Two parts of each end: one alone may have met others on the machine.
    const sides = await context.compare(
      () => Promise.resolve(per(seconds.slice(0, 2))),
      () => Promise.resolve(per(seconds.slice(-2))),
    );
    const title = `an image of ${count.toLocaleString('en')} that are uploaded, ${String(CLIENTS)} at a time: the last ones`;
    return [growthResult({ case: 82, title, unit: 'ms', baselineTitle: 'the first ones' }, sides, 1.2)];
  });
}

/** 83: how long the slowest readers wait while both processors make images. */
export async function tailBesideImages(context: Context): Promise<Result[]> {
  const dataset = await context.dataset(context.options.objects.normal);
  await context.stopServer(dataset);
  const server = await ServerProcess.start(dataset.folder, [], {
    ...context.settings,
    'application.images.url.secret': SECRET,
    'application.images.cache.size': 0,
  });
  try {
    const id = await upload(server, 'many.jpg', new Blob([new Uint8Array(await photo(2000, 1500))]));
    const sizes = Array.from({ length: 512 }, (_, i) => {
      const options = `w_${String(300 + i)},f_webp`;
      const signature = createHmac('sha256', SECRET).update(`${options}/${id}`).digest('base64url');
      return { path: `/svc/image/${signature}/${options}/${id}` };
    });
    const making: Requests = { method: 'GET', requests: sizes, connections: 16 };
    const reading = getOne(dataset);
    const read = async (): Promise<Sample> => ({ value: (await context.load(server, reading)).result.p99 });
    await context.warm(server, reading);
    let made = 0;
    const sides = await context.compare(read, async () => {
      const [images, sample] = await Promise.all([
        context.load(server, making, context.options.seconds + 3),
        new Promise((resolve) => setTimeout(resolve, 1000)).then(read),
      ]);
      made = images.result.rate;
      return sample;
    });
    const note = `${made.toFixed(1)} images/s made meanwhile`;
    const title = 'p99 of GET one object while all processors make images';
    return [growthResult({ case: 83, title, unit: 'ms', baselineTitle: 'idle', note }, sides, 5)];
  } finally {
    await server.stop();
  }
}
