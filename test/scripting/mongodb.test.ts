/** Collections of MongoDB: bson and mongodb (docs/interface/script-runtime.md 8.6), on a server that speaks its protocol. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DatabaseServer } from '../support/databases.js';
import { startMongo } from '../support/mongodb.js';
import { TestServer } from '../support/server.js';
import { MongoScripts } from './mongo-scripts.js';

let server: TestServer;
let scripts: MongoScripts;
let mongo: DatabaseServer | undefined;

beforeAll(async () => {
  [server, mongo] = await Promise.all([
    TestServer.start({ settings: { 'application.scripting.js.timeout.total': 30_000 } }),
    startMongo(),
  ]);
  scripts = new MongoScripts(server, mongo?.port ?? 0);
  if (mongo === undefined) console.log('skipped: mongodb (apt-get install maven openjdk-17-jre-headless)');
}, 240_000);
afterAll(() => Promise.all([server.stop(), mongo?.stop()]));

describe('collections in JavaScript', () => {
  const js = (source: string): Promise<unknown> => scripts.js(source);
  const it_ = (name: string, work: () => Promise<void>): void => {
    it(name, async (test) => {
      if (mongo === undefined) test.skip();
      await work();
    });
  };

  it_('are written, and read by iteration', async () => {
    const source = `
      c.insertOne($.bson({ name: 'Test', a: [1, 2.5, null], inner: { b: true } }));
      c.insertMany([{ name: 'Test' }, { name: 'Other' }]);
      const found = [];
      for (const doc of c.find($.bson({ name: 'Test' }))) found.push(doc);
      return [found.length, found[0].a, found[0].inner.b, [...c.find()].length, c.find({ name: 'None' }).toArray()];`;
    expect(await js(source)).toEqual([2, [1, 2.5, null], true, 3, []]);
  });

  it_('find by operators and patterns, and chain', async () => {
    const source = `
      for (const [i, name] of ['b', 'a', 'd', 'c'].entries()) c.insertOne({ name, i, date: new Date(2018, i, 1) });
      const names = (found) => found.toArray().map((one) => one.name).join('');
      return [
        names(c.find($.bson({ date: { $gte: new Date(2018, 1, 1) } })).sort($.bson({ name: 1 }))),
        names(c.find({ name: { $regex: '[ab]' } }).sort({ name: -1 })),
        names(c.find().sort($.bson({ name: 1 })).limit(2).skip(1)),
        names(c.find({ $or: [{ i: 0 }, { name: { $in: ['c'] } }] })),
        c.find().sort({ i: -1 }).first().name,
        c.find({ i: 9 }).first(),
        Object.keys(c.find().projection({ name: 1, _id: 0 }).first()).join(),
        c.findOne({ i: 1 }).name,
        c.findOne({ i: 9 }),
      ];`;
    expect(await js(source)).toEqual(['acd', 'ba', 'bc', 'bc', 'c', null, 'name', 'a', null]);
  });

  it_('count, change, replace and delete', async () => {
    const source = `
      c.insertMany([{ n: 1 }, { n: 2 }, { n: 3 }]);
      const done = [
        c.updateOne({ n: 1 }, { $set: { n: 10 } }).modifiedCount,
        c.updateMany({ n: { $lt: 10 } }, { $inc: { n: 100 } }).matchedCount,
        c.updateOne({ n: 7 }, { $set: { n: 7 } }, { upsert: true }).upsertedCount,
        c.replaceOne({ n: 7 }, { n: 8, x: 'y' }).modifiedCount,
        c.countDocuments(), c.countDocuments({ n: { $gt: 100 } }), c.estimatedDocumentCount(),
        c.distinct('n').sort((a, b) => a - b),
        c.findOneAndUpdate({ n: 8 }, { $set: { n: 9 } }, { returnDocument: 'after' }).n,
        c.findOneAndReplace({ n: 9 }, { n: 11 }).x,
        c.findOneAndDelete({ n: 11 }).n,
        c.findOneAndDelete({ n: 11 }),
        c.deleteOne({ n: 10 }).deletedCount,
        c.deleteMany({}).deletedCount,
      ];
      c.insertOne({ n: 1 });
      return [...done, c.drop(), c.countDocuments()];`;
    expect(await js(source)).toEqual([1, 2, 1, 1, 4, 2, 4, [8, 10, 102, 103], 9, 'y', 11, null, 1, 2, true, 0]);
  });

  it_('aggregate, and have indexes', async () => {
    const source = `
      c.insertMany([{ k: 'a', n: 1 }, { k: 'b', n: 2 }, { k: 'a', n: 3 }]);
      const sums = c.aggregate([$.bson({ $group: { _id: '$k', sum: { $sum: '$n' } } }), { $sort: { _id: 1 } }]);
      const list = [];
      sums.forEach((one) => { list.push(one._id + one.sum); });
      const name = c.createIndex({ k: 1, n: 1 }, { unique: true });
      let message = '';
      try { c.insertOne({ k: 'a', n: 1 }); } catch (e) { message = e.message; }
      return [list, sums.first().sum, [...sums].length, name, /duplicate/.test(message), c.dropIndex(name)];`;
    expect(await js(source)).toEqual([['a4', 'b2'], 4, 2, 'k_1_n_1', true, true]);
  });

  it_('keep the kinds of values', async () => {
    const source = `
      const id = { $oid: '65a5f00d65a5f00d65a5f00d' };
      c.insertOne({
        _id: id, int: 5, long: 9007199254740993n, double: 2.5, at: new Date(0), bytes: new Uint8Array([1, 2]), none: null,
        decimal: { $numberDecimal: '1.10' }, pattern: { $regularExpression: { pattern: '^a', options: 'i' } },
        ['__proto__']: { x: 1 }, toBSON: 'a', constructor: 'b',
      });
      const [doc] = c.find({ _id: id });
      const copy = $.mongodb(url, 'test', 'copies');
      copy.deleteMany({});
      copy.insertOne(doc);
      const again = copy.findOne({ _id: doc._id });
      again.more = 1;
      copy.replaceOne({ _id: doc._id }, again);
      const kinds = (one) => [one._id.$oid, one.int, typeof one.long, String(one.long), one.double, one.at instanceof Date, one.none,
        one.decimal.$numberDecimal, one.pattern.$regularExpression.pattern, Object.keys(one).includes('__proto__'),
        one.toBSON, one.constructor, ({}).x === undefined];
      return [kinds(doc), kinds(copy.findOne({ long: 9007199254740993n, bytes: doc.bytes })), copy.findOne().more];`;
    const kinds = [
      ...['65a5f00d65a5f00d65a5f00d', 5, 'bigint', '9007199254740993', 2.5, true, null, '1.10', '^a', true, 'a', 'b'],
      true,
    ];
    expect(await js(source)).toEqual([kinds, kinds, 1]);
  });

  it_('refuse wrong arguments, and say how they are called', async () => {
    for (const call of [
      'insertOne()',
      'insertOne("x")',
      'insertOne({}, {}, {})',
      'insertMany({})',
      'insertMany([])',
      'updateOne({})',
      'deleteMany()',
      'distinct()',
      'distinct(5)',
      'find("x")',
      'aggregate({})',
      'find().limit(-1)',
      'find().limit("a")',
      'find().sort()',
      'createIndex("x")',
    ]) {
      const { status, body } = await scripts.evaluated(`{ ${scripts.collection()} return c.${call}; }`);
      expect([call, status]).toEqual([call, 422]);
      expect(body['message']).toContain(`Usage: ${/(\w+)\([^(]*\)$/.exec(call)?.[1] ?? ''}(`);
    }
    for (const [call, message] of [
      ['find().first(1)', 'no method first'],
      ['insertOne({ a: () => 1 })', 'A function cannot be in a document'],
      ['insertOne({ a: c })', 'The collection test.'],
      ['insertOne({ _bsontype: "ObjectId" })', '_bsontype'],
      ['insertOne({ a: { $oid: "x" } })', '$oid'],
      ['find({}, { session: 1 }).toArray()', 'no option session'],
      ['find({}, { raw: false }).toArray()', 'no option raw'],
    ] as const) {
      const { status, body } = await scripts.evaluated(`{ ${scripts.collection()} return c.${call}; }`);
      expect([call, status]).toEqual([call, 422]);
      expect(JSON.stringify(body)).toContain(message);
    }
  });

  it_('are bounded by rows and bytes', async () => {
    const many = `c.insertMany(Array.from({ length: 10000 }, (_, i) => ({ i })));`;
    expect(await js(`${many} return c.find().toArray().length;`)).toBe(10_000);
    const found = await scripts.evaluated(
      `{ ${scripts.collection()} ${many} c.insertOne({ i: -1 }); return c.find().toArray().length; }`,
    );
    expect([found.status, found.body['message']]).toEqual([422, expect.stringContaining('more than 10000 rows')]);
    const large = `const text = 'x'.repeat(1000000); for (let i = 0; i < 18; i++) c.insertOne({ text });`;
    const long = await scripts.evaluated(
      `{ ${scripts.collection()} ${large} return [...c.find({}, { batchSize: 5 })].length; }`,
    );
    expect([long.status, long.body['message']]).toEqual([422, expect.stringContaining('16777216 characters')]);
  });

  it_('end with their script: no store keeps them', async () => {
    const kept = await scripts.evaluated(`{ ${scripts.collection()} $.applicationStorePut('c', c); return 1; }`);
    expect([kept.status, JSON.stringify(kept.body)]).toEqual([422, expect.stringContaining('ends with the script')]);
    await scripts.evaluated(`{ ${scripts.collection()} globalThis.c = c; globalThis.found = c.find(); return 1; }`);
    for (let i = 0; i < 3; i++) {
      expect(await scripts.answered('{ return [typeof globalThis.c, typeof globalThis.found]; }')).toEqual([
        'undefined',
        'undefined',
      ]);
    }
  });
});

describe('collections in expressions', () => {
  it('have the same methods', async (test) => {
    if (mongo === undefined) test.skip();
    const c = `mongodb('${scripts.url}', 'test', 'expressions')`;
    const map = (json: object): string => `fromJson('${JSON.stringify(json)}')`;
    const ex = (source: string): Promise<unknown> => scripts.answered(source);
    await ex(`${c}.deleteMany(${map({})})`);
    expect(await ex(`${c}.insertOne(bson(${map({ name: 'a', n: 1 })})).acknowledged`)).toBe(true);
    await ex(
      `${c}.insertMany(${map([
        { name: 'b', n: 2 },
        { name: 'c', n: 3 },
      ])})`,
    );
    expect(await ex(`${c}.countDocuments()`)).toBe(3);
    expect(await ex(`${c}.findOne(${map({ name: 'b' })}).n`)).toBe(2);
    expect(await ex(`extract(${c}.find().sort(${map({ n: -1 })}).limit(2).toArray(), 'name')`)).toEqual(['c', 'b']);
    expect(await ex(`${c}.find().skip(1).first().name`)).toBe('b');
    expect(await ex(`${c}.updateOne(${map({ n: 1 })}, ${map({ $set: { n: 5 } })}).modifiedCount`)).toBe(1);
    expect(await ex(`${c}.aggregate(${map([{ $match: { n: 5 } }])}).first().name`)).toBe('a');
    expect(await ex(`${c}.distinct('n')`)).toEqual([2, 3, 5]);
    expect(await ex(`${c}.deleteMany(${map({})}).deletedCount`)).toBe(3);
    const { status } = await scripts.evaluated(`${c}.nothing()`);
    expect(status).toBe(422);
  });
});
