/** Methods of types and user-defined functions over REST (docs/interface/scripting.md 6.2, docs/interface/rest.md 6 and 1.2). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;
let id: string;

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  await admin.create('SchemaNode', {
    name: 'Task',
    schemaProperties: [{ name: 'title', propertyType: 'String' }],
    schemaViews: [{ name: 'public', nonGraphProperties: 'title' }],
    schemaMethods: [
      { name: 'greet', source: "concat('Hello ', this.title, retrieve('mark'))" },
      { name: 'self', source: 'this' },
      { name: 'nothing', source: 'null' },
      { name: 'list', source: "find('Task', sort('title'))", isStatic: true },
      { name: 'secret', source: "'x'", isPrivate: true },
      { name: 'viaSecret', source: 'this.secret' },
      {
        name: 'sum',
        source: "add(retrieve('a'), retrieve('b'))",
        httpVerb: 'GET',
        parameters: [
          { name: 'a', parameterType: 'Integer', index: 0 },
          { name: 'b', parameterType: 'Double', index: 1 },
        ],
      },
      {
        name: 'only',
        source: "concat(retrieve('given'), '/', retrieve('other'), '/', empty(retrieve('map')))",
        parameters: [
          { name: 'given', parameterType: 'String', index: 0 },
          { name: 'map', parameterType: 'Map', index: 1 },
          { name: 'day', parameterType: 'Date', index: 2 },
        ],
      },
      { name: 'raw', source: 'this.title', returnRawResult: true },
      { name: 'rename', source: "(set(this, 'title', retrieve('title')), this.title)" },
      { name: 'change', source: "set(this, 'title', retrieve('title'))", httpVerb: 'PATCH' },
      { name: 'fail', source: "(set(this, 'title', 'lost'), error('title', 'is_bad', 'why'))" },
      { name: 'stop', source: "(set(this, 'title', 'lost'), assert(false, 409, 'not now'))" },
      { name: 'nested', source: "merge(this, me, 'x')" },
    ],
  });
  await admin.create('SchemaNode', {
    name: 'SubTask',
    inheritedTraits: ['Task'],
    schemaMethods: [
      { name: 'greet', source: "concat('Sub ', Task.greet(methodParameters))" },
      { name: 'below', source: "'only below'" },
    ],
  });
  await admin.create('SchemaMethod', { name: 'hello', source: "concat('hi ', me.name, ' ', retrieve('x'))" });
  await admin.create('SchemaMethod', { name: 'hidden', source: "'x'", isPrivate: true });
  await admin.create('SchemaMethod', { name: 'loop', source: 'call("loop")' });
});
afterAll(() => server.stop());

const call = async (path: string, body: unknown = {}): Promise<unknown> => {
  const answer = await admin.post(path, body);
  expect(answer.status, answer.text).toBe(200);
  return (answer.body as { result: unknown }).result;
};

describe('calling', () => {
  it('an object: its method sees it as this, and the body as parameters', async () => {
    id = await admin.create('Task', { title: 'one' });
    expect(await call(`/Task/${id}/greet`, { mark: '!' })).toBe('Hello one!');
  });

  it('a type: its static method; an instance method is not there', async () => {
    const list = (await call('/Task/list')) as { id: string }[];
    expect(list.map((one) => one.id)).toContain(id);
    expect((await admin.post('/Task/greet', {})).status).toBe(404);
  });

  it('the runtime type of the object decides, also through the base type, and reaches what it replaces', async () => {
    const sub = await admin.create('SubTask', { title: 'two' });
    expect(await call(`/Task/${sub}/greet`, { mark: '?' })).toBe('Sub Hello two?');
    expect(await call(`/Task/${sub}/below`)).toBe('only below');
    expect((await admin.post(`/Task/${id}/below`, {})).status).toBe(404);
  });

  it('a user-defined function, by the old path too', async () => {
    expect(await call('/hello', { x: 'y' })).toBe('hi admin y');
    expect(await call('/maintenance/globalSchemaMethods/hello', { x: 'z' })).toBe('hi admin z');
  });

  it('me: a method of the user', async () => {
    await admin.create('SchemaMethod', { name: 'who', staticSchemaNodeName: 'User', source: 'this.name' });
    expect(await call('/me/who')).toBe('admin');
  });

  it('private ones: not by URL, but by scripts', async () => {
    expect((await admin.post(`/Task/${id}/secret`, {})).status).toBe(404);
    expect((await admin.post('/hidden', {})).status).toBe(404);
    expect(await call(`/Task/${id}/viaSecret`)).toBe('x');
  });

  it('by another verb than its own: 405 with Allow', async () => {
    const answer = await admin.get(`/Task/${id}/greet`);
    expect(answer.status).toBe(405);
    expect(answer.headers['allow']).toContain('POST');
    expect((await admin.send('OPTIONS', `/Task/${id}/greet`)).headers['allow']).toBe('OPTIONS,POST');
  });

  it('an object that is not there: 404', async () => {
    expect((await admin.post(`/Task/${'0'.repeat(32)}/greet`, {})).status).toBe(404);
  });
});

describe('parameters', () => {
  it('of GET stand in the path, by position', async () => {
    expect((await admin.get(`/Task/${id}/sum/1/2.5`)).body).toMatchObject({ result: 3.5, result_count: 1 });
  });

  it('more in the path than declared: 400; none declared: 422', async () => {
    expect((await admin.get(`/Task/${id}/sum/1/2/3`)).status).toBe(400);
  });

  it('of the wrong type: 422 that names parameter and method', async () => {
    const answer = await admin.get(`/Task/${id}/sum/1/two`);
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({
      errors: [{ token: 'must_be_numerical', method: 'sum', parameter: 'b', value: 'two' }],
    });
    const date = await admin.post(`/Task/${id}/only`, { day: 'tomorrow' });
    expect(date.body).toMatchObject({
      errors: [{ token: 'invalid_date_format', parameter: 'day', value: 'tomorrow' }],
    });
  });

  it('not declared: dropped when any is declared; a missing map is empty', async () => {
    expect(await call(`/Task/${id}/only`, { given: 'a', other: 'b' })).toBe('a//true');
  });

  it('an array of a POST is a call for each element, equal results once; PATCH takes the first', async () => {
    const answer = await admin.post('/hello', [{ x: '1' }, { x: '2' }, { x: '1' }]);
    expect(answer.body).toMatchObject({ result: ['hi admin 1', 'hi admin 2'], result_count: 2 });
    await admin.patch(`/Task/${id}/change`, [{ title: 'first' }, { title: 'second' }]);
    expect((await admin.get(`/Task/${id}`)).body.result.title).toBe('first');
  });
});

describe('results', () => {
  it('objects in the view of the URL, a value as it is, nothing as an empty list that counts as one', async () => {
    expect(Object.keys((await call(`/Task/${id}/self`)) as object)).toEqual(['id', 'type', 'name', 'title']);
    expect(await call(`/Task/${id}/self/ui`)).toHaveProperty('createdDate');
    expect((await admin.post(`/Task/${id}/nothing`, {})).body).toMatchObject({ result: [], result_count: 1 });
  });

  it('raw: the value alone', async () => {
    expect((await admin.post(`/Task/${id}/raw`, {})).body).toBe('first');
  });

  it('objects inside of lists, and what was written in the same call', async () => {
    expect(await call(`/Task/${id}/nested`)).toMatchObject([{ id, title: 'first' }, { name: 'admin' }, 'x']);
    expect(await call(`/Task/${id}/rename`, { title: 'new' })).toBe('new');
  });
});

describe('errors', () => {
  it('error(): 422 with its tokens, and nothing is written', async () => {
    const answer = await admin.post(`/Task/${id}/fail`, {});
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({
      code: 422,
      message: 'Server-side scripting error',
      errors: [{ token: 'is_bad', type: 'Task', property: 'title', detail: 'why' }],
    });
    expect((await admin.get(`/Task/${id}`)).body.result.title).toBe('new');
  });

  it('assert(): its status and message, and nothing is written', async () => {
    const answer = await admin.post(`/Task/${id}/stop`, {});
    expect(answer).toMatchObject({ status: 409, body: { code: 409, message: 'not now' } });
    expect((await admin.get(`/Task/${id}`)).body.result.title).toBe('new');
  });

  it('functions that call themselves for ever: 422', async () => {
    expect((await admin.post('/loop', {})).status).toBe(422);
  });

  it('a source that cannot be read answers nothing and is logged with its place', async () => {
    const broken = await admin.create('SchemaMethod', { name: 'broken', source: "concat('a'," });
    expect(await call('/broken')).toEqual([]);
    expect(await server.untilLogged(/broken:1:/)).not.toEqual([]);
    await admin.delete(`/SchemaMethod/${broken}`);
    expect((await admin.post('/broken', {})).status).toBe(404);
  });
});

describe('rights', () => {
  it('a method needs the permission of its own signature, and its object to be readable', async () => {
    await admin.create('User', { name: 'jane', password: 'secret-of-jane' });
    const jane = server.as('jane', 'secret-of-jane');
    expect((await jane.post(`/Task/${id}/self`, {})).status).toBe(401);
    await allow(admin, 'Task/_id/self', 'user', ['POST']);
    await allow(admin, 'Task/_id/rename', 'user', ['POST']);
    expect((await jane.post(`/Task/${id}/self`, {})).status).toBe(404);
    await admin.put(`/Task/${id}`, { visibleToAuthenticatedUsers: true });
    expect((await jane.post(`/Task/${id}/self`, {})).status).toBe(200);
  });

  it('scripts write with the rights of the user', async () => {
    const jane = server.as('jane', 'secret-of-jane');
    expect((await jane.post(`/Task/${id}/rename`, { title: 'mine' })).status).toBe(403);
    expect((await admin.get(`/Task/${id}`)).body.result.title).toBe('new');
  });
});
