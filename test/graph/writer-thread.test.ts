import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import { type Graph, type GraphNode, newId, openSqliteGraph, StatementLog } from '../../src/main/graph/index.js';
import { ARRAY, FALSE, MISSING, type SqlValue, TRUE } from '../../src/main/graph/sqlite/connection/values.js';
import { replay, StatementNumbers, WriteRecord } from '../../src/main/graph/sqlite/writing/write-record.js';

describe('a record', () => {
  const value: fc.Arbitrary<SqlValue> = fc.oneof(
    fc.string({ unit: 'binary' }),
    // Lone surrogates as well.
    fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
    fc.double(),
    fc.constantFrom(
      0,
      -0,
      NaN,
      Infinity,
      -Infinity,
      Number.MAX_SAFE_INTEGER,
      null,
      '',
      '\0',
      ARRAY,
      FALSE,
      MISSING,
      TRUE,
    ),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  );
  const statement = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.array(value, { maxLength: 6 }));
  type Statement = [string, SqlValue[]];

  test('gives back what was added, after its way to the thread as well', () => {
    fc.assert(
      fc.property(fc.array(statement), fc.array(statement), fc.array(statement), (first, cut, last) => {
        const record = new WriteRecord(new StatementNumbers());
        const add = ([sql, params]: Statement): void => {
          record.add(sql, params);
        };
        first.forEach(add);
        const { mark } = record;
        cut.forEach(add);
        record.cut(mark);
        last.forEach(add);
        const sent = structuredClone({ numbers: Float64Array.from(record.numbers), text: record.text });
        for (const form of [record, sent]) {
          const all: Statement[] = [];
          replay(form, (number, params) => all.push([record.textOf(number), [...params]]));
          expect(all).toEqual([...first, ...last]);
          const parts: Statement[] = [];
          const push = (number: number, params: readonly SqlValue[]): unknown =>
            parts.push([record.textOf(number), [...params]]);
          replay(form, push, mark);
          expect(parts).toEqual(last);
          replay(form, push, undefined, mark);
          expect(parts).toEqual([...last, ...first]);
        }
      }),
    );
  });

  test('takes bytes whatever they are', () => {
    const record = new WriteRecord(new StatementNumbers());
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    record.add('a', ['text', bytes, 1]);
    const left: unknown[] = [];
    replay(structuredClone({ numbers: record.numbers, text: record.text }), (_, params) => left.push(params));
    expect(left).toEqual([['text', bytes, 1]]);
  });

  test('ends somewhere', () => {
    const record = new WriteRecord(new StatementNumbers());
    const text = 'x'.repeat(1000);
    for (let i = 0; i < 90; i++) record.add('a', [text]);
    expect(record.full).toBe(false);
    for (let i = 0; i < 20; i++) record.add('a', [text]);
    expect(record.full).toBe(true);
    expect(record.tooLong).toBe(false);
    let added = 0;
    while (!record.tooLong && added < 200) {
      record.add('a', [text]);
      added++;
    }
    expect(added).toBeLessThan(200);
  });
});

describe("the writer's thread", () => {
  let path: string;
  let graph: Graph;
  let threads: Worker[];
  const errors: unknown[] = [];
  const started = (worker: Worker): unknown => threads.push(worker);

  /** The graph on which all that can be is written by the thread. */
  async function open(options: { threadFrom?: number; statements?: StatementLog } = { threadFrom: 0 }): Promise<void> {
    graph = await openSqliteGraph({ path, onError: (error) => errors.push(error), ...options });
  }

  function create(id = newId(), type = 'Thing', properties = {}): Promise<GraphNode> {
    return graph.write((tx) => tx.createNode({ id, type, properties }));
  }

  function count(type = 'Thing'): Promise<number> {
    return graph.read(async (tx) => (await tx.count({ kind: 'nodes', types: [type] })).count);
  }

  /** As another process would see it. */
  function stored(sql: string): unknown {
    const db = new Library(join(path, 'graph.db'), { readonly: true });
    try {
      return db.prepare(sql).pluck().get();
    } finally {
      db.close();
    }
  }

  const many = <T>(work: (i: number) => Promise<T>, n = 64): Promise<PromiseSettledResult<T>[]> =>
    Promise.allSettled(Array.from({ length: n }, (_, i) => work(i)));

  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'svc-graph-'));
    threads = [];
    errors.length = 0;
    process.on('worker', started);
  });
  afterEach(async () => {
    process.off('worker', started);
    await graph.close().catch(() => undefined);
    rmSync(path, { recursive: true, force: true });
  });

  test('is started by many transactions at once, not by one after the other', async () => {
    await open({});
    for (let i = 0; i < 20; i++) await create();
    expect(threads).toHaveLength(0);
    await many(() => create());
    await many(() => create());
    expect(threads).toHaveLength(1);
  });

  test('has stored what is acknowledged', async () => {
    await open();
    await many(async (i) => {
      const id = newId();
      await create(id, 'Thing', { i });
      expect(stored(`SELECT props FROM node WHERE id = x'${id}'`)).toBe(`{"i":${String(i)}}`);
    });
    expect(await count()).toBe(64);
  });

  test('gives an id to one object only', async () => {
    await open();
    const id = newId();
    const outcomes = await many(() => create(id), 10);
    expect(outcomes.map((one) => one.status).sort()).toEqual(['fulfilled', ...Array<string>(9).fill('rejected')]);
    await expect(create(id)).rejects.toMatchObject({ code: 'already_taken' });
    const failed = newId();
    await graph
      .write(async (tx) => {
        await tx.createNode({ id: failed, type: 'Thing', properties: {} });
        throw new Error('on purpose');
      })
      .catch(() => undefined);
    await create(failed);
    expect(await count()).toBe(2);
  });

  test('gives no number of a row twice, in this life or the next', async () => {
    await open();
    await many(() => create());
    await graph.close();
    await open();
    await many(() => create());
    await graph.close();
    await open({});
    await create();
    expect(await count()).toBe(129);
    expect(stored('SELECT count(DISTINCT pk) FROM node')).toBe(129);
  });

  test('takes more than fits a record, in one transaction and in many', async () => {
    await open();
    const text = 'x'.repeat(20_000);
    const one = graph.write(async (tx) => {
      for (let i = 0; i < 3000; i++) await tx.createNode({ id: newId(), type: 'Small', properties: { i } });
    });
    const failing = graph.write(async (tx) => {
      for (let i = 0; i < 3000; i++) await tx.createNode({ id: newId(), type: 'Small', properties: { i } });
      throw new Error('on purpose');
    });
    const [, , ...others] = await Promise.allSettled([
      one,
      failing,
      ...Array.from({ length: 64 }, () => create(newId(), 'Large', { text })),
    ]);
    expect(others.every((other) => other.status === 'fulfilled')).toBe(true);
    expect([await count('Small'), await count('Large')]).toEqual([3000, 64]);
    expect(stored(`SELECT count(*) FROM node WHERE length(props) > 20000`)).toBe(64);
  });

  test('loses a batch as a whole that the database refuses, and nothing after it', async () => {
    await open();
    await create();
    const other = new Library(join(path, 'graph.db'));
    other.exec('BEGIN IMMEDIATE');
    const outcomes = await many((i) => create(newId(), i % 2 === 0 ? 'Thing' : 'New', { key: 'new as well' }), 20);
    expect(outcomes.map((one) => one.status)).toEqual(Array<string>(20).fill('rejected'));
    for (const one of outcomes) expect((one as PromiseRejectedResult).reason).toMatchObject({ name: 'GraphError' });
    other.exec('ROLLBACK');
    other.close();
    expect([await count(), await count('New')]).toEqual([1, 0]);
    await many(() => create(newId(), 'New', { key: 'value' }), 20);
    expect([await count(), await count('New')]).toEqual([1, 20]);
    expect(stored("SELECT count(*) FROM node n JOIN name_table t ON t.id = n.type WHERE t.text = 'New'")).toBe(20);
    await graph.close();
    expect(stored('PRAGMA integrity_check')).toBe('ok');
  });

  test('is done without when it ends while it has nothing to do', async () => {
    await open();
    await many(() => create());
    await threads[0]?.terminate();
    await many(() => create());
    expect(await count()).toBe(128);
    expect(errors).toMatchObject([{ code: 'unavailable' }]);
  });

  test('is done without when it ends while a batch is gathered for it', async () => {
    await open();
    await many(() => create());
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const writing = many(
      (i) =>
        graph.write(async (tx) => {
          await tx.createNode({ id: newId(), type: 'Thing', properties: { i } });
          await held;
        }),
      4,
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    await threads[0]?.terminate();
    release();
    expect((await writing).map((one) => one.status)).toEqual(Array<string>(4).fill('fulfilled'));
    expect(await count()).toBe(68);
  });

  test('promises nothing when it ends at work, and nothing afterwards', async () => {
    await open();
    await many(() => create());
    // No list: the thread ends by an error while it has this batch. (Killed within SQLite it would take the process with it.)
    const spy = vi.spyOn(StatementNumbers.prototype, 'from').mockReturnValueOnce(5 as never);
    const writing = await many(() => create(), 20);
    spy.mockRestore();
    for (const one of writing) expect(one).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
    await expect(create()).rejects.toMatchObject({ code: 'unavailable' });
    await graph.close().catch(() => undefined);
    await open({});
    expect(await count()).toBe(64);
    await create();
  });

  test('loses with a batch all that was gathered behind it', async () => {
    await open();
    await many((i) => create(newId(), 'Warm', { i }));
    const from = StatementNumbers.prototype.from;
    const spy = vi.spyOn(StatementNumbers.prototype, 'from').mockImplementation(function (this: StatementNumbers, at) {
      // The first batch is written, and being synced when the second one ends the thread.
      return spy.mock.calls.length === 2 ? (5 as never) : from.call(this, at);
    });
    const writing = await many((i) => create(newId(), 'Thing', { i }), 600);
    spy.mockRestore();
    await graph.close().catch(() => undefined);
    await open({});
    const left = await graph.read((tx) => tx.find({ kind: 'nodes', types: ['Thing'] }));
    // They were made in this order: what is there is a beginning of them.
    expect(left.map(({ properties }) => properties['i'])).toEqual(left.map((_, i) => i));
    expect(left.length).toBeLessThan(600);
    expect(writing.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(left.length);
  });

  test('shows in the log of statements what it has run', async () => {
    const heard: string[] = [];
    const log = new StatementLog(({ text }) => heard.push(text));
    log.slow = 0;
    await open({ threadFrom: 0, statements: log });
    for (const all of [false, true]) {
      log.all = all;
      heard.length = 0;
      await create();
      expect(heard.filter((text) => text.startsWith('INSERT INTO node('))).toHaveLength(1);
    }
  });
});
