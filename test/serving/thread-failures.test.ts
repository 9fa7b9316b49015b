/** A front-end thread that dies, and one whose loop is blocked, keep nobody else from anything (docs/design/threads.md 10, 11). */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectionsTo, resultOf, type Connection, type Got } from '../support/many-connections.js';
import { onNeo4j, SUPERUSER_PASSWORD, TestServer } from '../support/server.js';
import { computingWhile, ThreadDebugger, THROWING } from '../support/thread-debugger.js';

const CONNECTIONS = 24;

describe.skipIf(onNeo4j)('of three threads', () => {
  let server: TestServer;
  let debug: ThreadDebugger;
  let connections: readonly Connection[];
  beforeEach(async () => {
    server = await TestServer.start({ settings: { 'application.http.threads': 3 } });
    debug = await ThreadDebugger.attach(server, 2);
    connections = connectionsTo(server.url, CONNECTIONS, {
      'X-User': 'superadmin',
      'X-Password': SUPERUSER_PASSWORD,
    });
    await server.admin.create('SchemaNode', { name: 'Thing' });
  });
  afterEach(async () => {
    rmSync(join(server.folder, 'blocked'), { force: true });
    for (const one of connections) one.close();
    debug.close();
    await server.stop();
  });

  it('one that dies is replaced; its connections are closed, and no other; nothing that was acknowledged is lost', async () => {
    const acknowledged: string[] = [];
    const broken = new Set<Connection>();
    let isOver = false;
    let count = 0;
    const writing = connections.map(async (connection) => {
      while (!isOver) {
        const name = `n${String(++count)}`;
        try {
          const { status } = await connection.send('POST', '/svc/rest/Thing', { name });
          expect(status).toBe(201);
          acknowledged.push(name);
          expect((await connection.send('GET', `/svc/rest/Thing?name=${name}`)).status).toBe(200);
        } catch (error) {
          if (!(error instanceof Error && 'code' in error)) throw error;
          expect(['ECONNRESET', 'EPIPE']).toContain(error.code);
          broken.add(connection);
        }
      }
    });
    await expect.poll(() => acknowledged.length).toBeGreaterThan(2 * CONNECTIONS);
    debug.threads[0]?.run(THROWING);
    await server.untilLogged(/a front-end thread has ended \(Error: provoked by a test/);
    await expect.poll(() => debug.threads.length).toBe(3);
    // Others have gone on, and go on.
    const before = acknowledged.length;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 2 * CONNECTIONS);
    isOver = true;
    await Promise.all(writing);
    expect(broken.size).toBeGreaterThan(0);
    expect(broken.size).toBeLessThan(CONNECTIONS);
    const names = (got: Got): string[] => (resultOf(got) as { name: string }[]).map(({ name }) => name);
    for (const connection of connections) {
      const there = new Set(names(await connection.send('GET', '/svc/rest/Thing')));
      expect(acknowledged.filter((name) => !there.has(name))).toEqual([]);
    }
  });

  it('one whose loop is blocked keeps no other waiting, and no setting from being changed', async () => {
    const file = join(server.folder, 'blocked');
    /** Asks all connections; which of them have been answered is known from then on. */
    const ask = (): { readonly answered: Set<Connection>; readonly all: Promise<unknown> } => {
      const answered = new Set<Connection>();
      const all = connections.map(async (connection) => {
        expect((await connection.send('GET', '/svc/rest/Thing')).status).toBe(200);
        answered.add(connection);
      });
      const each = Promise.all(all);
      // What fails is told when it is awaited.
      each.catch(() => undefined);
      return { answered, all: each };
    };
    // All are open, and their thread knows who they are.
    await ask().all;
    writeFileSync(file, '');
    debug.threads[0]?.run(computingWhile(file));
    const first = ask();
    await expect.poll(() => first.answered.size).toBeGreaterThan(CONNECTIONS / 4);
    const others = [...first.answered];
    for (let i = 0; i < 10; i++)
      for (const connection of others) expect((await connection.send('GET', '/svc/rest/Thing')).status).toBe(200);
    await server.reload({ 'htmlservlet.customresponseheaders': 'X-New:1' });
    await server.untilLogged(/front-end thread \d has not followed for 2000 ms \(settings\): its loop is blocked/);
    for (const connection of others)
      expect((await connection.send('GET', '/svc/rest/Thing')).headers['x-new']).toBe('1');
    expect(first.answered.size).toBeLessThan(CONNECTIONS);
    rmSync(file);
    await first.all;
    await server.untilLogged(/front-end thread \d follows again/);
    const got = await Promise.all(connections.map((connection) => connection.send('GET', '/svc/rest/Thing')));
    expect(new Set(got.map(({ headers }) => headers['x-new']))).toEqual(new Set(['1']));
  });
});
