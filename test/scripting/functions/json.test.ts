import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ScriptContext } from '../../../src/main/scripting/run/run.js';
import { ScriptError } from '../../../src/main/scripting/language/errors.js';
import type { ScriptMap, ScriptValue } from '../../../src/main/scripting/language/values.js';
import { ScriptWorld } from '../support.js';
import { call, type Case } from './support.js';

describe('JSON of scripts', () => {
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
    ['toJson', [null], ''],
    ['toJson', [1.5], 1.5],
    ['toJson', [7n], 7n],
    ['toJson', ['say "hi"\n'], '"say \\"hi\\"\\n"'],
    ['toJson', [true], 'true'],
    ['toJson', [new Date(0)], '"1970-01-01T00:00:00+0000"'],
    ['toJson', [['a', 1n, 1.5, NaN, null]], '[\n\t"a",\n\t1,\n\t1.5,\n\tnull,\n\tnull\n]'],
    ['toJson', [new Map<string, ScriptValue>([['a', []]])], '{\n\t"a": []\n}'],
    [
      'toJson',
      ['a', 'public', 'deep'],
      'Usage: toJson(value [, view = "public" [, depth = 3 [, serializeNulls = true]]])',
    ],
    [
      'fromJson',
      ['{"a": 1, "b": [true, null, "x"]}'],
      new Map<string, ScriptValue>([
        ['a', 1],
        ['b', [true, null, 'x']],
      ]),
    ],
    ['fromJson', ['[{"a": 1}]'], [new Map([['a', 1]])]],
    ['fromJson', ['[1, "x"]'], [new Map([['value', 1]]), new Map([['value', 'x']])]],
    ['fromJson', ['9007199254740993'], new Map([['value', 9007199254740992]])],
    ['fromJson', ['{"a":'], ''],
    ['fromJson', [' '], ''],
    ['fromJson', [null], ''],
  ])('%s(%s) is %s', async (name, args, expected) => {
    expect(await call(context, name, ...args)).toEqual(expected);
  });

  it('leaves nulls out when told to', async () => {
    const map: ScriptMap = new Map<string, ScriptValue>([
      ['a', null],
      ['b', 'x'],
    ]);
    expect(JSON.parse((await call(context, 'toJson', map)) as string)).toEqual({ a: null, b: 'x' });
    expect(JSON.parse((await call(context, 'toJson', map, 'public', 3, false)) as string)).toEqual({ b: 'x' });
  });

  it('writes objects as a view has them, as deep as it is told', async () => {
    const group = await world.create('Group', { name: 'staff' });
    const user = await world.entity(await world.create('User', { name: 'anna', groups: [group] }), context);
    const shown = async (...args: ScriptValue[]): Promise<unknown> =>
      JSON.parse((await call(context, 'toJson', ...args)) as string) as unknown;
    expect(await shown(user)).toMatchObject({ id: user.id, type: 'User', name: 'anna' });
    expect(await shown([user, 'x'], 'ui')).toMatchObject([{ name: 'anna', groups: [{ id: group }] }, 'x']);
    expect(await shown(new Map([['user', user]]), 'ui', 0)).toMatchObject({ user: { name: 'anna', groups: [] } });
  });

  it('toGraphObject makes maps of everything', async () => {
    const map: ScriptMap = new Map([['a', 'x']]);
    expect(await call(context, 'toGraphObject', map)).toBe(map);
    expect(await call(context, 'toGraphObject', ['x', map])).toEqual([new Map([['value', 'x']]), map]);
    expect(await call(context, 'toGraphObject', null)).toBeNull();
    expect(await call(context, 'toGraphObject', 'x', 'ui', 'deep')).toMatch(/^Usage: toGraphObject/);
    const group = await world.entity(await world.create('Group', { name: 'others' }), context);
    const shown = (await call(context, 'toGraphObject', group, 'ui')) as ScriptMap;
    expect([shown.get('id'), shown.get('name'), shown.get('members')]).toEqual([group.id, 'others', []]);
  });

  it('says what the run has written', async () => {
    const user = await world.entity(await world.create('User', { name: 'bert' }), context);
    await context.run.entities.set(user, [['name', 'berta']], context);
    expect(await call(context, 'toJson', user)).toContain('berta');
    await context.run.transaction.rollBack(new Error('the end'));
  });

  it('refuses what holds itself', () => {
    const list: ScriptValue[] = [];
    list.push(list);
    expect(() => call(context, 'toJson', list)).toThrow(ScriptError);
  });

  it('reads and writes large texts while others run', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const large = JSON.stringify(Array.from({ length: 50_000 }, (_, id) => ({ id, name: `object ${String(id)}` })));
    const list = await call(context, 'fromJson', large);
    const text = await call(context, 'toJson', list);
    clearInterval(timer);
    expect((list as ScriptValue[]).length).toBe(50_000);
    expect(JSON.parse(text as string)).toEqual(JSON.parse(large));
    expect(turns).toBeGreaterThan(5);
  });
});
