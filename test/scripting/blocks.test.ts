/** docs/interface/scripting.md 2.4: block functions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptError } from '../../src/main/scripting/language/errors.js';
import { failureText } from '../../src/main/scripting/run/failed-scripts.js';
import { Expressions } from '../../src/main/scripting/engines/expression/expressions.js';
import type { ScriptValue } from '../../src/main/scripting/language/values.js';
import { library } from './library.js';
import { ScriptWorld } from './support.js';

let world: ScriptWorld;
beforeAll(async () => {
  world = await ScriptWorld.open();
});
afterAll(() => world.close());

const expressions = new Expressions(library);
const items = ['a', 'b', 'a'];

function evaluate(source: string, constants: Record<string, ScriptValue> = {}): ScriptValue | Promise<ScriptValue> {
  return expressions.evaluate(source, world.context({ constants: { items, ...constants } }));
}

async function printed(source: string): Promise<string> {
  const context = world.context({ constants: { items } });
  await expressions.evaluate(source, context);
  return context.run.printed;
}

describe('block functions', () => {
  it.each<[string, ScriptValue]>([
    ['if(true, 1, 2)', 1],
    ["if('true', 1, 2)", 1],
    ["if('TRUE', 1, 2)", 2],
    ['if(1, 1, 2)', 2],
    ['if(null, 1, 2)', 2],
    ["if(eq('a', 'a'), 'yes', 'no')", 'yes'],
    ['is(true, 1)', 1],
    ['is(false, 1)', null],
    ['each(items, data)', null],
    ['each(null, data)', null],
    ["filter(items, eq(data, 'a'))", ['a', 'a']],
    ["filter(items, 'true')", []],
    ["filter('no list', true)", []],
    ['map(items, concat(data, data))', ['aa', 'bb', 'aa']],
    ['map(null, data)', []],
    ["reduce(items, '', concat(accumulator, data))", 'aba'],
    ["reduce(null, 'initial', data)", 'initial'],
    ["any(items, eq(data, 'b'))", true],
    ["any(items, eq(data, 'c'))", false],
    ['any(null, true)', false],
    ["any(items, 'TRUE')", true],
    ['any(items, null)', false],
    ["all(items, eq(data, 'a'))", false],
    ['all(items, is(false, 1))', true],
    ['all(items, true)', true],
    ['all(null, false)', true],
    ["none(items, eq(data, 'c'))", true],
    ["none(items, eq(data, 'b'))", false],
    ['none(null, true)', true],
    ['none(items, null)', true],
  ])('%s', async (source, value) => {
    // On a busy machine an evaluation gives the loop a turn.
    expect(await evaluate(source)).toEqual(value);
  });

  it('evaluate only the branch that counts', async () => {
    expect(await printed("if(true, print('a'), print('b'))")).toBe('a');
    expect(await printed("is(false, print('a'))")).toBe('');
    expect(await printed("any(items, (print(data), if(eq(data, 'b'), true, false)))")).toBe('ab');
    expect(await printed("any(items, if(eq(data, 'a'), print(data), 'true'))")).toBe('a');
  });

  it('keep the element of the loop around them', async () => {
    expect(await printed("each(items, (print(data), each(list(1, 2), print('-')), print(data)))")).toBe('a--ab--ba--a');
    expect(await evaluate('data')).toBe(null);
    expect(await evaluate('concat(first(map(items, data)), data)', { data: 'outer' })).toBe('aouter');
  });

  it.each([
    ['is(true)', 'Usage: is(condition, valueIfTrue)'],
    ['each(items)', 'Usage: each(list, expression)'],
    ['reduce(items, 1)', 'Usage: reduce(list, initialValue, expression)'],
  ])('with too few arguments say how they are used: %s', async (source, usage) => {
    expect(await evaluate(source)).toBe(usage);
  });

  it.each(['if(true, 1)', 'if(true, 1, 2, 3)', 'is(true, 1, 2)', 'each(items, 1, 2)', 'reduce(items, 1, 2, 3)'])(
    'refuse the wrong number of arguments: %s',
    async (source) => {
      await expect(async () => evaluate(source)).rejects.toThrow(ScriptError);
      const error: unknown = await (async () => evaluate(source))().catch((thrown: unknown) => thrown);
      expect(failureText(error, '')).toMatch(/^test:1:1: .* arguments here/);
    },
  );

  it('wait for what takes a while', async () => {
    expect(await evaluate('map(items, later(data))')).toEqual(items);
    expect(await evaluate("reduce(items, '', concat(accumulator, later(data)))")).toBe('aba');
    expect(await evaluate("filter(items, later(eq(data, 'b')))")).toEqual(['b']);
    expect(await evaluate("any(later(items), later(eq(data, 'b')))")).toBe(true);
  });

  it('let others run during long loops', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const many = Array.from({ length: 300_000 }, () => 'a');
    try {
      expect(await evaluate("map(many, eq(data, 'b'))", { many })).toHaveLength(many.length);
      expect(turns).toBeGreaterThan(5);
      turns = 0;
      const some = many.slice(0, 60);
      expect(await evaluate('each(some, each(some, each(some, data)))', { some })).toBe(null);
      expect(turns).toBeGreaterThan(2);
    } finally {
      clearInterval(timer);
    }
  });
});

describe('cache', () => {
  it('keeps values for all scripts, by key', async () => {
    expect(await evaluate("cache('k', 60, 'one')")).toBe('one');
    expect(await evaluate("cache('k', 60, 'two')")).toBe('one');
    expect(await evaluate("cache('other', 60, 'two')")).toBe('two');
    expect(await evaluate("cache('late', '60', later(list('x')))")).toEqual(['x']);
    expect(await evaluate("cache('late', 60, null)")).toEqual(['x']);
    expect(await evaluate("cache('nothing', 60, null)")).toBe(null);
    expect(await evaluate("cache('nothing', 60, 'x')")).toBe(null);
  });

  it('evaluates again when their time is over', async () => {
    expect(await evaluate("cache('short', 0, 'one')")).toBe('one');
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await evaluate("cache('short', 0, 'two')")).toBe('two');
  });

  it('keeps objects, which are those of the run that asks', async () => {
    const id = await world.create('Folder', { name: 'before' });
    const context = world.context();
    const self = await world.entity(id, context);
    expect(await expressions.evaluate("cache('objects', 60, list(this))", { ...context, self })).toEqual([self]);
    const other = world.context();
    const seen = await expressions.evaluate("first(cache('objects', 60, null))", other);
    expect(seen).not.toBe(self);
    expect(seen).toBe(other.run.entities.of(self.entity));
  });

  it.each([
    ["cache('', 1, 2)", 'Error: cache(): key may not be empty.'],
    ["cache('k', 'x', 2)", 'Error: cache(): timeout must be non-empty and a number.'],
    ["cache('k', null, 2)", 'Error: cache(): timeout must be non-empty and a number.'],
    ["cache('k', 1)", 'Usage: cache(key, seconds, expression)'],
  ])('says what is wrong: %s', async (source, message) => {
    expect(await evaluate(source)).toBe(message);
  });
});
