/** The index of parts of texts in memory (docs/design/sqlite.md 16): its segments, and what queries find by it while objects are written. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccessRule } from '../../src/main/graph/access.js';
import { type Graph, newId, type NodeQuery, openSqliteGraph } from '../../src/main/graph/index.js';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import pack from '../../src/workers/graph/pack.js';
import { fold } from '../../src/main/graph/sqlite/connection/functions.js';
import { isIndexable } from '../../src/main/graph/sqlite/substrings/index-of-property.js';
import { lastBefore, type Place, portions } from '../../src/main/graph/sqlite/substrings/search.js';
import { LONG_PART } from '../../src/shared/text-search.js';
import { addLiving, Gathered, kill, type Segment } from '../../src/main/graph/sqlite/substrings/segment.js';

function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const random = randomNumbers(28);
const SYLLABLES = [
  'ba',
  'ko',
  'ana',
  ' ',
  'Straße',
  'É',
  'σίσ',
  '漢字',
  '\u{1F600}',
  '12',
  '%',
  '_',
  'İ',
  'xyz',
  '\u0000',
];
const PLACES: readonly Place[] = ['within', 'start', 'end'];

function some(most: number): number {
  return Math.floor(random() * most);
}

function text(): string {
  return Array.from({ length: some(8) }, () => SYLLABLES[some(SYLLABLES.length)] ?? '').join('');
}

/** A piece of some text. */
function part(): string {
  const whole = text();
  const from = some(whole.length);
  const found = whole.slice(from, from + 3 + some(6));
  return isIndexable(found) && Buffer.byteLength(fold(found)) >= 3 ? found : 'ana';
}

const TESTS: Readonly<Record<Place, (text: string, part: string) => boolean>> = {
  within: (one, wanted) => one.includes(wanted),
  start: (one, wanted) => one.startsWith(wanted),
  end: (one, wanted) => one.endsWith(wanted),
};

function all(segment: Segment, wanted: string, place: Place): number[] {
  return [...portions(segment, Buffer.from(wanted), place)].flatMap(({ keys }) => keys);
}

describe('a segment', () => {
  const texts = new Map<number, string>();
  const gathered = new Gathered();
  // In no order, and some far apart.
  for (let i = 0; i < 1200; i++) texts.set(((i * 7919) % 1200) * 3 + (i % 2 === 0 ? 0 : 50_000), fold(text()));
  for (const [key, one] of texts) gathered.add(key, one);
  const segment = gathered.segment() as Segment;

  const expected = (wanted: string, place: Place): number[] =>
    [...texts].flatMap(([key, one]) => (TESTS[place](one, wanted) ? key : [])).sort((a, b) => a - b);

  function compare(from: Segment): number {
    let found = 0;
    for (let i = 0; i < 60; i++) {
      const wanted = fold(part());
      for (const place of PLACES) {
        const keys = all(from, wanted, place);
        if (keys.join() !== expected(wanted, place).join())
          expect([wanted, place, keys]).toEqual(expected(wanted, place));
        found += keys.length;
      }
    }
    return found;
  }

  it('finds what looking at each text finds, in the order of keys', () => {
    expect(compare(segment)).toBeGreaterThan(100);
  });

  it('tells with each portion up to which key it has all', () => {
    const seen: number[] = [];
    for (const { keys, next } of portions(segment, Buffer.from('ana'), 'within')) {
      seen.push(...keys);
      if (next !== undefined)
        expect(seen).toEqual(expected('ana', 'within').filter((key) => key <= lastBefore(segment, next)));
    }
    expect(seen).toEqual(expected('ana', 'within'));
  });

  it('does not find what has been taken out, nor does the one that is made of several', () => {
    for (const key of [...texts.keys()].filter(() => some(3) === 0)) {
      kill(segment, key);
      texts.delete(key);
    }
    kill(segment, 1_000_000);
    compare(segment);
    const more = new Gathered();
    for (let i = 0; i < 100; i++) {
      const key = 20_000 + i;
      texts.set(key, fold(text()));
      more.add(key, texts.get(key) ?? '');
    }
    const both = new Gathered();
    addLiving(segment, both);
    addLiving(more.segment() as Segment, both);
    expect(both.count).toBe(texts.size);
    compare(both.segment() as Segment);
  });

  it('is not asked for halves of characters', () => {
    expect(['\uD83D', 'a\uDE00b', '\u{1F600}', 'abc', 'a\uFFFDb'].map(isIndexable)).toEqual([
      false,
      false,
      true,
      true,
      false,
    ]);
  });
});

describe('queries', () => {
  let graph: Graph;
  const path = mkdtempSync(join(tmpdir(), 'svc-substrings-'));
  const open = (): Promise<Graph> => openSqliteGraph({ path, packFrom: 0 });
  /** Texts by id. */
  const model = new Map<string, string>();
  const order: string[] = [];

  beforeAll(async () => {
    graph = await open();
    await graph.setIndexes([{ trait: 'Thing', types: ['Thing'], key: 'name', unique: false }]);
    await graph.indexesReady();
    await write(600);
  });
  afterAll(async () => {
    await graph.close();
    rmSync(path, { recursive: true, force: true });
  });

  async function write(count: number): Promise<void> {
    await graph.write(async (tx) => {
      for (let i = 0; i < count; i++) {
        const [id, name] = [newId(), text()];
        // Who sees it: an owner, or everybody.
        const seen = i % 2 === 0 ? { visibleToPublicUsers: true } : {};
        await tx.createNode({ id, type: 'Thing', traits: ['Thing'], properties: { name, ...seen } });
        model.set(id, name);
        order.push(id);
      }
    });
  }

  const query = (value: string, more: Partial<NodeQuery> = {}): NodeQuery => ({
    kind: 'nodes',
    trait: 'Thing',
    types: ['Thing'],
    where: { op: 'contains', key: 'name', value, ignoreCase: true },
    ...more,
  });
  const expected = (value: string): string[] =>
    order.filter((id) => model.has(id) && fold(model.get(id) ?? '').includes(fold(value)));

  const isInMemory = async (): Promise<boolean> =>
    (await graph.explain(query('anaba'))).some((line) => line.includes('json_each'));

  async function compare(times: number): Promise<void> {
    for (let i = 0; i < times; i++) {
      const value = part();
      const wanted = expected(value);
      const offset = some(3) * 5;
      const got = await graph.read(async (tx) => ({
        page: (await tx.find(query(value, { limit: 5, offset }))).map(({ id }) => id),
        whole: (await tx.find(query(value))).map(({ id }) => id),
        count: (await tx.count(query(value))).count,
        some: await tx.count(query(value), 7),
      }));
      expect([value, got]).toEqual([
        value,
        {
          page: wanted.slice(offset, offset + 5),
          whole: wanted,
          count: wanted.length,
          some: { count: Math.min(7, wanted.length), exact: wanted.length <= 7 },
        },
      ]);
    }
  }

  it('find the same in memory as anywhere else', async () => {
    await expect.poll(isInMemory).toBe(true);
    await compare(12);
  });

  it('do so while objects are made, changed and deleted, one by one and many at once', async () => {
    const pick = (): string => [...model.keys()][some(model.size)] ?? '';
    for (let round = 0; round < 12; round++) {
      await graph.write(async (tx) => {
        for (let i = some(40); i >= 0; i--) {
          const id = pick();
          if (some(2) === 0) {
            const name = text();
            await tx.updateNode(id, { name });
            model.set(id, name);
          } else {
            await tx.deleteNode(id);
            model.delete(id);
          }
        }
      });
      await write(some(3) === 0 ? 150 : some(20));
      await compare(2);
    }
    // What was deleted is known again, and all of it is in few segments.
    await expect.poll(isInMemory).toBe(true);
    await compare(12);
  });

  it('find parts of any length, whatever they are cut through', async () => {
    await expect.poll(isInMemory).toBe(true);
    // The part that is looked for in memory ends within this character, or before the end of the text.
    const long = `${'long '.repeat(49)}long\u{1F600}, and some more at the end`;
    expect(long.length).toBeGreaterThan(LONG_PART);
    const id = newId();
    await graph.write((tx) => tx.createNode({ id, type: 'Thing', traits: ['Thing'], properties: { name: long } }));
    model.set(id, long);
    order.push(id);
    await write(100);
    await expect.poll(isInMemory).toBe(true);
    for (const op of ['contains', 'startsWith', 'endsWith'] as const) {
      for (const ignoreCase of [true, false]) {
        const where = { op, key: 'name', value: long, ignoreCase } as const;
        const got = await graph.read((tx) => tx.find(query('', { where })));
        expect([op, ignoreCase, got.map((node) => node.id)]).toEqual([op, ignoreCase, [id]]);
      }
    }
  });

  it('are given up where a few long texts that were written lately would take too much memory', async () => {
    const file = join(path, 'graph.db');
    const db = new Library(file, { readonly: true });
    const type = Number(db.prepare("SELECT id FROM name_table WHERE text='Thing'").pluck().get());
    db.close();
    const keys = Array.from({ length: 500 }, (_, i) => i);
    const work = { do: 'some', type, keyText: 'name', keys, ids: [], file, cacheMegabytes: 1 } as const;
    expect(pack({ ...work, most: 1_000_000 }).segment?.keys.length).toBeGreaterThan(100);
    expect(pack({ ...work, most: 1000 })).toEqual({ tooLarge: true });
  });

  it('find nothing of what was rolled back', async () => {
    await expect.poll(isInMemory).toBe(true);
    const [id = ''] = model.keys();
    const failing = graph.write(async (tx) => {
      await tx.updateNode(id, { name: 'rolled back' });
      await tx.createNode({ id: newId(), type: 'Thing', traits: ['Thing'], properties: { name: 'rolled back' } });
      expect((await tx.count(query('rolled'))).count).toBe(2);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await compare(5);
    expect(await graph.read((tx) => tx.count(query('rolled')))).toEqual({ count: 0, exact: true });
  });

  it('show who may not see all only what is visible', async () => {
    const visible = new Set(
      (await graph.read((tx) => tx.find({ kind: 'nodes', trait: 'Thing', types: ['Thing'] })))
        .filter(({ properties }) => properties['visibleToPublicUsers'] === true)
        .map(({ id }) => id),
    );
    const keys: AccessRule['keys'] = ['visibleToPublicUsers'];
    const access: AccessRule = { right: 'read', principals: [], ids: [], types: [], keys };
    for (let i = 0; i < 8; i++) {
      const value = part();
      const wanted = expected(value).filter((id) => visible.has(id));
      const got = await graph.read(async (tx) => ({
        page: (await tx.find(query(value, { access, limit: 5 }))).map(({ id }) => id),
        count: (await tx.count(query(value, { access }))).count,
      }));
      expect([value, got]).toEqual([value, { page: wanted.slice(0, 5), count: wanted.length }]);
    }
  });

  it.each([
    ['a property', { partsExcept: ['Thing.name'] }],
    ['all', { partsMegabytes: 0 }],
  ])('find the same where the index is switched off for %s', async (_, options) => {
    await graph.close();
    graph = await openSqliteGraph({ path, packFrom: 0, ...options });
    await graph.indexesReady();
    await compare(3);
    expect(await isInMemory()).toBe(false);
  });

  it('find the same sorted by another property, and after a restart', async () => {
    await graph.close();
    graph = await open();
    await graph.setIndexes([
      { trait: 'Thing', types: ['Thing'], key: 'name', unique: false },
      { trait: 'Thing', types: ['Thing'], key: 'createdDate', unique: false },
    ]);
    await graph.indexesReady();
    // Nothing is in memory yet.
    await compare(5);
    await expect.poll(isInMemory).toBe(true);
    await compare(8);
    for (let i = 0; i < 8; i++) {
      const value = part();
      const found = await graph.read((tx) => tx.find(query(value, { sort: [{ key: 'name' }], limit: 10 })));
      const names = expected(value).map((id) => model.get(id) ?? '');
      const bytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
      expect(found.map(({ properties }) => properties['name'])).toEqual(names.sort(bytes).slice(0, 10));
    }
  });
});
