import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ScriptContext } from '../../../src/main/scripting/run/run.js';
import { ScriptError } from '../../../src/main/scripting/language/errors.js';
import type { ScriptEntity, ScriptMap, ScriptValue } from '../../../src/main/scripting/language/values.js';
import { ScriptWorld } from '../support.js';
import { call, type Case } from './support.js';

describe('functions of collections', () => {
  let world: ScriptWorld;
  let context: ScriptContext;
  beforeAll(async () => {
    world = await ScriptWorld.open();
  });
  beforeEach(() => {
    context = world.context();
  });
  afterAll(() => world.close());

  it.each<Case>([
    ['first', [['a', 'b']], 'a'],
    ['first', [[]], null],
    ['first', [null], null],
    ['last', [['a', 'b']], 'b'],
    ['last', [[]], null],
    ['last', [null], null],
    ['nth', [['a', 'b', 'c'], 1], 'b'],
    ['nth', [['a', 'b'], 2n], null],
    ['nth', [['a', 'b'], -1], 'a'],
    ['nth', [['a'], 'x'], 'Usage: nth(list, index)'],
    ['nth', [null, 1], null],
    ['size', [['a', null, 'b']], 2n],
    ['size', ['text'], 1n],
    ['size', [null, ['a']], 1n],
    ['size', [null], 0n],
    ['merge', [['a', null], 'b', null, ['c', ['d']]], ['a', 'b', 'c', ['d']]],
    ['merge', [null], []],
    ['mergeUnique', [['a', 'b'], 'b', [1n, 1]], ['a', 'b', 1n]],
    ['mergeUnique', [null], []],
    ['complement', [['a', 'b', 'a', 1n], 'a', [1]], ['b']],
    ['complement', [['a'], null], ['a']],
    ['complement', [null, 'a'], null],
    ['complement', ['a', 'a'], 'Usage: complement(list, value or list...)'],
    ['unwind', [[['a'], ['b', ['c']]], 'd', null], ['a', 'b', ['c'], 'd']],
    ['unwind', [null], []],
    ['extract', [[['a'], ['b', null]]], ['a', 'b']],
    ['extract', ['a', 'b'], 'Usage: extract(list, key)'],
    ['extract', [[], null], null],
    ['extract', [null, 'name'], null],
    ['sort', [], null],
    ['sort', [null], null],
    ['sort', ['a'], 'Usage: sort(list [, key [, descending = false [, key, descending]...]])'],
    ['sort', [['b', 'a', 'B']], ['B', 'a', 'b']],
    ['sort', [[10n, 9.5, 2n]], [2n, 9.5, 10n]],
    ['sort', [['b', 1n, 'a']], ['b', 1n, 'a']],
    ['mergeProperties', [null, new Map(), 'a'], null],
    ['mergeProperties', ['a', 'b', 'c'], 'Usage: mergeProperties(source, target, key...)'],
  ])('%s(%s) is %s', async (name, args, expected) => {
    expect(await call(context, name, ...args)).toEqual(expected);
  });

  const maps = (...entries: readonly (readonly [ScriptValue, ScriptValue])[]): ScriptMap[] =>
    entries.map(
      ([a, b]) =>
        new Map([
          ['a', a],
          ['b', b],
        ] as const),
    );

  it('tells lists and maps apart by what they hold', async () => {
    const [one, same, other] = maps(['x', 1n], ['x', 1], ['x', 2]);
    if (one === undefined || same === undefined || other === undefined) throw new Error('three maps');
    expect(await call(context, 'mergeUnique', [one, same, other])).toEqual([one, other]);
    expect(await call(context, 'contains', [one], same)).toBe(true);
    expect(await call(context, 'contains', [['a:b']], [['a', 'b']])).toBe(false);
    const itself: ScriptValue[] = [];
    itself.push(itself);
    expect(await call(context, 'contains', [itself], itself)).toBe(true);
  });

  it('sorts maps in place, by several keys, what has no value last', async () => {
    const list = maps(['x', 1], [null, 2], ['a', 3], ['x', 4]);
    expect(await call(context, 'sort', list)).toBe(list);
    const ids = (): ScriptValue[] => list.map((map) => map.get('b') ?? null);
    expect(ids()).toEqual([1, 2, 3, 4]);
    expect(await call(context, 'sort', list, 'a')).toBe(list);
    expect(ids()).toEqual([3, 1, 4, 2]);
    await call(context, 'sort', list, 'a', 'true', 'b', true);
    expect(ids()).toEqual([2, 4, 1, 3]);
  });

  it('takes properties of maps, and nothing of other values', async () => {
    expect(await call(context, 'extract', [...maps(['x', 1], [null, 2]), 'no object'], 'a')).toEqual(['x']);
  });

  async function group(name: string): Promise<ScriptEntity> {
    return world.entity(await world.create('Group', { name }), context);
  }

  it('reads and sorts objects of the graph', async () => {
    const list = [await group('b'), await group('a')];
    const [b, a] = list;
    expect(await call(context, 'extract', list, 'name')).toEqual(['b', 'a']);
    expect(await call(context, 'extract', list, 'unknown')).toEqual([]);
    expect(await call(context, 'sort', list, 'name')).toEqual([a, b]);
    expect(await call(context, 'contains', list, a ?? null)).toBe(true);
    expect(await call(context, 'complement', list, a ?? null)).toEqual([b]);
  });

  it('sorts by properties of related objects', async () => {
    const [x, y] = [await world.create('Group', { name: 'x' }), await world.create('Group', { name: 'y' })];
    const user = (name: string, of: string): Promise<string> => world.create('User', { name, groups: [of] });
    const users = [await user('u1', y), await user('u2', x)];
    const list = await Promise.all(users.map((id) => world.entity(id, context)));
    // Of a list there is no property; both have none, and keep their order.
    expect(await call(context, 'sort', [...list], 'groups.name')).toEqual(list);
    const folder = await world.create('Folder', { name: 'z' });
    const files = [
      await world.create('Folder', { name: 'in', parent: folder }),
      await world.create('Folder', { name: 'a' }),
    ];
    const folders = await Promise.all([...files].reverse().map((id) => world.entity(id, context)));
    const sorted = (await call(context, 'sort', folders, 'parent.name')) as ScriptEntity[];
    expect(sorted.map(({ id }) => id)).toEqual(files);
  });

  it('copies properties to maps and objects', async () => {
    const target: ScriptMap = new Map();
    await call(context, 'mergeProperties', await group('source'), target, 'name', 'unknown');
    expect(target).toEqual(new Map([['name', 'source']]));
    const other = await group('target');
    await call(context, 'mergeProperties', target, other, 'name');
    expect(await context.run.entities.get(other, 'name', context)).toBe('source');
    await context.run.transaction.rollBack(new Error('the end'));
  });

  it('makes no list beyond its limit', () => {
    const long = Array.from({ length: 600_000 }, () => 1n);
    expect(() => call(context, 'merge', long, long)).toThrow(ScriptError);
  });
});
