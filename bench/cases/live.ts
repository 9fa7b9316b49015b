/** Case 56: writes that 1,000 subscribers hear of, beside the same writes that nobody hears of, and beside PocketBase's realtime. */
import { join } from 'node:path';
import { Child } from '../child.js';
import type { SubscribersOrder, SubscribersResult } from '../children/subscribers.js';
import type { Context, Requests, Sample } from '../context.js';
import { loadDataset, makeObject, randomNumbers, TYPE, type Dataset } from '../dataset.js';
import { items, PocketBase } from '../pocketbase.js';
import { rateResult, type Result } from '../result.js';
import { CREDENTIALS, ServerProcess } from '../server-process.js';

const SUBSCRIBERS = 1000;
const GOAL = 0.5;
/** Objects that are written, in turns. */
const OBJECTS = 20_000;

let runs = 0;

/** One client that writes one object after the other, each time with values that are new: what changes nothing is told to nobody. */
function writing(method: Requests['method'], path: string, ids: readonly string[]): Requests {
  const random = randomNumbers(++runs);
  const requests = ids.map((id) => ({
    path: `${path}/${id}`,
    body: JSON.stringify({ rank: Math.floor(random() * 1e9) }),
  }));
  return { method, connections: 1, tool: 'autocannon', requests };
}

class Listeners {
  readonly #child = new Child<SubscribersOrder, SubscribersResult>('subscribers');

  async open(order: NonNullable<SubscribersOrder['open']>): Promise<void> {
    await this.#child.call({ open: order });
  }

  /** What they have heard since the last time. */
  heard(): Promise<SubscribersResult> {
    return this.#child.call({});
  }

  end(): Promise<void> {
    return this.#child.end();
  }
}

export async function tellSubscribers(context: Context): Promise<Result[]> {
  const folder = join(context.folder, 'live');
  const objects = Math.min(OBJECTS, context.options.objects.normal);
  const dataset = await loadDataset(folder, objects, true, context.settings);
  const servlets = 'JsonRestServlet EventSourceServlet';
  const profiling = context.options.profile ? ['--cpu-prof', `--cpu-prof-dir=${context.profileFolder}`] : [];
  const server = await ServerProcess.start(folder, profiling, {
    ...context.settings,
    'httpservice.servlets': servlets,
  });
  const requests = (): Requests => writing('PUT', `/svc/rest/${TYPE}`, dataset.ids);
  try {
    await context.warm(server, requests());
    const notes: string[] = [];
    const sides = await context.compare(
      () => context.rate(server, requests()),
      () => listened(context, server, requests(), order(server.port), notes),
    );
    const about = {
      case: 56,
      title: `PUT one property, seen by ${SUBSCRIBERS.toLocaleString('en')} subscribers`,
      unit: 'requests/s',
      baselineTitle: 'seen by nobody',
      note: notes.at(-1) ?? '',
    };
    return [rateResult(about, sides, GOAL), ...(await besidePeer(context, dataset, server, requests))];
  } finally {
    await server.stop();
  }
}

function order(port: number): NonNullable<SubscribersOrder['open']> {
  return {
    port,
    count: SUBSCRIBERS,
    path: `/svc/EventSource?subscribe=${TYPE}`,
    headers: CREDENTIALS,
    event: 'event: change',
    ready: 'event: ready',
  };
}

/** The rate while they listen. */
async function listened(
  context: Context,
  target: { readonly url: string; readonly pid: number },
  requests: Requests,
  open: NonNullable<SubscribersOrder['open']>,
  notes: string[],
): Promise<Sample> {
  const listeners = new Listeners();
  try {
    await listeners.open(open);
    await listeners.heard();
    const since = performance.now();
    const sample = await context.rate(target, requests);
    const seconds = (performance.now() - since) / 1000;
    const { events, bytes, ended } = await listeners.heard();
    notes.push(
      `each subscriber heard of ${(events / seconds).toFixed(0)} events/s, all of ${(bytes / seconds / 1e6).toFixed(0)} MB/s, ${String(ended)} were let go`,
    );
    return sample;
  } finally {
    await listeners.end();
  }
}

async function besidePeer(
  context: Context,
  dataset: Dataset,
  server: ServerProcess,
  requests: () => Requests,
): Promise<Result[]> {
  const built = PocketBase.build(context.folder);
  if (typeof built === 'string') {
    context.say(`PocketBase is left out of case 56: ${built}`);
    return [];
  }
  const random = randomNumbers(56);
  const records = Array.from({ length: dataset.objects }, () => makeObject(random));
  const peer = await PocketBase.start(built.program, join(context.folder, 'pocketbase-live'), items(records));
  const path = '/api/collections/items/records';
  const theirs = (): Requests => writing('PATCH', path, peer.ids);
  const open = {
    port: peer.port,
    count: SUBSCRIBERS,
    path: '/api/realtime',
    headers: {},
    event: 'event:items',
    subscribe: { path: '/api/realtime', topic: 'items/*' },
  };
  try {
    await context.warm(peer, theirs());
    const notes: string[] = [];
    const sides = await context.compare(
      () => listened(context, peer, theirs(), open, notes),
      () => listened(context, server, requests(), order(server.port), notes),
    );
    const about = {
      case: 56,
      title: `one property changed, seen by ${SUBSCRIBERS.toLocaleString('en')} subscribers`,
      unit: 'requests/s',
      baselineTitle: 'PocketBase 0.38',
      note: notes.slice(-2).join('; '),
    };
    return [rateResult(about, sides, 1)];
  } finally {
    await peer.end();
  }
}
