/** Lines of the console, methods that are run to be looked at, and what scripts can call (docs/interface/script-runtime.md 10). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let type: string;
let note: string;
beforeAll(async () => {
  server = await TestServer.start();
  type = await server.admin.create('SchemaNode', {
    name: 'Note',
    schemaProperties: [{ name: 'points', propertyType: 'Integer' }],
  });
  note = await server.admin.create('Note', { name: 'first', points: 3 });
  await server.admin.create('User', { name: 'kim', password: 'kims-password' });
});
afterAll(() => server.stop());

const run = async (mode: string, line: string): Promise<Record<string, unknown>> => {
  const { status, text, body } = await server.admin.post('/_console/ui', { mode, line });
  expect(status, text).toBe(200);
  return body.result as Record<string, unknown>;
};

describe('/svc/rest/_console', () => {
  it('is for administrators, whatever the permissions say', async () => {
    const kim = server.as('kim', 'kims-password');
    const line = { mode: 'expression', line: '1' };
    expect((await new Client(server.url).post('/_console', line)).status).toBe(401);
    const refused = await kim.post('/_console', line);
    expect([401, 403]).toContain(refused.status);
    await allow(server.admin, '_console', 'user', ['POST', 'GET']);
    const answer = await kim.post('/_console', line);
    expect(answer.status).toBe(403);
    expect(answer.body.message).toBe('Only administrators may use the console.');
    expect((await server.admin.get('/_console')).status).toBe(405);
  });

  it('refuses what is no line', async () => {
    const refused = async (input: unknown, status: number, property?: string): Promise<void> => {
      const { status: was, body, text } = await server.admin.post('/_console', input);
      expect(was, text).toBe(status);
      if (property !== undefined) expect(body.errors).toEqual([{ property, token: 'invalid' }]);
    };
    await refused([{ mode: 'expression', line: '1' }], 400);
    await refused({ mode: 'perl', line: '1' }, 422, 'mode');
    await refused({ line: '1' }, 422, 'mode');
    await refused({ mode: 'expression', line: ' ' }, 422, 'line');
    await refused({ mode: 'expression', line: 1 }, 422, 'line');
    await refused({ method: 'x' }, 404, 'method');
    await refused({ method: 1 }, 404, 'method');
    await refused({ check: 1 }, 422, 'check');
    await refused({ mode: 'expression', line: `'${'x'.repeat(1024 * 1024)}'` }, 413);
  });

  it('evaluates expressions, and says where one cannot be read', async () => {
    expect(await run('expression', "concat('a', size(find('Note')))")).toMatchObject({ value: 'a1', log: [] });
    const found = await run('expression', "find('Note')");
    expect(found['value']).toMatchObject([{ id: note, type: 'Note', name: 'first' }]);
    expect(found['milliseconds']).toBeTypeOf('number');
    expect((await run('expression', 'null'))['value']).toBeNull();
    expect(await run('expression', "  upper('a'")).toMatchObject({
      value: null,
      error: { status: 422, script: { name: 'console', row: 1 } },
    });
    expect(await run('expression', "\nnosuch('a')")).toMatchObject({
      error: { message: 'Unknown function: nosuch', script: { row: 2, column: 1 } },
    });
  });

  it('runs JavaScript, with its log, and says where it fails', async () => {
    const ran = await run(
      'javascript',
      "console.log('one', 2); $.log('three'); const n = $.find('Note')[0]; n.points = 7; n.points // seven",
    );
    expect(ran).toMatchObject({ value: 7, log: ['one 2', 'three'] });
    expect((await server.admin.get(`/Note/${note}/all`)).body.result.points).toBe(7);
    const failed = await run('javascript', "$.log('before');\n$.find('Note')[0].points = 8;\n  nothing.at.all");
    expect(failed).toMatchObject({
      value: null,
      log: ['before'],
      error: { status: 422, script: { row: 3, column: 3, message: 'ReferenceError: nothing is not defined' } },
    });
    // Nothing of a line that fails is written.
    expect((await server.admin.get(`/Note/${note}/all`)).body.result.points).toBe(7);
    expect(await run('javascript', 'nothing')).toMatchObject({ error: { script: { row: 1, column: 1 } } });
    const rule = await run('javascript', "$.create('SchemaNode', 'name', 'not a name')");
    expect(rule).toMatchObject({ error: { status: 422, errors: [{ property: 'name' }] } });
  });

  it('keeps the log within bounds', async () => {
    const { log } = await run('javascript', 'for (let i = 0; i < 1500; i++) $.log(i);');
    expect(log).toHaveLength(1001);
  });

  it('speaks Cypher where the database does, and says so elsewhere', async () => {
    const answer = await run('cypher', 'MATCH (n:Note) RETURN n.name');
    if (answer['error'] === undefined) expect(answer['value']).toEqual([{ 'n.name': 'first' }]);
    else
      expect(answer).toMatchObject({ value: null, error: { status: 422, message: expect.stringMatching(/neo4j/i) } });
  });

  it('says whether a source can be read, without running it', async () => {
    const check = async (source: string, wrapped?: boolean): Promise<unknown> =>
      (await server.admin.post('/_console', { check: source, wrapped })).body.result.problem;
    expect(await check("{\n  return $.create('Note');\n}")).toBeNull();
    expect(await check('{\n  return;\n}', false)).toMatchObject({ row: 2, column: 3 });
    expect(await check('{\n  const a = ;\n}')).toEqual({
      row: 2,
      column: 13,
      message: expect.stringContaining('Unexpected token') as unknown,
    });
    expect(await check("concat('a', upper('b')")).toMatchObject({ row: 1 });
    expect(await check("concat('a', upper('b'))")).toBeNull();
    expect((await server.admin.get('/Note')).body.result_count).toBe(1);
  });

  it('runs methods of objects, also private ones, with their log', async () => {
    const add = await server.admin.create('SchemaMethod', {
      name: 'add',
      schemaNode: type,
      isPrivate: true,
      source: "{\n  $.log('adds', $.args.by);\n  return $.this.points + $.args.by;\n}",
    });
    const greet = await server.admin.create('SchemaMethod', { name: 'greet', source: '{ return x.y; }' });
    const post = (input: unknown) => server.admin.post('/_console', input);
    expect((await post({ method: add, object: note, arguments: { by: 2 } })).body.result).toMatchObject({
      value: 9,
      log: ['adds2'],
    });
    expect((await post({ method: greet })).body.result).toMatchObject({
      error: { script: { name: 'greet', row: 1, message: 'ReferenceError: x is not defined' } },
    });
    const without = await post({ method: add });
    expect(without.status).toBe(422);
    expect(without.body.errors).toEqual([{ property: 'object', token: 'invalid' }]);
    expect((await post({ method: add, object: type })).status).toBe(404);
    expect((await post({ method: add, object: note, arguments: [1] })).body.errors).toEqual([
      { property: 'arguments', token: 'invalid' },
    ]);
  });
});

describe('/svc/rest/_functions', () => {
  it('tells what scripts can call', async () => {
    expect((await new Client(server.url).get('/_functions')).status).toBe(401);
    const { body } = await server.admin.get('/_functions');
    const named = (name: string): unknown => (body.result as { name: string }[]).find((one) => one.name === name);
    expect(named('upper')).toMatchObject({
      kind: 'function',
      category: expect.any(String),
      signature: 'upper(text)',
      meaning: expect.any(String),
      example: expect.stringContaining('upper('),
    });
    expect(named('methodParameters')).toMatchObject({ kind: 'keyword', aliases: ['arguments', 'args'] });
    expect(body.result_count).toBeGreaterThan(300);
    await allow(server.admin, '_functions', 'user', ['GET']);
    expect((await server.as('kim', 'kims-password').get('/_functions')).status).toBe(200);
  });
});
