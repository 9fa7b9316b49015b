import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';

/** docs/interface/rest.md 1, 2, 8, docs/interface/lists.md 2: paths, views, nesting, bodies. */
describe('urls, views and bodies', () => {
  let server: TestServer;
  let root: string;
  beforeAll(async () => {
    server = await TestServer.start();
    const { admin } = server;
    const node = await admin.create('SchemaNode', {
      name: 'Part',
      schemaProperties: [
        { name: 'note', propertyType: 'String' },
        { name: 'flag', propertyType: 'Boolean' },
        { name: 'ratio', propertyType: 'Double' },
      ],
    });
    await admin.relate(node, 'HAS_PART', node, {
      sourceJsonName: 'whole',
      targetJsonName: 'parts',
      autocreationFlag: 3,
    });
    await admin.create('SchemaView', { name: 'public', schemaNode: node, nonGraphProperties: 'note, parts' });
    await admin.create('SchemaView', { name: 'only_note', schemaNode: node, nonGraphProperties: 'note, nonsense' });
    root = await admin.create('Part', {
      name: '0',
      parts: [
        { name: '1', parts: [{ name: '2', parts: [{ name: '3', parts: [{ name: '4', parts: [{ name: '5' }] }] }] }] },
      ],
    });
  });
  afterAll(() => server.stop());

  it('/me/<method> is a method of the user', async () => {
    const node = await server.admin.create('SchemaNode', { name: 'User' });
    for (const [name, isPrivate] of [
      ['greet', false],
      ['hide', true],
    ] as const)
      await server.admin.create('SchemaMethod', { schemaNode: node, name, isPrivate, source: '{ }' });
    expect((await server.admin.post('/me/greet')).status).toBe(200);
    expect((await server.admin.post('/me/hide')).status).toBe(404);
    expect((await server.admin.post('/me/none')).status).toBe(404);
    expect((await server.as().post('/me/greet')).status).toBe(401);
    const options = await server.admin.send('OPTIONS', '/me/greet');
    expect(options.headers['allow']).toBe('OPTIONS,POST');
  });

  it.each([
    '',
    '/',
    '/Part/',
    '/part',
    '/parts',
    '/Nothing',
    '/_schema/Nothing',
    '//Part',
    '/Part//',
    `/Part/${'0'.repeat(32)}/nothing/more`,
    '/Part/not-a-uuid',
    '/Part/%2e%2e',
  ])('nothing is at "%s": 404', async (path) => {
    const answer = await server.admin.get(`/svc/rest${path}`);
    expect([answer.status, answer.body.code, answer.body.errors]).toEqual([404, 404, []]);
  });

  it('an unresolvable path is 404, for those without permission 401, as nobody is to find out the types there are', async () => {
    expect((await server.as().get('/Nothing')).status).toBe(401);
    expect((await server.admin.get('/Nothing')).status).toBe(404);
  });

  it('broken JSON is 400 before the path is looked at', async () => {
    expect((await server.admin.post('/Nothing', '{')).status).toBe(400);
  });

  it.each([
    ['unquoted names and values', '{name: lenient, note: word}', { name: 'lenient', note: 'word' }],
    ['single quotes', "{'name': 'single'}", { name: 'single' }],
    ['other separators', '{"name" = "sep"; "note" = "n"}', { name: 'sep', note: 'n' }],
    ['comments', '{ /* here */ "name": "comment" // and here\n}', { name: 'comment' }],
    ['any content type', '{"name":"typed"}', { name: 'typed' }],
    ['an empty body', '', { name: null }],
    ['a blank body', '  \n', { name: null }],
    ['duplicate keys: the last', '{"name":"one","name":"two"}', { name: 'two' }],
    ['numbers for text', '{"name": 12}', { name: '12' }],
  ])('lenient JSON: %s', async (_, body, expected) => {
    const answer = await server.admin.post('/Part', body, { 'Content-Type': 'text/plain' });
    expect(answer.status).toBe(201);
    expect((await server.admin.get(`/Part/${answer.body.result[0]}`)).body.result).toMatchObject(expected);
  });

  it.each(['"text"', '12', '{"a":1} trailing', '{"a"', '[{},', '{"a":}', '[1,2]', '\u0000', '{"a":"\u0001'])(
    'refuses the body %s with 400',
    async (body) => {
      const answer = await server.admin.post('/Part', body);
      expect([answer.status, answer.body.code, answer.body.errors]).toEqual([400, 400, []]);
    },
  );

  it('the nesting depth is 3 unless told otherwise', async () => {
    const depth = (o: { parts?: unknown[] } | undefined): number =>
      o?.parts === undefined ? -1 : 1 + Math.max(-1, ...o.parts.map((p) => depth(p as { parts?: unknown[] })));
    const get = async (query: string): Promise<number> =>
      depth((await server.admin.get(`/Part/${root}${query}`)).body.result);
    expect(await get('')).toBe(3);
    expect(await get('?_outputNestingDepth=0')).toBe(0);
    expect(await get('?_outputNestingDepth=5')).toBe(5);
    expect(await get('?_outputNestingDepth=x')).toBe(3);
  });

  it('related objects in ui, all and custom are short, down to the reduction depth', async () => {
    const short = (await server.admin.get(`/Part/${root}/custom`)).body.result.parts[0];
    expect(Object.keys(short)).toEqual(['id', 'type', 'name']);
    const longer = (await server.admin.get(`/Part/${root}/custom?_outputReductionDepth=1`)).body.result.parts[0];
    expect(longer).toHaveProperty('ratio');
  });

  it('a view the type does not have: {} at the root, short when nested', async () => {
    const user = (await server.admin.get('/User?name=admin')).body.result[0].id as string;
    expect((await server.admin.get(`/User/${user}/only_note`)).body.result).toEqual({});
    expect((await server.admin.get(`/Part/${root}/only_note`)).body.result).toEqual({ note: null });
  });

  it('a Boolean is never null, a Double keeps its point', async () => {
    const id = await server.admin.create('Part', { ratio: 3 });
    const { body, text } = await server.admin.get(`/Part/${id}/custom`);
    expect(body.result.flag).toBe(false);
    expect(text).toContain('"ratio": 3.0');
  });

  it('the Accept header picks properties; administrators from all', async () => {
    const answer = await server.admin.get(`/Part/${root}`, {
      Accept: 'application/json; properties=id,createdDate,parts',
    });
    expect(Object.keys(answer.body.result)).toEqual(['id', 'createdDate', 'parts']);
  });

  it('a browser gets the result as an HTML tree, escaped', async () => {
    const id = await server.admin.create('Part', { name: '<script>alert(1)</script>' });
    const answer = await server.admin.get(`/Part/${id}`, { Accept: 'text/html,application/xhtml+xml' });
    expect(answer.headers['content-type']).toBe('text/html;charset=utf-8');
    expect(answer.text).toContain('&lt;script&gt;');
    expect(answer.text).not.toContain('<script>');
  });

  it('the Range header slices a collection, end excluded', async () => {
    const id = await server.admin.create('Part', { parts: ['a', 'b', 'c', 'd'].map((name) => ({ name })) });
    const answer = await server.admin.get(`/Part/${id}`, { Range: 'parts=1-3' });
    expect((answer.body.result.parts as { name: string }[]).map((p) => p.name)).toEqual(['b', 'c']);
  });

  it('the signature of a view is capitalised without underscores', async () => {
    await server.as().get(`/Part/${root}/only_note`);
    expect(await server.untilLogged(/'Part\/_id\/_OnlyNote'/)).not.toHaveLength(0);
  });

  it('unknown keys are kept, and shown in no view', async () => {
    const id = await server.admin.create('Part', { name: 'extra', surprise: { deep: [1] } });
    expect((await server.admin.get(`/Part/${id}/all`)).body.result).not.toHaveProperty('surprise');
    expect(await server.untilLogged(/unknown key "surprise" for type Part/)).toHaveLength(1);
  });

  it('unknown keys can be refused', async () => {
    const strict = await TestServer.start({ settings: { 'jsonrestservlet.unknowninput.validation.mode': 'reject' } });
    try {
      const answer = await strict.admin.post('/Location', { nonsense: 1 });
      expect([answer.status, answer.body.message]).toEqual([
        422,
        'Rejecting input with unknown JSON key for type Location: "nonsense" with value "1".',
      ]);
    } finally {
      await strict.stop();
    }
  });

  it('error bodies escape what means something in HTML', async () => {
    const answer = await server.admin.get('/Part?%3Cscript%3E=1');
    expect(answer.status).toBe(400);
    expect(answer.text).not.toContain('<script>');
    expect(answer.body.message).toBe('Unknown search key <script>');
  });

  it('every response carries the configured headers', async () => {
    const { headers } = await server.admin.get('/Part?_pageSize=1');
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'x-svc-edition': 'Community',
    });
  });

  it('_env tells about the instance', async () => {
    expect((await server.admin.get('/_env')).body.result).toMatchObject({
      resultCountSoftLimit: 10000,
      dashboardInfo: {
        configFileInfo: { actualPermissions: 'rw-------', permissionsOk: true },
        allowedUUIDFormat: 'without_dashes',
        runtimeInfo: { loadAverage: [expect.any(Number), expect.any(Number), expect.any(Number)] },
      },
      services: expect.arrayContaining([expect.objectContaining({ name: 'CronService', state: 'running' })]) as unknown,
    });
  });

  it.each(['/maintenance/letsencrypt'])('%s says that its feature is missing', async (path) => {
    const answer = await server.admin.post(path, {});
    expect([answer.status, answer.body.code]).toEqual([501, 501]);
  });
});
