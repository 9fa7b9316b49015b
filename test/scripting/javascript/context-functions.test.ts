import { describe, expect, it } from 'vitest';
import { ScriptError } from '../../../src/main/scripting/language/errors.js';
import type { ScriptContext } from '../../../src/main/scripting/run/run.js';
import { world } from './support.js';

/** Tells with whose rights, and in which run, it was called. */
function observed(): { contexts: ScriptContext[]; made: ReturnType<typeof world> } {
  const contexts: ScriptContext[] = [];
  const made = world({
    functions: {
      look: async (_, context) => {
        contexts.push(context);
        return context.actor.name;
      },
      fail: async () => {
        throw new ScriptError(403, 'no');
      },
    },
  });
  return { contexts, made };
}

describe('doPrivileged', () => {
  it('acts as the superuser in the same run, and only inside', async () => {
    const { contexts, made } = observed();
    expect(
      await made.run('[$.look(), $.doPrivileged(() => $.look()), $.do_privileged(() => [$.look()]), $.look()]'),
    ).toEqual(['anonymous', 'superuser', ['superuser'], 'anonymous']);
    expect(new Set(contexts.map(({ run }) => run)).size).toBe(1);
    await expect(made.run('$.doPrivileged(5)')).rejects.toMatchObject({
      status: 422,
      message: 'doPrivileged() needs a function.',
    });
  });

  it('ends with an exception too', async () => {
    const { contexts, made } = observed();
    await made.run('try { $.doPrivileged(() => { $.look(); throw 1 }) } catch { } $.look()');
    expect(contexts.map(({ actor }) => actor.name)).toEqual(['superuser', 'anonymous']);
  });
});

describe('doAs', () => {
  it('acts as the user', async () => {
    const { made } = observed();
    const user = made.object({ name: 'joe' });
    const actor = { id: user.id, name: 'joe' };
    const security = { principals: { get: async () => ({ actor }) }, objectAccess: { of: () => made.context.access } };
    Object.assign(made.context.run.parts, { security });
    const context = { ...made.context, self: user };
    const options = { wrapped: false };
    const source = 'let seen; const r = $.doAs($.this, () => { seen = $.look(); return 1 }); [r, seen, $.look()]';
    expect(await made.js.run(source, context, options)).toEqual([null, 'joe', 'anonymous']);
  });

  it('wants a user and a function', async () => {
    const { made } = observed();
    await expect(made.run('$.doAs(null, () => 1)')).rejects.toMatchObject({
      status: 422,
      message: 'Invalid parameter(s) for doAs function. Expected (non-null): Principal, Executable',
    });
  });
});

describe('doInNewTransaction', () => {
  it('runs again as long as its function answers true, each time in a run of its own', async () => {
    const { contexts, made } = observed();
    const source =
      'let n = 0; const r = $.doInNewTransaction(() => { $.look(); $.vars.n = ++n; return n < 3 }); [r, n, $.vars.n]';
    expect(await made.run(source)).toEqual([null, 3n, 3n]);
    expect(new Set([made.context.run, ...contexts.map(({ run }) => run)]).size).toBe(4);
    // Nothing of it needs a second isolate.
    expect(made.js.isolates.counts).toEqual({ used: 0, idle: 1, waiting: 0 });
  });

  it('tells the second function what went wrong, and goes on', async () => {
    const { made } = observed();
    expect(
      await made.run('let seen = []; $.doInNewTransaction(() => $.fail(), (e) => { seen.push(e.message) }); seen'),
    ).toEqual(['no']);
    expect(await made.run('let n = 0; $.doInNewTransaction(() => { n++; throw new Error("x") }, () => n < 2); n')).toBe(
      2n,
    );
    expect(await made.run('$.doInNewTransaction(() => { throw new Error("x") }); "on"')).toBe('on');
  });
});

describe('cache', () => {
  it('keeps a value until its time is over, for all runs of the instance', async () => {
    const { made } = observed();
    const count = 'let n = 0; const f = () => ({ n: ++n });';
    expect(await made.run(`${count} $.cache('k', 60, f); [$.cache('k', 60, f).n, n]`)).toEqual([1n, 1n]);
    expect(await made.run(`${count} [$.cache('k', 60, f).n, n]`)).toEqual([1n, 0n]);
    expect(
      await made.run(
        `${count} $.cache('l', 0, f); for (const t = Date.now(); Date.now() < t + 5; ); [$.cache('l', 0, f).n, $.cache('m', 9, 'v')]`,
      ),
    ).toEqual([2n, 'v']);
  });

  it('says what is wrong with its arguments', async () => {
    const { made } = observed();
    expect(await made.run('[$.cache("", 1, 1), $.cache("a", "x", 1)]')).toEqual([
      'Error: cache(): key may not be empty.',
      'Error: cache(): timeout must be non-empty and a number.',
    ]);
  });
});

describe('a run that is held', () => {
  it('keeps its globals and functions for what follows', async () => {
    const { made } = observed();
    const release = made.js.hold(made.context);
    const found = await made.run('globalThis.n = 1; () => ++n');
    expect(await made.run('n')).toBe(1n);
    expect(await (found as { call(args: []): Promise<unknown> }).call([])).toBe(2n);
    expect(made.js.isolates.counts).toMatchObject({ used: 1 });
    release();
    await new Promise((resolve) => setImmediate(resolve));
    expect(made.js.isolates.counts).toMatchObject({ used: 0, idle: 1 });
    expect(await made.run('typeof n')).toBe('undefined');
  });
});
