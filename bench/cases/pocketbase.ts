/** Case 26: single objects and sorted lists that everybody may see, beside PocketBase with the same data. */
import { join } from 'node:path';
import type { Context, Requests } from '../context.js';
import { randomNumbers, shuffle } from '../dataset.js';
import { wrkInstalled } from '../options.js';
import { items, PocketBase } from '../pocketbase.js';
import { cpuSeconds } from '../process-figures.js';
import { ALL, loadReaders, objectsOf } from '../readers.js';
import { rateResult, type Result } from '../result.js';

const GOAL = 4;
/** Ids asked for, as many as the other cases ask for. */
const IDS = 64_000;

export async function besidePocketBase(context: Context): Promise<Result[]> {
  const built = cpuSeconds(process.pid) === undefined ? 'no processor times here' : PocketBase.build(context.folder);
  if (typeof built === 'string') {
    context.say(`case 26 is skipped: ${built}`);
    return [];
  }
  const dataset = await loadReaders(context, [ALL]);
  const server = await context.server(dataset);
  const peer = await PocketBase.start(
    built.program,
    join(context.folder, 'pocketbase-data'),
    items(objectsOf(dataset.objects)),
  );
  try {
    const [mine, theirs] = [`/svc/rest/${ALL.type}`, '/api/collections/items/records'];
    const pages = Math.max(1, Math.min(100, Math.floor(dataset.objects / 20)));
    const page = (i: number): string => String(((i * 37) % pages) + 1);
    const list = (path: (i: number) => string): Requests =>
      anonymous(Array.from({ length: pages * 64 }, (_, i) => path(i)));
    const work = [
      ['GET one public object', one(theirs, peer.ids), one(mine, dataset.ids)],
      [
        'GET public sorted page of 20',
        list((i) => `${theirs}?sort=${i % 2 === 0 ? '' : '-'}rank&perPage=20&page=${page(i)}`),
        list((i) => `${mine}?_sort=rank&_order=${i % 2 === 0 ? 'asc' : 'desc'}&_pageSize=20&_page=${page(i)}`),
      ],
    ] as const;
    const results: Result[] = [];
    for (const [title, their, my] of work) {
      await context.warm(peer, their);
      await context.warm(server, my);
      const sides = await context.compare(
        () => context.rate(peer, their),
        () => context.rate(server, my),
      );
      const about = { case: 26, title, unit: 'requests/s', baselineTitle: 'PocketBase 0.38; the goal is on CPU time' };
      const result = rateResult(about, sides, GOAL);
      results.push({ ...result, met: (result.cpuFigure ?? 0) >= GOAL });
    }
    return results;
  } finally {
    await peer.end();
    await context.stopServer(dataset);
  }
}

function one(path: string, ids: readonly string[]): Requests {
  const some = shuffle([...ids], randomNumbers(26)).slice(0, IDS);
  // As often as every connection has one of its own.
  return anonymous(
    Array.from({ length: Math.max(640, some.length) }, (_, i) => `${path}/${some[i % some.length] ?? ''}`),
  );
}

function anonymous(paths: readonly string[]): Requests {
  return {
    method: 'GET',
    headers: {},
    ...(wrkInstalled() ? { tool: 'wrk' as const } : {}),
    requests: paths.map((path) => ({ path })),
  };
}
