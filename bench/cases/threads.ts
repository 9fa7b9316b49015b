/** Case 35: front-end threads (docs/threads.md) beside one thread, on copies of one database. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context, Requests } from '../context.js';
import { rateResult, type Result } from '../result.js';
import { ServerProcess } from '../server-process.js';
import { getOne, getPage, postOne } from './requests.js';

/** Threads beside one: with the load generator on the same two processors there is no room for more. */
const THREADS = [2, 3, 4] as const;
/** Times the requests of one thread. */
const READING = 1.5;
const WRITING = 1;

/** Requests a second, and processor time of the whole process a request, with 2, 3 and 4 threads beside one. */
export async function serveByThreads(context: Context): Promise<Result[]> {
  const dataset = await context.dataset(context.options.objects.normal);
  // Copied while no server has it open.
  await context.stopServer(dataset);
  const start = async (threads: number): Promise<ServerProcess> => {
    const folder = join(context.folder, `threads-${String(threads)}`);
    await cp(dataset.folder, folder, { recursive: true });
    return ServerProcess.start(folder, [], { 'application.http.threads': threads });
  };
  const kinds: readonly (readonly [title: string, requests: Requests, goal: number])[] = [
    ['GET one object', getOne(dataset), READING],
    ['GET sorted page of 20', getPage(dataset), READING],
    ['POST one object', postOne(), WRITING],
  ];
  const results: Result[] = [];
  const one = await start(1);
  try {
    for (const threads of context.options.quick ? [2] : THREADS) {
      const several = await start(threads);
      try {
        for (const [title, requests, goal] of kinds) {
          for (const server of [one, several]) await context.warm(server, requests);
          const sides = await context.compare(
            () => context.rate(one, requests),
            () => context.rate(several, requests),
          );
          const about = {
            case: 35,
            title: `${title}, ${String(threads)} threads`,
            unit: 'requests/s',
            baselineTitle: 'one thread',
          };
          results.push(rateResult(about, sides, goal));
        }
      } finally {
        await several.stop();
      }
    }
  } finally {
    await one.stop();
  }
  return results;
}
