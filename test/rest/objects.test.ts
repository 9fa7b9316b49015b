import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';

/** docs/interface/lists.md 2, docs/interface/rest.md 3, 4: one object, many objects, their verbs and answers. */
describe('objects', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
    await server.admin.defineType('Task', [
      { name: 'title', propertyType: 'String', notNull: true, indexed: true },
      { name: 'rank', propertyType: 'Integer' },
      { name: 'done', propertyType: 'Boolean' },
      { name: 'code', propertyType: 'String', unique: true },
    ]);
  });
  afterAll(() => server.stop());

  it('POST creates: 201, Location ends with the uuid, result holds it', async () => {
    const answer = await server.admin.post('/Task', { title: 'first', rank: 1 });
    expect(answer.status).toBe(201);
    const [id] = answer.body.result;
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(answer.headers['location']).toBe(`${server.url}/svc/rest/Task/${id}`);
    expect(answer.body.result_count).toBe(1);
    expect(answer.body).not.toHaveProperty('query_time');
  });

  it('GET one answers with the object in the public view and the envelope in order', async () => {
    const id = await server.admin.create('Task', { title: 'read me', rank: 7 });
    const answer = await server.admin.get(`/Task/${id}`);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json;charset=utf-8');
    expect(answer.body.result).toEqual({
      id,
      type: 'Task',
      name: null,
      title: 'read me',
      rank: 7,
      done: false,
      code: null,
    });
    expect(Object.keys(answer.body)).toEqual([
      'result',
      'query_time',
      'result_count',
      'page_count',
      'result_count_time',
      'serialization_time',
    ]);
    expect(answer.body.query_time).toMatch(/^\d+\.\d{9}$/);
    expect(answer.text.startsWith('{\n\t"result": {\n\t\t"id": ')).toBe(true);
    expect(answer.text.endsWith('}\n')).toBe(true);
  });

  it('an object is found by its uuid alone and through a base type', async () => {
    const id = await server.admin.create('Task', { title: 'anywhere' });
    expect((await server.admin.get(`/${id}`)).body.result.id).toBe(id);
    expect((await server.admin.get(`/NodeInterface/${id}`)).body.result.id).toBe(id);
    expect((await server.admin.get(`/User/${id}`)).status).toBe(404);
  });

  it('an array is created whole, in order, without Location', async () => {
    const answer = await server.admin.post('/Task', [{ title: 'a' }, { title: 'b' }]);
    expect(answer.status).toBe(201);
    expect(answer.headers['location']).toBeUndefined();
    expect(answer.body.result).toHaveLength(2);
    const second = await server.admin.get(`/Task/${answer.body.result[1]}`);
    expect(second.body.result.title).toBe('b');
  });

  it('an array with one bad element creates nothing', async () => {
    const before = (await server.admin.get('/Task?_pageSize=1')).body.result_count;
    const answer = await server.admin.post('/Task', [{ title: 'good' }, { rank: 3 }, { title: 'bad', rank: 'x' }]);
    expect(answer.status).toBe(422);
    expect((await server.admin.get('/Task?_pageSize=1')).body.result_count).toBe(before);
  });

  it('an empty array creates nothing: 200 and no body', async () => {
    const answer = await server.admin.post('/Task', []);
    expect([answer.status, answer.text]).toEqual([200, '']);
  });

  it('a missing required property is named', async () => {
    const answer = await server.admin.post('/Task', { rank: 1 });
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({
      code: 422,
      message: 'Unable to commit transaction, validation failed',
      errors: [{ type: 'Task', property: 'title', token: 'must_not_be_empty' }],
    });
  });

  it('a value of the wrong type is named', async () => {
    const answer = await server.admin.post('/Task', { title: 'x', rank: 'many' });
    expect(answer.status).toBe(422);
    expect(answer.body.message).toBe("Cannot parse input for property 'rank'");
    expect(answer.body.errors[0]).toMatchObject({
      type: 'Task',
      property: 'rank',
      token: 'must_be_numerical',
      value: 'many',
    });
  });

  it('a taken unique value names the older object', async () => {
    const id = await server.admin.create('Task', { title: 'one', code: 'unique-1' });
    const answer = await server.admin.post('/Task', { title: 'two', code: 'unique-1' });
    expect(answer.status).toBe(422);
    expect(answer.body.errors[0]).toMatchObject({
      type: 'Task',
      property: 'code',
      token: 'already_taken',
      value: 'unique-1',
      existingNodeUuid: id,
    });
  });

  it('of many creations of one unique value at once exactly one succeeds', async () => {
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => server.admin.post('/Task', { title: 'race', code: 'unique-race' })),
    );
    expect(answers.map((a) => a.status).sort()).toEqual([201, ...Array.from({ length: 15 }, () => 422)]);
  });

  it('the id may be given; a bad form and a used one are refused', async () => {
    const id = 'ABCDEFabcdef00112233445566778899';
    expect((await server.admin.post('/Task', { id, title: 'own id' })).body.result).toEqual([id]);
    const again = await server.admin.post('/Task', { id, title: 'again' });
    expect([again.status, again.body.errors[0].token, again.body.errors[0].property]).toEqual([
      422,
      'already_taken',
      'id',
    ]);
    const bad = await server.admin.post('/Task', { id: 'xyz', title: 'bad' });
    expect([bad.status, bad.body.errors[0].token]).toEqual([422, 'must_match']);
  });

  it('PUT writes the keys of the body only; PATCH does the same', async () => {
    const id = await server.admin.create('Task', { title: 'old', rank: 5 });
    const put = await server.admin.put(`/Task/${id}`, { title: 'new' });
    expect([put.status, put.body.result]).toEqual([200, []]);
    await server.admin.patch(`/Task/${id}`, { rank: null });
    expect((await server.admin.get(`/Task/${id}`)).body.result).toMatchObject({ title: 'new', rank: null });
  });

  it('system properties cannot be changed, sending them back as read is fine', async () => {
    const id = await server.admin.create('Task', { title: 'system' });
    const whole = (await server.admin.get(`/Task/${id}/ui`)).body.result;
    expect((await server.admin.put(`/Task/${id}`, whole)).status).toBe(200);
    const changed = await server.admin.put(`/Task/${id}`, { createdDate: '2001-01-01T00:00:00+0000' });
    expect([changed.status, changed.body.errors[0].token]).toEqual([422, 'is_system_property']);
  });

  it('PATCH on the collection updates and creates, all or nothing', async () => {
    const id = await server.admin.create('Task', { title: 'bulk' });
    const answer = await server.admin.patch('/Task', [{ id, title: 'bulk changed' }, { title: 'bulk new' }]);
    expect([answer.status, answer.body.result]).toEqual([200, []]);
    expect((await server.admin.get(`/Task/${id}`)).body.result.title).toBe('bulk changed');
    expect((await server.admin.get('/Task?title=bulk%20new')).body.result_count).toBe(1);
    const failed = await server.admin.patch('/Task', [
      { id, title: 'lost' },
      { id: '0'.repeat(31) + '1', title: 'x' },
    ]);
    expect(failed.status).toBe(404);
    expect((await server.admin.get(`/Task/${id}`)).body.result.title).toBe('bulk changed');
  });

  it('DELETE removes one object; a second time it is 404', async () => {
    const id = await server.admin.create('Task', { title: 'gone' });
    const answer = await server.admin.delete(`/Task/${id}`);
    expect([answer.status, answer.body.result, answer.body.result_count]).toEqual([200, [], 1]);
    expect((await server.admin.get(`/Task/${id}`)).status).toBe(404);
    expect((await server.admin.delete(`/Task/${id}`)).status).toBe(404);
  });

  it('DELETE with a filter removes what the GET would return', async () => {
    await server.admin.post(
      '/Task',
      Array.from({ length: 1100 }, (_, i) => ({ title: 'sweep', rank: i })),
    );
    const keep = await server.admin.create('Task', { title: 'keep' });
    expect((await server.admin.delete('/Task?title=sweep')).status).toBe(200);
    expect((await server.admin.get('/Task?title=sweep')).body.result_count).toBe(0);
    expect((await server.admin.get(`/Task/${keep}`)).status).toBe(200);
  });

  it('DELETE with an unknown search key deletes nothing and says so', async () => {
    const answer = await server.admin.delete('/Task?nonsense=1');
    expect([answer.status, answer.body.message]).toEqual([400, 'Unknown search key nonsense']);
  });

  it('PUT on a collection is 405 with Allow', async () => {
    const answer = await server.admin.put('/Task', {});
    expect([answer.status, answer.body.message]).toEqual([405, 'PUT not allowed on ‛Task‛ collection resource']);
    expect(String(answer.headers['allow']).split(',').sort()).toEqual(['DELETE', 'GET', 'OPTIONS', 'PATCH', 'POST']);
  });

  it.each([
    ['an object', (id: string) => `/Task/${id}`],
    ['an object without its type', (id: string) => `/${id}`],
    ['an object in a view', (id: string) => `/Task/${id}/ui`],
  ])('Allow of %s names all that works, and nothing else does', async (_, path) => {
    const id = await server.admin.create('Task', { title: 'allowed' });
    const { headers } = await server.admin.send('OPTIONS', path(id));
    expect(headers['allow']).toBe('DELETE,GET,OPTIONS,PATCH,PUT');
    const post = await server.admin.post(path(id), {});
    expect([post.status, post.headers['allow']]).toEqual([405, headers['allow']]);
    expect((await server.admin.patch(path(id), { title: 'changed' })).status).toBe(200);
    expect((await server.as().patch(path(id), { title: 'nobody' })).status).toBe(401);
    expect((await server.admin.get(`/Task/${id}`)).body.result.title).toBe('changed');
  });

  it('OPTIONS answers with Allow and no body, HEAD with the headers of GET', async () => {
    const options = await server.admin.send('OPTIONS', '/Task');
    expect([options.status, options.text]).toEqual([200, '']);
    expect(options.headers['allow']).toContain('PATCH');
    const head = await server.admin.send('HEAD', '/Task');
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['content-type']).toBe('application/json;charset=utf-8');
  });

  it('the header for details lists every object created, nested ones first', async () => {
    const answer = await server.admin.post(
      '/Task',
      { title: 'detailed' },
      { 'Svc-Return-Details-For-Created-Objects': 'true' },
    );
    expect(answer.body.result).toEqual([{ type: 'Task', id: expect.stringMatching(/^[0-9a-f]{32}$/) }]);
  });

  it('objects and their types are there after a restart', async () => {
    const id = await server.admin.create('Task', { title: 'durable', rank: 42 });
    const settings = { 'json.indentation': false };
    server = await server.restart({ settings });
    const answer = await server.admin.get(`/Task/${id}`);
    expect(answer.body.result).toMatchObject({ id, title: 'durable', rank: 42 });
    expect(answer.text.startsWith('{"result":{"id":')).toBe(true);
  });
});
