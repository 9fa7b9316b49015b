/** Random schemas: what is written is read as what it was, byte for byte, whatever the schema was before. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareSchemas, parseSchema, textOf } from '../../../src/main/deployment/index.js';
import { randomRuns, runsOf } from '../../support/random.js';
import { SchemaWorld } from './in-process.js';

type Json = Record<string, unknown>;

const TYPES = ['Alpha', 'Beta', 'Gamma'];
const BUILT_IN = ['User', 'File'];
const maybe = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(values, { nil: undefined });
const flag = maybe(fc.boolean());
const text = maybe(fc.oneof(fc.constantFrom('', "<a href='x'>&=\u2028", '{ return 1; }'), fc.string()));
const tags = maybe(fc.array(fc.constantFrom('b', 'a', 'c'), { maxLength: 3 }));
/** Without keys that have no value. */
const record = (shape: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Json> =>
  fc.record(shape).map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)));

const exact = (shape: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Json | undefined> => maybe(record(shape));
const bounds = { minimum: maybe(fc.integer({ min: -5, max: 0 })), maximum: maybe(fc.integer({ min: 1, max: 5 })) };
const ends = { exclusiveMinimum: flag, exclusiveMaximum: flag };
const plain = (type: string, more: Record<string, fc.Arbitrary<unknown>> = {}): fc.Arbitrary<Json> =>
  record({
    type: fc.constant(type),
    hint: text,
    category: text,
    indexed: flag,
    readOnly: flag,
    serializationDisabled: flag,
    ...more,
  });

const property: fc.Arbitrary<Json> = fc.oneof(
  plain('string', {
    format: maybe(fc.constantFrom('[a-z]+', 'multi-line')),
    unique: flag,
    default: maybe(fc.constant('x')),
  }),
  plain('string', { format: fc.constant('date-time'), datePattern: maybe(fc.constantFrom('yyyy', 'dd.MM.yyyy')) }),
  plain('string', { format: fc.constant('date-time'), exact: fc.constant({ propertyType: 'ZonedDateTime' }) }),
  plain('string', {
    enum: fc.constantFrom(['a'], ['a', 'b']),
    exact: exact({ format: maybe(fc.constantFrom('a b', 'a')) }),
  }),
  plain('string', { enum: fc.constant(['a', 'b']), exact: fc.constant({ propertyType: 'EnumArray' }) }),
  ...['integer', 'long', 'number'].map((type) =>
    plain(type, { ...bounds, ...ends, exact: exact({ format: maybe(fc.constantFrom('[1,', '[ 1 , 2 ]', '[0,1]')) }) }),
  ),
  ...['integer', 'long', 'number', 'string', 'boolean', 'date', 'Byte[]'].map((type) =>
    plain('array', {
      items:
        type.length > 6 ? record({ type: fc.constant(type) }) : record({ type: fc.constant(type), ...bounds, ...ends }),
    }),
  ),
  plain('boolean', { default: maybe(fc.constantFrom('true', 'false')) }),
  plain('password'),
  plain('encrypted'),
  plain('function', {
    readFunction: text,
    writeFunction: text,
    typeHint: maybe(fc.constant('int')),
    cachingEnabled: flag,
    readFunctionWrapJS: flag,
  }),
  plain('custom', { fqcn: text }),
);

const parameter = record({ parameterType: text, parameterIndex: fc.nat({ max: 3 }), description: text });
const method = record({
  source: text,
  summary: text,
  isStatic: flag,
  isPrivate: flag,
  includeInOpenAPI: flag,
  returnRawResult: flag,
  callSuper: flag,
  tags,
  httpVerb: maybe(fc.constantFrom('GET', 'POST', 'PUT')),
  exact: exact({ wrapJsInMain: flag }),
  parameters: maybe(fc.dictionary(fc.constantFrom('a', 'b', 'c'), parameter)),
});

const parts = (prefix: string): Record<string, fc.Arbitrary<unknown>> => ({
  properties: maybe(fc.dictionary(fc.constantFrom(`${prefix}A`, `${prefix}B`, `${prefix}C`), property, { maxKeys: 3 })),
  methods: maybe(fc.dictionary(fc.constantFrom('go', 'onCreate', 'stop'), method, { maxKeys: 2 })),
  views: maybe(
    fc.dictionary(
      fc.constantFrom('public', 'mine'),
      fc.array(fc.constantFrom('id', 'name', `${prefix}A`, `${prefix}B`, 'gone'), { maxLength: 4 }),
    ),
  ),
  viewOrder: maybe(fc.dictionary(fc.constantFrom('public', 'mine'), fc.constantFrom('id, name', 'alphabetic'))),
});

const type = (name: string): fc.Arbitrary<Json> =>
  record({
    ...parts(name.toLowerCase()),
    isAbstract: flag,
    includeInOpenAPI: flag,
    visibleToPublicUsers: flag,
    summary: text,
    icon: text,
    tags,
    traits: maybe(fc.constantFrom([], ['Linkable'], name === 'Beta' ? ['Alpha'] : [])),
    exact: exact({
      defaultSortKey: maybe(fc.constant('name')),
      viewKeys: maybe(
        fc.constant({ mine: ['name', 'id'], public: ['id', `${name.toLowerCase()}B`, `${name.toLowerCase()}A`] }),
      ),
      ...(BUILT_IN.includes(name) ? { byNameOnly: flag } : {}),
    }),
  });

const relation = (i: number): fc.Arbitrary<Json> =>
  record({
    rel: fc.constant(`REL_${String(i)}`),
    $source: fc.constantFrom(...TYPES).map((name) => `#/definitions/${name}`),
    $target: fc.constantFrom(...TYPES, ...BUILT_IN).map((name) => `x/v1.1/static/${name}`),
    cardinality: maybe(fc.constantFrom('OneToOne', 'OneToMany', 'ManyToOne')),
    sourceName: maybe(fc.constantFrom(`source${String(i)}`, `other${String(i)}`)),
    targetName: maybe(fc.constantFrom(`target${String(i)}`, `more${String(i)}`)),
    aclResolution: maybe(fc.constantFrom('In', 'Out', 'Both')),
    aclReadMask: maybe(fc.constantFrom('Add', 'Keep')),
    cascade: maybe(
      record({
        create: maybe(fc.constantFrom('always', 'sourceToTarget')),
        delete: maybe(fc.constantFrom('targetToSource', 'constraintBased')),
      }),
    ),
    exact: exact({ sourceNotion: maybe(fc.constant('id, name')) }),
    ...parts(`rel${String(i)}`),
  });

const optional = (all: Record<string, fc.Arbitrary<Json>>): fc.Arbitrary<Json> =>
  record(Object.fromEntries(Object.entries(all).map(([name, one]) => [name, maybe(one)])));

const schema: fc.Arbitrary<Json> = fc
  .tuple(
    fc.record(Object.fromEntries(TYPES.map((name) => [name, type(name)]))),
    optional({
      ...Object.fromEntries(BUILT_IN.map((name) => [name, type(name)])),
      R0: relation(0),
      R1: relation(1),
      R2: relation(2),
    }),
    fc.uniqueArray(fc.tuple(fc.constantFrom('one', 'two', '_three'), method), {
      selector: ([name]) => name,
      maxLength: 3,
    }),
  )
  .map(([types, others, functions]) => ({
    definitions: { ...types, ...others },
    methods: functions.map(([name, one]) => ({ ...one, name })),
  }));

describe('random schemas', () => {
  it('are read as they were written, in both forms', async () => {
    await fc.assert(
      fc.asyncProperty(schema, async (document) => {
        const { model } = await parseSchema(JSON.stringify(document));
        const { text: one } = await textOf(model, 'file');
        const again = (await parseSchema(one)).model;
        expect(compareSchemas(model, again)).toEqual([]);
        expect((await textOf(again, 'file')).text).toBe(one);
        const tree = await textOf(model, 'tree');
        const { model: of, missingFiles } = await parseSchema(tree.text, tree.code);
        expect(missingFiles).toEqual([]);
        expect((await textOf(of, 'file')).text).toBe(one);
      }),
      { numRuns: runsOf(100) },
    );
  });

  describe('in a database', () => {
    let world: SchemaWorld;
    beforeAll(async () => {
      world = await SchemaWorld.open();
    });
    afterAll(() => world.close());

    it('come out of it as they went in, whatever was there before', async () => {
      await randomRuns(
        fc.asyncProperty(schema, schema, async (before, document) => {
          await world.clear();
          await world.apply(document);
          const text = await world.text();
          await world.clear();
          await world.apply(text);
          expect(await world.text()).toBe(text);
          expect((await world.apply(text)).differences).toEqual([]);
          await world.clear();
          await world.apply(before);
          await world.apply(document);
          expect(await world.text()).toBe(text);
        }),
        30,
        8,
      );
    }, 120_000);
  });
});
