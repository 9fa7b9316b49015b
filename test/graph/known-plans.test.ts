/** Plans that are kept (docs/design/sqlite.md 15): what is asked again gets the answer of now, and only what is the same is the same. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Graph, newId, openSqliteGraph, type Predicate, type ScalarValue } from '../../src/main/graph/index.js';

const INDEX = { trait: 'T', types: ['T'], key: 'v', unique: false };
const TYPES = ['T'];

let graph: Graph;
let path: string;
beforeAll(async () => {
  path = mkdtempSync(join(tmpdir(), 'svc-plans-'));
  graph = await openSqliteGraph({ path });
});
afterAll(async () => {
  await graph.close();
  rmSync(path, { recursive: true, force: true });
});

const make = (v: ScalarValue): Promise<string> =>
  graph.write(async (tx) => (await tx.createNode({ id: newId(), type: 'T', traits: ['T'], properties: { v } })).id);
const find = async (where: Predicate, limit = 10): Promise<string[]> =>
  (await graph.read((tx) => tx.find({ kind: 'nodes', trait: 'T', types: TYPES, where, limit }))).map(({ id }) => id);
const equals = (value: ScalarValue): Predicate => ({ op: 'equals', key: 'v', value });

it('finds what was made since it was asked for before, and what has an index since', async () => {
  const one = await make('a');
  expect(await find(equals('a'))).toEqual([one]);
  const two = await make('a');
  expect(await find(equals('a'))).toEqual([one, two]);
  await graph.setIndexes([INDEX]);
  await graph.indexesReady();
  expect(await find(equals('a'))).toEqual([one, two]);
  await graph.setIndexes([]);
  expect(await find(equals('a'))).toEqual([one, two]);
  await graph.write((tx) => tx.deleteNode(one));
  expect(await find(equals('a'))).toEqual([two]);
});

it('tells values of one spelling and several kinds apart', async () => {
  const ids = new Map<ScalarValue, string>();
  for (const value of ['1', 1, true, 'true', '1:1'] as const) ids.set(value, await make(value));
  for (let i = 0; i < 2; i++)
    for (const [value, id] of ids) {
      expect(await find(equals(value))).toEqual([id]);
      expect(await find({ op: 'in', key: 'v', values: [value] })).toEqual([id]);
    }
  const texts = { op: 'in', key: 'v', values: ['1', '1:1'] } as const;
  expect(new Set(await find(texts))).toEqual(new Set([ids.get('1'), ids.get('1:1')]));
});

it('tells bounds, negations, groups and pages apart', async () => {
  const [two, three] = [await make(2), await make(3)];
  for (let i = 0; i < 2; i++) {
    expect(await find({ op: 'range', key: 'v', from: 2 })).toEqual([two, three]);
    expect(await find({ op: 'range', key: 'v', from: 2, fromExclusive: true })).toEqual([three]);
    expect(await find({ op: 'range', key: 'v', to: 2, from: 2 })).toEqual([two]);
    expect(await find({ op: 'range', key: 'v', from: 2 }, 1)).toEqual([two]);
    expect(await find({ op: 'and', terms: [equals(2), equals(3)] })).toEqual([]);
    expect(await find({ op: 'or', terms: [equals(2), equals(3)] })).toEqual([two, three]);
    expect(
      await find({
        op: 'and',
        terms: [
          { op: 'range', key: 'v', from: 2 },
          { op: 'not', term: equals(3) },
        ],
      }),
    ).toEqual([two]);
  }
});
