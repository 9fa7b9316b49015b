/** Cases 21 and 22: who writes a single object, reads or logs in beside one that writes much, or whose scripts wait. */
import type { Context } from '../context.js';
import { series } from '../context.js';
import { limitResult, type Result } from '../result.js';
import { CREDENTIALS, type ServerProcess } from '../server-process.js';
import { at, times } from '../spaced.js';

const MANY = 40_000;
/** Milliseconds from one request to the next, whether or not the first is answered. */
const WRITES = 20;
const READS = 5;
const LOGINS = 200;
/** How long each script waits after it has written (ms). */
const WAITS = 9000;
const SCRIPTS = 4;
/** ms */
const LONGEST_WRITE = 500;
const LONGEST_READ = 50;
const SLOWEST = 200;

const OTHER = { name: 'benchOther', password: 'Bench-other-1' };
const AS_OTHER = { 'X-User': OTHER.name, 'X-Password': OTHER.password };

const prepared = new WeakMap<ServerProcess, string>();

/** The id of an object to be read. */
async function prepare(server: ServerProcess): Promise<string> {
  const known = prepared.get(server);
  if (known !== undefined) return known;
  const properties = [{ name: 'count', propertyType: 'Integer', indexed: true }];
  for (const name of ['BenchRow', 'BenchPet'])
    await server.request('POST', '/SchemaNode', { name, schemaProperties: properties });
  await server.request('POST', '/User', { ...OTHER, isAdmin: true });
  await server.request('POST', '/ResourceAccess', { signature: '_login', flags: 64, visibleToPublicUsers: true });
  const source = `{ $.create('BenchRow', 'count', 1); $.sleep(${String(WAITS)}); return 1; }`;
  await server.request('POST', '/SchemaMethod', { name: 'benchWriteAndWait', source });
  const { result } = await server.request('POST', '/BenchPet', { count: 0 });
  const [id = ''] = result as string[];
  prepared.set(server, id);
  return id;
}

async function send(
  server: ServerProcess,
  method: string,
  path: string,
  headers: object,
  body?: string,
): Promise<void> {
  const answer = await fetch(`${server.url}/svc/rest${path}`, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} answered ${String(answer.status)}: ${text.slice(0, 300)}`);
}

const post = (server: ServerProcess) => (): Promise<void> =>
  send(server, 'POST', '/BenchPet', AS_OTHER, JSON.stringify({ count: 1 }));

export async function besideLargePost(context: Context): Promise<Result[]> {
  const server = await context.fileServer();
  const id = await prepare(server);
  const { quick } = context.options;
  const count = quick ? 2000 : MANY;
  const body = JSON.stringify(Array.from({ length: count }, (_, i) => ({ name: `row ${String(i)}`, count: i })));
  const read = (): Promise<void> => send(server, 'GET', `/BenchPet/${id}`, AS_OTHER);
  const [writes, reads, whole]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < (quick ? 1 : 3); round++) {
    const begin = performance.now();
    let ended = false;
    const large = send(server, 'POST', '/BenchRow', CREDENTIALS, body).finally(() => {
      ended = true;
      whole.push(performance.now() - begin);
    });
    const over = (): boolean => ended;
    const [written, seen] = await Promise.all([times(over, WRITES, post(server)), times(over, READS, read), large]);
    writes.push(at(written, 1));
    reads.push(at(seen, 1));
  }
  const note = `POST of ${count.toLocaleString('en')} takes ${whole.map((ms) => (ms / 1000).toFixed(1)).join(', ')} s`;
  const result = (title: string, values: readonly number[], limit: number): Result =>
    limitResult({ case: 21, title, unit: 'ms', note }, series(values.map((value) => ({ value }))), limit);
  return [
    result('longest POST of one object beside it', writes, LONGEST_WRITE),
    result('longest GET of one object beside it', reads, LONGEST_READ),
  ];
}

export async function besideWaitingScripts(context: Context): Promise<Result[]> {
  const server = await context.fileServer();
  await prepare(server);
  let ended = false;
  const scripts = Array.from({ length: SCRIPTS }, () => send(server, 'POST', '/benchWriteAndWait', CREDENTIALS, '{}'));
  const all = Promise.all(scripts).finally(() => {
    ended = true;
  });
  const over = (): boolean => ended;
  const login = (): Promise<void> => send(server, 'POST', '/login', {}, JSON.stringify(OTHER));
  const [posts, logins] = await Promise.all([times(over, WRITES, post(server)), times(over, LOGINS, login), all]);
  const note = `${String(SCRIPTS)} scripts have written and wait ${String(WAITS / 1000)} s`;
  const result = (title: string, values: readonly number[]): Result =>
    limitResult({ case: 22, title, unit: 'ms', note }, series([{ value: at(values, 0.99) }]), SLOWEST);
  return [result("p99 of another user's POST", posts), result("p99 of another user's login", logins)];
}
