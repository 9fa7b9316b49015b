/** Cases 1, 2 and 4 on Neo4j, beside neo4j-driver alone sending the same statements (bench/README.md). */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isInt } from 'neo4j-driver';
import { Child } from '../child.js';
import type { StatementsOrder, StatementsResult } from '../children/neo4j-statements.js';
import type { Context, Requests, Sample } from '../context.js';
import { TYPE } from '../dataset.js';
import { besideEmbedded } from '../growth/neo4j.js';
import { lockState, neo4jTarget, type PlainStatement } from '../neo4j.js';
import { cpuSeconds } from '../process-figures.js';
import { rateResult, type Result } from '../result.js';
import { ServerProcess } from '../server-process.js';
import { compileCount, compileRows } from '../../src/main/graph/neo4j/query/compile.js';
import type { Knowledge } from '../../src/main/graph/neo4j/query/knowledge.js';
import { NODE_BY_ID } from '../../src/main/graph/neo4j/connection/sharing.js';
import { ARRAY_SIZE, getOne, getPage, postArrays } from './requests.js';

const READ_GOAL = 0.7;
const WRITE_GOAL = 0.6;
/** `application.rest.array.limit`: the server counts no further. */
const MOST = 10_000;

type Side = (order: Pick<StatementsOrder, 'sessions' | 'seconds' | 'warm'>) => StatementsOrder;

export const neo4jCases: readonly { readonly number: number; readonly run: (context: Context) => Promise<Result[]> }[] =
  [
    { number: 1, run: readOne },
    { number: 2, run: readPage },
    { number: 4, run: writeMany },
    { number: 75, run: besideEmbedded },
  ];

async function readOne(context: Context): Promise<Result[]> {
  const { ids } = await context.dataset(context.options.objects.normal);
  const requests = getOne(await context.dataset(context.options.objects.normal));
  const reads = ids.map((id) => [{ text: NODE_BY_ID, params: { id } }]);
  return [await read(context, 1, 'GET one object, Neo4j', requests, reads)];
}

async function readPage(context: Context): Promise<Result[]> {
  const requests = getPage(await context.dataset(context.options.objects.normal));
  const [since, gaps] = await lockState();
  const knowledge = {
    indexed: () => true,
    relTypes: () => undefined,
    sharing: () => new Set<string>(),
    gapless: () => ({ since, gaps }),
  };
  const reads = requests.requests.map(({ path }) => pageStatements(path, knowledge));
  return [await read(context, 2, 'GET sorted page of 20 and its count, Neo4j', requests, reads)];
}

/** Rows and count of a page, made as the server makes them. */
function pageStatements(path: string, knowledge: Knowledge): PlainStatement[] {
  const { searchParams } = new URL(path, 'http://localhost');
  const size = Number(searchParams.get('_pageSize'));
  const query = {
    kind: 'nodes' as const,
    types: [TYPE],
    sort: [{ key: searchParams.get('_sort') ?? '', descending: searchParams.get('_order') === 'desc' }],
  };
  const offset = (Number(searchParams.get('_page')) - 1) * size;
  const statements = [compileRows({ ...query, offset, limit: size }, knowledge), compileCount(query, knowledge, MOST)];
  return statements
    .filter((one) => one !== undefined)
    .map(({ text, params }) => ({
      text,
      // The driver's own integers would arrive in the other process as something else.
      params: Object.fromEntries(
        Object.entries(params).map(([name, value]) => [name, isInt(value) ? value.toBigInt() : value]),
      ),
    }));
}

async function read(
  context: Context,
  number: number,
  title: string,
  requests: Requests,
  reads: readonly (readonly PlainStatement[])[],
): Promise<Result> {
  const dataset = await context.dataset(context.options.objects.normal);
  // The first two: pages in both orders.
  for (const i of [0, 1]) await sameStatements(context, requests.requests[i]?.path ?? '', reads[i] ?? []);
  const server = await context.server(dataset);
  return beside(
    context,
    (order) => ({ ...order, target: neo4jTarget(), reads }),
    async (measure) => {
      await context.warm(server, requests);
      const sides = await context.compare(measure, () => context.rate(server, requests));
      const note = `${String(reads[0]?.length)} statement${reads[0]?.length === 1 ? '' : 's'} a request`;
      const about = { case: number, title, unit: 'requests/s', baselineTitle: 'neo4j-driver alone', note };
      return rateResult(about, sides, READ_GOAL);
    },
  );
}

/** Throws unless the statements of the baseline are what a server sends for the request. */
async function sameStatements(context: Context, path: string, statements: readonly PlainStatement[]): Promise<void> {
  const folder = await mkdtemp(join(context.folder, 'statements-'));
  const server = await ServerProcess.start(folder, [], { ...context.settings, 'log.cypher.debug': true });
  try {
    // Logging in has statements of its own, and so have new indexes.
    // And the first page in descending order: the server finds out whether values are missing.
    for (const one of ['/me', path.replace('/svc/rest', '')]) await server.request('GET', one);
    const before = await quiet(server);
    await server.request('GET', path.replace('/svc/rest', ''));
    const after = await quiet(server);
    const sent = server.statements.slice(before, after);
    const wanted = statements.map((one) => one.text);
    if (JSON.stringify(sent) !== JSON.stringify(wanted)) {
      throw new Error(`the baseline does not send what the server sends:\n${sent.join('\n')}\n\n${wanted.join('\n')}`);
    }
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Waits until the server sends no statements any more; how many it has sent by then. */
async function quiet(server: ServerProcess): Promise<number> {
  for (let known = -1; ; await sleep(500)) {
    const { length } = server.statements;
    if (length === known) return length;
    known = length;
  }
}

async function writeMany(context: Context): Promise<Result[]> {
  const server = await context.server(await context.dataset(context.options.objects.normal));
  const requests = postArrays();
  const side: Side = (order) => ({ ...order, target: neo4jTarget(), type: TYPE, rows: ARRAY_SIZE });
  const connections = requests.connections ?? context.options.connections;
  return [
    await beside(
      context,
      side,
      async (measure, note) => {
        await context.warm(server, requests);
        const objects = ({ value }: Sample): Sample => ({ value: value * ARRAY_SIZE });
        const sides = await context.compare(
          async () => objects(await measure()),
          async () => objects(await context.rate(server, requests)),
        );
        const about = { case: 4, title: 'POST arrays of 1,000, Neo4j', unit: 'objects/s' };
        const baselineTitle = 'neo4j-driver alone, one UNWIND of 1,000';
        return rateResult({ ...about, baselineTitle, note: note() }, sides, WRITE_GOAL);
      },
      connections,
    ),
  ];
}

/** Runs a case with the process of the plain driver beside it. */
async function beside(
  context: Context,
  side: Side,
  work: (measure: () => Promise<Sample>, note: () => string) => Promise<Result>,
  sessions = context.options.connections,
): Promise<Result> {
  const child = new Child<StatementsOrder, StatementsResult>('neo4j-statements');
  let said = '';
  const measure = async (seconds: number): Promise<Sample> => {
    const before = cpuSeconds(child.pid);
    const { rate, done, note } = await child.call(side({ sessions, seconds, warm: Math.min(1, seconds / 2) }));
    const after = cpuSeconds(child.pid);
    said = note;
    return {
      value: rate,
      cpu: before === undefined || after === undefined ? undefined : ((after - before) / done) * 1e6,
    };
  };
  try {
    const { seconds, quick } = context.options;
    if (!quick) await measure(Math.min(3, seconds));
    return await work(
      () => measure(seconds),
      () => said,
    );
  } finally {
    await child.end();
  }
}
