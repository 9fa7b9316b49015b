/** Case 55: single writes with both changelogs on, beside the same with none. */
import { join } from 'node:path';
import type { Context, Requests } from '../context.js';
import { loadDataset, type Dataset } from '../dataset.js';
import { rateResult, type Result } from '../result.js';
import { ServerProcess, type ServerSettings } from '../server-process.js';
import { postOne, putOne } from './requests.js';

const ON = { 'application.changelog.enabled': true, 'application.changelog.user_centric.enabled': true };
const GOAL = 0.75;
/** Objects that PUT changes. */
const OBJECTS = 20_000;

interface Side {
  readonly dataset: Dataset;
  readonly server: ServerProcess;
}

async function side(context: Context, name: string, more: ServerSettings): Promise<Side> {
  const settings = { ...context.settings, ...more };
  const objects = Math.min(OBJECTS, context.options.objects.normal);
  const folder = join(context.folder, name);
  // Of both sides the objects are there before anything is written down: what is measured is not their log.
  const dataset = await loadDataset(folder, objects, true, context.settings);
  return { dataset, server: await ServerProcess.start(folder, [], settings) };
}

/** Both sides have the same objects, written by the same requests, each on a server of its own. */
export async function keepChangelog(context: Context): Promise<Result[]> {
  const off = await side(context, 'changelog-off', {});
  const on = await side(context, 'changelog-on', ON);
  const results: Result[] = [];
  const works: readonly [title: string, requests: (dataset: Dataset) => Requests][] = [
    ['POST one object', postOne],
    ['PUT one property', putOne],
  ];
  try {
    for (const [title, requests] of works) {
      for (const { server, dataset } of [off, on]) await context.warm(server, requests(dataset));
      const sides = await context.compare(
        () => context.rate(off.server, requests(off.dataset)),
        () => context.rate(on.server, requests(on.dataset)),
      );
      const about = { case: 55, title: `${title}, both changelogs on`, unit: 'requests/s', baselineTitle: 'both off' };
      results.push(rateResult(about, sides, GOAL));
    }
    return results;
  } finally {
    await Promise.all([off.server.stop(), on.server.stop()]);
  }
}
