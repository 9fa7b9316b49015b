/** Function properties with `indexed`: searched and sorted by the values that they had at the end of the last change (docs/interface/schema.md 6). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;

async function names(query: string): Promise<unknown> {
  const { status, body, text } = await admin.get(`/Person${query}`);
  expect(status, text).toBe(200);
  return (body.result as { name: string }[]).map(({ name }) => name);
}

let count = 0;
async function run(source: string): Promise<unknown> {
  const name = `run${String(++count)}`;
  await admin.create('SchemaMethod', { name, source });
  const { status, body, text } = await admin.post(`/${name}`, {});
  expect(status, text).toBe(200);
  return body.result;
}

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  await admin.create('SchemaNode', {
    name: 'Person',
    schemaProperties: [
      { name: 'first', propertyType: 'String' },
      { name: 'last', propertyType: 'String' },
      { name: 'points', propertyType: 'Integer' },
      { name: 'saves', propertyType: 'Integer' },
      { name: 'full', propertyType: 'Function', indexed: true, readFunction: "concat(this.first, ' ', this.last)" },
      {
        name: 'double',
        propertyType: 'Function',
        indexed: true,
        typeHint: 'Int',
        readFunction: '{ return $.this.points * 2; }',
      },
      {
        name: 'since',
        propertyType: 'Function',
        indexed: true,
        typeHint: 'Date',
        readFunction: '{ return new Date(86400000 * $.this.points); }',
      },
      {
        name: 'fails',
        propertyType: 'Function',
        indexed: true,
        readFunction: "{ $.error('fails', 'always'); throw new Error('always'); }",
      },
      { name: 'plain', propertyType: 'Function', readFunction: 'this.first' },
    ],
    schemaViews: [{ name: 'public', nonGraphProperties: 'name, full, double, since, fails' }],
    schemaMethods: [{ name: 'onSave', source: '{ $.this.saves = ($.this.saves ?? 0) + 1; }' }],
  });
  for (const [name, first, last, points] of [
    ['a', 'Ada', 'Zuse', 3],
    ['b', 'Bob', 'Young', 20],
    ['c', 'Cy', 'Xu', 100],
  ] as const) {
    await admin.create('Person', { name, first, last, points });
  }
});
afterAll(() => server.stop());

describe('are searched', () => {
  it.each([
    ['by value', '?full=Ada%20Zuse', ['a']],
    ['by a part, inexactly', '?full=young&_inexact=1', ['b']],
    ['by one of some', '?double=6;200&_sort=name', ['a', 'c']],
    ['by a range of numbers', '?double=[7%20TO%20]&_sort=name', ['b', 'c']],
    ['by a range of dates', '?since=[1970-01-15T00:00:00%2B0000%20TO%201970-02-15T00:00:00%2B0000]', ['b']],
    ['by having none', '?fails=&_sort=name', ['a', 'b', 'c']],
    ['by nothing else', '?full=Ada', []],
  ])('over REST %s', async (_, query, found) => {
    expect(await names(query)).toEqual(found);
  });

  it.each([
    ["$.find('Person', 'full', 'Bob Young')", ['b']],
    ["$.find('Person', { double: 40 })", ['b']],
    ["$.find('Person', 'double', $.predicate.gt(6), $.predicate.sort('double', true))", ['c', 'b']],
    ["$.find('Person', $.predicate.startsWith('full', 'C'))", ['c']],
    ["$.search('Person', 'full', 'ZU')", ['a']],
    ["$.find('Person', 'since', new Date(86400000 * 3))", ['a']],
  ])('by %s', async (search, found) => {
    expect(await run(`{ return ${search}.map((one) => one.name); }`)).toEqual(found);
  });

  it('as they are after each change, also by scripts, and in the transaction that has changed nothing yet', async () => {
    const id = await admin.create('Person', { name: 'd', first: 'Di', last: 'West', points: 7 });
    await admin.put(`/Person/${id}`, { first: 'Eve' });
    expect(await names('?full=Di%20West')).toEqual([]);
    expect(await names('?full=Eve%20West')).toEqual(['d']);
    await run("{ $.find('Person', 'name', 'd')[0].points = 8; }");
    expect(await names('?double=16')).toEqual(['d']);
    // To store them is no change of the object.
    expect((await admin.get(`/Person/${id}/all`)).body.result).toMatchObject({ saves: 2, full: 'Eve West' });
    await admin.delete(`/Person/${id}`);
    expect(await names('?full=Eve%20West')).toEqual([]);
  });
});

describe('are sorted', () => {
  it.each([
    ['?_sort=full&_order=desc', ['c', 'b', 'a']],
    // By number: as text 200 would come before 6.
    ['?_sort=double', ['a', 'b', 'c']],
    ['?_sort=since&_order=desc&_pageSize=1', ['c']],
  ])('over REST: %s', async (query, found) => {
    expect(await names(query)).toEqual(found);
  });

  it('by scripts', async () => {
    expect(await run("join(extract(find('Person', sort('double', true)), 'name'), ',')")).toBe('c,b,a');
  });
});

it('without indexed they are refused as before', async () => {
  expect((await admin.get('/Person?plain=Ada')).status).toBe(422);
});

it('a value that cannot be worked out keeps nobody from writing', async () => {
  expect((await admin.get('/Person?name=a')).body.result).toMatchObject([{ fails: null }]);
});

it('those who may not read an object do not find it', async () => {
  await admin.create('User', { name: 'jane', password: 'secret-of-jane' });
  await allow(admin, 'Person', 'user', ['GET']);
  const jane = server.as('jane', 'secret-of-jane');
  expect((await jane.get('/Person?full=Ada%20Zuse')).body.result).toEqual([]);
});
