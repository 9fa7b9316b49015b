import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptError } from '../../../src/main/scripting/errors.js';
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
    ['(', false, 'test:1:2: SyntaxError'],
    ['throw "text"', false, 'test: text'],
    ['throw { a: 1 }', false, 'test: {"a":1}'],
    ['throw null', false, 'test: null'],
    ['eval("let let")', false, 'test:1:1: SyntaxError'],
    ['with (Math) {}', false, 'test:1:1: SyntaxError'],
  ])('%s (wrapped: %s) is logged with its place', async (source, wrapped, line) => {
    lines = [];
    await expect(world().run(source, { wrapped })).rejects.toMatchObject({
      status: 422,
      message: 'Server-side scripting error',
      tokens: [],
    });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(` - ${line}`);
  });

  it('name the object whose script it is', async () => {
    lines = [];
    const made = world();
    const context = { ...made.context, self: made.object({}) };
    await expect(made.js.run('x', context, { wrapped: false, name: 'Project.close' })).rejects.toThrow();
    expect(lines[0]).toContain(' - Project[id0]:Project.close:1:1: ReferenceError: x is not defined');
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
    await expect(world().run('throw new Error("a\\n2026-01-01 ERROR forged")')).rejects.toThrow();
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
