/** Documents and collections of MongoDB (docs/interface/script-runtime.md 8.6). */
import { MongoCollection, mongoDriver } from '../../outside/databases/mongodb-handles.js';
import { parseMongoUrl } from '../../outside/databases/mongodb-url.js';
import type { ScriptFunction } from '../../run/function/function.js';
import { isMap } from '../../language/values.js';
import { ignoring, misused } from '../../run/function/arguments.js';

const LONGEST_NAME = 255;

export const bson: ScriptFunction = {
  name: 'bson',
  signature: 'bson(map)',
  meaning:
    'A document for MongoDB, as a map: what a collection of `mongodb` is given may be a map without it as well. Fails for what no ' +
    'document can hold. Ids of documents and other values that scripts have no kind of are maps, as in Extended JSON: ' +
    "`{ $oid: '65a5…' }`, `{ $numberDecimal: '1.10' }`, `{ $regularExpression: { pattern, options } }`.",
  example: '$.bson({ name: "Test", date: { $gte: new Date(2018, 1, 1) } })',
  min: 1,
  max: 1,
  pure: true,
  async run([map = null], context) {
    if (!isMap(map)) return misused(this, 'needs a map', context);
    const { documentOf } = await mongoDriver();
    documentOf(map);
    return new Map(map);
  },
};

export const mongodb: ScriptFunction = {
  name: 'mongodb',
  signature: 'mongodb(url, database, collection)',
  meaning:
    'A collection of a MongoDB server (`mongodb://user:password@host:port`, one host, no `mongodb+srv://`; `tls=true` encrypts and checks ' +
    'the certificate). Its methods: `find`, `findOne`, `countDocuments`, `estimatedDocumentCount`, `distinct`, `aggregate`, `insertOne`, ' +
    '`insertMany`, `updateOne`, `updateMany`, `replaceOne`, `deleteOne`, `deleteMany`, `findOneAndUpdate`, `findOneAndReplace`, ' +
    '`findOneAndDelete`, `createIndex`, `dropIndex`, `drop`. What `find` and `aggregate` answer can be iterated in JavaScript, and has ' +
    '`first()`, `toArray()`, `forEach(function)`, that of `find` also `sort(keys)`, `projection(keys)`, `limit(n)`, `skip(n)`. ' +
    'Each call connects anew. Which servers may be asked say the settings for calls (`application.httphelper.urlwhitelist`, ' +
    '`.blockedaddresses`). At most 10,000 documents; failures are 422.',
  example: '$.mongodb("mongodb://db.example.com", "shop", "products").find($.bson({ name: "Test" })).first()',
  min: 3,
  max: 3,
  run([url, database, collection], context) {
    const isName = (value: unknown): value is string =>
      typeof value === 'string' && value !== '' && value.length <= LONGEST_NAME;
    if (typeof url !== 'string' || !isName(database) || !isName(collection)) {
      return misused(this, 'needs a URL and the names of a database and a collection', context);
    }
    const parsed = parseMongoUrl(url);
    ignoring(this, parsed.unknown, context);
    return new MongoCollection({ url: parsed, database, collection }, context);
  },
};
