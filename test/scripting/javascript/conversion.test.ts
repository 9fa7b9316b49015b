import { describe, expect, it } from 'vitest';
import type { ScriptValue } from '../../../src/main/scripting/language/values.js';
import { ScriptCallable } from '../../../src/main/scripting/language/values.js';
import { world } from './support.js';

const { run } = world();

describe('results of scripts', () => {
  it.each<[string, ScriptValue]>([
    ['1 + 1', 2n],
    ['let x = 1; x + 1;', 2n],
    ['let x = 1;', null],
    ['function f() {}', null],
    ['1.5', 1.5],
    ['-0', 0n],
    ['1e300', 1e300],
    ['2 ** 53', 9007199254740992n],
    ['2 ** 62', 4611686018427387904n],
    ['2 ** 63', 2 ** 63],
    ['NaN', null],
    ['Infinity', Infinity],
    ['-1 / 0', -Infinity],
    ['12345678901234567n', 12345678901234567n],
    ['true', true],
    ["'a\\u0000\\ud800ü😀'", 'a\u0000\ud800ü😀'],
    ['null', null],
    ['undefined', null],
    ['new Date(5)', new Date(5)],
    ['[1, [2.5, "x"], null, undefined]', [1n, [2.5, 'x'], null, null]],
    [
      '({ b: 1, a: { c: [] } })',
      new Map<string, ScriptValue>([
        ['b', 1n],
        ['a', new Map([['c', []]])],
      ]),
    ],
    [
      'new Map([[2, "b"], ["1", "a"]])',
      new Map([
        ['2', 'b'],
        ['1', 'a'],
      ]),
    ],
    ['new Set([1, 1, 2])', [1n, 2n]],
    ['new Uint8Array([0, 127, 255])', Uint8Array.of(0, 127, 255)],
    ['new Uint16Array([258]).buffer', Uint8Array.of(2, 1)],
    ['/a+/gi', '/a+/gi'],
    ['new Error("x")', 'Error: x'],
    ['Object("text")', 'text'],
    ['Object.create(null, { a: { value: 1, enumerable: true }, b: { value: 2 } })', new Map([['a', 1n]])],
    ['({ ["__proto__"]: 1 })', new Map([['__proto__', 1n]])],
    ['JSON.parse(\'{"__proto__": {"a": 1}}\')', new Map([['__proto__', new Map([['a', 1n]])]])],
    ['class A { x = 1; get y() { return 2; } }; new A()', new Map([['x', 1n]])],
    ['Promise.resolve(3)', 3n],
    ['(async () => { await null; await 1; return [4]; })()', [4n]],
    ['if (true) { 5 } else { 6 }', 5n],
    ['{ 7 }', 7n],
    ['"use strict"', 'use strict'],
    ['', null],
    ['// nothing', null],
  ])('%s', async (source, value) => {
    expect(await run(source)).toEqual(value);
  });

  it('are what is returned when the source is wrapped', async () => {
    expect(await run('return 5;', { wrapped: true })).toBe(5n);
    expect(await run('{ return 5 // five\n}', { wrapped: true })).toBe(5n);
    expect(await run('5', { wrapped: true })).toBeNull();
    expect(await run('return 1 // a comment', { wrapped: true })).toBe(1n);
  });

  it('are what the setting says where nothing else does', async () => {
    const wrapping = world({ limits: { 'application.scripting.js.wrapinmainfunction': true } });
    expect(await wrapping.run('return 5;', { wrapped: undefined })).toBe(5n);
    expect(await wrapping.run('5', { wrapped: false })).toBe(5n);
    expect(await world().run('5', { wrapped: undefined })).toBe(5n);
  });

  it('are invalid dates too', async () => {
    const date = await run('new Date(NaN)');
    expect(date instanceof Date && Number.isNaN(date.getTime())).toBe(true);
  });

  it('are functions that can be called while their script runs, and not any longer', async () => {
    const found = await run('() => 1');
    expect(found).toBeInstanceOf(ScriptCallable);
    await expect((found as ScriptCallable).call([])).rejects.toThrow('has ended');
  });

  it.each([
    ['Symbol("a")', 'TypeError: A symbol cannot leave the script'],
    ['[Symbol.iterator]', 'TypeError: A symbol cannot leave the script'],
    ['const a = []; a.push(a); a', 'TypeError: A list or object is nested too deeply, or holds itself'],
    ['const o = {}; o.o = { o }; o', 'TypeError: A list or object is nested too deeply, or holds itself'],
    ['const m = new Map(); m.set("m", m); m', 'TypeError: A list or object is nested too deeply, or holds itself'],
    ['2n ** 64n', 'RangeError: A BigInt of more than 64 bits cannot leave the script'],
    [
      'let a = [1, 1, 1, 1, 1, 1, 1, 1]; for (let i = 0; i < 9; i++) a = [a, a, a, a, a, a, a, a]; a',
      'TypeError: A list or object holds too many values',
    ],
    ['({ get a() { throw new Error("mine") } })', 'Error: mine'],
    ['new Proxy({}, { ownKeys() { throw new Error("trap") } })', 'Error: trap'],
    ['new Array(4294967295)', 'TypeError: A list or object holds too many values'],
    ['"x".repeat(9e6) + "x".repeat(9e6)', 'RangeError: The result is too long'],
  ])('%s is refused in words', async (source, detail) => {
    await expect(run(source)).rejects.toMatchObject({ status: 422, message: 'Server-side scripting error', detail });
  });

  it('are told when nothing will settle their promise', async () => {
    await expect(run('new Promise(() => {})')).rejects.toThrow('a promise that nothing settles');
    await expect(run('Promise.reject(new Error("no"))')).rejects.toMatchObject({ detail: 'Error: no' });
    await expect(run('Promise.reject(new Error("unseen")); 1')).rejects.toMatchObject({ detail: 'Error: unseen' });
  });
});

describe('values that scripts are given', () => {
  const given = (value: ScriptValue, source: string): Promise<ScriptValue> =>
    world({ constants: [['given', value]] }).run(source);

  it.each<[ScriptValue, string, ScriptValue]>([
    [1n, 'typeof $.given', 'number'],
    [2n ** 62n + 1n, 'typeof $.given', 'bigint'],
    [2n ** 62n + 1n, '$.given', 2n ** 62n + 1n],
    [-(2n ** 63n), '$.given', -(2n ** 63n)],
    [1.5, '$.given + 1', 2.5],
    [Infinity, '$.given', Infinity],
    ['text', '$.given.length', 4n],
    [new Date(86_400_000), '$.given instanceof Date && $.given.getUTCDate()', 2n],
    [[1n, 'a'], 'Array.isArray($.given) && $.given.map(String).join()', '1,a'],
    [new Map([['a', 1n]]), 'Object.keys($.given).join() + $.given.a + JSON.stringify($.given)', 'a1{"a":1}'],
    [new Map([['__proto__', 1n]]), 'Object.getOwnPropertyNames($.given)', ['__proto__']],
    [Uint8Array.of(1, 2), '$.given', Uint8Array.of(1, 2)],
    [Uint8Array.of(1, 2), 'Object.isFrozen($.given)', true],
    [null, '$.given === null', true],
  ])('%o: %s', async (value, source, result) => {
    expect(await given(value, source)).toEqual(result);
  });

  it('are maps whose changes are written', async () => {
    const inner = new Map<string, ScriptValue>([
      ['list', [1n]],
      ['half', 2],
    ]);
    const map = new Map<string, ScriptValue>([
      ['a', 1n],
      ['b', 2n],
      ['inner', inner],
    ]);
    const { run } = world({ constants: [['given', map]] });
    await run('$.given.a = 5; $.given.b = null; delete $.given.missing; $.given.c = { d: [1] }; $.given.inner.x = "y"');
    expect(map).toEqual(
      new Map<string, ScriptValue>([
        ['a', 5n],
        ['inner', inner],
        ['c', new Map([['d', [1n]]])],
      ]),
    );
    expect(inner.get('x')).toBe('y');
    // Handed back it is the same map; what lists in it hold by now comes along.
    const result = await run('const m = $.given; m.inner.list.push(2); m');
    expect(result).toBe(map);
    expect(map.get('inner')).toBe(inner);
    expect(inner.get('list')).toEqual([1n, 2n]);
    expect(inner.get('half')).toBe(2);
  });
});
