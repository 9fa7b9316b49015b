/** What the contract itself says of scripts: functions it names, schema methods, breaking changes to 4.x and to 6.x. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { TargetServer } from './target-server.js';

const WRAP = 'application.scripting.js.wrapinmainfunction';
let server: TestServer;
let admin: Client;
let target: TargetServer;
let item: string;

/** What a user-defined function answers, or its error. `more`: properties of the function. */
async function answerOf(source: string, body: unknown = {}, more: object = {}): Promise<Answer> {
  const name = `asked${String(++count)}`;
  await admin.create('SchemaMethod', { name, source, ...more });
  return admin.post(`/${name}`, body);
}
let count = 0;

async function value(source: string, body?: unknown): Promise<unknown> {
  const answer = await answerOf(source, body);
  expect(answer.status, `${source}: ${answer.text}`).toBe(200);
  return answer.body.result;
}

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  target = await TargetServer.start();
  await admin.create('User', { name: 'joe', password: 'secret-of-joe' });
  await admin.defineType('Item', [
    { name: 'title', propertyType: 'String' },
    { name: 'size', propertyType: 'Integer' },
    { name: 'day', propertyType: 'Date' },
    { name: 'latitude', propertyType: 'Double' },
    { name: 'longitude', propertyType: 'Double' },
  ]);
  const items = [
    { title: 'one', size: 1, day: '2024-01-01T00:00:00+0000', latitude: 50, longitude: 8 },
    { title: 'two', size: 2, day: '2024-01-02T00:00:00+0000', latitude: 52, longitude: 13 },
    { title: 'three', size: 3 },
    { size: 4 },
  ];
  for (const one of items) item = await admin.create('Item', one);
});
afterAll(async () => {
  await server.stop();
  await target.stop();
});

describe('functions named by the contract', () => {
  it('create, getOrCreate, find: in both languages', async () => {
    expect(await value("create('Item', 'title', 'made').title")).toBe('made');
    expect(await value("{ return $.create('Item', { title: 'made' }).title; }")).toBe('made');
    const id = await value("getOrCreate('Item', 'title', 'once').id");
    expect(await value("{ return $.getOrCreate('Item', { title: 'once' }).id; }")).toBe(id);
    expect(await value("size(find('Item', 'title', 'made'))")).toBe(2);
    expect(await value("{ return $.find('Item', { title: 'made' }).length; }")).toBe(2);
  });

  it('isInGroup and addToGroup', async () => {
    await admin.create('Group', { name: 'editors' });
    const group = "first(find('Group', 'name', 'editors'))";
    expect(await value(`isInGroup(${group}, me)`)).toBe(false);
    expect(await value(`(addToGroup(${group}, me), isInGroup(${group}, me))`)).toBe('true');
    expect(await value("{ return $.isInGroup($.find('Group', 'name', 'editors')[0], $.me); }")).toBe(true);
  });

  it('getContent and setContent', async () => {
    await admin.create('File', { name: 'notes.txt' });
    const file = "first(find('File', 'name', 'notes.txt'))";
    expect(await value(`(setContent(${file}, 'first'), getContent(${file}, 'UTF-8'))`)).toBe('first');
    const source = `{ const f = $.find('File', 'name', 'notes.txt')[0]; $.setContent(f, 'second'); return $.getContent(f, 'UTF-8'); }`;
    expect(await value(source)).toBe('second');
  });

  it('maintenance: pairs in an expression, a map in JavaScript, for administrators only', async () => {
    const source = join(server.folder, 'import-me');
    await mkdir(source);
    await writeFile(join(source, 'one.txt'), 'one');
    await server.reload({ 'application.filesystem.import.roots': server.folder });
    const pairs = "maintenance('directFileImport', 'source', retrieve('source'), 'mode', 'COPY')";
    const map = "{ return $.maintenance('directFileImport', { source: $.retrieve('source'), mode: 'COPY' }); }";
    for (const call of [pairs, map]) expect(await value(call, { source })).toMatchObject({ status: 'FINISHED' });
    await admin.create('SchemaMethod', { name: 'import', source: map });
    await allow(admin, 'import', 'user', ['POST']);
    expect((await server.as('joe', 'secret-of-joe').post('/import', { source })).status).toBe(200);
    expect(await server.untilLogged(/maintenance\('directFileImport'\) failed: only administrators/)).toHaveLength(1);
  });

  it('GET, POST, PUT, PATCH, DELETE and FETCH: the answer is in body', async () => {
    const source = `{
      const url = $.retrieve('url');
      const all = [$.GET(url), $.POST(url, 'x'), $.PUT(url, 'x', 'text/plain'), $.PATCH(url, 'x', 'text/plain'),
        $.DELETE(url, 'text/plain'), $.FETCH(url, { method: 'POST', body: 'x' }), $.POSTMultiPart(url, { part: 'x' })];
      return all.map((one) => one.status + ' ' + JSON.parse(one.body).method);
    }`;
    expect(await value(source, { url: target.url('/echo') })).toEqual([
      '201 GET',
      '201 POST',
      '201 PUT',
      '201 PATCH',
      '201 DELETE',
      '201 POST',
      '201 POST',
    ]);
    expect(await value("GET(retrieve('url')).body", { url: target.url() })).toBe('hällo');
  });

  it('a File as body is streamed as it is, refused with credentials that are not preemptive; all else is text', async () => {
    await value("setContent(first(find('File', 'name', 'notes.txt')), 'as it is')");
    const post = (body: string, options = ''): string =>
      `{ const f = $.find('File', 'name', 'notes.txt')[0]; return JSON.parse($.POST($.retrieve('url'), ${body}${options}).body).body; }`;
    const url = { url: target.url('/echo') };
    expect(await value(post('f'), url)).toBe('as it is');
    expect(await value(post('{ a: 1 }'), url)).toBe('{a=1}');
    expect(await value(post('7'), url)).toBe('7');
    const credentials = ", 'text/plain', 'UTF-8', 'ann', 'secret'";
    const sent = target.seen.length;
    const refused = await answerOf(post('f', credentials), url);
    expect(refused.status).toBe(422);
    expect(refused.body.message).toMatch(/preemptive/);
    expect(target.seen).toHaveLength(sent);
    expect(await value(post('f', `${credentials}, { preemptive: true }`), url)).toBe('as it is');
    expect(target.last.headers.authorization).toMatch(/^Basic /);
  });
});

describe('schema methods', () => {
  it('are called at the path of an object, with a signature of their own', async () => {
    const [type] = (await admin.get('/SchemaNode?name=Item')).body.result;
    await admin.create('SchemaMethod', { name: 'describe', schemaNode: type.id, source: "concat('item ', this.size)" });
    expect((await admin.post(`/Item/${item}/describe`, {})).body.result).toBe('item 4');
    const joe = server.as('joe', 'secret-of-joe');
    await admin.put(`/Item/${item}`, { visibleToAuthenticatedUsers: true });
    expect((await joe.post(`/Item/${item}/describe`, {})).status).toBe(401);
    await allow(admin, 'Item/_id/describe', 'user', ['POST']);
    expect((await joe.post(`/Item/${item}/describe`, {})).body.result).toBe('item 4');
  });
});

describe('since 6.0', () => {
  it('global methods are $.<name>() and /<name>; the old path leads there too', async () => {
    await admin.create('SchemaMethod', { name: 'total', source: "{ return 40 + $.retrieve('more'); }" });
    expect((await admin.post('/total', { more: 2 })).body.result).toBe(42);
    expect(await value('{ return $.total({ more: 3 }); }')).toBe(43);
    expect((await admin.post('/maintenance/globalSchemaMethods/total', { more: 4 })).body.result).toBe(44);
    expect((await answerOf('{ return $.globalSchemaMethods.total({ more: 1 }); }')).status).toBe(422);
  });

  it('the query parameter is _inexact', async () => {
    expect((await admin.get('/Item?title=thre&_inexact=true')).body.result_count).toBe(1);
    expect((await admin.get('/Item?title=thre&_inexact=false')).body.result_count).toBe(0);
  });

  it('types inherit by inheritedTraits, a list', async () => {
    await admin.create('SchemaNode', { name: 'Special', inheritedTraits: ['Item'] });
    await admin.create('Special', { title: 'special' });
    expect(await value("{ return $.find('Item', 'title', 'special')[0].type; }")).toBe('Special');
  });

  it('results are answered directly, or by return when the setting says so', async () => {
    const direct = { wrapJsInMain: false };
    expect((await answerOf('{ const x = 20; x + 1; }', {}, direct)).body.result).toBe(21);
    expect((await answerOf('{ return 21; }', {}, direct)).status).toBe(422);
    const page = (): Promise<unknown> =>
      value("replace(retrieve('text'), me)", { text: '${{ const x = 20; x + 1; }}' });
    const returned = { text: '${{ return 22; }}' };
    expect(await page()).toBe('21');
    await server.reload({ [WRAP]: true });
    try {
      expect(await value("replace(retrieve('text'), me)", returned)).toBe('22');
      expect(await page()).toBe('');
    } finally {
      await server.reload({ [WRAP]: false });
    }
    expect((await answerOf("replace(retrieve('text'), me)", returned)).status).toBe(422);
  });

  it('undeclared variables throw a ReferenceError; declared ones do not', async () => {
    expect(await value('{ try { undeclared = 1; return "assigned"; } catch (e) { return e.name; } }')).toBe(
      'ReferenceError',
    );
    expect((await answerOf('{ other = 1; return other; }')).status).toBe(422);
    expect(await server.untilLogged(/ReferenceError: other is not defined/)).not.toEqual([]);
    expect(await value('{ let other = 1; return other; }')).toBe(1);
  });
});

describe('since 4.x', () => {
  const titles = async (conditions: string): Promise<unknown> =>
    value(`{ return $.find('Item', ${conditions}, $.predicate.sort('size')).map((one) => one.size); }`);

  it.each([
    ["$.predicate.equals('title', 'two')", [2]],
    ["$.predicate.contains('title', 'WO')", [2]],
    ["$.predicate.and($.predicate.equals('title', 'two'), $.predicate.equals('size', 2))", [2]],
    ["$.predicate.or($.predicate.equals('size', 1), $.predicate.equals('size', 3))", [1, 3]],
    ["{ size: $.predicate.range(1, 3) }, $.predicate.not($.predicate.equals('size', 2))", [1, 3]],
    ["$.predicate.empty('title'), { size: 4 }", [4]],
    ['{ size: $.predicate.range(2, 4, false, true) }', [3, 4]],
    ['$.predicate.within_distance(50.1, 8.1, 50)', [1]],
    ['$.predicate.withinDistance(50.1, 8.1, 50)', [1]],
    ['{ size: $.predicate.gte(1) }, $.predicate.page(2, 2)', [3, 4]],
  ])('predicates have a prefix in find: %s', async (conditions, expected) => {
    expect(await titles(conditions)).toEqual(expected);
  });

  it('sort is a predicate in find, in both directions', async () => {
    const source =
      "{ return $.find('Item', { size: $.predicate.range(1, 4) }, $.predicate.sort('size', true))[0].size; }";
    expect(await value(source)).toBe(4);
  });

  it('outside of find and in expressions these names are as they were', async () => {
    expect(
      await value(
        "{ return [$.and(true, false), $.or(true, false), $.not(false), $.empty(''), $.contains('abc', 'b')]; }",
      ),
    ).toEqual([false, true, true, true, true]);
    expect(
      await value("extract(find('Item', or(equals('size', 1), equals('size', 3)), sort('size')), 'size')"),
    ).toEqual([1, 3]);
  });

  it('a permission counts for those who may read it', async () => {
    await admin.create('SchemaMethod', { name: 'guarded', source: "'x'" });
    const permission = await admin.create('ResourceAccess', { signature: 'guarded', flags: 4 });
    const joe = server.as('joe', 'secret-of-joe');
    expect((await joe.post('/guarded', {})).status).toBe(401);
    await admin.put(`/ResourceAccess/${permission}`, { visibleToAuthenticatedUsers: true });
    expect((await joe.post('/guarded', {})).status).toBe(200);
  });

  it('dates are compared by getTime()', async () => {
    const two = "$.find('Item', 'title', 'one')[0].day, $.find('Item', 'title', 'two')[0].day";
    expect(
      await value(`{ const [a, b] = [${two}]; return [a.getTime() < b.getTime(), a.getTime() === b.getTime()]; }`),
    ).toEqual([true, false]);
  });

  it('calling a function that an object does not have is an error', async () => {
    expect((await answerOf("{ return $.find('Item')[0].missing(); }")).status).toBe(422);
  });

  it('parameters have an underscore, unless the setting restores the old names', async () => {
    expect((await admin.get('/Item?_sort=size&_pageSize=1')).body.result).toHaveLength(1);
    await server.reload({ 'application.legacy.requestparameters.enabled': true });
    try {
      expect((await admin.get('/Item?sort=size&pageSize=1')).body.result).toHaveLength(1);
    } finally {
      await server.reload({ 'application.legacy.requestparameters.enabled': false });
    }
  });
});
