import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ScriptContext } from '../../../src/main/scripting/run/run.js';
import { ScriptError } from '../../../src/main/scripting/language/errors.js';
import { ANONYMOUS } from '../../../src/main/schema/index.js';
import { setLogLevel } from '../../../src/shared/log.js';
import { ScriptWorld } from '../support.js';
import { call } from './support.js';

let world: ScriptWorld;
let context: ScriptContext;
beforeAll(async () => {
  world = await ScriptWorld.open();
});
beforeEach(() => {
  context = world.context();
  world.lines.length = 0;
});
afterAll(() => world.close());

describe('errors of scripts', () => {
  it('are collected', async () => {
    expect(await call(context, 'hasError')).toBe(false);
    expect(await call(context, 'error', 'name', 'too_short', 'At least 3')).toBeNull();
    expect(await call(context, 'error', 'name', 'bad')).toBeNull();
    expect(await call(context, 'hasError')).toBe(true);
    expect(context.run.tokens).toEqual([
      { type: 'GraphObject', property: 'name', token: 'too_short', detail: 'At least 3' },
      { type: 'GraphObject', property: 'name', token: 'bad' },
    ]);
    expect(await call(context, 'getErrors')).toEqual([
      new Map([
        ['token', 'too_short'],
        ['type', 'GraphObject'],
        ['property', 'name'],
        ['detail', 'At least 3'],
      ]),
      new Map([
        ['token', 'bad'],
        ['type', 'GraphObject'],
        ['property', 'name'],
      ]),
    ]);
  });

  it('have the type of the object whose script it is', async () => {
    const self = await world.entity(await world.create('Group', { name: 'g' }), context);
    await call({ ...context, self }, 'error', 'name', 'bad');
    expect(context.run.tokens).toEqual([{ type: 'Group', property: 'name', token: 'bad' }]);
  });

  it('are taken back one by one, by token, or all', async () => {
    for (const token of ['a', 'b', 'b', 'c']) await call(context, 'error', 'name', token);
    const [first = null] = (await call(context, 'getErrors')) as never[];
    await call(context, 'clearError', first);
    expect(context.run.tokens.map(({ token }) => token)).toEqual(['b', 'b', 'c']);
    await call(context, 'clearError', 'b');
    await call(context, 'clearError', null);
    expect(context.run.tokens.map(({ token }) => token)).toEqual(['c']);
    await call(context, 'clearErrors');
    expect(await call(context, 'hasError')).toBe(false);
  });

  it.each([
    [null, 'a'],
    ['a', null],
    [1, 'a'],
  ])('error(%s, %s) is no error', async (...args) => {
    expect(await call(context, 'error', ...args)).toBe('Usage: error(property, token [, detail])');
    expect(context.run.tokens).toEqual([]);
  });

  it('are not collected without end', async () => {
    const all = async (): Promise<void> => {
      for (let i = 0; i < 2000; i++) await call(context, 'error', 'name', 'bad');
    };
    await expect(all()).rejects.toThrow(ScriptError);
  });

  it('of assert end the script with their status and what was collected', async () => {
    expect(await call(context, 'assert', true, 404, 'no')).toBeNull();
    await call(context, 'error', 'name', 'bad');
    const thrown = (condition: boolean | string | null, status: number | string | null): unknown => {
      try {
        return call(context, 'assert', condition, status, 'not there');
      } catch (error) {
        return error;
      }
    };
    expect(thrown(false, 404)).toMatchObject({ status: 404, message: 'not there', tokens: [{ token: 'bad' }] });
    expect(thrown('true', 404)).toMatchObject({ status: 404 });
    expect(thrown(false, '404')).toMatchObject({ status: 422 });
    expect(thrown(false, 200)).toMatchObject({ status: 422 });
    // A property without a value is no permission.
    expect(thrown(null, 404)).toMatchObject({ status: 404, message: 'not there' });
    expect(thrown(false, null)).toMatchObject({ status: 422 });
  });

  it('rollbackTransaction marks the run', async () => {
    expect(await call(context, 'rollbackTransaction')).toBeNull();
    expect(context.run.rolledBack).toBe(true);
  });
});

describe('output and log', () => {
  it('print writes one value directly after the other', async () => {
    await call(context, 'print', 'a', 1, null, true);
    expect(await call(context, 'print', ['x', 2n])).toBeNull();
    expect(context.run.printed).toBe('a1.0true[x, 2]');
  });

  it('print has an end', () => {
    const text = 'x'.repeat(1024 * 1024);
    expect(() => call(context, 'print', ...Array.from({ length: 17 }, () => text))).toThrow(ScriptError);
  });

  it('log writes one line, objects with type, name and id', async () => {
    const group = await world.entity(await world.create('Group', { name: 'staff' }), context);
    const folder = await world.entity(await world.create('Folder', { name: 'f' }), context);
    expect(await call(context, 'log', 'a\nb ', [1n, null, group], folder, null)).toBeNull();
    expect(world.lines).toEqual([
      expect.stringContaining(
        `INFO  org.svc.scripting.log - a b [1, null, Group(staff, ${group.id})]Folder(f, ${folder.id})\n`,
      ),
    ]);
  });

  it('log cuts what is too long', async () => {
    await call(context, 'log', 'x'.repeat(200_000), 'y');
    expect(world.lines[0]?.length).toBeLessThan(70_000);
    expect(world.lines[0]).toMatch(/x \[\.\.\.\]\n$/);
  });

  it('setLogLevel is for administrators', async () => {
    try {
      expect(() => call({ ...context, actor: ANONYMOUS }, 'setLogLevel', 'WARN')).toThrow(ScriptError);
      expect(await call(context, 'setLogLevel', 'warn')).toBeNull();
      await call(context, 'log', 'unseen');
      expect(world.lines).toEqual([]);
      expect(await call(context, 'setLogLevel', 'loud')).toBe('Usage: setLogLevel(level)');
      expect(await call(context, 'setLogLevel', null)).toBeNull();
    } finally {
      setLogLevel('INFO');
    }
  });

  it('stackDump says which script runs', async () => {
    expect(await call(context, 'stackDump')).toBeNull();
    expect(world.lines[0]).toContain('test, with the rights of superuser');
  });
});
