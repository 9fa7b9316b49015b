/** Case 36: what those wait whose connection another thread has, while one thread computes without pause. */
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'undici';
import { getOne } from '../cases/requests.js';
import type { Context, Requests, Sample } from '../context.js';
import { growthResult, type Result } from '../result.js';
import { CREDENTIALS, ServerProcess } from '../server-process.js';
import { at } from '../spaced.js';
import { Inspector, INSPECTED, type Thread } from './inspector.js';

const GOAL = 3;
/** Milliseconds in one go, and of rest between two. */
const COMPUTES = 200;
const RESTS = 20;
/** Connections to the threads that do not compute; opened until there are so many, at most. */
const CONNECTIONS = 8;
const MOST_OPENED = 200;
/** Milliseconds that each of them rests behind an answer: waiting is to be seen, not work. */
const DISTANCE = 5;
/** Milliseconds for which a thread computes to be known by, of which a request that it has lasts this long at least. */
const KNOWN_BY = 400;
const STUCK = 200;

/** p99 of GET one object on connections that other threads have, while the main thread, then a front-end thread, computes. */
export async function besideComputing(context: Context): Promise<Result[]> {
  const dataset = await context.dataset(context.options.objects.normal);
  await context.stopServer(dataset);
  const server = await ServerProcess.start(dataset.folder, INSPECTED, { 'application.http.threads': 2 });
  try {
    const requests = getOne(dataset);
    await context.warm(server, requests);
    const inspector = await Inspector.open(server.inspectorUrl);
    try {
      const [frontEnd] = inspector.frontEnds;
      if (frontEnd === undefined) throw new Error('the server has no front-end thread');
      return [
        await measure(context, server, inspector, undefined, requests),
        await measure(context, server, inspector, frontEnd, requests),
      ];
    } finally {
      inspector.close();
    }
  } finally {
    await server.stop();
  }
}

async function measure(
  context: Context,
  server: ServerProcess,
  inspector: Inspector,
  thread: Thread,
  requests: Requests,
): Promise<Result> {
  const clients = await connectionsOfOthers(server, inspector, thread, pathsOf(requests));
  try {
    const idle = (): Promise<Sample> => p99(context, clients, requests);
    const sides = await context.compare(idle, async () => {
      let over = false;
      const computing = (async () => {
        while (!over) {
          await inspector.compute(thread, COMPUTES);
          await delay(RESTS);
        }
      })();
      try {
        return await idle();
      } finally {
        over = true;
        await computing;
      }
    });
    const who = thread === undefined ? 'the main thread' : 'a front-end thread';
    const title = `p99 of GET one object by the other thread, ${who} computes for ${String(COMPUTES)} ms`;
    return growthResult({ case: 36, title, unit: 'ms', baselineTitle: 'it does not' }, sides, GOAL);
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

/** The paths over and over. */
function pathsOf({ requests }: Requests): () => string {
  let next = 0;
  return () => requests[next++ % requests.length]?.path ?? '/';
}

async function get(client: Client, path: string): Promise<number> {
  const begin = performance.now();
  const { statusCode, body } = await client.request({ method: 'GET', path, headers: CREDENTIALS });
  await body.dump();
  if (statusCode !== 200) throw new Error(`GET ${path} answered ${String(statusCode)}`);
  return performance.now() - begin;
}

/** Connections that this thread does not have: what is asked on them is answered while it computes. */
async function connectionsOfOthers(
  server: ServerProcess,
  inspector: Inspector,
  thread: Thread,
  path: () => string,
): Promise<Client[]> {
  const others: Client[] = [];
  for (let opened = 0; others.length < CONNECTIONS; opened += CONNECTIONS) {
    if (opened >= MOST_OPENED) throw new Error('one thread has all connections');
    const some = Array.from({ length: CONNECTIONS }, () => new Client(server.url));
    // They are open, and what a thread keeps of who asks is known.
    await Promise.all(some.map((client) => get(client, path())));
    const computing = inspector.compute(thread, KNOWN_BY);
    await delay((KNOWN_BY - STUCK) / 2);
    const times = await Promise.all(some.map((client) => get(client, path())));
    await computing;
    const isOther = times.map((time) => time < STUCK && others.length < CONNECTIONS);
    for (const [i, client] of some.entries()) {
      if (isOther[i] === true && others.length < CONNECTIONS) others.push(client);
      else await client.close();
    }
  }
  return others;
}

/** Milliseconds. */
async function p99(context: Context, clients: readonly Client[], requests: Requests): Promise<Sample> {
  const times: number[] = [];
  const path = pathsOf(requests);
  const until = performance.now() + context.options.seconds * 1000;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < until) {
        times.push(await get(client, path()));
        await delay(DISTANCE);
      }
    }),
  );
  return {
    value: at(
      times.sort((a, b) => a - b),
      0.99,
    ),
  };
}
