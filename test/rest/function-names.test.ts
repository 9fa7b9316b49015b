import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

/** Which endpoints a user-defined function takes the place of (docs/interface/rest.md 1.2), by path and in the OpenAPI document. */
describe('functions with the name of an endpoint', () => {
  /** They come before functions. */
  const FIRST = ['cypher', 'resolver', '_env', 'stats'];
  /** They give way to functions. */
  const LATER = [
    'log',
    'login',
    'logout',
    'maintenance',
    'me',
    'registration',
    '_runtimeEventLog',
    '_schema',
    'token',
    'jobs',
    '_sessions',
    '_cluster',
  ];
  /** Views are looked for behind something else only. */
  const VIEWS = ['public', 'ui'];

  let server: TestServer;
  const ids = new Map<string, string>();
  beforeAll(async () => {
    server = await TestServer.start();
    for (const name of [...FIRST, ...LATER, ...VIEWS])
      ids.set(
        name,
        await server.admin.create('SchemaMethod', {
          name,
          source: `{ return 'function ${name}'; }`,
          includeInOpenAPI: true,
        }),
      );
  });
  afterAll(() => server.stop());

  const result = async (name: string): Promise<unknown> => (await server.admin.post(`/${name}`, {})).body.result;
  const documented = async (): Promise<string[]> => {
    const { paths } = (await server.admin.get('/svc/openapi')).body as { paths: Record<string, { post?: object }> };
    const functions = Object.entries(paths).filter(([, { post = {} }]) =>
      JSON.stringify(post).includes('"executeGlobal.'),
    );
    return functions.map(([path]) => path.slice(1)).sort();
  };

  it.each(LATER)('take the place of %s', async (name) => {
    expect(await result(name)).toBe(`function ${name}`);
    // It has the permission of the function, not that of the endpoint.
    expect((await server.as().post(`/${name}`, {})).status).toBe(401);
    await allow(server.admin, `_${name}`, 'anonymous', ['POST']);
    expect((await server.as().post(`/${name}`, {})).status).toBe(401);
    await allow(server.admin, name, 'anonymous', ['POST']);
    expect((await server.as().post(`/${name}`, {})).body.result).toBe(`function ${name}`);
  });

  it.each(FIRST)('have no address where %s is', async (name) => {
    expect(await result(name)).not.toBe(`function ${name}`);
    // Old clients and scripts reach them.
    const old = await server.admin.post(`/maintenance/globalSchemaMethods/${name}`, {});
    expect(old.body.result).toBe(`function ${name}`);
  });

  it.each(VIEWS)('are reached where %s is the name of a view', async (name) => {
    expect(await result(name)).toBe(`function ${name}`);
  });

  it('what follows a name is still the endpoint', async () => {
    expect((await server.admin.post('/maintenance/letsencrypt', {})).status).toBe(501);
    expect((await server.admin.get('/_schema/User')).body.result).toHaveLength(1);
    expect((await server.admin.get('/jobs/123456')).body.message).not.toMatch(/^Cannot resolve/);
  });

  it('the OpenAPI document has those that are reached, in the place of the endpoints', async () => {
    expect(await documented()).toEqual([...LATER, ...VIEWS].sort());
  });

  it('private ones leave the endpoint where it is', async () => {
    await server.admin.put(`/SchemaMethod/${ids.get('me') ?? ''}`, { isPrivate: true });
    expect((await server.admin.get('/me')).body.result).toMatchObject({ name: 'admin' });
    expect(await documented()).not.toContain('me');
  });

  it('endpoints are there again when the functions are gone', async () => {
    for (const name of ['login', 'jobs']) await server.admin.delete(`/SchemaMethod/${ids.get(name) ?? ''}`);
    await allow(server.admin, '_login', 'anonymous', ['POST']);
    expect((await server.as().post('/login', { name: 'admin', password: 'admin' })).status).toBe(200);
    expect((await server.admin.get('/jobs')).status).toBe(200);
    expect((await server.admin.get('/svc/openapi')).body.paths['/login'].post.operationId).toBe('login');
  });
});
