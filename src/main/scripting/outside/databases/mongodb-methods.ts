/** What can be done with a collection of MongoDB by one call: the names are those of its own shells and drivers. */
import type { Collection } from 'mongodb';
import { ScriptError } from '../../language/errors.js';
import { isMap, type ScriptMap, type ScriptValue } from '../../language/values.js';
import type { Document } from './bson.js';
import type * as driver from './mongodb.js';

/** Loaded with the first call. */
export type Driver = typeof driver;

export interface Call {
  readonly collection: Collection;
  readonly driver: Driver;
  /** Arguments before the options, as the driver takes them. */
  readonly given: readonly Document[];
  readonly options: object;
}

export interface Method {
  /** `insertOne(document [, options])`: an argument for each name, and what it has to be. */
  readonly usage: string;
  /** It reads documents as bytes; answers that the driver reads in one go may not be so long. */
  readonly readsBytes: boolean;
  run(call: Call): Promise<unknown>;
}

/** Further options are the driver's own affair, as how it reads answers. */
const OPTIONS: ReadonlySet<string> = new Set([
  ...[
    'arrayFilters',
    'bypassDocumentValidation',
    'collation',
    'comment',
    'hint',
    'let',
    'limit',
    'ordered',
    'projection',
  ],
  ...['returnDocument', 'skip', 'sort', 'upsert', 'allowDiskUse', 'batchSize', 'max', 'min'],
  ...['name', 'unique', 'sparse', 'expireAfterSeconds', 'partialFilterExpression', 'weights', 'default_language'],
]);

function method(usage: string, run: Method['run'], readsBytes = false): [string, Method] {
  return [usage.slice(0, usage.indexOf('(')), { usage, readsBytes, run }];
}

const NONE: Document = {};

export const methods: ReadonlyMap<string, Method> = new Map([
  method(
    'findOne([filter, options])',
    async ({ collection, driver, given: [filter = NONE], options }) => {
      const cursor = collection.find(filter, { ...options, ...driver.READING_BYTES, limit: -1 });
      return (await driver.documentsIn(cursor, 1))[0];
    },
    true,
  ),
  method('countDocuments([filter, options])', ({ collection, given: [filter = NONE], options }) =>
    collection.countDocuments(filter, options),
  ),
  method('estimatedDocumentCount()', ({ collection, options }) => collection.estimatedDocumentCount(options)),
  method(
    'distinct(field [, filter, options])',
    async ({ collection, driver, given: [field, filter = NONE], options }) => {
      const values = await collection.distinct(field as unknown as string, filter, { ...options, ...driver.READING });
      return driver.checkCount(values);
    },
  ),
  method('insertOne(document [, options])', ({ collection, given: [document = NONE], options }) =>
    collection.insertOne(document, options),
  ),
  method('insertMany(documents [, options])', async ({ collection, given: [documents], options }) => {
    const done = await collection.insertMany(documents as unknown as Document[], options);
    return { ...done, insertedIds: Object.values(done.insertedIds) };
  }),
  method('updateOne(filter, update [, options])', ({ collection, given: [filter = NONE, update = NONE], options }) =>
    collection.updateOne(filter, update, options),
  ),
  method('updateMany(filter, update [, options])', ({ collection, given: [filter = NONE, update = NONE], options }) =>
    collection.updateMany(filter, update, options),
  ),
  method('replaceOne(filter, document [, options])', ({ collection, given: [filter = NONE, by = NONE], options }) =>
    collection.replaceOne(filter, by, options),
  ),
  method('deleteOne(filter [, options])', ({ collection, given: [filter], options }) =>
    collection.deleteOne(filter, options),
  ),
  method('deleteMany(filter [, options])', ({ collection, given: [filter], options }) =>
    collection.deleteMany(filter, options),
  ),
  method(
    'findOneAndUpdate(filter, update [, options])',
    ({ collection, driver, given: [filter = NONE, update = NONE], options }) =>
      collection.findOneAndUpdate(filter, update, { ...options, ...driver.READING }),
  ),
  method(
    'findOneAndReplace(filter, document [, options])',
    ({ collection, driver, given: [filter = NONE, by = NONE], options }) =>
      collection.findOneAndReplace(filter, by, { ...options, ...driver.READING }),
  ),
  method('findOneAndDelete(filter [, options])', ({ collection, driver, given: [filter = NONE], options }) =>
    collection.findOneAndDelete(filter, { ...options, ...driver.READING }),
  ),
  method('createIndex(keys [, options])', ({ collection, given: [keys = NONE], options }) =>
    collection.createIndex(keys as Record<string, 1>, options),
  ),
  method('dropIndex(name)', async ({ collection, given: [name], options }) => {
    await collection.dropIndex(name as unknown as string, options);
    return true;
  }),
  method('drop()', ({ collection, options }) => collection.drop(options)),
]);

/** What makes a cursor, and what cursors are asked for. */
export const FIND = 'find([filter, options])';
export const AGGREGATE = 'aggregate(stages [, options])';

type Check = (value: ScriptValue) => boolean;

const isCount: Check = (value) => {
  const number = typeof value === 'bigint' ? Number(value) : value;
  return Number.isInteger(number) && Number(number) >= 0 && Number(number) < 2 ** 31;
};
const isListOfMaps: Check = (value) => Array.isArray(value) && value.length > 0 && value.every(isMap);
const KINDS: ReadonlyMap<string, Check> = new Map([
  ['documents', isListOfMaps],
  ['stages', (value) => Array.isArray(value) && value.every(isMap)],
  ['update', (value) => isMap(value) || isListOfMaps(value)],
  ['field', (value) => typeof value === 'string'],
  ['name', (value) => typeof value === 'string'],
  // Numbers of expressions are doubles.
  ['count', isCount],
]);

/** Arguments in the order of the usage; null for those left out. Throws `ScriptError` 422 for wrong ones. */
export function checkedArguments(usage: string, args: readonly ScriptValue[]): ScriptValue[] {
  const [needed = '', optional = ''] = usage.slice(usage.indexOf('(') + 1, -1).split('[');
  const count = namesIn(needed).length;
  const names = [...namesIn(needed), ...namesIn(optional)];
  const isRight = (name: string, i: number): boolean => {
    const value = args[i] ?? null;
    return value === null ? i >= count : (KINDS.get(name) ?? isMap)(value);
  };
  if (args.length > names.length || !names.every(isRight)) {
    throw new ScriptError(422, `Usage: ${usage}; documents are maps, as bson() answers them.`);
  }
  return names.map((_, i) => args[i] ?? null);
}

function namesIn(list: string): string[] {
  return list.match(/\w+/g) ?? [];
}

/** Arguments as the driver takes them; the last are the options where the usage has some. Throws `ScriptError` 422. */
export function convertedArguments(
  usage: string,
  args: readonly ScriptValue[],
  driver: Driver,
): Pick<Call, 'given' | 'options'> {
  const values = checkedArguments(usage, args);
  const last = /options\]\)$/.test(usage) ? values.pop() : null;
  return {
    given: values.map((value) => (value === null ? undefined : driver.bsonOf(value)) as Document),
    options: isMap(last ?? null) ? optionsOf(last as ScriptMap, driver) : {},
  };
}

function optionsOf(map: ScriptMap, driver: Driver): object {
  const unknown = [...map.keys()].find((key) => !OPTIONS.has(key));
  if (unknown !== undefined) throw new ScriptError(422, `There is no option ${unknown.slice(0, 40)} here.`);
  // Counts are plain numbers for the driver.
  return Object.fromEntries([...map].map(([key, one]) => [key, typeof one === 'number' ? one : driver.bsonOf(one)]));
}
