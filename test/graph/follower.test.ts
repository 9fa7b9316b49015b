/** Threads that read the embedded database beside the main thread: nobody sees the past (docs/design/threads.md 4 to 8). */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  type AccessRule,
  type FollowerOptions,
  type Graph,
  newId,
  openSqliteGraph,
  OWNS,
  PUBLIC,
  type SqliteOptions,
} from '../../src/main/graph/index.js';
import { Connection } from '../../src/main/graph/sqlite/connection/connection.js';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import { type Call, FollowerThread, type Operation, unlinearizable } from './follower-threads.js';

const WAYS = [
  ['on the loop', {}],
  ['by a thread', { threadFrom: 0 }],
] as const;
const RULE: AccessRule = { right: 'read', principals: ['owner'], ids: [], types: [], keys: [PUBLIC] };
const ITEMS = { kind: 'nodes', types: ['Item'] } as const;

/** What is asked about after each write: all that has a cache of its own. */
const CALLS: readonly Call[] = [
  ['nodes', ['i0', 'i1', 'i2', 'i3', 'i4', 'i5']],
  ['find', ITEMS],
  ['find', { ...ITEMS, sort: [{ key: 'n', descending: true }], limit: 3 }],
  ['find', { ...ITEMS, where: { op: 'range', key: 'n', from: 3 }, sort: [{ key: 'n' }], limit: 4 }],
  ['find', { ...ITEMS, where: { op: 'equals', key: 'name', value: 'a' } }],
  ['find', { ...ITEMS, access: RULE }],
  ['find', { ...ITEMS, access: RULE, sort: [{ key: 'n' }], limit: 3 }],
  ['find', { kind: 'relationships', types: ['HAS'] }],
  ['count', ITEMS],
  ['count', { ...ITEMS, access: RULE }],
  ['count', { kind: 'nodes' }],
  ['count', { kind: 'relationships' }],
  ['count', { ...ITEMS, where: { op: 'range', key: 'n', from: 3 } }],
  ['related', ['owner', 'i0'], { relType: 'HAS', direction: 'out' }],
  ['related', ['i0', 'i1'], { relType: 'HAS', direction: 'in' }],
  ['relTypes', 'owner', 'out'],
];

let path: string;
let graph: Graph;
let threads: FollowerThread[] = [];

async function open(options: Partial<SqliteOptions> = {}): Promise<void> {
  path = mkdtempSync(join(tmpdir(), 'svc-follower-'));
  graph = await openSqliteGraph({ path, onError: () => undefined, ...options });
}

function follow(count: number, options: FollowerOptions = {}): FollowerThread[] {
  threads = Array.from({ length: count }, () => new FollowerThread(graph, options));
  return threads;
}

afterEach(async () => {
  vi.restoreAllMocks();
  for (const thread of threads.splice(0)) await thread.close();
  await graph.close();
  rmSync(path, { recursive: true, force: true });
});

type Writing = Parameters<Parameters<Graph['write']>[0]>[0];

function link(tx: Writing, relType: string, sourceId: string, targetId: string): Promise<unknown> {
  const id = `${relType} ${sourceId} ${targetId}`;
  return tx.createRelationship({ id, type: relType, relType, sourceId, targetId, properties: {} });
}

async function fill(): Promise<void> {
  await graph.write(async (tx) => {
    await tx.createNode({ id: 'owner', type: 'Holder', properties: {} });
    for (let i = 0; i < 6; i++) {
      const id = `i${String(i)}`;
      await tx.createNode({ id, type: 'Item', properties: { n: i, name: i % 2 === 0 ? 'a' : 'b' } });
      if (i < 3) await link(tx, 'HAS', 'owner', id);
      if (i > 3) await link(tx, OWNS, 'owner', id);
    }
  });
  await graph.setIndexes([{ trait: 'Item', types: ['Item'], key: 'n', unique: false }]);
  await graph.indexesReady();
}

/** The same calls here. */
async function here(calls: readonly Call[]): Promise<unknown[]> {
  await graph.current();
  return graph.read(
    async (tx) => {
      const answers: unknown[] = [];
      for (const [method, ...about] of calls) {
        const work = tx[method] as (...about: readonly unknown[]) => Promise<unknown>;
        answers.push(await work.apply(tx, about));
      }
      return answers;
    },
    { snapshot: true },
  );
}

/** Properties come back from threads as ordinary objects. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Every thread shows what this one does. */
async function same(calls = CALLS): Promise<void> {
  const expected = plain(await here(calls));
  for (const snapshot of [true, false])
    for (const thread of threads) expect(plain(await thread.calls(calls, snapshot))).toEqual(expected);
}

/** The next COMMIT of the writing connection fails. */
function failCommit(): void {
  const { run } = Connection.prototype;
  const spy = vi.spyOn(Connection.prototype, 'run').mockImplementation(function (this: Connection, sql, params) {
    if (sql !== 'COMMIT' || this.db.readonly) return run.call(this, sql, params);
    spy.mockRestore();
    throw new Library.SqliteError('no', 'SQLITE_IOERR_WRITE');
  });
}

const WRITES: readonly ((tx: Writing) => Promise<unknown>)[] = [
  (tx) => tx.updateNode('i0', { n: 9 }),
  (tx) => tx.createNode({ id: 'i6', type: 'Item', properties: { n: 2.5, name: 'a' } }),
  (tx) => tx.updateNode('i1', { [PUBLIC]: true }),
  (tx) => link(tx, OWNS, 'owner', 'i0'),
  (tx) => link(tx, 'HAS', 'owner', 'i6'),
  (tx) => link(tx, 'LIKES', 'owner', 'i2'),
  (tx) => tx.deleteRelationship('HAS owner i1'),
  (tx) => tx.deleteRelationship('OWNS owner i4'),
  (tx) => tx.updateNode('i1', { [PUBLIC]: null }),
  (tx) => tx.setNodeType('i3', 'Other'),
  (tx) => tx.deleteNode('i5'),
  async (tx) => {
    for (const id of ['i0', 'i1', 'i2', 'i4', 'i6']) await tx.updateNode(id, { [PUBLIC]: true });
  },
  async (tx) => {
    await tx.deleteNode('i0');
    await tx.createNode({ id: 'i0', type: 'Item', properties: { n: -1, name: 'again' } });
  },
  (tx) => tx.setNodeType('i3', 'Item'),
];

describe.each(WAYS)('what is written %s', (_name, ways) => {
  it('is seen by every thread once write has resolved', async () => {
    await open(ways);
    await fill();
    follow(2);
    await same();
    for (const write of WRITES) {
      for (const thread of threads) await thread.do('heat', { calls: CALLS });
      await graph.write(write);
      await same();
    }
  });

  it('is seen although COMMITs fail in between', async () => {
    await open(ways);
    await fill();
    follow(1);
    await same();
    const other = new Library(join(path, 'graph.db'));
    for (let round = 0; round < ('threadFrom' in ways ? 2 : 6); round++) {
      // The thread comes to wait for another writer; on the loop it is the COMMIT itself that fails.
      if ('threadFrom' in ways) other.exec('BEGIN IMMEDIATE');
      else failCommit();
      const lost = graph.write(async (tx) => {
        await tx.createNode({ id: newId(), type: 'Item', properties: { n: 100 } });
        await tx.createNode({ id: newId(), type: `New${String(round)}`, properties: {} });
        await tx.updateNode('i0', { n: -100 });
      });
      await expect(lost).rejects.toMatchObject({ name: 'GraphError' });
      if (other.inTransaction) other.exec('ROLLBACK');
      await same();
      await graph.write((tx) => tx.createNode({ id: newId(), type: `Next${String(round)}`, properties: {} }));
      await graph.write((tx) => tx.updateNode('i0', { n: round }));
      await same([...CALLS, ['count', { kind: 'nodes', types: [`Next${String(round)}`, `New${String(round)}`] }]]);
    }
    other.close();
  });
});

describe('one object', () => {
  it.each([
    ['on the loop', {}, 0],
    ['by a thread', { threadFrom: 0 }, 0],
    ['with a thread that computes for 200 ms', {}, 200],
    ['by a thread, with one that computes for 200 ms', { threadFrom: 0 }, 200],
  ] as const)('written %s is one object for all connections of all threads', async (_name, ways, busy) => {
    await open({ ...ways, largestLog: 200_000 });
    await graph.setIndexes([{ trait: 'Register', types: ['Register'], key: 'value', unique: false }]);
    await graph.write((tx) => tx.createNode({ id: 'r', type: 'Register', properties: { value: 0 } }));
    follow(2);
    const flag = new SharedArrayBuffer(4);
    const now = (): number => Number(process.hrtime.bigint());
    const history: Operation[] = [{ kind: 'write', begin: 0, end: 1, value: 0 }];
    const observed = threads.map((thread, i) =>
      thread.do<[number, number, number][]>('observe', { id: 'r', flag, connections: 3, busy: i === 0 ? busy : 0 }),
    );
    // Observers begin to read.
    await Promise.all(threads.map((thread) => thread.calls([['node', 'r']])));
    const isOver = new Int32Array(flag);
    let value = 0;
    let checkpoints = 0;
    let log = logNumber();
    const writer = async (): Promise<void> => {
      while (Atomics.load(isOver, 0) === 0) {
        const mine = ++value;
        const begin = now();
        try {
          await graph.write(async (tx) => {
            // Some weight for the log.
            await tx.updateNode('r', { value: mine, text: `${String(mine)} `.repeat(400) });
            if (mine % 10 === 9) throw new RangeError('taken back');
          });
          history.push({ kind: 'write', begin, end: now(), value: mine });
        } catch (error) {
          if (!(error instanceof RangeError)) throw error;
        }
      }
    };
    const reader = async (): Promise<void> => {
      while (Atomics.load(isOver, 0) === 0) {
        const begin = now();
        const coming = graph.current();
        if (coming !== undefined) await coming;
        const node = await graph.read((tx) => tx.node('r'), { snapshot: true });
        history.push({ kind: 'read', begin, end: now(), value: Number(node?.properties['value']) });
        await sleep(1);
      }
    };
    const watcher = async (): Promise<void> => {
      // Until there is enough to tell something, whatever else the machine does.
      while (value < 300 || checkpoints < 2) {
        await sleep(5);
        const next = logNumber();
        if (next !== log) checkpoints++;
        log = next;
      }
      Atomics.store(isOver, 0, 1);
    };
    await Promise.all([writer(), writer(), writer(), reader(), watcher()]);
    for (const seen of await Promise.all(observed)) {
      expect(seen.length).toBeGreaterThan(20);
      for (const [begin, end, read] of seen) history.push({ kind: 'read', begin, end, value: read });
    }
    expect(unlinearizable(history)).toBeUndefined();
    expect(new Set(history.map((one) => one.value)).size).toBeGreaterThan(100);
  });

  it('is not one where the past is shown', () => {
    const write = (begin: number, end: number, value: number): Operation => ({ kind: 'write', begin, end, value });
    const read = (begin: number, end: number, value: number): Operation => ({ kind: 'read', begin, end, value });
    expect(unlinearizable([write(0, 1, 1), write(2, 5, 2), read(3, 4, 1), read(6, 7, 2)])).toBeUndefined();
    expect(unlinearizable([write(0, 1, 1), write(2, 5, 2), read(3, 4, 2), read(4.5, 6, 1)])).toBeDefined();
    expect(unlinearizable([write(0, 1, 1), write(2, 3, 2), read(4, 5, 1)])).toBeDefined();
    expect(unlinearizable([write(0, 1, 1), read(2, 3, 7)])).toBeDefined();
    expect(unlinearizable([read(0, 1, 1), write(2, 3, 1)])).toBeDefined();
  });
});

/** Grows each time that the log starts over. */
function logNumber(): number {
  return readFileSync(join(path, 'graph.db-wal')).readUInt32BE(12);
}

describe('a transaction of a thread', () => {
  it.each(WAYS)('sees one state while others are written %s', async (_name, ways) => {
    await open(ways);
    const ids = ['a', 'b', 'c'];
    await graph.write(async (tx) => {
      for (const id of ids) await tx.createNode({ id, type: 'Account', properties: { n: 100 } });
    });
    follow(2);
    const flag = new SharedArrayBuffer(4);
    const sums = threads.map((thread) =>
      thread.do<{ sums: number[]; count: number }>('sums', { ids, flag, options: { snapshot: true } }),
    );
    await threads[0]?.calls([['count', { kind: 'nodes' }]]);
    for (let i = 0; i < 300; i++) {
      const [from = 'a', to = 'b'] = [ids[i % 3], ids[(i + 1) % 3]];
      await graph.write(async (tx) => {
        const [one, other] = await tx.nodes([from, to]);
        await tx.updateNode(from, { n: Number(one?.properties['n']) - i });
        await tx.updateNode(to, { n: Number(other?.properties['n']) + i });
      });
    }
    Atomics.store(new Int32Array(flag), 0, 1);
    for (const answer of await Promise.all(sums)) {
      expect(answer.count).toBeGreaterThan(0);
      expect(answer.sums).toEqual([300]);
    }
  });

  it('goes on with its state in all that has a cache', async () => {
    await open();
    await fill();
    const [thread] = follow(1);
    await thread?.do('heat', { calls: CALLS });
    const before = await thread?.do('hold', { calls: CALLS });
    for (const write of WRITES.slice(0, 8)) await graph.write(write);
    await same();
    expect(await thread?.do('again')).toEqual(before);
  });

  it('writes nothing', async () => {
    await open();
    await fill();
    const [thread] = follow(1);
    const codes = await thread?.do<Record<string, string>>('refusals');
    const { reads, commit, ...refused } = codes ?? {};
    expect([reads, commit]).toEqual(['none', 'none']);
    expect(new Set(Object.values(refused))).toEqual(new Set(['writer_elsewhere']));
    expect(Object.keys(refused).length).toBe(9);
    await same();
  });
});

describe('what a thread keeps', () => {
  it('is told of commits, by what they change', async () => {
    await open();
    await fill();
    const [thread] = follow(1);
    await thread?.do('keep', { type: 'Item' });
    await graph.write((tx) => tx.updateNode('i0', { n: 7, name: 'c' }));
    await graph.write((tx) => tx.createNode({ id: 'other', type: 'Other', properties: {} }));
    await graph.write((tx) => tx.deleteNode('i5'));
    // Several commits may be told at once.
    expect((await thread?.do<unknown[][]>('told'))?.flat()).toEqual([
      ['change', 'i0', 'n'],
      ['change', 'i0', 'name'],
      ['delete', 'i5', undefined],
    ]);
    await graph.forget();
    const told = await thread?.do<unknown[]>('told');
    expect(new Set(told)).toEqual(new Set(['everything']));
  });

  it('is right after the database was emptied, and after indexes came and went', async () => {
    await open();
    await fill();
    follow(2);
    await same();
    const steps = { begin: () => undefined, done: () => Promise.resolve() };
    const cleared = await graph.clear({ nodes: ['Holder'], relationships: [] }, steps);
    expect(cleared?.nodes).toBe(6);
    await same();
    await graph.write(async (tx) => {
      for (let i = 0; i < 300; i++) {
        const properties = { n: i % 7, name: `name ${String(i)}`, text: i % 2 === 0 ? 'even words' : 'odd words' };
        await tx.createNode({ id: `i${String(i)}`, type: 'Item', properties });
      }
    });
    const text = { name: 'texts', label: '', kind: 'nodes', key: 'text', types: ['Item'] } as const;
    const index = { trait: 'Item', types: ['Item'], key: 'n', unique: false };
    const query = { op: 'words', text: 'even' };
    const found: Call[] = [...CALLS, ['search', 'texts', query, { offset: 0, limit: 5 }]];
    for (let round = 0; round < 3; round++) {
      await graph.setIndexes([], [text]);
      await same(round === 0 ? CALLS : found);
      await graph.indexesReady();
      await same(found);
      await graph.setIndexes([index], [text]);
      await same(found);
      await graph.indexesReady();
      await same(found);
    }
    await graph.reindex('nodes', undefined, steps);
    await same(found);
    await graph.notes.set('note', 'text');
    expect(await threads[0]?.do('note', { name: 'note' })).toBe('text');
  });

  it('is right where more was told than a thread may leave', async () => {
    await open({ mostLeft: 20_000 });
    await fill();
    const [thread] = follow(1);
    await same();
    await thread?.do('keep', { type: 'Item' });
    const flag = new SharedArrayBuffer(4);
    const resting = thread?.do('rest', { flag });
    for (let i = 0; i < 100; i++)
      await graph.write((tx) => tx.createNode({ id: newId(), type: `T${String(i)}`, properties: { n: i } }));
    await graph.write((tx) => tx.updateNode('i0', { n: 50 }));
    const isOver = new Int32Array(flag);
    Atomics.store(isOver, 0, 1);
    Atomics.notify(isOver, 0);
    await resting;
    await same();
    expect(await thread?.do('told')).toContain('everything');
    // The main thread says itself once more that something was missed; from then on all is told.
    await graph.write((tx) => tx.updateNode('i1', { n: 51 }));
    await same();
    await thread?.do('told');
    await graph.write((tx) => tx.updateNode('i1', { n: 52 }));
    await same();
    expect(await thread?.do('told')).toEqual([[['change', 'i1', 'n']]]);
  });

  it('costs nobody anything when its thread is gone', async () => {
    await open();
    await fill();
    const [, second] = follow(2);
    await same();
    await second?.kill();
    threads.pop();
    for (const write of WRITES.slice(0, 5)) await graph.write(write);
    await same();
    // Another one takes its place.
    threads.push(new FollowerThread(graph));
    await same();
  });
});
