/** What methods and function properties answer, as JSON (docs/interface/scripting.md 4.5). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { TestServer } from '../support/server.js';

/** More than a double has room for. */
const LONG = '9007199254740993';
const DATE = '1970-01-02';

let server: TestServer;
let admin: Client;
let id: string;

/** The text of an answer, without blanks. */
async function answer(path: string, body: object = {}): Promise<string> {
  const { status, text } = await admin.post(path, body);
  expect(status, text).toBe(200);
  return text.replace(/\s+/g, '');
}

async function run(source: string): Promise<string> {
  const name = `run${String(++count)}`;
  await admin.create('SchemaMethod', { name, source });
  return answer(`/${name}`);
}
let count = 0;

beforeAll(async () => {
  server = await TestServer.start({
    settings: { 'json.output.dateformat': 'yyyy-MM-dd', 'application.timezone': 'UTC' },
  });
  ({ admin } = server);
  await admin.create('SchemaNode', {
    name: 'Counter',
    schemaProperties: [
      { name: 'total', propertyType: 'Long' },
      { name: 'day', propertyType: 'Date' },
      { name: 'made', propertyType: 'Function', readFunction: '{ return new Date(86400000); }' },
      { name: 'depths', propertyType: 'Function', readFunction: '{ return { depth: $.depth, day: $.this.day }; }' },
      { name: 'next', propertyType: 'Function', readFunction: "find('Counter', 'name', 'below')" },
    ],
    schemaViews: [{ name: 'public', nonGraphProperties: 'name, made, depths, next' }],
    schemaMethods: [
      { name: 'plain', source: 'this.total' },
      { name: 'inJavaScript', source: '{ return [$.this.total, { a: $.this.total }]; }' },
      { name: 'given', source: '{ return $.methodParameters.x; }' },
      { name: 'isDate', source: '{ return $.this.made instanceof Date; }' },
    ],
  });
  id = await admin.create('Counter', { name: 'above', total: LONG, day: 86_400_000 });
});
afterAll(() => server.stop());

it('Longs keep all their bits', async () => {
  expect(await answer(`/Counter/${id}/plain`)).toContain(`"result":${LONG},`);
  expect(await answer(`/Counter/${id}/inJavaScript`)).toContain(`"result":[${LONG},{"a":${LONG}}],`);
  expect(await run(`{ return $.long('${LONG}'); }`)).toContain(`"result":${LONG},`);
  expect(await run('{ return 2n ** 63n - 1n; }')).toContain('"result":9223372036854775807,');
});

it('dates have the form of the setting, wherever they are', async () => {
  expect(await run('{ return new Date(86400000); }')).toContain(`"result":"${DATE}",`);
  expect(await run('{ const d = new Date(86400000); return [d, { a: d, b: [[d]] }]; }')).toContain(
    `"result":["${DATE}",{"a":"${DATE}","b":[["${DATE}"]]}],`,
  );
  await admin.create('SchemaMethod', { name: 'inner', source: '{ return { d: new Date(86400000) }; }' });
  expect(await run('{ return $.inner(); }')).toContain(`"d":"${DATE}"`);
  expect(await run('toDate(86400000)')).toContain(`"result":"${DATE}",`);
});

it('function properties have it too, and are dates for scripts', async () => {
  const text = (await admin.get(`/Counter/${id}`)).text.replace(/\s+/g, '');
  expect(text).toContain(`"made":"${DATE}"`);
  expect(text).toContain(`"day":"${DATE}"`);
  expect(await answer(`/Counter/${id}/isDate`)).toContain('"result":true,');
});

it('depth is how deep the object is in the answer', async () => {
  await admin.create('Counter', { name: 'below' });
  const { body } = await admin.get(`/Counter/${id}`);
  expect(body.result).toMatchObject({ depths: { depth: 0 }, next: [{ depths: { depth: 1 } }] });
  expect(await run('{ return $.depth; }')).toContain('"result":-1,');
});

it.each(['$.mqttPublish', '$.mqtt_subscribe'])('%s says that it is missing', async (name) => {
  const source = `{ return ${name}('a', 'b'); }`;
  await admin.create('SchemaMethod', { name: `missing${String(++count)}`, source });
  const { status, body } = await admin.post(`/missing${String(count)}`, {});
  expect(status).toBe(501);
  expect(body).toMatchObject({ code: 501, message: expect.stringContaining('is not part of this version') });
});

it('expressions that call a missing function say so as well', async () => {
  await admin.create('SchemaMethod', { name: 'publishes', source: "mqtt_publish('a', 'b')" });
  expect((await admin.post('/publishes', {})).status).toBe(501);
});

it('set() of a map is seen by the script that holds it', async () => {
  expect(
    await run(
      "{ const g = $.toGraphObject({ a: 1 }); $.set(g, 'a', 7); $.set(g, { b: 8 }); return [g.a, $.get(g, 'b'), g]; }",
    ),
  ).toContain('"result":[7,8,{"a":7,"b":8}],');
  expect(await run("{ const g = { a: 1 }; $.setPrivileged(g, 'a', 7, 'b', null); return g; }")).toContain(
    '{"a":7,"b":null}',
  );
});
