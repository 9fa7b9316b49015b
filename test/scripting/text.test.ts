/** docs/interface/scripting.md 4.2, 4.3: values as text, and how they compare. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { equal, order } from '../../src/main/scripting/language/compare.js';
import { concatenated, doubleText, textOf } from '../../src/main/scripting/language/text.js';
import { ScriptCallable, ScriptPredicate, type ScriptValue } from '../../src/main/scripting/language/values.js';
import { ScriptWorld } from './support.js';

let world: ScriptWorld;
beforeAll(async () => {
  world = await ScriptWorld.open();
});
afterAll(() => world.close());

const day = new Date('2024-01-03T10:00:00Z');

describe('values as text', () => {
  it.each<[ScriptValue, string]>([
    [null, ''],
    ['a', 'a'],
    [true, 'true'],
    [12n, '12'],
    [3, '3.0'],
    [2.234, '2.234'],
    [1e10, '1.0E10'],
    [day, '2024-01-03T10:00:00+0000'],
    [new Date(NaN), ''],
    [['a', 1n, 1, null, [true]], '[a, 1, 1.0, null, [true]]'],
    [[], '[]'],
    [
      new Map<string, ScriptValue>([
        ['a', 1n],
        ['b', [null]],
      ]),
      '{a=1, b=[null]}',
    ],
    [Buffer.from('grün'), 'grün'],
    [new ScriptPredicate('equals', []), 'equals'],
    [new ScriptCallable(() => Promise.resolve(null)), 'function'],
  ])('%s', (value, text) => {
    expect(textOf(value, world.context())).toBe(text);
  });

  it('are uuids for objects', async () => {
    const context = world.context();
    const id = await world.create('Folder', { name: 'docs' });
    expect(textOf([await world.entity(id, context)], context)).toBe(`[${id}]`);
  });

  it('leave out null where they are put together', () => {
    expect(concatenated([1, null, 'a', [null]], world.context())).toBe('1.0a[null]');
  });

  it.each([
    [0, '0.0'],
    [-0, '-0.0'],
    [1, '1.0'],
    [-1.5, '-1.5'],
    [9_999_999, '9999999.0'],
    [10_000_000, '1.0E7'],
    [12_345_678.9, '1.23456789E7'],
    [0.001, '0.001'],
    [0.00099, '9.9E-4'],
    [1e300, '1.0E300'],
    [NaN, 'NaN'],
    [Infinity, 'Infinity'],
    [-Infinity, '-Infinity'],
  ])('write the double %d as Java does', (value, text) => {
    expect(doubleText(value)).toBe(text);
  });

  it('write doubles so that they read as the same number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (value) => {
        expect(doubleText(value)).toMatch(/^-?(?:\d+\.\d+(?:E-?\d+)?|Infinity)$/);
        expect(Number(doubleText(value))).toBe(value);
      }),
    );
  });

  it('have an end', () => {
    const self: ScriptValue[] = [];
    self.push(self);
    expect(() => textOf(self, world.context())).toThrow('holds itself');
    let doubled: ScriptValue = ['text'];
    for (let i = 0; i < 60; i++) doubled = [doubled, doubled];
    expect(() => textOf(doubled, world.context())).toThrow('too large to be text');
    const long = 'x'.repeat(1_000_000);
    expect(() => textOf(Array<string>(20).fill(long), world.context())).toThrow('longer than 16777216 characters');
  });
});

describe('values', () => {
  it.each<[ScriptValue, ScriptValue, boolean]>([
    [null, null, true],
    [null, '', false],
    [1, 1n, true],
    [1.5, 1n, false],
    ['1', 1, true],
    [1n, ' 1.0 ', true],
    [1, 'x', false],
    ['13', '013', false],
    ['13', '13', true],
    [true, 'true', true],
    ['true', true, true],
    [true, ' true', false],
    [true, 'TRUE', false],
    [false, 'x', false],
    [true, true, true],
    [day, new Date(day), true],
    [day, '2024-01-03T10:00:00+0000', true],
    [['a'], '[a]', true],
    [9007199254740993n, 9007199254740992n, false],
  ])('%s and %s are equal: %s', (a, b, expected) => {
    expect(equal(a, b, world.context())).toBe(expected);
    expect(equal(b, a, world.context())).toBe(expected);
  });

  it.each<[ScriptValue, ScriptValue, number]>([
    [null, null, 0],
    [null, 0, -1],
    [null, '', -1],
    [1, 2n, -1],
    [1, '2', -1],
    [-1e9, 'x', 1],
    ['10', '9', -1],
    [false, true, -1],
    [true, 'no', 1],
    ['x', true, -1],
    [day, new Date(day.getTime() + 1), -1],
    [day, '2025', -1],
  ])('%s compared with %s is %d', (a, b, expected) => {
    expect(order(a, b, world.context())).toBe(expected);
    expect(order(b, a, world.context())).toBe(0 - expected);
  });

  it('are equal where they are ordered as equal, of whatever type', () => {
    const any = fc.oneof(
      fc.constantFrom(null, true, false, day, '', 'true', '1'),
      fc.bigInt(),
      fc.double(),
      fc.string(),
    );
    fc.assert(
      fc.property(any, any, (a, b) => {
        const context = world.context();
        if (equal(a, b, context)) expect(order(a, b, context)).toBe(0);
        expect(order(a, b, context)).toBe(0 - order(b, a, context));
      }),
    );
  });
});
