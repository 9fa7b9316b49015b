import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ScriptContext } from '../../../src/main/scripting/run/run.js';
import { ScriptError } from '../../../src/main/scripting/language/errors.js';
import type { ScriptValue } from '../../../src/main/scripting/language/values.js';
import { ScriptWorld } from '../support.js';
import { call, type Case } from './support.js';

const row = (entries: Record<string, ScriptValue>): ScriptValue => new Map(Object.entries(entries));

describe('CSV of scripts', () => {
  let world: ScriptWorld;
  let context: ScriptContext;
  beforeAll(async () => {
    world = await ScriptWorld.open();
  });
  beforeEach(() => {
    context = world.context();
  });
  afterAll(() => world.close());

  it.each<Case>([
    [
      'fromCsv',
      ['id; name\n1;"An;na"\n\n2; Bert \r\n'],
      [row({ id: '1', name: 'An;na' }), row({ id: '2', name: 'Bert' })],
    ],
    ['fromCsv', ["id,name\n1,'a''b'", ',', "'"], [row({ id: '1', name: "a'b" })]],
    ['fromCsv', ['1|2', '|', null, null, ['a', 'b', 'c']], [row({ a: '1', b: '2', c: null })]],
    ['fromCsv', ['a;b#1;2#', ';', '"', '#'], [row({ a: '1', b: '2' })]],
    ['fromCsv', [''], []],
    [
      'fromCsv',
      ['a', ''],
      `Usage: fromCsv(text [, delimiter = ";" [, quote = '"' [, recordSeparator = "\\n" [, headers]]]])`,
    ],
    ['fromCsv', [null], null],
    ['getCsvHeaders', ['id;name\n1;"x'], ['id', 'name']],
    ['getCsvHeaders', [''], []],
    ['getCsvHeaders', [null], null],
    [
      'toCsv',
      [
        [row({ a: 'x "y"', b: 1n }), row({ a: 'l\r\n2', b: null })],
        ['a', 'b'],
      ],
      '"a";"b"\n"x ""y""";"1"\n"l\\n2";""\n',
    ],
    ['toCsv', [[row({ a: new Date(0) })], 'public', ',', "'", '\r\n', false], "'1970-01-01T00:00:00+0000'\r\n"],
    ['toCsv', [[], 'public'], ''],
    ['toCsv', [[row({ a: 'x' })], []], ''],
    ['toCsv', [[row({ a: 'x' })], ['a'], ';', ''], 'a\nx\n'],
    ['toCsv', [null, 'public'], null],
    ['toCsv', [[], null], null],
  ])('%s(%s) is %s', async (name, args, expected) => {
    expect(await call(context, name, ...args)).toEqual(expected);
  });

  it('writes objects by a view or keys', async () => {
    const group = await world.entity(await world.create('Group', { name: 'staff' }), context);
    expect(await call(context, 'toCsv', [group], ['name', 'id'])).toBe(`"name";"id"\n"staff";"${group.id}"\n`);
    const [header] = ((await call(context, 'toCsv', [group], 'public')) as string).split('\n');
    expect(header).toContain('"id";"type"');
    expect(header).toContain('"name"');
  });

  it('reads long tables while others run, with characters beyond the first plane', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const lines = Array.from({ length: 30_000 }, (_, i) => `${String(i)};"😀 ${String(i)}"`);
    const list = (await call(context, 'fromCsv', `id;name\n${lines.join('\n')}`)) as ScriptValue[];
    clearInterval(timer);
    expect(list.length).toBe(30_000);
    expect(list.every((one, i) => one instanceof Map && one.get('name') === `😀 ${String(i)}`)).toBe(true);
    expect(turns).toBeGreaterThan(2);
  });

  it('refuses tables beyond its limit, and reads nothing of broken ones', async () => {
    expect(() => call(context, 'fromCsv', 'x'.repeat(9_000_000))).toThrow(ScriptError);
    expect(await call(context, 'fromCsv', 'a;b\n1;"open')).toEqual([]);
    expect(await call(context, 'fromCsv', `a;b\n1;"${'x'.repeat(50_000)}`)).toEqual([]);
  });
});
