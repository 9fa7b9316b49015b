/** Several threads that accept connections (docs/threads.md): which of them answers is the system's choice, so each test asks over many connections. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, cookieOf } from '../support/client.js';
import {
  answers,
  connectionsTo,
  resultOf as result,
  statusOf as status,
  type Connection,
  type Got,
} from '../support/many-connections.js';
import { allow } from '../support/permissions.js';
import { onNeo4j, SUPERUSER_PASSWORD, TestServer } from '../support/server.js';

const CONNECTIONS = 24;
/** Rounds of writes: each costs Neo4j some milliseconds for every connection. */
const ROUNDS = onNeo4j ? 6 : 30;

const open: Connection[] = [];

function connections(server: TestServer, headers: Readonly<Record<string, string>>): readonly Connection[] {
  const all = connectionsTo(server.url, CONNECTIONS, headers);
  open.push(...all);
  return all;
}

const asSuperuser = { 'X-User': 'superadmin', 'X-Password': SUPERUSER_PASSWORD };

describe('with three threads', () => {
  let server: TestServer;
  let all: readonly Connection[];
  beforeAll(async () => {
    server = await TestServer.start({ settings: { 'application.http.threads': 3, 'log.level': 'INFO' } });
    all = connections(server, asSuperuser);
    await server.admin.post('/SchemaNode', {
      name: 'Thing',
      schemaProperties: [{ name: 'size', propertyType: 'Integer', indexed: true }],
    });
  });
  afterAll(async () => {
    for (const one of open) one.close();
    await server.stop();
  });

  it('says how many there are', () => {
    expect(server.lines.join('\n')).toContain('3 threads accept connections');
  });

  it('every connection sees what any of them has written: objects, lists, counts, deletions', async () => {
    for (let i = 0; i < ROUNDS; i++) {
      const writer = all[i % all.length];
      const made = await writer?.send('POST', '/svc/rest/Thing', { name: `thing ${String(i)}`, size: i });
      const [id = ''] = result(made ?? { status: 0, text: '{}', headers: {} }) as string[];
      const path = `/svc/rest/Thing/${id}`;
      expect(await answers(all, path, status)).toEqual([200]);
      await all[(i * 7) % all.length]?.send('PUT', path, { size: 1000 + i });
      expect(await answers(all, path, (got) => (result(got) as { id: string }).id)).toEqual([id]);
      const largest = '/svc/rest/Thing/all?_sort=size&_order=desc&_pageSize=1';
      expect(await answers(all, largest, (got) => (result(got) as { size: number }[])[0]?.size)).toEqual([1000 + i]);
      const counted = (got: Got): number => (JSON.parse(got.text) as { result_count: number }).result_count;
      expect(await answers(all, '/svc/rest/Thing?_pageSize=1', counted)).toEqual([1]);
      expect((await all[(i * 5) % all.length]?.send('DELETE', path))?.status).toBe(200);
      expect(await answers(all, path, status)).toEqual([404]);
    }
  });

  it('a change of the schema counts for all of them at once', async () => {
    await server.admin.post('/Thing', { name: 'one' });
    const type = (await server.admin.get('/SchemaNode?name=Thing')).body.result[0].id as string;
    await server.admin.post('/SchemaProperty', {
      schemaNode: type,
      name: 'colour',
      propertyType: 'String',
      defaultValue: 'red',
    });
    expect(await answers(all, '/svc/rest/Thing?colour=red', status)).toEqual([200]);
    expect(await answers(all, '/svc/rest/Nothing', status)).toEqual([404]);
  });

  it('permissions, logins and blocked users count for all of them at once', async () => {
    const user = await server.admin.create('User', { name: 'anna', password: 'annas-password' });
    await allow(server.admin, '_login', 'anonymous', ['POST']);
    const login = await server.as().post('/login', { name: 'anna', password: 'annas-password' });
    const byCookie = connections(server, { Cookie: cookieOf(login, 'JSESSIONID') });
    const byHeader = connections(server, { 'X-User': 'anna', 'X-Password': 'annas-password' });
    expect(await answers(byCookie, '/svc/rest/Thing', status)).toEqual([401]);
    await allow(server.admin, 'Thing', 'user', ['GET']);
    for (const some of [byCookie, byHeader]) expect(await answers(some, '/svc/rest/Thing', status)).toEqual([200]);
    await server.admin.put(`/User/${user}`, { blocked: true });
    for (const some of [byCookie, byHeader]) expect(await answers(some, '/svc/rest/Thing', status)).toEqual([401]);
    expect(
      await answers(connections(server, { 'X-User': 'anna', 'X-Password': 'wrong' }), '/svc/rest/Thing', status),
    ).toEqual([401]);
  });

  it('objects that one may not see are not shown by any of them', async () => {
    await server.admin.create('User', { name: 'bert', password: 'berts-password' });
    await server.admin.post('/Thing', { name: 'hidden' });
    await server.admin.post('/Thing', { name: 'shown', visibleToAuthenticatedUsers: true });
    const names = (got: Got): string[] => (result(got) as { name: string }[]).map(({ name }) => name);
    const bert = connections(server, { 'X-User': 'bert', 'X-Password': 'berts-password' });
    expect(await answers(bert, '/svc/rest/Thing?_sort=name', names)).toEqual([['shown']]);
  });

  it('a page that only reads and one that writes are shown by all of them', async () => {
    const visible = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };
    const page = async (name: string, content: string): Promise<void> => {
      const parent = await server.admin.create('Page', { name, ...visible });
      const html = await server.admin.create('Html', { tag: 'html', parent, ...visible });
      const body = await server.admin.create('Body', { tag: 'body', parent: html, ...visible });
      await server.admin.create('Content', { parent: body, content, ...visible });
    };
    await page('reading', "${size(find('User', 'name', 'anna'))} found");
    await page('writing', "${create('Thing', 'name', 'of a page').name}");
    const anonymous = connections(server, {});
    const text = (got: Got): string => /<body>\s*(.*?)\s*<\/body>/s.exec(got.text)?.[1] ?? got.text;
    expect(await answers(anonymous, '/reading', text)).toEqual(['0 found']);
    expect(await answers(anonymous, '/writing', text)).toEqual(['of a page']);
    // Twice, as what turned out to write is known by then.
    expect(await answers(anonymous, '/writing', text)).toEqual(['of a page']);
    const made = await server.admin.get('/Thing?name=of%20a%20page&_pageSize=1');
    expect(made.body.result_count).toBe(2 * CONNECTIONS);
  });

  it('function properties are shown, which the main thread works out', async () => {
    await server.admin.post('/SchemaNode', {
      name: 'Sum',
      schemaProperties: [
        { name: 'a', propertyType: 'Integer' },
        { name: 'twice', propertyType: 'Function', typeHint: 'Integer', readFunction: 'add(this.a, this.a)' },
      ],
      schemaViews: [{ name: 'public', nonGraphProperties: 'id,a,twice' }],
    });
    const id = await server.admin.create('Sum', { a: 21 });
    const twice = (got: Got): unknown => (result(got) as { twice: unknown }).twice;
    expect(await answers(all, `/svc/rest/Sum/${id}`, twice)).toEqual([42]);
  });

  it('what is no path of anybody is answered as ever', async () => {
    expect(await answers(connections(server, {}), '/nowhere', status)).toEqual([404]);
    expect(await answers(all, '/svc/rest/Thing/00000000000000000000000000000000', status)).toEqual([404]);
    expect(await answers(all, '/svc/rest/_env', status)).toEqual([200]);
  });
});

describe('at the end', () => {
  it('SIGTERM ends all of them cleanly, and what was written is there again', async () => {
    const server = await TestServer.start({ settings: { 'application.http.threads': 2 } });
    const client: Client = server.admin;
    const id = await client.create('Folder', { name: 'kept' });
    const all = connections(server, asSuperuser);
    expect(await answers(all, `/svc/rest/Folder/${id}`, status)).toEqual([200]);
    for (const one of all) one.close();
    expect(await server.end('SIGTERM')).toBe(0);
    expect(server.lines.filter((line) => / ERROR /.test(line))).toEqual([]);
  });
});

// Where the data are makes no difference to it.
describe.skipIf(onNeo4j)('in maintenance mode', () => {
  it('all of them show the page from the first request on', async () => {
    const server = await TestServer.start({
      settings: { 'application.http.threads': 3, 'maintenance.enabled': true, 'maintenance.application.http.port': 0 },
    });
    const all = connections(server, asSuperuser);
    expect(await answers(all, '/svc/rest/User', status)).toEqual([503]);
    for (const one of all) one.close();
    await server.stop();
  });
});
