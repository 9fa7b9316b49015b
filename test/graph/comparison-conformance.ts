/** What every engine promises about values that are written differently and are the same. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId, type Graph, type Predicate, type PropertyMap, type ScalarValue } from '../../src/main/graph/index.js';
import type { Opened } from './conformance.js';

/** Letters of the scripts that have two cases, as far as all engines know them. */
const LETTERS: readonly (readonly [script: string, from: number, to: number])[] = [
  ['Latin', 0x41, 0x24f],
  ['IPA and Greek', 0x250, 0x3ff],
  ['Cyrillic', 0x400, 0x52f],
  ['Armenian', 0x531, 0x587],
  ['Latin, additional', 0x1e00, 0x1eff],
  ['Greek, extended', 0x1f00, 0x1fff],
  ['letter-like', 0x2100, 0x2184],
  ['enclosed', 0x24b6, 0x24e9],
  ['ligatures', 0xfb00, 0xfb06],
  ['full width', 0xff21, 0xff5a],
  ['Deseret', 0x10400, 0x1044f],
];

/** Letters whose other case came with Unicode 12 and later: whether it is known depends on the version of what runs an engine. */
const YOUNG = /[\ua7ba-\ua7ff]/;

const idIs = (id: string): Predicate => ({ op: 'equals', key: 'id', value: id });

export function comparisonConformance(name: string, open: () => Promise<Opened>): void {
  describe(`${name}, comparison`, () => {
    let opened: Opened;
    let graph: Graph;
    beforeAll(async () => {
      opened = await open();
      graph = opened.graph;
    });
    afterAll(() => opened.remove());

    const create = (type: string, all: readonly PropertyMap[]): Promise<unknown> =>
      graph.write(async (tx) => {
        for (const properties of all) await tx.createNode({ id: newId(), type, properties });
      });
    const found = async (type: string, where: Predicate): Promise<string> => {
      const nodes = await graph.read((tx) =>
        tx.find({ kind: 'nodes', trait: type, types: [type], where, sort: [{ key: 'name' }] }),
      );
      return nodes.map(({ properties }) => String(properties['name'])).join('');
    };

    describe.each(['Plain', 'Indexed'])('in a type that is %s', (type) => {
      beforeAll(async () => {
        await create(type, [
          { name: 'a', n: 0, list: [0], lists: [0, 1.5, 0] },
          { name: 'b', n: -0, list: [-0], lists: [-0, 1.5, 0] },
          { name: 'c', n: 1, list: [1], lists: [0, 1.5, -0.05] },
          { name: 'd', n: -0.05, list: [-0.05], lists: [-0.05] },
          { name: 'e', n: NaN, list: [NaN], lists: [1, NaN] },
          { name: 'f', list: ['-0.0'], lists: ['0'] },
          { name: 'g', list: [], lists: [] },
        ]);
        if (type !== 'Indexed') return;
        await graph.setIndexes(['n', 'list'].map((key) => ({ trait: type, types: [type], key, unique: false })));
        await graph.indexesReady();
      });

      test.each<ScalarValue>([0, -0])('%s is 0, alone and in lists', async (zero) => {
        expect(await found(type, { op: 'equals', key: 'n', value: zero })).toBe('ab');
        expect(await found(type, { op: 'in', key: 'n', values: [zero, 7] })).toBe('ab');
        expect(await found(type, { op: 'range', key: 'n', from: zero, to: zero })).toBe('ab');
        expect(await found(type, { op: 'range', key: 'n', from: zero })).toBe('abc');
        expect(await found(type, { op: 'range', key: 'n', from: zero, fromExclusive: true })).toBe('c');
        expect(await found(type, { op: 'range', key: 'n', to: zero })).toBe('abd');
        expect(await found(type, { op: 'range', key: 'n', to: zero, toExclusive: true })).toBe('d');
        expect(await found(type, { op: 'arrayContains', key: 'list', value: zero })).toBe('ab');
        expect(await found(type, { op: 'arrayEquals', key: 'list', values: [zero] })).toBe('ab');
        expect(await found(type, { op: 'arrayEquals', key: 'lists', values: [zero, 1.5, 0] })).toBe('ab');
        expect(await found(type, { op: 'arrayEquals', key: 'lists', values: [zero, 1.5, -0.05] })).toBe('c');
        expect(await found(type, { op: 'not', term: { op: 'equals', key: 'n', value: zero } })).toBe('cdefg');
      });

      test('numbers near 0 and texts that look like it are others', async () => {
        expect(await found(type, { op: 'arrayEquals', key: 'list', values: [-0.05] })).toBe('d');
        expect(await found(type, { op: 'arrayEquals', key: 'list', values: ['-0.0'] })).toBe('f');
        expect(await found(type, { op: 'arrayEquals', key: 'lists', values: ['0'] })).toBe('f');
        expect(await found(type, { op: 'arrayEquals', key: 'lists', values: [] })).toBe('g');
      });

      test('what was written is read, in long lists too', async () => {
        const long = Array.from({ length: 3000 }, (_, i) => (i % 2 === 0 ? -0 : i));
        const properties = { name: 'z', n: -0, list: long, lists: [-0, 1, 0] };
        const id = newId();
        await graph.write((tx) => tx.createNode({ id, type, properties }));
        const stored = async (): Promise<PropertyMap> => {
          const [node] = await graph.read((tx) => tx.find({ kind: 'nodes', types: [type], where: idIs(id) }));
          return { ...node?.properties };
        };
        expect(await stored()).toStrictEqual(properties);
        await graph.write((tx) => tx.updateNode(id, { n: 0, list: [0], lists: [1, -0] }));
        expect(await stored()).toStrictEqual({ name: 'z', n: 0, list: [0], lists: [1, -0] });
        await graph.write((tx) => tx.deleteNode(id));
      });

      test('two zeros are at one place in an order', async () => {
        const sorted = async (descending: boolean): Promise<string> => {
          const nodes = await graph.read((tx) =>
            tx.find({
              kind: 'nodes',
              trait: type,
              types: [type],
              where: { op: 'range', key: 'n', from: -1, to: 1 },
              sort: [{ key: 'n', descending }, { key: 'name' }],
            }),
          );
          return nodes.map(({ properties }) => String(properties['name'])).join('');
        };
        expect(await sorted(false)).toBe('dabc');
        expect(await sorted(true)).toBe('cabd');
      });

      test('NaN equals nothing, in lists too', async () => {
        expect(await found(type, { op: 'equals', key: 'n', value: NaN })).toBe('');
        expect(await found(type, { op: 'arrayEquals', key: 'list', values: [NaN] })).toBe('');
        expect(await found(type, { op: 'arrayEquals', key: 'lists', values: [1, NaN] })).toBe('');
        expect(await found(type, { op: 'arrayContains', key: 'list', value: NaN })).toBe('');
      });
    });

    describe.each(LETTERS)('the letters of %s, whatever their case', (script, from, to) => {
      // Each letter, and after it what its other case is made of: a part of one is looked for in the other.
      const pairs = Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i))
        .flatMap((one) => [one.toUpperCase(), one.toLowerCase()].map((other) => [one, other] as const))
        .filter((pair) => pair[0] !== pair[1] && !pair.some((one) => YOUNG.test(one)));
      const texts = [0, 1].map((side) => pairs.map((pair) => `${pair[side] ?? ''}.`).join(''));
      const [text = '', other = ''] = texts;
      const type = `Letters${from.toString(16)}`;
      beforeAll(() =>
        create(type, [
          { name: 'a', text: `x${text}y`, list: [`x${text}y`] },
          { name: 'b', text: `x${other}y`, list: ['', other] },
        ]),
      );
      test.each([
        ['contains', '', ''],
        ['startsWith', 'X', ''],
        ['endsWith', '', 'Y'],
      ] as const)('%s', async (op, before, after) => {
        expect(pairs.length).toBeGreaterThan(0);
        for (const value of [before + text + after, before + other + after]) {
          const all = await found(type, { op, key: 'text', value, ignoreCase: true });
          // One letter after the other, to tell which.
          const wrong = all === 'ab' ? [] : await unlike(pairs);
          expect([script, all, wrong]).toEqual([script, 'ab', []]);
        }
      });
      test('in lists', async () => {
        for (const value of [text, other])
          expect(await found(type, { op: 'arrayContains', key: 'list', value, partial: true })).toBe('ab');
      });
    });

    async function unlike(pairs: readonly (readonly [string, string])[]): Promise<string[]> {
      const type = `Pairs${newId()}`;
      await create(
        type,
        pairs.map(([one], i) => ({ name: `<${String(i)}>`, text: one })),
      );
      const wrong: string[] = [];
      for (const [i, [one, other]] of pairs.entries()) {
        const all = await found(type, { op: 'contains', key: 'text', value: other, ignoreCase: true });
        if (!all.includes(`<${String(i)}>`)) wrong.push(`${one} ${other} ${String(one.codePointAt(0)?.toString(16))}`);
      }
      return wrong;
    }

    test('other letters are others', async () => {
      await create('Other', [{ name: 'a', text: 'Ä ö ß Σ Ж' }]);
      for (const value of ['A', 'o', 'x', 'с', 'Ə'])
        expect(await found('Other', { op: 'contains', key: 'text', value, ignoreCase: true }), value).toBe('');
      for (const value of ['ä Ö', 'SS', 'ẞ ς', 'ж'])
        expect(await found('Other', { op: 'contains', key: 'text', value, ignoreCase: true }), value).toBe('a');
      expect(await found('Other', { op: 'contains', key: 'text', value: 'ä' })).toBe('');
    });
  });
}
