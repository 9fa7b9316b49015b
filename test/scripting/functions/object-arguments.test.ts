/** Null gives null, and objects of the wrong kind the usage, for functions that work on objects (docs/interface/script-runtime.md 3.5, 8). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ScriptContext } from '../../../src/main/scripting/run/run.js';
import { usage } from '../../../src/main/scripting/run/function/function.js';
import { functionNamed } from '../../../src/main/scripting/functions/table.js';
import type { ScriptEntity, ScriptValue } from '../../../src/main/scripting/language/values.js';
import { ScriptWorld } from '../support.js';
import { call } from './support.js';

let world: ScriptWorld;
let context: ScriptContext;
let group: ScriptEntity;
let user: ScriptEntity;
let file: ScriptEntity;
let ids: readonly string[];
beforeAll(async () => {
  world = await ScriptWorld.open();
  ids = [
    await world.create('Group', { name: 'g' }),
    await world.create('User', { name: 'u' }),
    await world.create('File', { name: 'f' }),
  ];
});
beforeEach(async () => {
  context = world.context();
  const [first, second, third] = await Promise.all(ids.map((id) => world.entity(id, context)));
  if (first === undefined || second === undefined || third === undefined) throw new Error('three objects');
  [group, user, file] = [first, second, third];
});
afterAll(() => world.close());

type Kind = 'group' | 'user' | 'file';
const entity = (kind: Kind): ScriptEntity => ({ group, user, file })[kind];

/** Name, kinds of the first arguments, and the argument behind them. */
type Case = readonly [name: string, kinds: readonly Kind[], last: string];

const functions: readonly Case[] = [
  ['incoming', ['user'], ''],
  ['outgoing', ['user'], ''],
  ['hasRelationship', ['user', 'group'], ''],
  ['hasIncomingRelationship', ['user', 'group'], ''],
  ['hasOutgoingRelationship', ['user', 'group'], ''],
  ['getRelationships', ['user', 'group'], ''],
  ['getIncomingRelationships', ['user', 'group'], ''],
  ['getOutgoingRelationships', ['user', 'group'], ''],
  ['getRelationshipTypes', ['user'], ''],
  ['createRelationship', ['user', 'group'], 'OWNS'],
  ['grant', ['user', 'file'], 'read'],
  ['revoke', ['user', 'file'], 'read'],
  ['isAllowed', ['user', 'file'], 'read'],
  ['copyPermissions', ['file', 'group'], ''],
  ['addToGroup', ['group', 'user'], ''],
  ['removeFromGroup', ['group', 'user'], ''],
  ['isInGroup', ['group', 'user'], ''],
  ['getContent', ['file'], ''],
  ['setContent', ['file'], 'x'],
  ['appendContent', ['file'], 'x'],
  ['copyFileContents', ['file', 'file'], ''],
];

describe.each<Case>(functions)('%s', (name, kinds, last) => {
  const rest = last === '' ? [] : [last];

  it('answers null for null, without a warning', async () => {
    for (const i of kinds.keys()) {
      const args: ScriptValue[] = kinds.map(entity);
      args[i] = null;
      world.lines.length = 0;
      expect(await call(context, name, ...args, ...rest)).toBeNull();
      expect(world.lines).toEqual([]);
    }
  });

  it('answers its usage for what is no object, with a warning', async () => {
    const one = functionNamed(name);
    for (const i of kinds.keys()) {
      for (const wrong of ['text', 7, new Map()] as ScriptValue[]) {
        const args: ScriptValue[] = kinds.map(entity);
        args[i] = wrong;
        world.lines.length = 0;
        expect(await call(context, name, ...args, ...rest)).toBe(one === undefined ? '' : usage(one));
        expect(world.lines.join('\n')).toContain(`${name}() needs an object`);
      }
    }
  });
});

describe('objects of another type', () => {
  it.each<Case>([
    ['addToGroup', ['user', 'user'], ''],
    ['addToGroup', ['group', 'file'], ''],
    ['isInGroup', ['file', 'user'], ''],
    ['grant', ['file', 'file'], 'read'],
    ['isAllowed', ['file', 'file'], 'read'],
    ['getContent', ['group'], ''],
    ['setContent', ['user'], 'x'],
    ['copyFileContents', ['file', 'group'], ''],
  ])('%s(%s) answers its usage, and writes nothing', async (name, kinds, last) => {
    const rest = last === '' ? [] : [last];
    const one = functionNamed(name);
    expect(await call(context, name, ...kinds.map(entity), ...rest)).toBe(one === undefined ? '' : usage(one));
    expect(context.run.transaction.writes).toBe(false);
  });
});

describe('other arguments that are null', () => {
  it.each<[string, (() => ScriptValue)[]]>([
    ['nth', [() => ['a'], () => null]],
    ['substring', [() => 'abc', () => null]],
    ['abbr', [() => 'abc', () => null]],
    ['dateFormat', [() => new Date(0), () => null]],
    ['jobInfo', [() => null]],
    ['createAccessToken', [() => null]],
    ['createAccessAndRefreshToken', [() => null]],
    ['login', [() => user, () => null]],
    ['login', [() => null, () => 'x']],
    ['replace', [() => '${this.name}', () => null]],
    ['setContent', [() => file, () => null]],
    ['appendContent', [() => file, () => null]],
    ['isAllowed', [() => user, () => file, () => null]],
    ['createRelationship', [() => user, () => group, () => null]],
  ])('%s answers null', async (name, args) => {
    expect(await call(context, name, ...args.map((one) => one()))).toBeNull();
    expect(context.run.transaction.writes).toBe(false);
  });

  it('flags may be texts', async () => {
    expect(await call(context, 'isInGroup', group, user, 'true')).toBe(false);
    await call(context, 'addToGroup', group, user);
    const outer = (await call(context, 'create', 'Group', 'name', 'outer')) ?? null;
    await call(context, 'addToGroup', outer, group);
    expect(await call(context, 'isInGroup', outer, user)).toBe(false);
    expect(await call(context, 'isInGroup', outer, user, 'true')).toBe(true);
    await context.run.transaction.rollBack(new Error('the end'));
  });
});

describe('comparing', () => {
  it('what is no number is equal to itself alone, and behind all numbers', async () => {
    const none = (await call(context, 'quot', 0, 0)) ?? null;
    expect(await call(context, 'eq', none, 1)).toBe(false);
    expect(await call(context, 'eq', none, none)).toBe(true);
    expect(await call(context, 'eq', none, 'NaN')).toBe(true);
    expect(await call(context, 'lt', none, 1)).toBe(false);
    expect(await call(context, 'gt', none, 1)).toBe(true);
  });
});
