/**
 * Ways out of JavaScript sandboxes that were published for `vm2`, `isolated-vm` and others, and some of our own. Each script answers what
 * it has got hold of; nothing of it may be from outside.
 */
import { describe, expect, it } from 'vitest';
import { callableNamed } from '../../../src/main/scripting/functions/coming.js';
import { ScriptCallable, type ScriptObject } from '../../../src/main/scripting/language/values.js';
import { world, type World } from './support.js';

const thing: ScriptObject = {
  isScriptObject: true,
  title: 'A thing',
  get: (key) => (key === 'name' ? 'thing' : null),
  keys: () => ['name'],
};

/** What scripts can hold on to: an object, a map, a thing of the service, a function of the loop, bytes. */
function target(): World {
  const made: World = world({
    functions: {
      echo: async ([value]) => value ?? null,
      call: async ([work]) => (work as ScriptCallable).call([made.object({ name: 'argument' })]),
      fail: async () => {
        throw new Error('from the loop');
      },
    },
    methods: { close: async () => 1n },
    constants: [
      ['map', new Map([['a', 1n]])],
      ['thing', thing],
      ['fn', new ScriptCallable(async () => 1n)],
      ['bytes', Uint8Array.of(1)],
    ],
  });
  const self = made.object({ name: 'object', tags: ['x'] });
  const context = { ...made.context, self };
  return {
    ...made,
    context,
    run: (source, given) => made.js.run(source, context, { wrapped: false, ...given }),
  };
}

/** Looks for anything of Node through every object that can be reached from the given ones, prototypes and getters included. */
const SEARCH = `
  const found = [];
  const isOutside = (value) => {
    try {
      const F = value.constructor && value.constructor.constructor || value.constructor;
      if (typeof F !== 'function') return false;
      if (F === Function || F === Object || F === Array) return false;
      if (F === Object.getPrototypeOf(async function () {}).constructor) return false;
      if (F === Object.getPrototypeOf(function* () {}).constructor) return false;
      if (F === Object.getPrototypeOf(async function* () {}).constructor) return false;
      return F('return typeof process + typeof require')() !== 'undefinedundefined';
    } catch { return false }
  };
  const seen = new Set();
  const look = (value, path, depth) => {
    if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value) || depth > 6 || seen.size > 5000) return;
    seen.add(value);
    const own = value.constructor;
    if (isOutside(value)) found.push(path);
    if (/^(Reference|ExternalCopy|Isolate|Callback|Dereference|NativeModule|Context|Script|Module)$/.test(String(own && own.name))) found.push(path + ' is ' + own.name);
    look(Object.getPrototypeOf(value), path + '.__proto__', depth + 1);
    for (const key of Reflect.ownKeys(value)) {
      const d = Reflect.getOwnPropertyDescriptor(value, key);
      if (!d) continue;
      if ('value' in d) look(d.value, path + '.' + String(key), depth + 1);
      else { look(d.get, path + '.get ' + String(key), depth + 1); look(d.set, path + '.set ' + String(key), depth + 1); }
    }
  };`;

describe('what scripts can reach', () => {
  it('is nothing of Node, of isolated-vm or of the loop', async () => {
    const { run } = target();
    expect(
      await run(`${SEARCH}
        look(globalThis, 'globalThis', 0);
        for (const [name, value] of Object.entries({ $, self: $.this, tags: $.this.tags, close: $.this.close, map: $.map, thing: $.thing,
          fn: $.fn, bytes: $.bytes, echo: $.echo, get: $.get, predicate: $.predicate, equals: $.predicate.equals, console }))
          look(value, name, 0);
        try { $.fail() } catch (e) { look(e, 'error', 0) }
        try { $.this.nothing = 1 } catch (e) { look(e, 'error', 0) }
        [found, seen.size > 300]`),
    ).toEqual([[], true]);
  });

  it('has no globals beside those of the language, $ and console', async () => {
    const { run } = target();
    const names = (await run('Object.getOwnPropertyNames(globalThis)')) as string[];
    for (const name of [
      'process',
      'require',
      'module',
      'global',
      'Buffer',
      'setTimeout',
      'setInterval',
      'setImmediate',
      'queueMicrotask',
      'fetch',
      'WebAssembly',
      'SharedArrayBuffer',
      'Atomics',
      '__host',
      'performance',
      'structuredClone',
      'MessageChannel',
      'ivm',
    ]) {
      expect(names).not.toContain(name);
    }
    expect(names).toEqual(expect.arrayContaining(['$', 'Svc', 'console', 'JSON']));
    expect(await run('new Function("return typeof process + typeof __host + typeof Atomics")()')).toBe(
      'undefinedundefinedundefined',
    );
    await expect(run('import("node:fs")')).rejects.toMatchObject({ status: 422 });
    await expect(run('import fs from "node:fs"')).rejects.toMatchObject({ status: 422 });
  });
});

describe('escapes', () => {
  const NOTHING = '"undefined undefined"';
  const probe = '"return typeof process + \' \' + typeof require"';

  it.each<[string, string]>([
    ['constructor.constructor of this', `(0, eval)('this').constructor.constructor(${probe})()`],
    ['constructor.constructor of $', `Object.getPrototypeOf($).constructor.constructor(${probe})()`],
    ['constructor.constructor of a function of $', `$.echo.constructor(${probe})()`],
    ['constructor of a method', `$.this.close.constructor(${probe})()`],
    ['constructor of a map', `$.map.constructor.constructor(${probe})()`],
    ['constructor of a list', `$.this.tags.constructor.constructor(${probe})()`],
    ['constructor of a date', `$.now.constructor.constructor(${probe})()`],
    ['constructor of a thing', `Object.getPrototypeOf($.thing).constructor.constructor(${probe})()`],
    ['constructor of a function of the loop', `$.fn.constructor(${probe})()`],
    ['an error of the loop', `try { $.fail() } catch (e) { e.constructor.constructor(${probe})() }`],
    ['the method of an error of the loop', `try { $.fail() } catch (e) { e.getMessage.constructor(${probe})() }`],
    [
      'an error at the end of the stack inside of $',
      `
      let r; const f = () => { try { $.now; f() } catch (e) { r = e.constructor.constructor(${probe})() } }; f(); r`,
    ],
    ['an error of a conversion', `try { $.echo(Symbol()) } catch (e) { e.constructor.constructor(${probe})() }`],
    ['async function constructor', `Object.getPrototypeOf(async () => {}).constructor(${probe})().then(x => x)`],
    ['generator function constructor', `Object.getPrototypeOf(function* () {}).constructor(${probe})().next().value`],
    [
      'callee and caller',
      `
      let r = typeof process + ' ' + typeof require;
      const sloppy = new Function('return [arguments.callee, sloppy.caller]'.replace('sloppy', 'arguments.callee'));
      try { const [, caller] = $.call(sloppy); if (caller) r = String(caller) } catch { } r`,
    ],
  ])('through %s', async (_, source) => {
    expect(await target().run(source)).toBe(JSON.parse(NOTHING));
  });

  it('through call sites: frames of the prelude give away neither functions nor objects', async () => {
    const { run } = target();
    const source = (cause: string): string => `
      const got = [];
      Error.prepareStackTrace = (e, sites) => {
        for (const s of sites) for (const name of ['getThis', 'getFunction', 'getTypeName', 'getEvalOrigin'])
          try { const v = s[name](); if ((typeof v === 'object' && v !== null && v !== globalThis) || typeof v === 'function') got.push(name + ' ' + Object.prototype.toString.call(v) + String(v.name)) } catch { }
        return 'stack';
      };
      ${cause}
      got.filter((one) => !/mine|eval/.test(one))`;
    expect(await run(source('try { $.fail() } catch (e) { e.stack }'))).toEqual([]);
    expect(await run(source('const o = { get mine() { new Error().stack; return 1 } }; $.echo(o)'))).toEqual([]);
    expect(await run(source('$.call(function mine() { new Error().stack })'))).toEqual([]);
    expect(await run(source('$.echo({ toJSON() { new Error().stack } })'))).toEqual([]);
    expect(
      await run(source('Array.prototype.toJSON = function mine() { new Error().stack; return this }; $.echo([1])')),
    ).toEqual([]);
  });

  it.each<[string, string]>([
    [
      'Function.prototype.call and apply',
      `
      const got = []; const take = function (...a) { for (const v of [this, ...a]) got.push(v); return undefined };
      Function.prototype.call = take; Function.prototype.apply = take; Function.prototype.bind = take;`,
    ],
    [
      'Reflect',
      `
      const got = []; for (const k of Reflect.ownKeys(Reflect)) try { Reflect[k] = (...a) => { got.push(...a) } } catch { }`,
    ],
    [
      'JSON',
      `const got = []; JSON.stringify = (...a) => { got.push(...a) }; JSON.parse = (...a) => { got.push(...a) };`,
    ],
    [
      'setters of Array.prototype',
      `
      const got = []; for (let i = 0; i < 5; i++) Object.defineProperty(Array.prototype, i, { set(v) { got.push(this, v) }, get() { got.push(this) }, configurable: true });`,
    ],
    [
      'options on Object.prototype',
      `
      const got = []; for (const k of ['reference', 'copy', 'externalCopy', 'promise', 'timeout', 'arguments', 'result', 'release', 'async'])
        Object.defineProperty(Object.prototype, k, { get() { got.push(this); return true }, configurable: true });`,
    ],
    [
      'iterators',
      `
      const got = []; const it = Array.prototype[Symbol.iterator]; let busy = false;
      Array.prototype[Symbol.iterator] = function () { if (!busy) { busy = true; got[got.length] = this; busy = false } return it.call(this) };`,
    ],
    [
      'maps and weak maps',
      `
      const got = []; for (const C of [Map, WeakMap, Set]) for (const k of ['get', 'set', 'has', 'forEach']) C.prototype[k] = function (...a) { got.push(this, ...a) };`,
    ],
    [
      'proxies',
      `
      const got = []; const P = Proxy; globalThis.Proxy = function (t, h) { got.push(t, h); return new P(t, h) };`,
    ],
    [
      'species',
      `
      const got = []; class Mine extends Array { static get [Symbol.species]() { return function (n) { got.push(this, n); return [] } } };
      Object.defineProperty(Array, Symbol.species, { get() { return function () { got.push(this) } } });`,
    ],
    [
      'instanceof',
      `
      const got = []; for (const C of [Date, Map, Set, Promise, RegExp, Error, ArrayBuffer])
        Object.defineProperty(C, Symbol.hasInstance, { value(v) { got.push(v); return false }, configurable: true });`,
    ],
    [
      'promises',
      `
      const got = []; Promise.prototype.then = function (...a) { got.push(this, ...a); return this };`,
    ],
    [
      'texts',
      `
      const got = []; for (const k of ['replace', 'toUpperCase', 'slice']) String.prototype[k] = function (...a) { got.push(...a); return 'x' };
      RegExp.prototype[Symbol.replace] = RegExp.prototype.exec = function (...a) { got.push(this, ...a); return null };`,
    ],
  ])('through changed %s nothing from outside comes into sight', async (_, prepare) => {
    const { run } = target();
    const source = `${prepare}
      try { $.echo([1, { a: 1 }, new Date(1), new Map([[1, 2]]), Symbol]) } catch { }
      try { $.this.name; $.this.tags.push('y'); $.this.name = 'z'; Object.keys($.this) } catch { }
      try { $.map.b = 1; $.thing.name; $.date_format; $.call((o) => o.name); $.fail() } catch { }
      globalThis.got = got; 1`;
    // The second script looks at what the first one caught, in the same context.
    const made = target();
    const release = made.js.hold(made.context);
    try {
      await made.js.run(source, made.context, { wrapped: true }).catch(() => undefined);
      const seen = await made.js
        .run(
          `let bad = 'nothing';
           for (let i = 0; i < got.length; i++) {
             const v = got[i];
             if (v === null || (typeof v !== 'object' && typeof v !== 'function')) continue;
             let name = ''; try { name = v.constructor && v.constructor.name } catch { }
             let own = ''; try { own = Object.getPrototypeOf(v) && Object.getPrototypeOf(v).constructor.name } catch { }
             if (name === 'Reference' || own === 'Reference' || typeof v.applySyncPromise === 'function' || typeof v.derefInto === 'function') bad = 'a reference';
           }
           bad`,
          made.context,
          { wrapped: false },
        )
        .catch(() => 'nothing');
      expect(seen).toBe('nothing');
    } finally {
      release();
    }
    // Whatever it did to its own globals, the next run has new ones.
    expect(await run('[$.this.name, $.echo([1, new Date(5)])]')).toEqual(['object', [1n, new Date(5)]]);
  });

  it('through __proto__ of what crosses', async () => {
    const { run } = target();
    await run(
      '$.echo(JSON.parse(\'{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}\')); $.map.__proto__ = { polluted: 1 }',
    );
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(
      await run(
        'const m = $.echo(JSON.parse(\'{"__proto__": {"polluted": 1}}\')); [m.polluted === undefined, ({}).polluted === undefined]',
      ),
    ).toEqual([true, true]);
  });

  it('through a setter that catches the reference while $ is made', async () => {
    // Nothing of a user runs before the prelude has taken what it needs and is done.
    const { run } = target();
    await run(
      'Object.defineProperty(Object.prototype, "__host", { set(v) { globalThis.caught = v }, configurable: true }); 1',
    );
    expect(await run('typeof caught')).toBe('undefined');
  });

  it('through handles that were never handed out', async () => {
    const { run, js, context } = target();
    const { operate } = await import('../../../src/main/scripting/engines/javascript/operations.js');
    const { Crossing } = await import('../../../src/main/scripting/engines/javascript/wire.js');
    const crossing = new Crossing(
      () => new ScriptCallable(async () => null),
      () => 0,
      () => [],
    );
    for (const handle of [0, 1, -1, 1e9, 1.5, 'constructor', '__proto__', null, ['e', 0], { a: 1 }] as const) {
      for (const name of [
        'property',
        'set',
        'remove',
        'method',
        'load',
        'mapSet',
        'objectGet',
        'objectCall',
        'invoke',
      ]) {
        expect(
          () => operate(name, [handle as never, 'a', 'b'], context, crossing, callableNamed),
          `${name} ${JSON.stringify(handle)}`,
        ).toThrow('unknown to the script');
      }
      expect(() => crossing.decode(['e', handle as never])).toThrow('unknown to the script');
      expect(() => crossing.decode(['o', handle as never])).toThrow('unknown to the script');
    }
    for (const name of ['constructor', '__proto__', 'ret', 'eval', ''])
      expect(() => operate(name, [], context, crossing, callableNamed)).toThrow('no such operation');
    for (const wire of [['x'], [], { a: 1 }, ['i', '9'.repeat(1000)], ['i', '1; 2'], ['i', 5], ['b', 5]]) {
      expect(() => crossing.decode(wire as never)).toThrow(/of the script|cannot be read/);
    }
    void run;
    void js;
  });

  it('through functions that are called after the end', async () => {
    const kept: ScriptCallable[] = [];
    const calls: string[] = [];
    const made: World = world({
      functions: {
        keep: async ([one]) => {
          kept.push(one as ScriptCallable);
          return null;
        },
        act: async () => {
          calls.push('act');
          return null;
        },
      },
    });
    await made.run('$.keep(() => $.act()); 1');
    await expect(kept[0]?.call([])).rejects.toThrow('has ended');
    await made.run('(async () => { for (let i = 0; i < 5; i++) await null; $.act() })(); 1').catch(() => undefined);
    expect(calls).toEqual(['act']);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(calls).toEqual(['act']);
  });
});

describe('between runs', () => {
  it.each<[string, string, string]>([
    ['globals', 'globalThis.left = 1; var left2 = 2', 'typeof left + typeof left2'],
    ['prototypes', 'Object.prototype.left = 1; Array.prototype.left2 = 1', 'typeof ({}).left + typeof [].left2'],
    [
      'changed built-in functions',
      'JSON.stringify = undefined; Object.keys = undefined',
      'typeof JSON.stringifx + typeof Object.keyz',
    ],
    ['members of $', '$.left = 1; Object.getPrototypeOf($).left = 1', 'typeof ({}).left + typeof $.echo.left'],
    [
      'properties of functions of $',
      '$.echo.left = 1; console.left = 1; $.predicate.left = 1',
      'typeof $.echo.left + typeof console.left',
    ],
    ['the request store', '$.vars.left = 1', 'typeof undefined + typeof ($.vars.left ?? undefined)'],
  ])('%s do not stay', async (_, first, second) => {
    const js = target().js;
    const limits = {};
    const functions = { echo: async () => null };
    await world({ js, limits, functions }).run(first);
    expect(js.isolates.counts).toMatchObject({ idle: 1 });
    expect(await world({ js, limits, functions }).run(second)).toBe('undefinedundefined');
    expect(js.isolates.counts).toMatchObject({ idle: 1 });
  });
});
