/** The checkers of histories find what they are for, and nothing where nothing is. */
import { describe, expect, test } from 'vitest';
import { Random } from './random.js';
import { impossible, type Access } from './registers.js';
import { anomalies, type Operation, type Transaction } from './serialisable.js';

let clock = 0;
const append = (key: string, value: string): Operation => ({ key, append: value });
const read = (key: string, ...values: string[]): Operation => ({ key, read: values });
/** All at once, unless times are given. */
const tx = (
  name: string,
  operations: Operation[],
  outcome: Transaction['outcome'] = 'ok',
  [began, ended] = [0, 100],
): Transaction => ({ name, operations, outcome, began, ended });
const kinds = (history: Transaction[], final: Record<string, string[]>): string[] =>
  anomalies(history, new Map(Object.entries(final))).map(({ kind }) => kind);

describe('serialisability', () => {
  test.each<[string, Transaction[], Record<string, string[]>, string]>([
    [
      'lost update: both read nothing, both wrote',
      [tx('a', [read('x'), append('x', '1')]), tx('b', [read('x'), append('x', '2')])],
      { x: ['1', '2'] },
      'lost update or read skew',
    ],
    [
      'lost update: the second wrote over the first',
      [tx('a', [read('x'), append('x', '1')]), tx('b', [read('x'), append('x', '2')])],
      { x: ['2'] },
      'lost write',
    ],
    [
      'write skew',
      [tx('a', [read('x'), read('y'), append('x', '1')]), tx('b', [read('x'), read('y'), append('y', '2')])],
      { x: ['1'], y: ['2'] },
      'write skew',
    ],
    ['dirty read', [tx('a', [append('x', '1')], 'failed'), tx('b', [read('x', '1')])], { x: [] }, 'aborted read'],
    [
      'a read in the middle of a transaction',
      [tx('a', [append('x', '1'), append('x', '2')]), tx('b', [read('x', '1')])],
      { x: ['1', '2'] },
      'intermediate read',
    ],
    [
      'non-repeatable read',
      [tx('a', [append('x', '1')]), tx('b', [read('x'), read('x', '1')])],
      { x: ['1'] },
      'lost update or read skew',
    ],
    [
      'read skew: one list before, the other after',
      [tx('a', [append('x', '1'), append('y', '1')]), tx('b', [read('x', '1'), read('y')])],
      { x: ['1'], y: ['1'] },
      'lost update or read skew',
    ],
    [
      'long fork: two readers see two writers in different orders',
      [
        tx('a', [append('x', '1')]),
        tx('b', [append('y', '1')]),
        tx('c', [read('x', '1'), read('y')]),
        tx('d', [read('x'), read('y', '1')]),
      ],
      { x: ['1'], y: ['1'] },
      'write skew',
    ],
    [
      'dirty write: two lists in different orders',
      [tx('a', [append('x', '1'), append('y', '1')]), tx('b', [append('x', '2'), append('y', '2')])],
      { x: ['1', '2'], y: ['2', '1'] },
      'cycle of writes and reads',
    ],
    [
      'a stale read after the write had ended',
      [tx('a', [append('x', '1')], 'ok', [0, 1]), tx('b', [read('x')], 'ok', [2, 3])],
      { x: ['1'] },
      'against time',
    ],
    [
      'half of a transaction after a kill',
      [tx('a', [append('x', '1'), append('y', '1')], 'unknown', [0, Infinity])],
      { x: ['1'], y: [] },
      'half a transaction',
    ],
    ['an acknowledged write that is gone', [tx('a', [append('x', '1')])], { x: [] }, 'lost write'],
    ['a value of nobody', [tx('a', [read('x', '9')])], { x: ['9'] }, 'value from nowhere'],
    ['a write that counts twice', [tx('a', [append('x', '1')])], { x: ['1', '1'] }, 'repeated write'],
    ['an own write not seen', [tx('a', [append('x', '1'), read('x')])], { x: ['1'] }, 'own write not seen'],
    [
      'orders that contradict each other',
      [tx('a', [append('x', '1')]), tx('b', [append('x', '2')]), tx('c', [read('x', '2', '1')])],
      { x: ['1', '2'] },
      'incompatible orders',
    ],
  ])('%s', (_, history, final, kind) => {
    expect(kinds(history, final)).toContain(kind);
  });

  test('what nobody was told of may have happened or not', () => {
    const lost = tx('a', [append('x', '1'), append('y', '1')], 'unknown', [0, Infinity]);
    expect(kinds([lost], { x: [], y: [] })).toEqual([]);
    expect(kinds([lost], { x: ['1'], y: ['1'] })).toEqual([]);
  });

  test('what nobody was told of but somebody saw has happened: that it is gone is no dirty read', () => {
    const unknown = tx('a', [append('x', '1')], 'unknown', [0, Infinity]);
    expect(kinds([unknown, tx('b', [read('x', '1')])], { x: [] })).toEqual(['lost write', 'incompatible orders']);
  });

  /** Whole transactions in some order, each at one moment between its beginning and its end. */
  function serial(random: Random, count: number): { history: Transaction[]; final: Map<string, string[]> } {
    const lists = new Map(Array.from({ length: 8 }, (_, i) => [`k${String(i)}`, [] as string[]]));
    const history: Transaction[] = [];
    for (let i = 0; i < count; i++) {
      const now = ++clock;
      const operations = random.some([...lists.keys()], 4).map((key): Operation => {
        const list = lists.get(key) ?? [];
        if (random.chance(0.5)) return { key, read: [...list] };
        list.push(String(i));
        return { key, append: String(i) };
      });
      history.push(tx(`t${String(i)}`, operations, 'ok', [now - random.next() * 5, now + random.next() * 5]));
    }
    return { history, final: lists };
  }

  test('nothing is found where whole transactions happened one after the other', () => {
    for (let seed = 0; seed < 200; seed++) {
      const { history, final } = serial(new Random(seed), 60);
      expect(anomalies(history, final), `seed ${String(seed)}`).toEqual([]);
    }
  });

  test('a single read that is older than it may be is found among many', () => {
    let found = 0;
    let planted = 0;
    for (let seed = 0; seed < 200; seed++) {
      const random = new Random(seed);
      const { history, final } = serial(random, 60);
      // Behind more than the longest transaction: a serial order with the older read would be against time.
      const at = history.findIndex(({ operations, began }) =>
        operations.some(
          (one) =>
            'read' in one && one.read.length > 0 && (history[Number(one.read.at(-1))]?.ended ?? Infinity) < began,
        ),
      );
      const stale = history[at];
      if (stale === undefined) continue;
      const operations = stale.operations.map((one): Operation =>
        'read' in one ? { key: one.key, read: one.read.slice(0, -1) } : one,
      );
      history[at] = { ...stale, operations };
      planted++;
      if (anomalies(history, final).length > 0) found++;
    }
    expect(planted).toBeGreaterThan(100);
    expect(found).toBe(planted);
  });
});

describe('one value', () => {
  const access = (kind: Access['kind'], value: string, began: number, ended: number): Access => ({
    kind,
    value,
    began,
    ended,
  });

  test.each<[string, Access[], boolean]>([
    ['in order', [access('write', 'a', 1, 2), access('read', 'a', 3, 4)], true],
    [
      'a read beside a write sees either',
      [access('write', 'a', 1, 9), access('read', '0', 2, 3), access('read', 'a', 4, 5)],
      true,
    ],
    [
      'first the new, then the old',
      [access('write', 'a', 1, 9), access('read', 'a', 2, 3), access('read', '0', 4, 5)],
      false,
    ],
    ['the old after the write', [access('write', 'a', 1, 2), access('read', '0', 3, 4)], false],
    ['before it was written', [access('read', 'a', 1, 2), access('write', 'a', 3, 4)], false],
    ['what nobody wrote', [access('read', 'b', 1, 2)], false],
    ['a write nobody was told of, seen', [access('write', 'a', 1, Infinity), access('read', 'a', 5, 6)], true],
    ['a write nobody was told of, not seen', [access('write', 'a', 1, Infinity), access('read', '0', 5, 6)], true],
    [
      'a write lost under another',
      [access('write', 'a', 1, 2), access('write', 'b', 3, 4), access('read', 'a', 5, 6)],
      false,
    ],
  ])('%s', (_, history, possible) => {
    expect(impossible(history, '0') === undefined).toBe(possible);
  });
});
