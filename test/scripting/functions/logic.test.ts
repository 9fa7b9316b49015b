/** docs/interface/scripting.md 4.3 and docs/interface/script-runtime.md 8.2. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expressions } from '../../../src/main/scripting/calling/languages.js';
import { callFunction } from '../../../src/main/scripting/run/function/function.js';
import { logic } from '../../../src/main/scripting/functions/values/logic.js';
import { functionNamed } from '../../../src/main/scripting/functions/table.js';
import { textOf } from '../../../src/main/scripting/language/text.js';
import type { ScriptValue } from '../../../src/main/scripting/language/values.js';
import { ScriptWorld } from '../support.js';

let world: ScriptWorld;
beforeAll(async () => {
  world = await ScriptWorld.open();
});
afterAll(() => world.close());

const uuid = 'b6b6f1c4d3b84b4c8a3f0a4f3f8b6a11';
const day = new Date(0);

describe('logic', () => {
  it.each<[string, ScriptValue[], ScriptValue]>([
    ['equal', [], true],
    ['equal', ['a'], true],
    ['equal', ['a', 'a'], true],
    ['eq', [1n, 1], true],
    ['eq', [null, 'a'], false],
    ['lt', [1, 2], true],
    ['lt', [null, null], false],
    ['lt', [null, 1], true],
    ['lt', [1], 'Usage: lt(a, b)'],
    ['lte', [null, null], true],
    ['lte', ['10', '9'], true],
    ['gt', [null, null], false],
    ['gt', [day, new Date(-1)], true],
    ['gte', [null, null], true],
    ['gte', [1, 2], false],
    ['and', [true, 'true'], true],
    ['and', [true, null], false],
    ['and', [true, 'yes'], false],
    ['or', [false, 'true'], true],
    ['or', [null, 1], false],
    ['or', [true], 'Usage: or(condition, condition, ...)'],
    ['not', [null], true],
    ['not', ['true'], false],
    ['not', [false], true],
    ['empty', [], true],
    ['empty', [null], true],
    ['empty', [''], true],
    ['empty', [' '], false],
    ['empty', [[]], true],
    ['empty', [[null]], false],
    ['empty', [new Map()], true],
    ['empty', [new Map([['a', null]])], false],
    ['empty', [new Uint8Array()], true],
    ['empty', [0], false],
    ['one', [1, 'item', 'items'], 'item'],
    ['one', [1n, 'item', 'items'], 'item'],
    ['one', [2, 'item', 'items'], 'items'],
    ['one', [null, 'item', 'items'], 'items'],
    ['coalesce', [null, 'a', 'b'], 'a'],
    ['coalesce', [null, null], null],
    ['coalesceObjects', [null, 'a'], 'a'],
    ['isEntity', ['a'], false],
    ['isEntity', [null], false],
    ['isCollection', [['a']], true],
    ['isCollection', [null], false],
    ['isCollection', ['a'], false],
    ['isLocale', ['de_DE'], true],
    ['isLocale', ['de-DE', 'en'], true],
    ['isLocale', ['en', 'de_DE'], false],
    ['isLocale', [null], false],
    ['isValidUuid', [uuid], true],
    ['isValidUuid', [`${uuid}x`], false],
    ['isValidUuid', [null], false],
    ['isValidEmail', ['ada@example.com'], true],
    ['isValidEmail', ['ada@example'], false],
    ['isValidEmail', [null], false],
    ['isValidEmail', [`${'a'.repeat(400)}@example.com`], false],
  ])('%s(%s) is %s', (name, args, value) => {
    const one = functionNamed(name);
    if (one === undefined) throw new Error(`no function ${name}`);
    expect(callFunction(one, args, world.context({ locale: 'de_DE' }))).toEqual(value);
  });

  it('knows objects of the database', async () => {
    const context = world.context();
    const self = await world.entity(await world.create('Folder', { name: 'docs' }), context);
    expect(await expressions.evaluate('isEntity(this)', { ...context, self })).toBe(true);
    expect(await expressions.evaluate('isEntity(me)', context)).toBe(false);
  });

  it.each(logic.functions.map(({ name, example }) => [name, example] as const))(
    'the example of %s works',
    async (name, example) => {
      const [source = '', result] = example.split(' // ');
      if (source.startsWith('$.')) return;
      const context = world.context();
      const value = await expressions.evaluate(source, context);
      expect(textOf(value, context), name).toBe(result);
    },
  );
});
