/** Queries to other databases: jdbc and remoteCypher (docs/interface/script-runtime.md 8.6). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseJdbcUrl } from '../../src/main/scripting/outside/databases/jdbc-url.js';
import { neo4jOptions } from '../graph/neo4j.js';
import { DATABASE_PASSWORD, startMariaDb, startPostgres, type DatabaseServer } from '../support/databases.js';
import { TestServer } from '../support/server.js';
import { Calls } from './calls.js';

const QUERY = "SELECT 7 AS n, 'a' AS t, NULL AS nothing, 2.5 AS d";

let server: TestServer;
let calls: Calls;
let postgres: DatabaseServer | undefined;
let mariaDb: DatabaseServer | undefined;

beforeAll(async () => {
  [server, postgres, mariaDb] = await Promise.all([
    TestServer.start({ settings: { 'application.scripting.js.timeout.total': 15_000 } }),
    startPostgres(),
    startMariaDb(),
  ]);
  calls = await Calls.on(server, {
    query: "jdbc(retrieve('url'), retrieve('sql'), 'tester', retrieve('password'))",
    remote: "remoteCypher(retrieve('url'), retrieve('user'), retrieve('password'), 'RETURN 1 AS n')",
  });
  if (postgres === undefined) console.log('skipped: jdbc on PostgreSQL (apt-get install postgresql)');
  if (mariaDb === undefined) console.log('skipped: jdbc on MariaDB (apt-get install mariadb-server)');
});
afterAll(() => Promise.all([server.stop(), postgres?.stop(), mariaDb?.stop()]));

describe('jdbc', () => {
  const servers = (): [kind: string, database: string, port: number][] => [
    ...(postgres === undefined ? [] : [['postgresql', 'postgres', postgres.port] as [string, string, number]]),
    ...(mariaDb === undefined
      ? []
      : (['mysql', 'mariadb'] as const).map((kind): [string, string, number] => [kind, 'test', mariaDb?.port ?? 0])),
  ];
  const urlOf = ([kind, database, port]: [string, string, number]): string =>
    `jdbc:${kind}://127.0.0.1:${String(port)}/${database}`;

  it('answers rows as maps, in both languages', async () => {
    for (const one of servers()) {
      const url = urlOf(one);
      const row = { n: 7, t: 'a', nothing: null, d: 2.5 };
      expect(await calls.js(['jdbc', url, QUERY, 'tester', DATABASE_PASSWORD]), url).toEqual([row]);
      expect(await calls.ex('query', { url, sql: QUERY, password: DATABASE_PASSWORD }), url).toEqual([row]);
      expect(await calls.js(['jdbc', `${url}?user=tester&password=${DATABASE_PASSWORD}`, QUERY]), url).toEqual([row]);
    }
  });

  it('writes, and knows dates, Booleans, large integers and bytes', async () => {
    for (const one of servers()) {
      const url = urlOf(one);
      const jdbc = (sql: string) => ['jdbc', url, sql, 'tester', DATABASE_PASSWORD] as const;
      const create = 'CREATE TABLE IF NOT EXISTS things (id BIGINT, b BOOLEAN, at TIMESTAMP NULL, body TEXT)';
      const [, , result] = [
        await calls.js(jdbc(create)),
        await calls.js(jdbc("INSERT INTO things VALUES (9007199254740993, TRUE, '2024-01-03 10:00:00', 'x')")),
        await calls.js(jdbc('SELECT * FROM things')),
      ];
      expect(result, url).toMatchObject([{ b: true, at: expect.stringContaining('2024-01-03'), body: 'x' }]);
      await calls.js(jdbc('DROP TABLE things'));
    }
  });

  it('failures are 422, and name neither password nor query', async () => {
    for (const one of servers()) {
      const url = urlOf(one);
      const wrong = await calls.refused(['jdbc', url, QUERY, 'tester', 'wrong-password']);
      expect(wrong).toContain('127.0.0.1');
      expect(wrong).not.toContain('wrong-password');
      expect(await calls.refused(['jdbc', url, 'SELECT FROM WHERE', 'tester', DATABASE_PASSWORD])).toContain('failed');
      const two = await calls.raw(['jdbc', url, 'SELECT 1 AS a; SELECT 2 AS a', 'tester', DATABASE_PASSWORD]);
      expect([200, 422]).toContain(two.status);
    }
    expect(await calls.refused(['jdbc', 'jdbc:postgresql://127.0.0.1:1/x', QUERY])).toContain('failed');
    for (const url of [
      'jdbc:sqlite:/etc/passwd',
      'jdbc:h2:mem:x',
      'postgresql://127.0.0.1/x',
      'jdbc:postgresql:x',
      'x',
    ]) {
      expect((await calls.raw(['jdbc', url, QUERY])).status, url).toBe(422);
    }
  });

  it('is bounded by rows, bytes and time', async () => {
    if (postgres === undefined) return;
    const url = urlOf(['postgresql', 'postgres', postgres.port]);
    const jdbc = (sql: string) => ['jdbc', url, sql, 'tester', DATABASE_PASSWORD] as const;
    expect(await calls.refused(jdbc('SELECT generate_series(1, 100000) AS n'))).toContain('LIMIT');
    expect(await calls.js(jdbc('SELECT generate_series(1, 10000) AS n'))).toHaveLength(10_000);
    expect(await calls.refused(jdbc("SELECT repeat('x', 20000000) AS t"))).toContain('LIMIT');
    expect(await calls.refused(jdbc("SELECT repeat('x', 200000000) AS t"))).toContain('LIMIT');
    await server.reload({ 'application.httphelper.timeouts.socket': 1 });
    const begun = Date.now();
    expect(await calls.refused(jdbc('SELECT pg_sleep(30)'))).toContain('failed');
    expect(Date.now() - begun).toBeLessThan(20_000);
    await server.reload({ 'application.httphelper.timeouts.socket': 600 });
  });

  it('obeys the rules for calls', async () => {
    const url = `jdbc:postgresql://localhost:${String(postgres?.port ?? 5432)}/postgres`;
    const mysql = `jdbc:mysql://localhost:${String(mariaDb?.port ?? 3306)}/test`;
    const bolt = 'bolt://localhost:7687';
    await server.reload({ 'application.httphelper.blockedaddresses': 'private' });
    for (const one of [url, mysql, url.replace('localhost', '127.0.0.1'), url.replace('localhost', '[::1]')]) {
      expect(await calls.refused(['jdbc', one, QUERY, 'tester', DATABASE_PASSWORD])).toContain('not permitted');
    }
    expect(await calls.refused(['remoteCypher', bolt, 'neo4j', 'x', 'RETURN 1'])).toContain('not permitted');
    await server.reload({
      'application.httphelper.blockedaddresses': '',
      'application.httphelper.urlwhitelist': 'https://example.com/.*',
    });
    expect(await calls.refused(['jdbc', url, QUERY, 'tester', DATABASE_PASSWORD])).toContain('urlwhitelist');
    expect(await calls.refused(['remoteCypher', bolt, 'neo4j', 'x', 'RETURN 1'])).toContain('urlwhitelist');
    await server.reload({ 'application.httphelper.urlwhitelist': '*' });
  });

  it('URLs are read as Java reads them', () => {
    expect(parseJdbcUrl('jdbc:postgresql://h/db?user=u&password=p%26&sslmode=verify-full&x=1', '', '')).toMatchObject({
      kind: 'postgresql',
      port: 5432,
      database: 'db',
      user: 'u',
      password: 'p&',
      tls: { checked: true },
      unknown: ['x'],
    });
    expect(parseJdbcUrl('jdbc:mysql://h:1/a?useSSL=false', 'v', 'w')).toMatchObject({
      user: 'v',
      password: 'w',
      tls: undefined,
    });
    expect(parseJdbcUrl('jdbc:mariadb://h?sslMode=trust', '', '').tls).toEqual({ checked: false });
    expect(String(parseJdbcUrl('jdbc:mysql://u:p@h/a?user=x', '', '').url)).toBe('mysql://h/a');
  });
});

describe.skipIf(process.env['NEO4J_URL'] === undefined)('remoteCypher (with NEO4J_URL only)', () => {
  it('answers rows, nodes as maps, in both languages', async () => {
    const { url, user, password } = neo4jOptions();
    const remote = (query: string, ...more: unknown[]) =>
      ['remoteCypher', url, user, password, query, ...more] as const;
    expect(await calls.js(remote('RETURN 1 AS n'))).toEqual([{ n: 1 }]);
    expect(await calls.ex('remote', { url, user, password })).toEqual([{ n: 1 }]);
    const text =
      'CREATE (n:_svc_test {name: $name})-[r:_svc_test {since: 5}]->(n) WITH n, r, properties(n) AS p DELETE r, n RETURN p, $name';
    expect(await calls.js(remote(text, { name: 'x' }))).toEqual([[{ name: 'x' }, 'x']]);
    expect(await calls.js(remote('RETURN {a: [1, 2.5, null]} AS m'))).toEqual([{ a: [1, 2.5, null] }]);
    expect(
      await calls.js(
        [...remote('RETURN 1 AS n')].map((one) => (one === url ? url.replace('bolt:', 'neo4j:') : one)) as never,
      ),
    ).toEqual([{ n: 1 }]);
  });

  it('failures are 422', async () => {
    const { url, user, password } = neo4jOptions();
    expect(await calls.refused(['remoteCypher', url, user, password, 'MATCH (n RETURN n'])).toContain('failed');
    expect(await calls.refused(['remoteCypher', 'bolt://127.0.0.1:1', user, password, 'RETURN 1'])).toContain('failed');
    expect(await calls.refused(['remoteCypher', 'http://127.0.0.1', user, password, 'RETURN 1'])).toContain('bolt://');
    expect(
      await calls.refused(['remoteCypher', url, user, password, 'UNWIND range(1, 20000) AS n RETURN n']),
    ).toContain('LIMIT');
    const wrong = await calls.refused(['remoteCypher', url, user, 'wrong-password', 'RETURN 1']);
    expect(wrong).not.toContain('wrong-password');
  });
});
