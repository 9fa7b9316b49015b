import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptError } from '../../../src/main/scripting/language/errors.js';
import { failureText, logFailure } from '../../../src/main/scripting/run/failed-scripts.js';
import type { ScriptValue } from '../../../src/main/scripting/language/values.js';
import { setLogSink } from '../../../src/shared/log.js';
import { world } from './support.js';

let lines: string[] = [];
let sink: (line: string) => void;
beforeAll(() => {
  sink = setLogSink((line) => lines.push(line));
});
afterAll(() => {
  setLogSink(sink);
});

const failed = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('errors of scripts', () => {
  it.each<[string, boolean, string]>([
    ['null.x', false, 'test:1:6: TypeError: Cannot read properties of null'],
    ['null.x', true, 'test:1:6: TypeError'],
    ['let a = 1;\n  b = 2', false, 'test:2:5: ReferenceError: b is not defined'],
    ['{\n  const a = 1;\n  a = 2;\n}', true, 'test:3:5: TypeError: Assignment to constant variable.'],
    ['function f() {\n  throw new Error("mine");\n}\nf()', false, 'test:2:9: Error: mine'],
    ['let let = 1', false, 'test:1:5: SyntaxError'],
    ['let a = 1;\n  let ;', true, 'test:2:3: SyntaxError'],
    ['return 5', false, 'test:1:1: SyntaxError: Illegal return statement'],
    ['(', false, 'test:1:1: SyntaxError: The ( that opens here has no )'],
    ['throw "text"', false, 'test:1:7: text'],
    ['throw { a: 1 }', false, 'test:1:7: {"a":1}'],
    ['throw null', false, 'test:1:7: null'],
    ['eval("let let")', false, 'test:1:1: SyntaxError'],
    ['with (Math) {}', false, 'test:1:1: SyntaxError'],
    ['await 1;\nawait 2; null.x', false, 'test:2:15: TypeError'],
    ['await 1; null.x', false, 'test:1:15: TypeError'],
    ['await 1; null.x', true, 'test:1:15: TypeError'],
    ['const a = await 1; throw await a', false, 'test:1:26: 1'],
    ['const a = await 1;\nthrow a', true, 'test:2:7: 1'],
    ['async function f() {\n  await 1;\n  throw "deep";\n}\nf(await f())', false, 'test:3:9: deep'],
    ['if (await 1) { throw "a"; "b" } else "c"', false, 'test:1:22: a'],
    ['await 1; throw 1, "b"', false, 'test:1:16: b'],
    ['await 1;\n  let ;', true, 'test:2:3: SyntaxError'],
    ['await 1;\n  let ;', false, 'test:2:3: SyntaxError'],
    ['await 1;\n  let a = = 1', false, 'test:2:11: SyntaxError'],
    ['await 1;\n  (', true, 'test:2:3: SyntaxError: The ('],
    ['await 1; let a;\n let a;', false, "test:2:6: SyntaxError: Identifier 'a'"],
    ['throw 1;\nlet a; let a;', false, "test:2:12: SyntaxError: Identifier 'a'"],
    ['throw 1; let a; let a;', true, "test:1:21: SyntaxError: Identifier 'a'"],
    ['function f() { await 1 }', false, 'test:1:16: SyntaxError: await is only valid'],
    ['async () => { await 1 };\nreturn 5', false, 'test:2:1: SyntaxError: Illegal return'],
    ['(async () => {\n null.x })(); 1', false, 'test:2:7: TypeError'],
    ['Promise.reject("plain"); 1', false, 'test: plain'],
    ['await 1; eval("let let")', false, 'test:1:10: SyntaxError'],
  ])('%s (wrapped: %s) has its place', async (source, wrapped, line) => {
    const error = await failed(world().run(source, { wrapped }));
    expect(error).toMatchObject({ status: 422, message: 'Server-side scripting error', tokens: [] });
    expect(failureText(error, '').slice(0, line.length)).toBe(line);
  });

  it('name the script by its title', async () => {
    const made = world();
    const context = { ...made.context, title: 'Project[id0]:close' };
    const error = await failed(made.js.run('x', context, { wrapped: false }));
    expect(failureText(error, '')).toBe('Project[id0]:close:1:1: ReferenceError: x is not defined');
  });

  it.each<[string, string]>([
    ['first', '1:6'],
    ['on the first line of a template', '7:8'],
  ])('count from where the source begins: %s', async (_, place) => {
    const [line = 1, column = 1] = place === '1:6' ? [1, 1] : [7, 3];
    const error = await failed(world().run('null.x', { wrapped: true, origin: { line, column } }));
    expect(failureText(error, '')).toContain(`test:${place}: TypeError`);
  });

  it.each<[string, string]>([
    ['try { null.x } catch (e) { return e.stack }', 'TypeError: .*reading .x..\n    at test:1:12'],
    [
      'function f() {\n  return new Error("a").stack;\n}\nreturn f()',
      'Error: a\n    at f .test:2:10.\n    at test:4:8',
    ],
    ['try { $.refuse() } catch (e) { return e.stack }', 'ScriptError: not yours\n    at test:1:9'],
    ['return [1].map(() => new Error("a").stack)[0]', 'Error: a\n    at test:1:22\n    at test:1:12'],
    ['if (1 > 2) throw "x"; return new Error("a").stack', 'Error: a\n    at test:1:30'],
  ])('have stacks of their own source alone: %s', async (source, stack) => {
    const refuse = (): Promise<ScriptValue> => Promise.reject(new ScriptError(403, 'not yours'));
    const made = await world({ functions: { refuse } }).run(source, { wrapped: true });
    expect(made).toMatch(new RegExp(`^${stack}$`));
  });

  it('have the place of an error of a script inside', async () => {
    const made = world({
      functions: {
        inner: (_, context) => made.js.run('\n$.no.such', { ...context, title: 'inner' }, { wrapped: true }),
      },
    });
    const stack = await made.run('try { $.inner() } catch (e) { e.stack }');
    expect(stack).toMatch(/^TypeError: .*\n {4}at inner:2:6/);
  });

  it('let scripts write stacks themselves, of frames of scripts', async () => {
    const source = 'Error.prepareStackTrace = (e, sites) => sites.length; new Error().stack';
    expect(await world().run(source)).toBe(1n);
  });

  it('of the library keep their status and tokens, and can be caught', async () => {
    const error = new ScriptError(403, 'not yours', [{ type: 'T', property: 'p', token: 'not_permitted' }]);
    const made = world({
      functions: {
        refuse: async () => {
          throw error;
        },
      },
    });
    await expect(made.run('$.refuse()')).rejects.toBe(error);
    await expect(made.run('try { $.refuse() } catch (e) { throw e }')).rejects.toBe(error);
    expect(
      await made.run('try { $.refuse() } catch (e) { [e.message, e.status, e.name, e instanceof Error] }'),
    ).toEqual(['not yours', 403n, 'ScriptError', true]);
    await expect(
      made.run('try { $.refuse() } catch (e) { throw new Error("mine: " + e.message) }'),
    ).rejects.toMatchObject({ detail: 'Error: mine: not yours' });
  });

  it('cannot forge lines of the log', async () => {
    lines = [];
    logFailure(await failed(world().run('throw new Error("a\\n2026-01-01 ERROR forged")')), 'test');
    await world().run('console.log("a\\nb", { c: 1 }, [2], undefined, null, 3n); console.error("e")');
    expect(lines.map((line) => line.trimEnd().split('\n').length)).toEqual([1, 1, 1]);
    expect(lines[1]).toContain('INFO  org.svc.scripting.javascript - test: a b {"c":1} [2] undefined null 3');
    expect(lines[2]).toContain('ERROR');
  });

  it('do not log without end', async () => {
    lines = [];
    await world().run('for (let i = 0; i < 2000; i++) console.log(i)');
    expect(lines).toHaveLength(1001);
  });
});
