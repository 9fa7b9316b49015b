import fc from 'fast-check';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Graph, openSqliteGraph } from '../../src/main/graph/index.js';
import type { Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { randomRuns, runsOf } from '../support/random.js';
import { onNeo4j, TestServer } from '../support/server.js';
import { answer, type AskedEvents, DEFINITION, FROM, runs, take, TYPES } from './column-runs.js';

/** docs/design/analytics.md, Columns */
describe('events by column', () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-columns-'));
  const errors: string[] = [];
  let graph: Graph;

  const open = async (): Promise<Graph> => {
    const opened = await openSqliteGraph({ path, onError: (error) => errors.push(String(error)) });
    await opened.columns?.set(DEFINITION, FROM);
    return opened;
  };
  const reopen = async (one: Graph): Promise<Graph> => {
    await one.close();
    return open();
  };
  const files = (): string[] => readdirSync(join(path, 'columns'));
  const byDay: AskedEvents = {
    question: { kind: 'aggregation', pattern: 'yyyy-MM-dd', zone: 'UTC', indent: false, filters: [], named: [] },
    queries: [{ kind: 'nodes', types: TYPES }],
  };
  const wipe = (): Promise<void> =>
    graph.write(async (tx) => {
      for (const { id } of await tx.find({ kind: 'nodes', types: [...TYPES, 'Note'] })) await tx.deleteNode(id);
    });
  const add = (count: number): Promise<void> =>
    graph.write(async (tx) => {
      for (let i = 0; i < count; i++) {
        const properties = { timestamp: 1e12 + i * 3_600_000, action: 'VIEW', subject: 's', object: 'o', message: 'm' };
        await tx.createNode({ id: `${String(Math.random())}-${String(i)}`, type: 'LogEvent', properties });
      }
    });

  beforeAll(async () => {
    graph = await open();
    await graph.write((tx) => tx.createNode({ id: 'owner', type: 'User', properties: {} }));
  });
  afterAll(async () => {
    await graph.close();
    rmSync(path, { recursive: true });
  });

  it('answer as nodes do, whatever was done', async () => {
    let done = 0;
    const compare = async (asked: AskedEvents): Promise<void> => {
      const [plain, byColumn] = [await answer(graph, asked, false), await answer(graph, asked, true)];
      if (byColumn !== plain) throw new Error(`${JSON.stringify(asked)}: ${byColumn}, not ${plain}`);
    };
    const property = fc.asyncProperty(runs, async ({ steps, questions }) => {
      for (const step of steps) {
        graph = await take(graph, step, reopen);
        // What one step has done another may hide.
        for (let i = 0; i < 2; i++) await compare(questions[done++ % questions.length] ?? byDay);
      }
      for (const asked of questions) await compare(asked);
      await wipe();
    });
    await randomRuns(property, runsOf(300), 9);
    expect(errors).toEqual([]);
  });

  it('are read', async () => {
    await wipe();
    await add(40);
    await graph.columns?.settled();
    const before = await answer(graph, byDay, true);
    expect(files().length).toBeGreaterThan(0);
    // A file that is damaged is found when it is read; the answer is right, and columns are made anew.
    graph = await reopen(graph);
    await graph.columns?.settled();
    for (const name of files()) {
      const file = join(path, 'columns', name);
      const bytes = readFileSync(file);
      bytes.fill(7, 0, 300);
      writeFileSync(file, bytes);
    }
    const damaged = files();
    expect(await answer(graph, byDay, true)).toBe(before);
    await graph.columns?.settled();
    expect(errors.splice(0).join()).toContain('damaged');
    expect(files().filter((name) => damaged.includes(name))).toEqual([]);
    expect(files().length).toBeGreaterThan(0);
    expect(await answer(graph, byDay, true)).toBe(before);
    expect(errors).toEqual([]);
  });

  it('are empty with the database, and hold what comes then', async () => {
    await wipe();
    await add(40);
    await graph.columns?.settled();
    const steps = { begin: () => undefined, done: () => Promise.resolve() };
    await graph.clear({ nodes: ['User'], relationships: [] }, steps);
    expect(await answer(graph, byDay, true)).toBe(await answer(graph, byDay, false));
    await add(3);
    expect(await answer(graph, byDay, true)).toBe(await answer(graph, byDay, false));
    await add(40);
    await graph.columns?.settled();
    const before = await answer(graph, byDay, false);
    expect(await answer(graph, byDay, true)).toBe(before);
    graph = await reopen(graph);
    expect(await answer(graph, byDay, true)).toBe(before);
    expect(files().length).toBeGreaterThan(0);
  });

  it('are made anew where their files are gone', async () => {
    graph = await (async () => {
      await graph.close();
      rmSync(join(path, 'columns'), { recursive: true });
      return open();
    })();
    const before = await answer(graph, byDay, false);
    expect(await answer(graph, byDay, true)).toBe(before);
    await graph.columns?.settled();
    expect(files().length).toBeGreaterThan(0);
    expect(await answer(graph, byDay, true)).toBe(before);
  });

  it('are gone when nobody wants them', async () => {
    await graph.columns?.set(undefined, 0);
    expect(files()).toEqual([]);
    expect(await answer(graph, byDay, true)).toBe(await answer(graph, byDay, false));
    await graph.columns?.set(DEFINITION, FROM);
  });
});

describe('a server that keeps events by column', () => {
  const settings = { 'analytics.columns.from': 5, 'application.timezone': 'UTC' };
  let server: TestServer;

  const events = (count: number, more: Record<string, unknown>): Record<string, unknown>[] =>
    Array.from({ length: count }, (_, i) => ({
      timestamp: new Date(Date.UTC(2026, 0, 1 + (i % 3))).toISOString(),
      action: 'VIEW',
      subject: `s${String(i % 4)}`,
      object: 'o',
      message: `n=${String(i % 2)}`,
      ...more,
    }));
  /** How many events are counted, by day and as they match. */
  const counted = async (client: Client): Promise<number[]> => {
    const { body, text } = await client.get('/log?aggregate=yyyy-MM-dd&odd=n%3D1');
    if (body.result === undefined) throw new Error(text);
    const groups = Object.values(body.result[0] as Record<string, Record<string, number>>);
    return groups.map(({ total = 0, odd = 0 }) => total * 1000 + odd);
  };
  const until = async (isSo: (names: readonly string[]) => boolean): Promise<void> => {
    const names = (): string[] => {
      try {
        return readdirSync(join(server.folder, 'db/columns'));
      } catch {
        return [];
      }
    };
    for (const end = Date.now() + 30_000; !isSo(names()); await sleep(10)) {
      if (Date.now() > end) throw new Error(`columns are ${names().join(', ')}`);
    }
  };

  it.skipIf(onNeo4j)('counts for each what he may see, also after it was killed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-columns-'));
    server = await TestServer.start({ folder, settings });
    try {
      let { admin } = server;
      const id = await admin.create('User', { name: 'jane', password: 'Jane-secret-1' });
      await allow(admin, 'log', 'user', ['GET']);
      await admin.post('/LogEvent', events(12, { visibleToAuthenticatedUsers: true }));
      await admin.post('/LogEvent', events(6, {}));
      const own = await admin.post('/LogEvent', events(3, { owner: { id } }));
      await until((names) => names.length > 0);
      let jane = server.as('jane', 'Jane-secret-1');
      expect((await server.as().get('/log?aggregate=yyyy')).status).toBe(401);
      expect(await counted(admin)).toEqual([7003, 7004, 7003]);
      expect(await counted(jane)).toEqual([5002, 5003, 5002]);
      // One that changes hands, one that is hidden, one that goes.
      await admin.put(`/LogEvent/${String(own.body.result[0])}`, { owner: null });
      await admin.put(`/LogEvent/${String(own.body.result[1])}`, { timestamp: '2026-01-03T00:00:00+0000' });
      await admin.delete(`/LogEvent/${String(own.body.result[2])}`);
      expect(await counted(admin)).toEqual([7003, 6003, 7004]);
      expect(await counted(jane)).toEqual([4002, 4002, 5003]);
      await server.end('SIGKILL');
      server = await TestServer.start({ folder, settings });
      ({ admin } = server);
      jane = server.as('jane', 'Jane-secret-1');
      expect(await counted(admin)).toEqual([7003, 6003, 7004]);
      expect(await counted(jane)).toEqual([4002, 4002, 5003]);
      await admin.post('/LogEvent', events(6, { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true }));
      expect(await counted(jane)).toEqual([6003, 6003, 7004]);
      await server.reload({ 'analytics.columns.from': 0 });
      await until((names) => names.length === 0);
      expect(await counted(jane)).toEqual([6003, 6003, 7004]);
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
