import fc from 'fast-check';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Graph, openSqliteGraph } from '../../src/main/graph/index.js';
import { randomRuns, runsOf } from '../support/random.js';
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
