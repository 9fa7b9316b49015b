/** Cases 27 to 32: pages, beside the same bytes, beside template engines, and beside each other. */
import { mkdir, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { Bare } from '../bare.js';
import { Child } from '../child.js';
import type { PagesOrder, PagesResult } from '../children/pages.js';
import { series, type Context, type Requests, type Sample } from '../context.js';
import { makeObject, properties, randomNumbers } from '../dataset.js';
import { Nginx } from '../nginx.js';
import type { PageEngine } from '../pages/templates.js';
import { create, makePage, rowsTable, scriptParagraphs, staticBody, type Tree } from '../pages/trees.js';
import { limitResult, rateResult, type Result } from '../result.js';
import type { ServerProcess } from '../server-process.js';
import { session } from '../session.js';

const TYPE = 'BenchPageRow';
const ROWS = 10_000;
const ROWS_PAGE = 'bench-rows';
const SCRIPTS_PAGE = 'bench-scripts';
const LARGE_PAGE = 'bench-large';
/** Repeaters of the large page; one of them is asked for by itself. */
const REPEATERS = 10;
/** Fewer than in other cases: what is still waiting at the end of a measurement is made all the same. */
const CONNECTIONS = 16;
const WAITS = 500;
/** ms */
const SOONER = 10;
const USER = { name: 'bench-visitor', password: 'Bench-visitor-1' };

type ServedRow = PagesOrder['rows'][number];

interface Prepared {
  readonly rows: readonly ServedRow[];
  readonly asUser: NonNullable<Requests['headers']>;
}

const prepared = new WeakMap<ServerProcess, Prepared>();

/** Rows that nobody sees but by a right on each: visitors by its flag, the user by a grant. */
async function prepare(context: Context, server: ServerProcess): Promise<Prepared> {
  const known = prepared.get(server);
  if (known !== undefined) return known;
  context.say('making pages and their rows ...');
  await server.request('POST', '/SchemaNode', { name: TYPE, schemaProperties: properties });
  const user = await create(server, 'User', USER);
  await server.request('POST', '/ResourceAccess', { signature: '_login', flags: 64, visibleToPublicUsers: true });
  const random = randomNumbers(27);
  const count = context.options.quick ? 1000 : ROWS;
  const objects = Array.from({ length: count }, () => makeObject(random) as unknown as Omit<ServedRow, 'id'>);
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1000) {
    const batch = objects.slice(at, at + 1000).map((object) => ({ ...object, visibleToPublicUsers: true }));
    const { result } = await server.request('POST', `/${TYPE}`, batch);
    const made = result as string[];
    ids.push(...made);
    await server.request(
      'POST',
      '/Security',
      made.map((targetId) => ({ sourceId: user, targetId, allowed: ['read'] })),
    );
  }
  await makePage(server, ROWS_PAGE, [rowsTable(TYPE)], { dontCache: true });
  await makePage(server, SCRIPTS_PAGE, [rowsTable(TYPE), ...scriptParagraphs()], { dontCache: true });
  const rows = objects.map((object, i) => ({ ...object, id: ids[i] ?? '', active: object.active ? 1 : 0 }));
  const made = { rows, asUser: await session(server, USER) };
  prepared.set(server, made);
  return made;
}

function at(path: string, headers: Requests['headers'] = {}): Requests {
  return {
    method: 'GET',
    headers,
    connections: CONNECTIONS,
    requests: Array.from({ length: CONNECTIONS }, () => ({ path })),
  };
}

async function text(url: string, headers: Requests['headers'] = {}): Promise<string> {
  const answer = await fetch(url, { headers });
  const body = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${String(answer.status)}: ${body.slice(0, 300)}`);
  return body;
}

/** Case 27. */
export async function servePage(context: Context): Promise<Result[]> {
  const server = await context.fileServer();
  await makePage(server, 'bench-static', staticBody());
  const requests = at('/bench-static');
  const page = await text(`${server.url}/bench-static`);
  const title = `GET a static page of 300 elements, ${(page.length / 1000).toFixed(1)} KB`;
  const about = { case: 27, title, unit: 'requests/s' };
  const results: Result[] = [];
  await context.warm(server, requests);
  const mine = (): Promise<Sample> => context.rate(server, requests);
  const bare = await Bare.start(server.url, '/bench-static', {});
  try {
    const sides = await context.compare(() => context.rate(bare, requests), mine);
    results.push(rateResult({ ...about, baselineTitle: 'bare uWebSockets.js, the same bytes' }, sides, 0.7));
  } finally {
    await bare.end();
  }
  if (!Nginx.installed) return results;
  const root = join(context.folder, 'static-page');
  await mkdir(root, { recursive: true });
  await writeFile(join(root, 'bench-static'), page);
  const nginx = await Nginx.start(root, join(context.folder, 'nginx-page'));
  try {
    const sides = await context.compare(() => context.rate(nginx, requests), mine);
    // No goal of its own: it is there to be compared with.
    const [result] = [rateResult({ ...about, baselineTitle: 'nginx, one worker, the same bytes' }, sides, 0)];
    results.push({ ...result, goal: 'none' });
  } finally {
    await nginx.end();
  }
  return results;
}

/** Measures a page beside engines that make the same text. */
async function besideEngines(
  context: Context,
  about: Pick<Result, 'case' | 'title'>,
  name: string,
  engines: readonly PageEngine[],
  goal: number,
): Promise<Result[]> {
  const server = await context.fileServer();
  const { rows } = await prepare(context, server);
  const requests = at(`/${name}`);
  const own = await text(`${server.url}/${name}`);
  await context.warm(server, requests);
  const results: Result[] = [];
  for (const engine of engines) {
    const child = new Child<PagesOrder, PagesResult>('pages');
    try {
      const file = join(context.folder, `${name}-${engine}.db`);
      const told = await child.call({ engine, name, scripts: name === SCRIPTS_PAGE, file, rows });
      if (told.text !== own) throw new Error(`${engine} makes another text than the page:\n${told.text}\n\n${own}`);
      const theirs = { url: `http://127.0.0.1:${String(told.port)}`, pid: child.pid };
      await context.warm(theirs, requests);
      const sides = await context.compare(
        () => context.rate(theirs, requests),
        () => context.rate(server, requests),
      );
      const baselineTitle = `${engine}, better-sqlite3, uWebSockets.js`;
      results.push(rateResult({ ...about, unit: 'requests/s', baselineTitle }, sides, goal));
    } finally {
      await child.end();
    }
  }
  return results;
}

/** Case 28. */
export function renderRows(context: Context): Promise<Result[]> {
  const about = { case: 28, title: 'GET a page of 50 rows, 200 expressions' };
  return besideEngines(context, about, ROWS_PAGE, ['handlebars', 'eta', 'ejs'], 0.5);
}

/** Case 29. */
export function renderScripts(context: Context): Promise<Result[]> {
  const about = { case: 29, title: 'the same with 20 expressions in JavaScript' };
  return besideEngines(context, about, SCRIPTS_PAGE, ['ejs'], 0.25);
}

/** Case 30. */
export async function renderForUser(context: Context): Promise<Result[]> {
  const server = await context.fileServer();
  const { asUser } = await prepare(context, server);
  const url = `${server.url}/${ROWS_PAGE}`;
  if ((await text(url)) !== (await text(url, asUser))) throw new Error('the user gets another page than everybody');
  const [anybody, user] = [at(`/${ROWS_PAGE}`), at(`/${ROWS_PAGE}`, asUser)];
  await context.warm(server, anybody);
  await context.warm(server, user);
  const sides = await context.compare(
    () => context.rate(server, anybody),
    () => context.rate(server, user),
  );
  const title = 'GET a page of 50 rows, a right on each';
  return [rateResult({ case: 30, title, unit: 'requests/s', baselineTitle: 'anonymous, by flags' }, sides, 0.7)];
}

/** Milliseconds until the first byte of a body, and until its last. */
function bytesAt(url: string): Promise<{ readonly first: number; readonly last: number }> {
  return new Promise((resolve, reject) => {
    const begin = performance.now();
    let first: number | undefined;
    get(url, (answer) => {
      answer.on('data', () => (first ??= performance.now() - begin));
      answer.on('end', () => {
        if (answer.statusCode !== 200 || first === undefined) reject(new Error(`${url}: no page`));
        else resolve({ first, last: performance.now() - begin });
      });
    }).on('error', reject);
  });
}

/** Case 31. */
export async function firstByte(context: Context): Promise<Result[]> {
  const server = await context.fileServer();
  const slow: Tree = ['p', {}, `\${{ $.sleep(${String(WAITS)}); 'late' }}`];
  const quick: Tree = ['p', {}, "${{ 'at once' }}"];
  await makePage(server, 'bench-slow', [['h1', {}, 'A heading'], slow], { dontCache: true });
  await makePage(server, 'bench-quick', [['h1', {}, 'A heading'], quick], { dontCache: true });
  const times: number[] = [];
  const differences: Sample[] = [];
  for (const path of ['bench-slow', 'bench-quick']) await bytesAt(`${server.url}/${path}`);
  for (let i = 0; i < context.options.rounds * 5; i++) {
    const late = await bytesAt(`${server.url}/bench-slow`);
    if (late.last < WAITS) throw new Error('the slow page was not slow');
    const soon = await bytesAt(`${server.url}/bench-quick`);
    times.push(soon.first);
    differences.push({ value: late.first - soon.first });
  }
  const median = series(times.map((value) => ({ value }))).median;
  const note = `without it the first byte comes after ${median.toFixed(1)} ms`;
  const title = `first byte of a page whose body takes ${String(WAITS)} ms, later than without`;
  return [limitResult({ case: 31, title, unit: 'ms', note }, series(differences), SOONER)];
}

/** Case 32. */
export async function reloadPart(context: Context): Promise<Result[]> {
  const server = await context.fileServer();
  await prepare(context, server);
  const tables = Array.from({ length: REPEATERS }, (_, i) => rowsTable(TYPE, `rows-${String(i)}`));
  await makePage(server, LARGE_PAGE, tables, { dontCache: true });
  const { result } = await server.request('GET', '/Table?name=rows-4');
  const [part] = result as readonly { readonly id: string }[];
  if (part === undefined) throw new Error('the page has no such part');
  const [whole, one] = [at(`/${LARGE_PAGE}`), at(`/svc/html/${part.id}`)];
  const shown = (html: string): number => html.split('<tr').length - 1;
  const [all, some] = [await text(`${server.url}/${LARGE_PAGE}`), await text(`${server.url}/svc/html/${part.id}`)];
  if (shown(all) !== shown(some) * REPEATERS) throw new Error('the part is not a tenth of the page');
  await context.warm(server, whole);
  await context.warm(server, one);
  const sides = await context.compare(
    () => context.rate(server, whole),
    () => context.rate(server, one),
  );
  const title = `GET one repeater of ${String(REPEATERS)}`;
  return [rateResult({ case: 32, title, unit: 'requests/s', baselineTitle: 'the whole page' }, sides, 5)];
}
