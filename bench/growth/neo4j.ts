/** Case 75: what the rows of case 70 take on Neo4j beside the embedded engine, and what links add to making objects there. */
import { join } from 'node:path';
import { Context, series, type Sample, type Series } from '../context.js';
import { neo4jPid } from '../neo4j.js';
import { cpuSeconds } from '../process-figures.js';
import { growthResult, type Result } from '../result.js';
import type { ServerProcess } from '../server-process.js';
import { answer } from './cost.js';
import { things, type Thing } from './things.js';
import { headersOf, WHO, type Who } from './who.js';
import { ROWS } from './work.js';
import { create, sendable, THING, world } from './world.js';

/** Times of the embedded engine a row may take: a round trip alone is most of them. */
const BESIDE_EMBEDDED = 20;
/** Times of making objects without links. */
const WITH_LINKS = 3;
/** Requests of a row and round; those that make Neo4j plan a statement do not count. */
const REQUESTS = 20;
const MADE = 1000;

interface Place {
  readonly server: ServerProcess;
  /** Of the server, and of its database where that is another process. */
  readonly pids: readonly number[];
  readonly paths: readonly (readonly string[])[];
  readonly hubs: readonly string[];
  readonly headers: Awaited<ReturnType<typeof headersOf>>;
}

/** The least of the sizes is taken: one database of Neo4j holds one. */
export async function besideEmbedded(context: Context): Promise<Result[]> {
  const { options, profileFolder, say } = context;
  const embedded = new Context(options, join(context.folder, 'embedded'), profileFolder, {}, say);
  try {
    const size = options.sizes[0] ?? MADE;
    const sides = { baseline: await place(embedded, size), svc: await place(context, size, await neo4jPid()) };
    return [...(await rows(context, sides)), await making(context, sides.svc)];
  } finally {
    await embedded.stopAll();
  }
}

async function place(context: Context, size: number, database?: number): Promise<Place> {
  const one = await world(context, size);
  const server = await context.server(one);
  const pids = [server.pid, ...(database === undefined ? [] : [database])];
  return { server, pids, paths: ROWS.map((row) => row.paths(one)), hubs: one.hubs, headers: await headersOf(server) };
}

/** Milliseconds of a request, one after the other, and the processor time of the server with that of its database. */
async function rows(context: Context, sides: { baseline: Place; svc: Place }): Promise<Result[]> {
  const results: Result[] = [];
  for (const [i, { name }] of ROWS.entries()) {
    for (const who of WHO) {
      const figures = { baseline: [] as Sample[], svc: [] as Sample[] };
      for (let round = -1; round < context.options.rounds; round++) {
        for (const side of ['baseline', 'svc'] as const) {
          const sample = await asked(sides[side], sides[side].paths[i] ?? [], who);
          if (round >= 0) figures[side].push(sample);
        }
      }
      const both = { baseline: series(figures.baseline), svc: series(figures.svc) };
      const told = ({ median, cpu = NaN }: Series): string =>
        `${median.toFixed(1)} ms (${(cpu / 1000).toFixed(1)} ms CPU)`;
      context.say(`  ${name}, ${who}: ${told(both.svc)}, embedded ${told(both.baseline)}`);
      const title = `${name}, ${who}, Neo4j`;
      results.push(
        growthResult({ case: 75, title, baselineTitle: 'the embedded engine', unit: 'ms' }, both, BESIDE_EMBEDDED),
      );
    }
  }
  return results;
}

async function asked({ server, pids, headers }: Place, paths: readonly string[], who: Who): Promise<Sample> {
  const spent = (): number => pids.reduce((sum, pid) => sum + (cpuSeconds(pid) ?? NaN), 0);
  const [since, before] = [performance.now(), spent()];
  for (let at = 0; at < REQUESTS; at++) await answer(server, paths[at % paths.length] ?? '/', headers[who]);
  const [milliseconds, cpu] = [performance.now() - since, spent() - before];
  return { value: milliseconds / REQUESTS, cpu: Number.isNaN(cpu) ? undefined : (cpu / REQUESTS) * 1e6 };
}

/** Objects that link to hubs beside the same without. */
async function making(context: Context, { server, hubs }: Place): Promise<Result> {
  const figures = { baseline: [] as Sample[], svc: [] as Sample[] };
  const source = things(MADE);
  const all = Array.from({ length: MADE }, () => source.next().value as Thing);
  for (let round = -1; round < context.options.rounds; round++) {
    for (const side of ['baseline', 'svc'] as const) {
      const batch = all.map((one, i) => {
        const { hub, ...rest } = sendable({ ...one, hub: i % hubs.length }, hubs);
        return side === 'svc' ? { ...rest, hub } : rest;
      });
      const since = performance.now();
      await create(server, THING, batch);
      if (round >= 0) figures[side].push({ value: performance.now() - since });
    }
  }
  const title = `making ${MADE.toLocaleString('en')} objects that link to hubs, Neo4j`;
  const about = { case: 75, title, baselineTitle: 'without links', unit: 'ms' };
  return growthResult(about, { baseline: series(figures.baseline), svc: series(figures.svc) }, WITH_LINKS);
}
