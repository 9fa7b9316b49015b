import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ScriptContext } from '../../../src/main/scripting/run/run.js';
import { ScriptError } from '../../../src/main/scripting/language/errors.js';
import type { ScriptMap, ScriptValue } from '../../../src/main/scripting/language/values.js';
import { ScriptWorld } from '../support.js';
import { call } from './support.js';

describe('what scripts learn of types', () => {
  let world: ScriptWorld;
  let context: ScriptContext;
  beforeAll(async () => {
    world = await ScriptWorld.open();
    await world.create('SchemaNode', {
      name: 'Task',
      schemaProperties: [
        { name: 'state', propertyType: 'Enum', format: 'open, closed, later' },
        { name: 'title', propertyType: 'String', unique: true },
      ],
      schemaViews: [{ name: 'public', nonGraphProperties: 'title' }],
    });
    await world.create('SchemaNode', { name: 'SubTask', inheritedTraits: ['Task'] });
    await world.create('SchemaMethod', {
      name: 'greet',
      staticSchemaNodeName: 'User',
      source: '1',
      summary: 'Greets',
      isStatic: true,
      httpVerb: 'GET',
      parameters: [
        { name: 'b', parameterType: 'Date', index: 1 },
        { name: 'a', parameterType: 'String', index: 0 },
      ],
    });
  });
  beforeEach(() => {
    context = world.context();
  });
  afterAll(() => world.close());

  const map = async (name: string, ...args: ScriptValue[]): Promise<ScriptMap> =>
    (await call(context, name, ...args)) as ScriptMap;

  it('propertyInfo: what introspection says', async () => {
    const info = await map('propertyInfo', 'Task', 'title');
    expect(info.get('jsonName')).toBe('title');
    expect(info.get('type')).toBe('String');
    expect(info.get('unique')).toBe(true);
    expect(info.get('declaringClass')).toBe('Task');
  });

  it.each<[string, ScriptValue[]]>([
    ['ancestorTypes', ['SubTask', 'Task']],
    ['inheritingTypes', ['Task', new Map([['a', 'SubTask']])]],
    ['inheritingTypes', ['Task', [1.5]]],
    ['inheritingTypes', ['Nothing']],
    ['ancestorTypes', ['Nothing']],
    ['functionInfo', ['User']],
    ['functionInfo', ['User', 5.5]],
    ['functionInfo', ['Nothing', 'greet']],
  ])('%s refuses what it cannot use: %j', async (name, args) => {
    await expect((async () => call(context, name, ...args))()).rejects.toBeInstanceOf(ScriptError);
  });

  it('typeInfo: a type with its views, or the properties of one view', async () => {
    const info = await map('typeInfo', 'SubTask');
    expect(info.get('name')).toBe('SubTask');
    expect(info.get('isRel')).toBe(false);
    expect((info.get('views') as ScriptMap).has('public')).toBe(true);
    const view = (await call(context, 'typeInfo', 'Task', 'public')) as ScriptMap[];
    expect(view.map((one) => one.get('jsonName'))).toContain('title');
    expect(await call(context, 'typeInfo', 'Task', 'unknown')).toEqual([]);
  });

  it('enumInfo: maps, or the values alone; nothing for other properties', async () => {
    expect(await call(context, 'enumInfo', 'Task', 'state', true)).toEqual(['open', 'closed', 'later']);
    expect(await call(context, 'enumInfo', 'Task', 'state')).toEqual(
      ['open', 'closed', 'later'].map((value) => new Map([['value', value]])),
    );
    expect(await call(context, 'enumInfo', 'Task', 'title')).toBe('Usage: enumInfo(type, key [, raw = false])');
  });

  it('functionInfo: of a named method, null of none and of no running one', async () => {
    const info = await map('functionInfo', 'User', 'greet');
    expect(Object.fromEntries(info)).toMatchObject({
      name: 'greet',
      isStatic: true,
      isPrivate: false,
      httpVerb: 'GET',
      summary: 'Greets',
      description: null,
      declaringTrait: 'User',
      isUserDefinedFunction: false,
    });
    expect([...(info.get('parameters') as ScriptMap)]).toEqual([
      ['a', 'String'],
      ['b', 'Date'],
    ]);
    expect(await call(context, 'functionInfo', 'User', 'unknown')).toBeNull();
    expect(await call(context, 'functionInfo')).toBeNull();
  });

  it('ancestorTypes and inheritingTypes: without what every type is, and without those of the list', async () => {
    expect(await call(context, 'ancestorTypes', 'SubTask')).toEqual(['Task']);
    expect(await call(context, 'ancestorTypes', 'SubTask', ['Task'])).toEqual([]);
    expect(await call(context, 'inheritingTypes', 'Task')).toEqual(['SubTask']);
    expect(await call(context, 'inheritingTypes', 'Task', ['SubTask'])).toEqual([]);
  });

  it.each([
    ['propertyInfo', ['Unknown', 'name']],
    ['propertyInfo', ['Task', 'unknown']],
    ['typeInfo', ['Unknown']],
    ['enumInfo', ['Task', 'unknown']],
    ['ancestorTypes', ['Unknown']],
    ['inheritingTypes', [7n]],
  ] as [string, ScriptValue[]][])('%s of %s is refused', async (name, args) => {
    await expect((async () => call(context, name, ...args))()).rejects.toThrow(ScriptError);
  });
});
