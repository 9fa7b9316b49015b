/** Documents written by hand: each key, the forms of old exports, and what is wrong. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseSchema } from '../../../src/main/deployment/index.js';
import { SchemaError } from '../../../src/main/schema/index.js';
import { SchemaWorld } from './in-process.js';

let world: SchemaWorld;
beforeAll(async () => {
  world = await SchemaWorld.open();
});
afterAll(() => world.close());
afterEach(() => world.clear());

const BASE = { includeInOpenAPI: false, isAbstract: false, isInterface: false, traits: [], type: 'object' };
const TYPE = { ...BASE, isServiceClass: false };
const METHOD = { httpVerb: 'POST', includeInOpenAPI: false, isPrivate: false, isStatic: false, returnRawResult: false };
const FUNCTION = {
  httpVerb: 'POST',
  includeInOpenAPI: false,
  isPrivate: false,
  parameters: {},
  returnRawResult: false,
  visibleToAuthenticatedUsers: false,
  visibleToPublicUsers: false,
};
const ENDS = { rel: 'A', $source: '#/definitions/T', $target: '#/definitions/T' };
const ofTask = (task: object, more: object = {}): object => ({ definitions: { Task: task, ...more }, methods: [] });

describe('keys', () => {
  it.each<[string, object]>([
    ['a text', { type: 'string', format: '[a-z]+', indexed: true, unique: true, fulltext: true, hint: 'h' }],
    ['flags', { type: 'string', compound: true, readOnly: true, isAbstract: true, serializationDisabled: true }],
    ['a default', { type: 'string', default: 'new', category: 'c', validators: ['b', 'a'], transformators: ['x'] }],
    ['a date', { type: 'string', format: 'date-time', datePattern: 'yyyy-MM-dd' }],
    ['a member', { type: 'string', enum: ['a', 'b'] }],
    ['a password', { type: 'password' }],
    ['an encrypted text', { type: 'encrypted' }],
    ['a thumbnail', { type: 'thumbnail', format: '100, 100' }],
    ['a Boolean', { type: 'boolean', default: 'true' }],
    ['an integer with a range', { type: 'integer', minimum: 1, maximum: 5 }],
    ['a long without ends', { type: 'long', minimum: -1, maximum: 5, exclusiveMinimum: true, exclusiveMaximum: true }],
    ['a number', { type: 'number', minimum: 0.5, maximum: 1.5 }],
    ['a list of texts', { type: 'array', items: { type: 'string' }, format: '[a-z]*' }],
    ['a list of integers', { type: 'array', items: { type: 'integer', minimum: 1, maximum: 2 } }],
    ['a list of longs', { type: 'array', items: { type: 'long' } }],
    ['a list of numbers', { type: 'array', items: { type: 'number' } }],
    ['a list of Booleans', { type: 'array', items: { type: 'boolean' } }],
    ['a list of dates', { type: 'array', items: { type: 'date' } }],
    ['bytes', { type: 'array', items: { type: 'Byte[]' } }],
    [
      'a function',
      {
        type: 'function',
        cachingEnabled: true,
        readFunctionWrapJS: false,
        writeFunctionWrapJS: true,
        readFunction: '{ 1 }',
        writeFunction: '{ 2 }',
        typeHint: 'int',
        openAPIReturnType: '{}',
      },
    ],
    ['a query', { type: 'script', source: 'MATCH (n) RETURN n', contentType: 'application/x-cypher' }],
    ['a date with a zone', { type: 'string', format: 'date-time', exact: { propertyType: 'ZonedDateTime' } }],
    ['members', { type: 'string', enum: ['a'], exact: { propertyType: 'EnumArray' } }],
    ['a range with one end', { type: 'integer', exact: { format: '[1,' } }],
    ['a stored key', { type: 'string', exact: { dbName: 'other' } }],
    [
      'a pattern that reads like a date',
      { type: 'string', format: 'date-time', exact: { propertyType: 'String', format: 'date-time' } },
    ],
  ])('of %s', async (_, property) => {
    await world.apply(ofTask({ ...TYPE, properties: { it: property } }));
    expect(await world.definition('Task')).toEqual({ ...TYPE, properties: { it: property } });
  });

  it('of a type', async () => {
    const task = {
      ...TYPE,
      traits: ['Linkable'],
      isAbstract: true,
      isInterface: true,
      includeInOpenAPI: true,
      changelogDisabled: true,
      visibleToPublicUsers: true,
      visibleToAuthenticatedUsers: true,
      category: 'c',
      summary: 's',
      description: 'd',
      icon: 'i',
      tags: ['a', 'b'],
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      required: ['a', 'b'],
      views: { mine: ['a', 'id'], none: [], public: ['a', 'b'] },
      viewOrder: { public: 'b, a' },
      methods: {
        go: {
          ...METHOD,
          source: '1',
          summary: 's',
          description: 'd',
          codeType: 'x',
          exceptions: ['b', 'a'],
          callSuper: false,
          overridesExisting: true,
          doExport: false,
          isStatic: true,
          returnRawResult: true,
          httpVerb: 'PUT',
          openAPIReturnType: '{}',
          tags: ['t'],
          parameters: {
            a: { parameterIndex: 1, parameterType: 'Integer' },
            b: { parameterIndex: 0, parameterType: 'Date', description: 'd', exampleValue: 'e' },
          },
        },
      },
      exact: { defaultSortKey: 'a', defaultSortOrder: 'desc' },
    };
    await world.apply(ofTask(task));
    expect(await world.definition('Task')).toEqual(task);
    expect(
      [...(world.schemas.schema.methods.get('Task')?.get('go')?.parameters ?? [])].map(({ name }) => name),
    ).toEqual(['b', 'a']);
  });

  it('of a relation and of what shows it', async () => {
    const relation = {
      ...BASE,
      rel: 'HAS',
      $source: '#/definitions/Task',
      $target: '#/definitions/Part',
      sourceName: 'task',
      targetName: 'parts',
      cardinality: 'OneToMany',
      cascade: { create: 'sourceToTarget', delete: 'constraintBased' },
      aclResolution: 'Both',
      aclReadMask: 'Add',
      aclWriteMask: 'Keep',
      aclHiddenProperties: '-name',
      exact: { sourceNotion: 'name', targetNotion: '+name' },
      properties: { since: { type: 'string', format: 'date-time' } },
      required: ['since'],
      views: { public: ['since'] },
      methods: { check: METHOD },
    };
    const names = { type: 'array', items: { $ref: '#/definitions/Task/properties/parts' }, properties: ['name', 'id'] };
    const ids = { type: 'object', $ref: '#/definitions/Part/properties/task' };
    const definitions = {
      Task: { ...TYPE, properties: { names } },
      Part: { ...TYPE, properties: { ids } },
      Other: relation,
    };
    await world.apply({ definitions, methods: [] });
    expect(await world.definition('TaskHASPart')).toEqual(relation);
    expect(await world.definition('Task')).toMatchObject({
      properties: {
        names,
        parts: { $link: '#/definitions/TaskHASPart', type: 'array', items: { $ref: '#/definitions/Part' } },
      },
    });
    expect(await world.definition('Part')).toMatchObject({
      properties: { ids, task: { $link: '#/definitions/TaskHASPart', type: 'object', $ref: '#/definitions/Task' } },
    });
  });

  it('of a function', async () => {
    const all = {
      ...FUNCTION,
      name: 'sum',
      source: '1',
      tags: ['t'],
      virtualFileName: 'v',
      visibleToPublicUsers: true,
    };
    await world.apply({ definitions: {}, methods: [all] });
    expect(JSON.parse(await world.text())).toEqual({ definitions: {}, methods: [all] });
  });
});

describe('forms of old exports', () => {
  it('inheritance by references', async () => {
    const task = {
      type: 'object',
      $extends: '#/definitions/Base',
      $implements: ['https://x/v1.1/definitions/Linkable'],
    };
    await world.apply({ definitions: { Base: { type: 'object' }, Task: task }, methods: [] });
    expect(await world.definition('Task')).toMatchObject({ traits: ['Base', 'Linkable'] });
    await world.apply(ofTask({ type: 'object', extendsClass: 'org.svc.core.entity.AbstractNode' }));
    expect(await world.definition('Task')).toMatchObject({ traits: [] });
  });

  it('built-in types that say nothing, and ends that are built in', async () => {
    const relation = { rel: 'OF', $source: '#/definitions/Task', $target: 'https://any.host/v1.1/static/User' };
    const other = { ...relation, rel: 'BY', $target: 'https://any.host/v1.1/definitions/Group' };
    const { warnings } = await world.apply(ofTask({}, { User: { isBuiltinType: true }, a: relation, b: other }));
    expect(warnings).toEqual([]);
    const { definitions } = JSON.parse(await world.text()) as { definitions: object };
    expect(Object.keys(definitions)).toEqual(['Task', 'TaskBYGroup', 'TaskOFUser']);
  });

  it('texts in the place of flags and lists, lists of methods, no functions', async () => {
    const methods = { go: [{ source: '1', isStatic: 'true' }, { source: '2' }] };
    const { warnings } = await world.apply({ definitions: { Task: { tags: 'b, a', methods } } });
    expect(warnings).toEqual([
      'methods: is missing: the document is of an old version',
      'definitions.Task.methods.go: is 2 methods, of which the first counts',
    ]);
    expect(await world.definition('Task')).toMatchObject({
      tags: ['a', 'b'],
      methods: { go: { isStatic: true, source: '1' } },
    });
  });

  it('what is not known is left out, and told', async () => {
    const properties = { a: { type: 'custom', fqcn: 'x.Y' }, b: { type: 'string', colour: 1 } };
    const relation = { rel: 'OF', $source: '#/definitions/Task', $target: '#/definitions/Gone' };
    const task = { traits: ['Unknown', 'Linkable'], properties, required: ['a'], $link: 'x' };
    const { warnings } = await world.apply(ofTask(task, { x: relation }));
    expect(warnings).toEqual([
      'definitions.Task.$link: means nothing here',
      'definitions.Task.properties.a: is left out: this version has no properties of the type custom',
      'definitions.Task.properties.b.colour: means nothing here',
      'definitions.Task.required: a is left out, as it is no property here',
      'definitions.Task.traits: Unknown is left out, as there is no such type',
      'definitions.TaskOFGone: is left out, as there is no type Gone',
    ]);
    expect(await world.definition('Task')).toEqual({
      ...TYPE,
      traits: ['Linkable'],
      properties: { b: { type: 'string' } },
    });
  });

  it('exact gives way to what is edited beside it', async () => {
    const edited = { type: 'string', enum: ['a', 'c'], exact: { propertyType: 'EnumArray', format: 'a, b' } };
    const { warnings } = await world.apply(ofTask({ ...TYPE, properties: { it: edited } }));
    expect(warnings).toEqual([
      'definitions.Task.properties.it.exact.format: says otherwise than the keys beside exact, which count',
    ]);
    expect(await world.definition('Task')).toMatchObject({
      properties: { it: { enum: ['a', 'c'], exact: { propertyType: 'EnumArray' } } },
    });
  });
});

describe('scripts in files', () => {
  const document = {
    definitions: {
      Task: {
        methods: { go: { source: './Task/methods/go', parameters: { a: {}, b: {} } }, gone: { source: './x' } },
        properties: { f: { type: 'function', readFunction: './Task/functions/f.readFunction' } },
      },
    },
    methods: [{ name: 'sum', source: './_globalMethods/sum' }],
  };
  const code = new Map([
    ['Task/methods/go.2', 'of old'],
    ['Task/functions/f.readFunction', 'read'],
    ['_globalMethods/sum', '1'],
  ]);

  it('are read by their names, those of old exports too, and missing ones are told', async () => {
    const { model, missingFiles } = await parseSchema(JSON.stringify(document), code);
    expect(missingFiles).toEqual(['Task/methods/gone']);
    const [task] = model.types;
    expect(task?.methods.map(({ values }) => values['source'])).toEqual(['of old', undefined]);
    expect(task?.properties[0]?.values['readFunction']).toBe('read');
    expect(model.functions[0]?.values['source']).toBe('1');
  });

  it('come out as they went in', async () => {
    const { Task } = document.definitions;
    const filled = {
      ...Task,
      methods: { go: { source: 'go' } },
      properties: { f: { type: 'function', readFunction: 'r' } },
    };
    await world.apply({ definitions: { Task: filled }, methods: [{ name: 'none' }, { name: 'sum', source: '2' }] });
    const text = await world.text();
    const tree = await world.tree();
    expect(Object.fromEntries(tree.code)).toEqual({
      '_globalMethods/sum': '2',
      'Task/functions/f.readFunction': 'r',
      'Task/methods/go': 'go',
    });
    expect(tree.text).toContain('"source": "./_globalMethods/none"');
    const read = await parseSchema(tree.text, tree.code);
    expect(read.missingFiles).toEqual([]);
    expect(read.model).toEqual((await parseSchema(text)).model);
  });

  it('without the files it is refused', async () => {
    await expect(parseSchema(JSON.stringify(document))).rejects.toThrow('definitions: has scripts in files');
  });
});

describe('what is wrong is told with its place, and nothing changes', () => {
  const property = (one: unknown): object => ofTask({ properties: { due: one } });
  it.each<[string, unknown]>([
    ['the schema: must be a JSON object', []],
    ['definitions: is missing', { methods: [] }],
    ['definitions: must be an object', { definitions: [], methods: [] }],
    ['methods: must be a list', { definitions: {}, methods: {} }],
    ['methods[0]: must be an object', { definitions: {}, methods: [1] }],
    ['methods[0].name: is no name of a function', { definitions: {}, methods: [{ name: 'A b' }] }],
    ['methods[1].name: there is another function a', { definitions: {}, methods: [{ name: 'a' }, { name: 'a' }] }],
    ['definitions.Task: must be an object', ofTask([])],
    ['definitions.task: is no name of a type', { definitions: { task: {} }, methods: [] }],
    ['definitions.Task.isAbstract: must be true or false', ofTask({ isAbstract: 'maybe' })],
    ['definitions.Task.traits: must be a list of texts', ofTask({ traits: [{}] })],
    ['definitions.Task.summary: must be a text', ofTask({ summary: {} })],
    ['definitions.Task.required: x is none of its properties', ofTask({ required: ['x'] })],
    ['definitions.Task.views.a: must be a list of texts', ofTask({ views: { a: {} } })],
    ['definitions.Task.methods.a: must be an object', ofTask({ methods: { a: 1 } })],
    ['definitions.Task.methods.A: is no name of a method', ofTask({ methods: { A: {} } })],
    [
      'definitions.Task.methods.a.parameters.b.parameterIndex: must be a number',
      ofTask({ methods: { a: { parameters: { b: { parameterIndex: 'x' } } } } }),
    ],
    ['definitions.Task.grants.x.read: must be true or false', ofTask({ grants: { x: { read: 1 } } })],
    ['definitions.Task.properties.due: has no type', property({})],
    ['definitions.Task.properties.due: must be an object', property('string')],
    ['definitions.Task.properties.Due: is no name of a property', ofTask({ properties: { Due: { type: 'string' } } })],
    ['definitions.Task.properties.due.unique: must be true or false', property({ type: 'string', unique: 3 })],
    [
      'definitions.Task.properties.due.minimum: must be a number',
      property({ type: 'integer', minimum: 'x', maximum: 2 }),
    ],
    [
      'definitions.Task.properties.due: is a script and has no source',
      property({ type: 'script', contentType: 'application/x-cypher' }),
    ],
    [
      'definitions.Task.properties.due: refers to nothing, which is no property',
      property({ type: 'object', $ref: 'nothing' }),
    ],
    ['definitions.X.$source: names no type', { definitions: { X: { rel: 'A' } }, methods: [] }],
    ['definitions.X.rel: must not be empty', { definitions: { X: { rel: ' ' } }, methods: [] }],
    [
      'definitions.X.$source: refers to Task, which is no type',
      { definitions: { X: { rel: 'A', $source: 'Task', $target: '#/definitions/A' } }, methods: [] },
    ],
    [
      'definitions.X.cardinality: must be one of',
      { definitions: { X: { ...ENDS, cardinality: 'Some' } }, methods: [] },
    ],
    [
      'definitions.X.cascade.delete: must be one of',
      { definitions: { X: { ...ENDS, cascade: { delete: 'all' } } }, methods: [] },
    ],
    [
      'definitions.X.aclResolution: must be one of',
      { definitions: { X: { ...ENDS, aclResolution: 'Up' } }, methods: [] },
    ],
    [
      'definitions.B: is the same relation as definitions.A',
      {
        definitions: {
          A: { rel: 'A', $source: '#/definitions/T', $target: '#/definitions/T' },
          B: { rel: 'A', $source: '#/definitions/T', $target: '#/definitions/T' },
        },
        methods: [],
      },
    ],
  ])('%s', async (said, document) => {
    await world.apply(ofTask({}));
    const before = await world.text();
    const error = await world.apply(document).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(SchemaError);
    expect((error as SchemaError).message).toContain(said);
    expect((error as SchemaError).tokens[0]).toMatchObject({ token: 'invalid_schema_document' });
    expect(await world.text()).toBe(before);
  });

  it.each<[string, string]>([
    ['no JSON', '{"definitions": '],
    ['too deep', `{"definitions": ${'['.repeat(40)}${']'.repeat(40)}}`],
  ])('%s', async (_, text) => {
    await expect(parseSchema(text)).rejects.toThrow(SchemaError);
  });

  it('a schema that does not compile', async () => {
    await world.apply(ofTask({}));
    const before = await world.text();
    const wrong = ofTask({ properties: { due: { type: 'string', enum: [] } } });
    for (const dryRun of [true, false]) await expect(world.apply(wrong, { dryRun })).rejects.toThrow(/due. of Task/);
    expect(await world.text()).toBe(before);
    await world.apply(ofTask({ summary: 'goes on' }));
    expect(await world.definition('Task')).toMatchObject({ summary: 'goes on' });
  });
});
