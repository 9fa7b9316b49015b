/** Nothing that a function is given makes it fill the memory, or keeps the loop to itself. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toJsonValue } from '../../../src/main/scripting/language/conversion.js';
import { MOST_TEXT } from '../../../src/main/scripting/language/text.js';
import { Expressions } from '../../../src/main/scripting/engines/expression/expressions.js';
import type { ScriptContext } from '../../../src/main/scripting/run/run.js';
import { findObjects } from '../../../src/main/scripting/functions/objects/search.js';
import { inOrder, runSteps } from '../../../src/main/scripting/language/steps.js';
import { Crossing } from '../../../src/main/scripting/engines/javascript/wire.js';
import { ScriptPredicate, type ScriptValue } from '../../../src/main/scripting/language/values.js';
import { longestTurn, paced, turnsOf } from '../../support/loop.js';
import { library } from '../library.js';
import { ScriptWorld } from '../support.js';
import { call } from './support.js';

const MB = 1024 * 1024;
const LONG = 'x'.repeat(MB);

/** A list that is in itself so many times that nobody could write it out: the same few lists, over and over. */
function shared(leaf: ScriptValue, levels = 4, width = 1000): ScriptValue[] {
  let list: ScriptValue = leaf;
  for (let i = 0; i < levels; i++) list = Array.from({ length: width }, () => list);
  return list as ScriptValue[];
}

let world: ScriptWorld;
let context: ScriptContext;
beforeAll(async () => {
  world = await ScriptWorld.open();
});
beforeEach(() => {
  context = world.context();
  world.lines.length = 0;
});
afterAll(() => world.close());

/** The longest that nothing else could run while a function works, milliseconds. */
const held = (work: () => unknown): Promise<number> =>
  longestTurn(async () => {
    await work();
  });

const refused = async (name: string, ...args: ScriptValue[]): Promise<void> => {
  const calling = async (): Promise<ScriptValue> => call(context, name, ...args);
  await expect(calling(), name).rejects.toMatchObject({ status: 422 });
};

describe('lists that hold the same lists many times', () => {
  it('are told apart by looking into each once', async () => {
    const one = shared('a');
    const other = shared('b');
    expect(await call(context, 'contains', [one], shared('a'))).toBe(true);
    expect(await call(context, 'contains', [one], other)).toBe(false);
    expect(await call(context, 'mergeUnique', [one, shared('a'), other])).toEqual([one, other]);
    expect(await call(context, 'complement', [one, other], [shared('b')])).toEqual([one]);
  });

  it('are not written out', async () => {
    const list = shared(1n);
    for (const name of ['upper', 'trim', 'urlencode']) await refused(name, list);
    await refused('formurlencode', new Map([['a', list]]));
    await refused('toJson', list);
    await refused('concat', list);
    await refused('print', list);
    expect(() => toJsonValue(list)).toThrow('too many parts');
    expect(() =>
      new Crossing(
        () => {
          throw new Error('no function');
        },
        () => 0,
        () => [],
      ).encode(list),
    ).toThrow('too many values');
  });

  it('are cut in the log', async () => {
    expect(await call(context, 'log', shared('a'))).toBeNull();
    expect(world.lines.join('').length).toBeLessThan(100_000);
  });

  it('are sorted by one text each', async () => {
    let texts = 0;
    // Lists that tell when they are read from their beginning.
    const rows = Array.from({ length: 2000 }, (_, i): ScriptValue => {
      const key = new Proxy(shared(String((i * 31) % 7), 2, 100), {
        get(list, name): unknown {
          if (name === '0') texts++;
          return Reflect.get(list, name);
        },
      });
      return new Map([['key', key]]);
    });
    const few = rows.slice(0, 100);
    await call(context, 'sort', few, 'key');
    expect(texts).toBe(100);
    const first = (row: ScriptValue): unknown => ((row as Map<string, ScriptValue[][]>).get('key')?.[0] ?? [])[0];
    expect(few.map(first)).toEqual(few.map(first).sort());
    texts = 0;
    await refused('sort', rows, 'key');
    // Of 30,200 characters each: as many as fit into the longest text, and one.
    expect(texts).toBe(Math.floor(MOST_TEXT / 30_200) + 1);
  });

  it('let others run while they are sorted', async () => {
    // Each text takes some milliseconds: the clock is looked at after each.
    const rows = Array.from({ length: 20 }, (): ScriptValue => new Map([['key', shared('x', 2, 450)]]));
    expect(await turnsOf(async () => call(context, 'sort', rows, 'key'))).toBeGreaterThan(3);
  });

  it('end lists of texts', async () => {
    const list = Array.from({ length: 1000 }, () => shared('x', 2, 200));
    await refused('trim', list);
    await refused('join', list, ',');
  });
});

describe('long texts', () => {
  it('make no more elements than a list may have', async () => {
    await refused('split', 'a,'.repeat(MB), ',');
    await refused('split', 'a '.repeat(MB));
    await refused('split', LONG + LONG, '');
    await refused('titleize', 'a-'.repeat(2 * MB), '-');
  });

  it('become no texts that are too long', async () => {
    for (const name of ['escapeHtml', 'escapeXml', 'urlencode']) await refused(name, '<'.repeat(8 * MB));
    await refused('escapeJson', '\u0001'.repeat(8 * MB));
    await refused('upper', 'ŉ'.repeat(16 * MB));
    await refused('clean', LONG);
    await refused('fromXml', '<a>'.repeat(150) + '<b/>'.repeat(60_000) + '</a>'.repeat(150));
  });

  it('are escaped in pieces as they are in one', async () => {
    const text = `${'x'.repeat(65_533)}&amp;${'x'.repeat(65_530)}😀&auml;'"<`.repeat(3);
    const plain = text.replaceAll('&amp;', '&').replaceAll('&auml;', 'ä');
    expect(await call(context, 'unescapeHtml', text)).toBe(plain);
    expect(await call(context, 'unescapeHtml', (await call(context, 'escapeHtml', text)) ?? null)).toBe(text);
    expect(await call(context, 'urlencode', text)).toBe(
      new URLSearchParams([['', text]]).toString().slice(1).replaceAll('*', '*'),
    );
    expect(JSON.parse(`"${(await call(context, 'escapeJson', text)) as string}"`)).toBe(text);
  });

  it('let others run', async () => {
    expect(await held(() => call(context, 'escapeHtml', 'a<b '.repeat(MB / 2)))).toBeLessThan(paced(300));
  });
});

describe('sorting', () => {
  it('is stable, and lets others run', async () => {
    const list = Array.from({ length: 200_000 }, (_, i) => ({ key: (i * 7919) % 1000, i }));
    let sorted: typeof list = [];
    const longest = await held(async () => {
      sorted = await runSteps(inOrder(list, (a, b) => a.key - b.key, 'a test'));
    });
    expect(sorted).toEqual([...list].sort((a, b) => a.key - b.key || a.i - b.i));
    expect(longest).toBeLessThan(paced(300));
  });

  it('of few and of no elements', async () => {
    const sort = async (list: number[]): Promise<number[]> => runSteps(inOrder(list, (a, b) => a - b, 'a test'));
    expect(await sort([])).toEqual([]);
    expect(await sort([2, 1])).toEqual([1, 2]);
    for (const length of [511, 512, 513, 1024, 1025, 1537]) {
      const list = Array.from({ length }, (_, i) => (i * 31) % length);
      expect(await sort(list)).toEqual([...list].sort((a, b) => a - b));
    }
  });
});

describe('tables and JSON', () => {
  it('with many columns and rows are refused', async () => {
    const header = Array.from({ length: 1000 }, (_, i) => `c${String(i)}`).join(';');
    await refused('fromCsv', `${header}\n${'x\n'.repeat(10_000)}`);
    const names = Array.from({ length: 100_000 }, (_, i) => `c${String(i)}`);
    await refused('fromCsv', 'x\n'.repeat(100), ';', '"', '\n', names);
  });

  it('are not written beyond the limit, however few rows they have', async () => {
    const row = new Map<string, ScriptValue>([['a', LONG]]);
    const keys = Array.from({ length: 10_000 }, () => 'a');
    expect(await held(() => refused('toCsv', [row], keys))).toBeLessThan(paced(1000));
  });

  it('lists of many numbers are refused, since each becomes a map', async () => {
    await refused('fromJson', `[${'1,'.repeat(1_000_001)}1]`);
    expect(await call(context, 'size', (await call(context, 'fromJson', `[${'1,'.repeat(99_999)}1]`)) ?? null)).toBe(
      100_000n,
    );
  });
});

describe('errors', () => {
  it('have parts of a bearable length', async () => {
    await call(context, 'error', LONG, LONG, LONG);
    const [token] = context.run.tokens;
    expect(JSON.stringify(token).length).toBeLessThan(50_000);
    expect(() => call(context, 'assert', false, 400, LONG)).toThrow(/^x{10000}$/);
  });

  it('keys of stores and timers too', async () => {
    await refused('store', LONG, 'x');
    expect(await call(context, 'timer', LONG, 'start')).toBe('Usage: timer(name, action)');
  });
});

describe('find', () => {
  const find = (...args: ScriptValue[]): Promise<ScriptValue> => {
    const type = context.run.schema.type('Group');
    if (type === undefined) throw new Error('no type Group');
    return findObjects(type, args, context, false);
  };
  const any = (list: ScriptValue[]): ScriptPredicate => new ScriptPredicate('any', [list]);

  it('by one of many values is one condition', async () => {
    await world.create('Group', { name: 'n7777' });
    const names = Array.from({ length: 15_000 }, (_, i) => `n${String(i)}`);
    expect(await held(async () => expect(await find('name', any(names))).toHaveLength(1))).toBeLessThan(paced(1000));
    expect(await find('name', any(['other', 'n7777']))).toHaveLength(1);
    expect(await find('name', any(['other', null]))).toEqual(await find('name', null));
    await expect(find('name', any([...names, ...names]))).rejects.toMatchObject({ status: 422 });
  });

  it('refuses more conditions than it can read', async () => {
    const contains = (i: number): ScriptPredicate => new ScriptPredicate('contains', ['name', `n${String(i)}`]);
    const many = (count: number): ScriptValue[] => Array.from({ length: count }, (_, i) => contains(i));
    expect(await find(new ScriptPredicate('or', many(500)))).toHaveLength(1);
    await expect(find(new ScriptPredicate('or', many(2000)))).rejects.toMatchObject({ status: 422 });
    await expect(find(shared([], 3))).rejects.toMatchObject({ status: 422 });
    await expect(find('members', shared('a', 2))).rejects.toMatchObject({ status: 422 });
  });

  it('refuses conditions that are nested too deeply, or hold themselves', async () => {
    let deep = new ScriptPredicate('equals', ['name', 'x']);
    for (let i = 0; i < 3000; i++) deep = new ScriptPredicate('not', [deep]);
    await expect(find(deep)).rejects.toMatchObject({ status: 422 });
    // One list many times in another: each counts.
    await expect(find('name', any(Array.from({ length: 20_000 }, () => any(['x', 'y']))))).rejects.toMatchObject({
      status: 422,
    });
    let lists = any(['x']);
    for (let i = 0; i < 3000; i++) lists = any([lists]);
    await expect(find('name', lists)).rejects.toMatchObject({ status: 422 });
    const map = new Map<string, ScriptValue>();
    map.set('$and', map);
    await expect(find(map)).rejects.toMatchObject({ status: 422 });
  });
});

describe('loops', () => {
  it('end when they go on and on', async () => {
    const some = Array.from({ length: 4000 }, () => 'a');
    const evaluated = new Expressions(library).evaluate(
      'each(some, each(some, each(some, data)))',
      world.context({ constants: { some } }),
    );
    await expect(evaluated).rejects.toThrow('more than 10000000 elements');
  });
});
