/**
 * Collections of MongoDB, and what is found in them, as scripts hold them. They hold no connection: each call makes its own, as
 * queries to other databases do, so that nothing is left open and nothing has to be closed.
 */
import type { Collection } from 'mongodb';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import { optionalFor } from '../optional.js';
import { isMap, ScriptCallable, type ScriptMap, type ScriptObject, type ScriptValue } from '../../language/values.js';
import { AGGREGATE, checkedArguments, convertedArguments, FIND, methods, type Driver } from './mongodb-methods.js';
import type { MongoUrl } from './mongodb-url.js';
import type { TimeLimit } from './mongodb.js';
import { withDatabase } from './target.js';
import { MOST_BYTES } from './watched.js';

const PORT = 27017;
const NO_OPTIONS: ScriptMap = new Map();

/** Loads the driver, which is of use to few. */
export function mongoDriver(): Promise<Driver> {
  return optionalFor('mongodb()', () => import('./mongodb.js'));
}

/** Which collection, and where. */
export interface MongoPlace {
  readonly url: MongoUrl;
  readonly database: string;
  readonly collection: string;
}

/** Bytes of answers that the driver reads in one go, of which few make many values. */
const MOST_AT_ONCE = 2 * 1024 * 1024;

/** `most`: bytes of all answers. Throws `ScriptError` 422 for what goes wrong there. */
async function at<T>(
  { url, database, collection }: MongoPlace,
  context: ScriptContext,
  most: number,
  work: (collection: Collection, driver: Driver, limit: TimeLimit) => Promise<T>,
): Promise<T> {
  const driver = await mongoDriver();
  const shown = `${url.url.protocol}//${url.url.host.slice(0, 255)}`;
  const connected = driver.mongoCollection(
    url,
    database,
    collection,
    (found, limit) => work(found, driver, limit),
    most,
  );
  return withDatabase(url.url, PORT, shown, context, connected);
}

export class MongoCollection implements ScriptObject {
  readonly isScriptObject = true;

  constructor(
    private readonly place: MongoPlace,
    private readonly context: ScriptContext,
  ) {}

  get title(): string {
    return `The collection ${this.place.database}.${this.place.collection}`;
  }

  get(): ScriptValue {
    return null;
  }

  keys(): readonly string[] {
    return [];
  }

  hasMethod(name: string): boolean {
    return name === 'find' || name === 'aggregate' || methods.has(name);
  }

  async call(name: string, args: readonly ScriptValue[]): Promise<ScriptValue> {
    if (name === 'find' || name === 'aggregate') {
      const usage = name === 'find' ? FIND : AGGREGATE;
      const [what = null, options = null] = checkedArguments(usage, args);
      return new MongoFound(this.place, this.context, usage, what, isMap(options) ? options : NO_OPTIONS);
    }
    const method = methods.get(name);
    if (method === undefined) throw new ScriptError(422, `${this.title} has no method ${name.slice(0, 40)}.`);
    // Before anybody is called.
    const { given, options } = convertedArguments(method.usage, args, await mongoDriver());
    const most = method.readsBytes ? MOST_BYTES : MOST_AT_ONCE;
    return at(this.place, this.context, most, async (collection, driver, limit) =>
      driver.valueOf(await method.run({ collection, driver, given, options: { ...options, ...limit } })),
    );
  }

  within(context: ScriptContext): MongoCollection {
    return new MongoCollection(this.place, context);
  }
}

/** What was asked for by `find` or `aggregate`: sent when its documents are wanted, each time anew. */
class MongoFound implements ScriptObject {
  readonly isScriptObject = true;

  constructor(
    private readonly place: MongoPlace,
    private readonly context: ScriptContext,
    private readonly usage: typeof FIND | typeof AGGREGATE,
    /** A filter, or stages. */
    private readonly what: ScriptValue,
    private readonly options: ScriptMap,
  ) {}

  get title(): string {
    return `What is found in ${this.place.database}.${this.place.collection}`;
  }

  get(): ScriptValue {
    return null;
  }

  keys(): readonly string[] {
    return [];
  }

  hasMethod(name: string): boolean {
    return READS.has(name) || (this.usage === FIND && CHANGES.has(name));
  }

  async call(name: string, args: readonly ScriptValue[]): Promise<ScriptValue> {
    const change = CHANGES.get(name);
    if (this.usage === FIND && change !== undefined) {
      const [value = null] = checkedArguments(change, args);
      return this.with(new Map([...this.options, [name, value]]), this.context);
    }
    const [each = null] = args;
    if (!READS.has(name) || args.length !== (name === 'forEach' ? 1 : 0)) {
      throw new ScriptError(422, `${this.title} has no method ${name.slice(0, 40)} with these arguments.`);
    }
    if (name === 'first') return (await this.documents(1))[0] ?? null;
    if (name === 'toArray') return this.elements();
    if (!(each instanceof ScriptCallable)) throw new ScriptError(422, 'Usage: forEach(function)');
    for (const one of await this.documents()) await each.call([one]);
    return null;
  }

  async elements(): Promise<ScriptValue[]> {
    return [...(await this.documents())];
  }

  private async documents(most?: number): Promise<readonly ScriptMap[]> {
    const { given, options } = convertedArguments(this.usage, [this.what, this.options], await mongoDriver());
    const [what] = given;
    return at(this.place, this.context, MOST_BYTES, async (collection, driver, limit) => {
      const how = { ...options, ...limit, ...driver.READING_BYTES };
      const cursor = Array.isArray(what) ? collection.aggregate(what, how) : collection.find(what ?? {}, how);
      return driver.documentsIn(cursor, most);
    });
  }

  private with(options: ScriptMap, context: ScriptContext): MongoFound {
    return new MongoFound(this.place, context, this.usage, this.what, options);
  }

  within(context: ScriptContext): MongoFound {
    return this.with(this.options, context);
  }
}

/** What they read at once. */
const READS: ReadonlySet<string> = new Set(['first', 'toArray', 'forEach']);
/** What makes another question of it. */
const CHANGES: ReadonlyMap<string, string> = new Map([
  ['sort', 'sort(keys)'],
  ['projection', 'projection(keys)'],
  ['limit', 'limit(count)'],
  ['skip', 'skip(count)'],
]);
