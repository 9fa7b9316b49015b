/** Cases 8 and 9: what permissions cost. A user who sees one object in a hundred beside an administrator, both with sessions. */
import type { LoadOrder } from '../children/load-order.js';
import type { Context, Requests } from '../context.js';
import { randomNumbers, shuffle, TYPE, type Dataset } from '../dataset.js';
import { growthResult, rateResult, type Result } from '../result.js';
import { CREDENTIALS, type ServerProcess } from '../server-process.js';
import { session } from '../session.js';

const BATCH = 1000;
/** Read for users who are logged in, by GET. */
const USERS_GET = 1;
/** Post for everybody: the login. */
const ANYBODY_POST = 64;

type Headers = LoadOrder['headers'];

interface Rights {
  /** Objects the user sees: half of them granted to him, half to a group of his. */
  readonly visible: readonly string[];
  readonly asUser: Headers;
  readonly asAdministrator: Headers;
}

const loaded = new WeakMap<Dataset, Rights>();

export async function readGranted(context: Context): Promise<Result[]> {
  const { server, rights } = await prepare(context);
  const requests = (headers: Headers): Requests => ({
    method: 'GET',
    headers,
    requests: spread(rights.visible).map((id) => ({ path: `/svc/rest/${TYPE}/${id}` })),
  });
  const [user, administrator] = [requests(rights.asUser), requests(rights.asAdministrator)];
  await context.warm(server, user);
  await context.warm(server, administrator);
  const sides = await context.compare(
    () => context.rate(server, administrator),
    () => context.rate(server, user),
  );
  return [
    rateResult(
      { case: 8, title: 'GET one object with rights', unit: 'requests/s', baselineTitle: 'an administrator' },
      sides,
      0.85,
    ),
  ];
}

export async function listGranted(context: Context): Promise<Result[]> {
  const { server, rights } = await prepare(context);
  const results: Result[] = [];
  for (const [title, sort] of [
    ['GET page of 20, 1 % visible', ''],
    ['GET sorted page of 20, 1 % visible', '_sort=rank&'],
  ] as const) {
    const pages = Math.max(1, Math.floor(rights.visible.length / 20));
    const requests = (headers: Headers): Requests => ({
      method: 'GET',
      headers,
      requests: Array.from({ length: pages * 64 }, (_, i) => ({
        path: `/svc/rest/${TYPE}?${sort}_pageSize=20&_page=${String(((i * 37) % pages) + 1)}`,
      })),
    });
    const [user, administrator] = [requests(rights.asUser), requests(rights.asAdministrator)];
    await context.warm(server, user);
    await context.warm(server, administrator);
    const { baseline, svc } = await context.compare(
      () => context.rate(server, administrator),
      () => context.rate(server, user),
    );
    const about = { case: 9, title, unit: 'requests/s', baselineTitle: 'an administrator' };
    // In time, not in rate: at most three times as long.
    results.push(growthResult(about, { baseline, svc }, 3, baseline.median / svc.median));
  }
  return results;
}

async function prepare(context: Context): Promise<{ server: ServerProcess; rights: Rights }> {
  const dataset = await context.dataset(context.options.objects.normal);
  const server = await context.server(dataset);
  let rights = loaded.get(dataset);
  if (rights === undefined) {
    context.say('loading permissions and grants ...');
    loaded.set(dataset, (rights = await load(server, dataset, context.options.quick)));
  }
  return { server, rights };
}

/** Loads 10,000 permissions and 100,000 grants, those of the user and his group among them. */
async function load(server: ServerProcess, dataset: Dataset, quick: boolean): Promise<Rights> {
  const [permissions, grants, others] = quick ? [100, 1000, 10] : [10_000, 100_000, 1000];
  const create = async (type: string, objects: readonly unknown[]): Promise<string[]> => {
    const ids: string[] = [];
    for (let at = 0; at < objects.length; at += BATCH) {
      const { result } = await server.request('POST', `/${type}`, objects.slice(at, at + BATCH));
      ids.push(...(result as string[]));
    }
    return ids;
  };
  const name = 'bench-user';
  const password = 'bench-password';
  const [user = ''] = await create('User', [{ name, password }]);
  const [group = ''] = await create('Group', [{ name: 'bench-readers', members: [user] }]);
  const strangers = await create(
    'Group',
    Array.from({ length: others }, (_, i) => ({ name: `bench-stranger-${String(i)}` })),
  );
  await create('ResourceAccess', [
    { signature: '_login', flags: ANYBODY_POST, visibleToPublicUsers: true },
    { signature: TYPE, flags: USERS_GET, grantees: [{ id: group, allowed: ['read'] }] },
    { signature: `${TYPE}/_id`, flags: USERS_GET, grantees: [{ id: group, allowed: ['read'] }] },
    ...Array.from({ length: permissions }, (_, i) => ({
      signature: `${TYPE}/_id/method${String(i)}`,
      flags: USERS_GET,
      visibleToAuthenticatedUsers: true,
    })),
  ]);
  const objects = shuffle([...dataset.ids], randomNumbers(8));
  const visible = objects.slice(0, Math.max(1, Math.floor(dataset.objects / 100)));
  const own = visible.map((targetId, i) => ({ sourceId: i % 2 === 0 ? user : group, targetId, allowed: ['read'] }));
  const foreign = Array.from({ length: Math.max(0, grants - own.length) }, (_, i) => ({
    sourceId: strangers[Math.floor(i / objects.length) + ((i * 7) % (others >> 1))] ?? group,
    targetId: objects[i % objects.length],
    allowed: ['read', 'write'],
  }));
  const seen = new Set<string>();
  const distinct = foreign.filter(({ sourceId, targetId }) => {
    const pair = `${sourceId}/${targetId ?? ''}`;
    return !seen.has(pair) && seen.add(pair);
  });
  await create('Security', [...own, ...distinct]);
  return {
    visible,
    asUser: await session(server, { name, password }),
    asAdministrator: await session(server, { name: CREDENTIALS['X-User'], password: CREDENTIALS['X-Password'] }),
  };
}

/** The same ids often enough for every connection to have many. */
function spread(ids: readonly string[]): string[] {
  return Array.from({ length: Math.max(6400, ids.length) }, (_, i) => ids[i % ids.length] ?? '');
}
