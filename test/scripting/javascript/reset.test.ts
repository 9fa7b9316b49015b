/** Contexts that are used again: by the same user, when nothing is left in them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureText } from '../../../src/main/scripting/run/failed-scripts.js';
import type { JavaScript } from '../../../src/main/scripting/engines/javascript/javascript.js';
import type { ScriptCallable, ScriptValue } from '../../../src/main/scripting/language/values.js';
import { world } from './support.js';
import { tryAll } from '../../support/random.js';

const limits = { 'application.scripting.js.isolates': 1 };
let js: JavaScript;
beforeAll(() => {
  ({ js } = world({ limits }));
});
afterAll(() => js.close());

const run = (source: string, user = 'ann') =>
  world({ js, limits, user, functions: { echo: async () => 1 } }).run(source);
/** When what the last run left is looked at: on its own, or, after some runs that left nothing, by the next run. */
const looks = describe.each([
  ['after each run', 1],
  ['by the next run', 12],
]);
/** Runs that leave nothing. */
async function clean(runs: number): Promise<void> {
  await run('globalThis.x = 1');
  for (let i = 0; i < runs; i++) await run('1');
}
/** Contexts that are made when these scripts run one after the other. */
async function made(sources: readonly (readonly [string, string?])[]): Promise<number> {
  const before = js.isolates.contexts;
  for (const [source, user] of sources) await run(source, user);
  // The next one waits for what becomes of the last one's context.
  await run('1', sources.at(-1)?.[1]);
  return js.isolates.contexts - before;
}

describe('a context', () => {
  it('is used again after scripts that leave nothing behind', async () => {
    await run('1');
    const ordinary =
      '{ let a = 1; var b = [3, 1, 2].sort().map((n) => n * 2); class C extends Map {} new C([[1, 2]]).get(1); /(x)/.exec("x"); ' +
      'const o = { toString: () => "o" }; `${o}`; const e = new Error("x"); e.name = "Mine"; $.echo(); (async () => 1)(); function f() {} f.x = 1; }';
    expect(await made([[ordinary], [ordinary], ["$.this; $.vars.x = 1; console.log('a')"]])).toBe(0);
  });

  it('is not shared by users', async () => {
    await run('1');
    expect(
      await made([
        ['1', 'bob'],
        ['1', 'ann'],
        ['1', 'bob'],
      ]),
    ).toBe(3);
  });

  it.each([
    ['properties of built-in functions', 'Math.max.x = 1', 'Math.max.x'],
    ['properties of $.get', '$.get.x = 1', '$.get.x'],
    ['properties of functions of $', '$.echo.x = 1', '$.echo.x'],
  ])('holds no %s', async (_, first, second) => {
    await run(`try { ${first} } catch {}`);
    expect(await run(`${second} === undefined`)).toBe(true);
  });

  it('does not tell what the last expression matched, nor calls back later', async () => {
    await run('/sec(ret)/.exec("a secret!")');
    expect(await run('[RegExp.$1, RegExp.input, RegExp.lastMatch, RegExp.leftContext].join()')).toBe(',,,');
    await run('RegExp.input = "secret"; RegExp.$_ = "secret"; "secret".replace(/s(e)c/, "$1"); "secret".split(/c/)');
    expect(await run('[RegExp.$1, RegExp.$_, RegExp.input, RegExp.rightContext, RegExp.lastParen].join()')).toBe(
      ',,,,',
    );
    expect(await run('typeof FinalizationRegistry')).toBe('undefined');
  });
});

looks('a context that is looked at %s', (_, runs) => {
  it.each([
    ['a global', 'globalThis.x = 1'],
    ['a global of sloppy code', '(0, eval)("var x = 1")'],
    ['a symbol', 'Array.prototype[Symbol("x")] = 1'],
    [
      'a getter that tells the same',
      '{ const was = Array.prototype.map; Object.defineProperty(Array.prototype, "map", { get: () => was, configurable: true }); }',
    ],
    ['another getter', 'Object.defineProperty(Map.prototype, "size", { get: () => 7, configurable: true })'],
    ['what descriptors would inherit', 'Object.prototype.writable = true'],
    [
      'a getter that descriptors would inherit',
      'Object.defineProperty(Object.prototype, "value", { get() { for (;;); }, configurable: true })',
    ],
    ['another zero', 'Object.defineProperty(Map, "length", { value: -0 })'],
    ['a flag of a property', 'Object.defineProperty(Array.prototype, "map", { writable: false })'],
    ['a frozen prototype', 'Object.freeze(Array.prototype)'],
    ['a prototype of a prototype', 'Object.setPrototypeOf(Array.prototype, null)'],
    ['the prototype of globals', 'Object.setPrototypeOf(globalThis, new Proxy({}, {}))'],
    ['a prototype of iterators', '[][Symbol.iterator]().__proto__.next = () => ({ done: true })'],
    ['a prototype of generators', '(function* () {})().__proto__.__proto__.next = () => ({ done: true })'],
    ['a prototype of asynchronous generators', '(async function* () {})().__proto__.__proto__.next = null'],
    ['a constructor of functions', '(async () => {}).constructor.x = 1'],
    ['the console', 'console.log = () => "mine"'],
    ['segments', 'new Intl.Segmenter().segment("a").__proto__.x = 1'],
    [
      'a prototype of iterators that are made of others',
      '{ const I = globalThis.Iterator ?? { from: Object.create }; I.from({ next() {} }).__proto__.x = 1; globalThis.Iterator ?? (globalThis.x = 1); }',
    ],
    [
      'a prototype of what methods of iterators answer',
      '{ const one = [][Symbol.iterator](); one.map ? (one.map((n) => n).__proto__.next = () => 1) : (globalThis.x = 1); }',
    ],
    ['a list in a prototype', 'Array.prototype[Symbol.unscopables].map = false'],
  ])('is thrown away after a script that leaves %s', async (_, source) => {
    await clean(runs);
    expect(await made([[source]])).toBe(1);
  });

  it('goes to nobody else, whatever was left in the last one', async () => {
    await clean(runs);
    await run('globalThis.x = 1');
    const before = js.isolates.contexts;
    expect(await run('typeof x')).toBe('undefined');
    expect(js.isolates.contexts - before).toBeLessThanOrEqual(1);
    expect(await made([['1', 'bob']])).toBe(1);
    expect(await made([['1', 'ann']])).toBe(1);
  });

  it('is that of one run with all its functions', async () => {
    await clean(runs);
    const kept = (await run('{ let n = 0; () => ++n; }')) as ScriptCallable | undefined;
    expect(kept).toBeDefined();
    expect(await run('{ $.echo(() => 1); [$.echo(), typeof n].join(); }')).toBe('1,undefined');
  });
});

looks('code of a script does not run while its context is looked at %s', (_, runs) => {
  const P = 'const P = Object.prototype;';
  it.each([
    [
      'a getter that what is asked inherits',
      `{ ${P} Object.defineProperty(P, "get", { configurable: true, get() { for (;;); } }); 1; }`,
    ],
    [
      'one that throws',
      `{ ${P} Object.defineProperty(P, "get", { configurable: true, get() { throw new Error(); } }); 1; }`,
    ],
    [
      'one that hides what it did',
      `{ ${P} let n = 0; Object.defineProperty(P, "get", { configurable: true, get() { if (++n <= 14) return; delete P.get; globalThis.leak = 1; } }); 1; }`,
    ],
    ['a value of that name', '{ Object.prototype.value = 1; Object.prototype.writable = true; 1; }'],
    [
      'what the reason of a rejection sets off',
      '{ const e = new Error("x"); Object.defineProperty(e, "message", { get() { Promise.resolve().then(() => { globalThis.leak = 1; }); return "m"; } }); Promise.reject(e); 1; }',
    ],
    [
      'what it sets off for ever',
      '{ const e = new Error("x"); Object.defineProperty(e, "message", { get() { Promise.resolve().then(() => { for (;;); }); return "m"; } }); Promise.reject(e); 1; }',
    ],
    [
      'a setter of lists',
      '{ let k; const A = Array.prototype; function f() {} Object.defineProperty(A, 0, { configurable: true, set(v) { if (v === f) k = this; Object.defineProperty(this, 0, { value: v, writable: true, configurable: true, enumerable: true }); } }); $.echo(f); delete A[0]; A.length = 0; if (k) k.leak = 1; 1; }',
    ],
  ])('%s', async (_, source) => {
    await clean(runs);
    await run(source).catch(() => undefined);
    for (const user of ['bob', 'ann', 'ann'])
      expect(await run('[typeof leak, typeof [].leak, typeof ({}).get, typeof ({}).value].join()', user)).toBe(
        'undefined,undefined,undefined,undefined',
      );
    expect(js.isolates.counts.used).toBe(0);
  });

  it('the places of a stack are those of every context', async () => {
    await clean(runs);
    await run(
      '{ Error.prepareStackTrace = (_, sites) => sites; const P = Object.getPrototypeOf(new Error().stack[0]); delete Error.prepareStackTrace; P.leak = 1; }',
    ).catch(() => undefined);
    expect(await run('{ Error.prepareStackTrace = (_, sites) => sites; typeof new Error().stack[0].leak; }')).toBe(
      'undefined',
    );
  });
});

describe('a context that is used again', () => {
  it('knows functions by the numbers of this run', async () => {
    const mine = {
      js,
      limits,
      user: 'ann',
      functions: { call: async ([one]: readonly ScriptValue[]) => (one as ScriptCallable).call([1n, 2n]) },
    };
    await world(mine).run('$.call(Math.max)');
    expect(await world(mine).run('$.call(() => "own"); $.call(Math.max)')).toBe(2n);
  });

  it('lets functions have properties with the names of what they inherit', async () => {
    expect(
      await run(
        '{ function lodash() {} lodash.bind = () => 1; lodash.toString = () => "mine"; `${lodash}${lodash.bind()}`; }',
      ),
    ).toBe('mine1');
  });

  it('is that of others without a name, as long as nothing is left in it', async () => {
    const nobody = (source: string) => world({ js, limits }).run(source);
    await nobody('1');
    const before = js.isolates.contexts;
    for (let i = 0; i < 3; i++) await nobody('/sec(ret)/.exec("a secret!"); $.vars.x = 1');
    expect(js.isolates.contexts - before).toBe(0);
    await nobody('globalThis.x = "secret"');
    expect(await nobody('[typeof x, RegExp.$1].join()')).toBe('undefined,');
    expect(js.isolates.contexts - before).toBeGreaterThan(0);
  });
});

it('nothing begins any more when all is ended', async () => {
  const one = world({ limits });
  await one.run('1');
  const begins = one.run('2');
  const refused = expect(begins).rejects.toMatchObject({ status: 503 });
  await one.js.close();
  await refused;
  expect(one.js.isolates.counts).toMatchObject({ used: 0, idle: 0 });
});

/** Everything that scripts reach, each with the way to it. */
const WALK = `
const walk = () => {
  const seen = new Map(), todo = [['globalThis', globalThis], ['generator', (function* () {})()], ['async', async () => {}],
    ['asyncGenerator', (async function* () {})()], ['list', [][Symbol.iterator]()], ['map', new Map().entries()],
    ['set', new Set().values()], ['text', ''[Symbol.iterator]()], ['matches', 'a'.matchAll(/a/g)]];
  for (let i = 0; i < todo.length; i++) {
    const [path, one] = todo[i];
    if (one === null || one === $ || (typeof one !== 'object' && typeof one !== 'function') || seen.has(one)) continue;
    seen.set(one, path);
    todo.push([path + '.__proto__', Reflect.getPrototypeOf(one)]);
    for (const key of Reflect.ownKeys(one)) {
      const { value, get, set } = Reflect.getOwnPropertyDescriptor(one, key);
      const to = path + '.' + String(key);
      todo.push([to, value], [to + '(get)', get], [to + '(set)', set]);
    }
  }
  return seen;
};`;
const PRINT = `{ ${WALK}
  const seen = walk();
  const name = (value) => seen.get(value) ?? typeof value + (typeof value === 'function' || typeof value === 'object' ? '' : String(value));
  let text = '';
  for (const [one, path] of seen) {
    text += path + Object.isExtensible(one) + name(Reflect.getPrototypeOf(one));
    for (const key of Reflect.ownKeys(one)) {
      const { value, get, set, writable, enumerable, configurable } = Reflect.getOwnPropertyDescriptor(one, key);
      text += [String(key), name(value), name(get), name(set), writable, enumerable, configurable].join();
    }
  }
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) | 0;
  text.length + ':' + hash;
}`;
const CHANGES: Readonly<Record<string, string>> = {
  'gets a property': 'one.x = 1',
  'loses one': 'for (const key of Reflect.ownKeys(one)) if (Reflect.deleteProperty(one, key)) break',
  'gets another value':
    'for (const key of Reflect.ownKeys(one)) if (Reflect.defineProperty(one, key, { value: () => 7 })) break',
  'gets a getter':
    'for (const key of Reflect.ownKeys(one).reverse()) if (Reflect.defineProperty(one, key, { get: () => 7 })) break',
  'is frozen': 'Object.freeze(one)',
  'gets another prototype': 'Object.setPrototypeOf(one, { y: 1 })',
};

/** Of what scripts reach, one of so many is changed. */
const SOME = tryAll ? 3 : 12;

describe('a source that runs again in its context', () => {
  const again = async (source: string): Promise<ScriptValue[]> => {
    const before = js.isolates.contexts;
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await world({ js, limits, user: 'ann' }).run(source, { wrapped: true }));
    await run('1');
    expect(js.isolates.contexts, 'contexts made').toBe(before);
    return answers;
  };

  it('knows nothing of the last time', async () => {
    await run('1');
    expect(
      await again(
        'let n = 0; var m; n++; m = (m ?? 0) + 1; function f() {} f.n = (f.n ?? 0) + 1; return [n, m, f.n].join()',
      ),
    ).toEqual(Array(3).fill('1,1,1'));
    expect(
      await again('class A { static n = 0 } A.n++; const r = /x/g; r.test("xx"); return A.n + r.lastIndex'),
    ).toEqual(Array(3).fill(2n));
    // The texts of a template are one object for one place; nobody can write on it, or name what was written.
    expect(
      await again(`const texts = ((one) => one)\`x\`;
        class Same { constructor(one) { return one } }
        class Mark extends Same { #mark = 1; static isOn(one) { return #mark in one } }
        const found = [Mark.isOn(texts), Object.isFrozen(texts), Reflect.ownKeys(texts).length].join();
        new Mark(texts);
        return found`),
    ).toEqual(Array(3).fill('false,true,3'));
    expect(await again('try { return typeof arguments.callee } catch (e) { return e.name }')).toEqual(
      Array(3).fill('ReferenceError'),
    );
  });

  it('runs as a whole, where it ends its function to go on behind it', async () => {
    await run('1');
    const one = world({ js, limits, user: 'ann', functions: { echo: async () => 1 } });
    const source = '})(), $.echo(), (() => { return 1';
    for (let i = 0; i < 3; i++) expect(await one.run(source, { wrapped: true })).toBe(1n);
    expect(one.calls.filter((call) => call.includes('echo'))).toHaveLength(3);
  });

  it('is not kept where comments of web pages hide what it does', async () => {
    await run('1');
    const source = `let y = 0; 1 <!-- y /*
      }), ((n) => () => ++n)(0), (() => { /*
      */ }), ((n) => () => ++n)(0
      //*/`;
    const answers = [];
    for (let i = 0; i < 3; i++) {
      answers.push(
        await world({ js, limits, user: 'ann' })
          .run(source, { wrapped: true })
          .catch(() => 'refused'),
      );
    }
    expect(new Set(answers).size).toBe(1);
  });

  it('fails at the same place each time', async () => {
    for (let i = 0; i < 3; i++) {
      await expect(
        world({ js, limits, user: 'ann' }).run('const a = 1;\nconst a = 2;', { wrapped: true }),
      ).rejects.toThrow();
      await expect(
        world({ js, limits, user: 'ann' }).run('const a = 1;\n  a.b.c', { wrapped: true }),
      ).rejects.toSatisfy((error) => failureText(error, '').startsWith('test:2:7: TypeError'));
    }
  });

  it('is kept with others to a limit', async () => {
    await run('1');
    const one = world({ js, limits, user: 'ann' });
    for (let i = 0; i < 300; i++) {
      expect(await one.run(`/* ${'x'.repeat(1000)} */ return ${String(i)}`, { wrapped: true })).toBe(BigInt(i));
    }
    expect(await one.run('return 1', { wrapped: true })).toBe(1n);
  });
});

describe('whatever a script does to what it reaches is gone for the next', () => {
  it.each(Object.entries(CHANGES))('when it %s', async (name, change) => {
    const whole = await run(PRINT);
    // What is no function, or makes objects, and some of the others; each change does some of them.
    const worth = (await run(`{ ${WALK}
      const all = [...walk().keys()];
      const found = [];
      for (let i = 0; i < all.length; i++) if (i % 10 === 0 || typeof all[i] !== 'function' || 'prototype' in all[i]) found.push(i);
      found;
    }`)) as bigint[];
    expect(worth.length).toBeGreaterThan(150);
    const some = worth.filter((_, i) => i % SOME === Object.keys(CHANGES).indexOf(name) % SOME);
    for (const i of some) {
      await run(`{ ${WALK} const one = [...walk().keys()][${String(i)}]; try { ${change} } catch {} 0; }`).catch(
        () => 0,
      );
      expect(await run(PRINT), String(i)).toBe(whole);
    }
  });
});
