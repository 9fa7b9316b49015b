/** What a request costs on Neo4j: statements, and times the database is waited for. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BESIDE, type Line, openLine } from '../graph/neo4j.js';
import { onNeo4j, TestServer } from '../support/server.js';

describe.skipIf(!onNeo4j)('requests on Neo4j (with SVC_TEST_DRIVER=neo4j only)', () => {
  let server: TestServer;
  let line: Line;
  let turns: string[] = [];
  let ids: string[] = [];

  beforeAll(async () => {
    line = await openLine((sent) => turns.push(sent));
    server = await TestServer.start({ settings: { 'database.connection.url': line.url, 'log.cypher.debug': true } });
    const { admin } = server;
    await admin.defineType('Item', [
      { name: 'rank', propertyType: 'Long', indexed: true },
      { name: 'note', propertyType: 'String' },
    ]);
    const items = Array.from({ length: 50 }, (_, i) => ({ name: `item ${String(i)}`, rank: i, note: 'the same' }));
    ids = ((await admin.post('/Item', items)).body as { result: string[] }).result;
    await quiet();
  });

  afterAll(async () => {
    await server.stop();
    await line.close();
  });

  const statements = (): string[] =>
    server.logged(/org\.svc\.graph - [\d.]+ ms: /).filter((text) => !BESIDE.test(text));

  /** Until nothing is sent any more; the log comes through a pipe, possibly after the answer. */
  async function quiet(): Promise<void> {
    for (let known = -1; known !== statements().length; await sleep(300)) known = statements().length;
  }

  /**
   * Sends a request, once to have what is cached in the caches, and then to count. What the server sends in one go counts as two
   * turns where the database is quick to answer its beginning: the least of three is what a request has to wait for.
   */
  async function cost(path: string): Promise<{ statements: number; turns: number; body: { result: unknown } }> {
    await server.admin.get(path);
    await quiet();
    // Once more: what the first has made the server find out changes its statement.
    await server.admin.get(path);
    await quiet();
    let least = await counted(path);
    for (let more = 0; more < 2; more++) {
      const again = await counted(path);
      if (again.turns < least.turns) least = again;
    }
    return least;
  }

  async function counted(path: string): Promise<{ statements: number; turns: number; body: { result: unknown } }> {
    const before = statements().length;
    turns = [];
    const { body } = await server.admin.get(path);
    await sleep(100);
    // A connection that the pool has just made greets first.
    const waits = turns.filter(
      (sent) => !BESIDE.test(sent) && !sent.includes('user_agent') && !sent.includes('scheme'),
    );
    await quiet();
    return { statements: statements().length - before, turns: waits.length, body: body as { result: unknown } };
  }

  it('one object: one round trip', async () => {
    const { body, ...spent } = await cost(`/Item/${ids[7] ?? ''}`);
    expect(body.result).toMatchObject({ id: ids[7], rank: 7 });
    expect(spent).toEqual({ statements: 1, turns: 1 });
    expect(await cost(`/${ids[7] ?? ''}`)).toMatchObject({ statements: 1, turns: 1 });
  });

  it.each(['?_pageSize=20', '?_sort=rank&_order=desc&_pageSize=20&_page=2', '?note=the%20same&_pageSize=20'])(
    'a page with its count, %s: two round trips',
    async (query) => {
      const { body, ...spent } = await cost(`/Item${query}`);
      expect(body).toMatchObject({ result_count: 50 });
      expect(body.result).toHaveLength(20);
      expect(spent).toEqual({ statements: 2, turns: 2 });
    },
  );

  it('making objects that link to some that are there: one statement more for what they name, one a type of links', async () => {
    const { admin } = server;
    const hub = await admin.defineType('Hub', []);
    const spoke = await admin.defineType('Spoke', []);
    const sides = (name: string) => ({
      sourceJsonName: `${name}_of`,
      targetJsonName: `${name}_to`,
      targetMultiplicity: '*',
    });
    await admin.relate(hub, 'ONE', spoke, { ...sides('one'), sourceMultiplicity: '1' });
    await admin.relate(hub, 'MANY', spoke, { ...sides('many'), sourceMultiplicity: '*' });
    const hubs = await made(
      Array.from({ length: 40 }, (_, i) => ({ name: `hub ${String(i)}` })),
      '/Hub',
    );
    const named = (i: number): string => hubs[i % hubs.length] ?? '';
    const inputs = {
      plain: (): Record<string, unknown> => ({}),
      byText: (i: number) => ({ one_of: named(i), many_of: [named(i + 1)] }),
      byObject: (i: number) => ({ one_of: { id: named(i) }, many_of: [{ id: named(i + 1) }] }),
    };
    const sent: Record<string, string[]> = {};
    for (const [what, input] of Object.entries(inputs)) {
      // The first of a kind makes its type of relationships known.
      for (let round = 0; round < 2; round++) {
        await quiet();
        const before = statements().length;
        await made(
          Array.from({ length: 120 }, (_, i) => ({ name: `spoke ${String(i)}`, ...input(i) })),
          '/Spoke',
        );
        await quiet();
        sent[what] = statements().slice(before);
      }
    }
    const few = sent['plain']?.length ?? 0;
    expect(few).toBeLessThan(10);
    expect(sent['byText']?.length).toBeLessThanOrEqual(few + 3);
    expect(sent['byObject']?.length).toBeLessThanOrEqual(few + 3);
    const answer = await admin.get(`/Hub/${named(3)}/many_to?_pageSize=1`);
    expect(answer.body).toMatchObject({ result_count: 12 });

    async function made(objects: readonly unknown[], path: string): Promise<string[]> {
      const { status, body } = await admin.post(path, objects);
      expect(status).toBe(201);
      return (body as { result: string[] }).result;
    }
  });

  it('many at once share statements, and each gets its own', async () => {
    await quiet();
    const before = statements().length;
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => server.admin.get(`/Item/${ids[i % 40] ?? ''}`)),
    );
    expect(answers.map(({ body }) => (body as { result: { rank: number } }).result.rank)).toEqual(
      answers.map((_, i) => i % 40),
    );
    await quiet();
    expect(statements().length - before).toBeLessThan(100);
  });
});
