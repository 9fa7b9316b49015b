/** Texts that scripts compile at the end of their stack: V8 may end the process there (docs/platforms.md), and this test with it. */
import { describe, expect, it } from 'vitest';
import { world, type World } from './support.js';

/** Whether eval is V8's own, which knows the variables around it. */
const hasOwnEval = Number.parseInt(process.versions.node, 10) < 24;

describe('at the end of the stack', () => {
  const { run } = world();

  it.each<[string, string]>([
    ['eval', 'const compile = (n) => eval("/*" + n + "*/1");'],
    ['eval by another name', 'const other = eval, compile = (n) => other("/*" + n + "*/1");'],
    ['eval that a built-in function calls', 'const compile = (n) => Array.from(["/*" + n + "*/1"], eval);'],
    ['Function', 'const compile = (n) => new Function("a", "b", "return " + n);'],
    [
      'Function with many arguments',
      'const compile = (n) => Function(...Array(n % 50 ? 0 : n).fill("a"), "return " + n);',
    ],
    ['a class of functions', 'class Own extends Function {} const compile = (n) => new Own("return " + n);'],
    ['Reflect.construct', 'const compile = (n) => Reflect.construct(Function, ["return " + n], Array);'],
    ['constructor of functions', 'const compile = (n) => (() => {}).constructor("return " + n);'],
    ['generator functions', 'const compile = (n) => (function* () {}).constructor("yield " + n);'],
    ['async functions', 'const compile = (n) => (async () => {}).constructor("await " + n);'],
    ['async generator functions', 'const compile = (n) => (async function* () {}).constructor("yield " + n);'],
  ])('nothing is compiled by %s', async (_, compile) => {
    const source = `
      ${compile}
      let n = 0, refused = 0, compiled = 0;
      const deeper = () => {
        try { deeper() } catch (e) {
          n++;
          try { compile(n); compiled++ } catch (why) { if (why instanceof RangeError) refused++ }
          // Each frame on the way back tries it with a little more.
          if (n < 3000) throw e;
        }
      };
      deeper();
      [refused > 0, compiled > 0]`;
    expect(await run(source)).toEqual([true, true]);
    expect(await run('eval("1 + 1") + new Function("return 1")()')).toBe(3n);
  });

  it.each<[string, string]>([
    ['that throw what is no error', 'if ($.again === 1) throw 1; '],
    ['that wait at their top', 'await 1; '],
    ['of one function', 'function again() {} '],
  ])('no script is begun: those %s', async (_, begin) => {
    const made: World = world({
      limits: { 'application.scripting.js.isolates': 1, 'application.scripting.js.timeout.cpu': 1500 },
      functions: {
        again: async ([n], context) => {
          const next = `${begin}let f = () => { try { f() } catch { $.again(${String(Number(n) + 1)}) } }; f()`;
          return made.js.run(next, context, { wrapped: false });
        },
      },
    });
    await expect(made.run('$.again(0)')).rejects.toMatchObject({ status: 422 });
    expect(await made.run('1')).toBe(1n);
  });
});

describe('scripts inside of scripts', () => {
  it('are nested as deeply as the limits allow, and then refused', async () => {
    const made: World = world({
      limits: { 'application.scripting.js.isolates': 1 },
      functions: {
        again: async ([n], context) => made.js.run(`$.again(${String(Number(n) + 1)})`, context, { wrapped: false }),
      },
    });
    await expect(made.run('$.again(0)')).rejects.toMatchObject({ status: 422 });
    expect(await made.run('1')).toBe(1n);
  });
});

describe('what compiles texts', () => {
  const { run } = world();

  it('looks as the language says', async () => {
    const source = `
      const Async = (async () => {}).constructor, Generator = (function* () {}).constructor;
      class Own extends Function { five() { return 5 } }
      [
        [Function, Async, Generator, eval].map((one) => one.name + one.length).join(),
        [Async, Generator].every((one) => Object.getPrototypeOf(one) === Function),
        Async.prototype === Object.getPrototypeOf(async () => {}),
        Function.prototype.constructor === Function && (() => {}) instanceof Function,
        Function('a, b', 'c', 'return a + b + c')(1, 2, 3),
        Function()() === undefined && new Own('return 1').five() + new Own('return 1')(),
        String(Function('a', 'b', 'return a')),
        eval(5), [...Generator('yield 1; yield 2')()].length, 'prototype' in eval,
      ]`;
    expect(await run(source)).toEqual([
      'Function1,AsyncFunction1,GeneratorFunction1,eval1',
      true,
      true,
      true,
      6n,
      6n,
      'function anonymous(a,b\n) {\nreturn a\n}',
      5n,
      2n,
      false,
    ]);
    expect(await run('try { Function(Symbol()) } catch (e) { e.name }')).toBe('TypeError');
    expect(await run('try { Function("}{") } catch (e) { e.name }')).toBe('SyntaxError');
  });

  it.each<[string, string]>([
    ['', ''],
    [' of a script that throws what is no error', 'if (false) throw 1; '],
  ])('is the only way for its users%s', async (_, begin) => {
    const known = hasOwnEval ? 'seen' : 'undefined';
    expect(
      await run(`${begin}{ const local = "seen"; eval("typeof local === 'undefined' ? 'undefined' : local") }`),
    ).toBe(known);
    expect(await run(`${begin}eval === globalThis.eval && eval("eval") === eval`)).toBe(true);
  });
});
