import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

/** Contract, Errors 1: without a permission the answer is 401, and tells nothing about what there is. */
describe('who may not know a type', () => {
  let server: TestServer;
  let users: Record<string, Client>;
  let id: string;

  beforeAll(async () => {
    server = await TestServer.start();
    const type = await server.admin.defineType('Secret', [{ name: 'title', propertyType: 'String' }], {
      schemaMethods: [{ name: 'run', source: '1', httpVerb: 'POST' }],
    });
    await server.admin.relate(type, 'HAS', type, { sourceJsonName: 'parent', targetJsonName: 'children' });
    id = await server.admin.create('Secret', { title: 'x' });
    await server.admin.create('User', { name: 'ordinary', password: 'a-password' });
    users = { anonymous: server.as(), user: server.as('ordinary', 'a-password') };
  });
  afterAll(() => server.stop());

  const told = ({ status, headers, text }: Answer): unknown => {
    const { date: _, ...others } = headers;
    return { status, headers: others, text };
  };

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])(
    'gets for %s the same answer whether it exists or not',
    async (method) => {
      const body = ['POST', 'PUT', 'PATCH'].includes(method) ? { title: 'y' } : undefined;
      for (const [who, client] of Object.entries(users)) {
        for (const rest of ['', '/ui', `/${id}`, `/${id}/ui`, `/${id}/children`, `/${id}/run`, '/run', `/${id}/in`]) {
          const [known, unknown] = [
            await client.send(method, `/Secret${rest}`, body),
            await client.send(method, `/Nothing${rest}`, body),
          ];
          expect([who, rest, known.status]).toEqual([who, rest, 401]);
          expect([who, rest, told(unknown)]).toEqual([who, rest, told(known)]);
        }
        // Nor what a type has.
        expect(told(await client.send(method, `/Secret/${id}/nothing`, body))).toEqual(
          told(await client.send(method, `/Secret/${id}/children`, body)),
        );
        for (const path of ['/', '/a//b', '/a/b/c/d'])
          expect([path, (await client.send(method, path, body)).status]).toEqual([path, 401]);
      }
    },
  );

  it('is named in the log with the signature that a permission would need', async () => {
    await users['user']?.get(`/Absent/${id}/ui`);
    await server.untilLogged(/user 'ordinary' with signature 'Absent\/_id\/_Ui' and method 'GET'/);
  });

  it('administrators, and who has the permission, are told that there is none', async () => {
    expect((await server.admin.get('/Nothing')).status).toBe(404);
    expect((await server.admin.send('OPTIONS', '/Nothing')).status).toBe(404);
    await allow(server.admin, 'Planned', 'user', ['GET']);
    const answer = await users['user']?.get('/Planned');
    expect([answer?.status, answer?.body.message]).toEqual([404, 'Cannot resolve URL path /Planned']);
  });
});

/** Contract, Resource Access Permission: flags 256 and 512. */
describe('OPTIONS', () => {
  let server: TestServer;
  const ORIGIN = 'https://pages.example';
  const preflight = { Origin: ORIGIN, 'Access-Control-Request-Method': 'GET' };

  beforeAll(async () => {
    server = await TestServer.start();
    await server.admin.create('User', { name: 'ordinary', password: 'a-password' });
  });
  afterAll(() => server.stop());

  it('needs its permission', async () => {
    const ordinary = server.as('ordinary', 'a-password');
    await allow(server.admin, 'Folder', 'user', ['GET']);
    await allow(server.admin, 'Folder', 'anonymous', ['GET']);
    expect((await ordinary.send('OPTIONS', '/Folder')).status).toBe(401);
    await allow(server.admin, 'Folder', 'user', ['OPTIONS']);
    const answer = await ordinary.send('OPTIONS', '/Folder');
    expect([answer.status, answer.headers['allow'], answer.text]).toEqual([200, 'DELETE,GET,OPTIONS,PATCH,POST', '']);
    expect((await server.as().send('OPTIONS', '/Folder')).status).toBe(401);
    await allow(server.admin, 'Folder', 'anonymous', ['OPTIONS']);
    expect((await server.as().send('OPTIONS', '/Folder')).status).toBe(200);
    expect((await server.as().send('OPTIONS', '/svc/openapi')).status).toBe(401);
  });

  it('of browsers is answered by the CORS rules, alike for every path', async () => {
    const ask = (path: string, headers = preflight): Promise<Answer> =>
      server.as().send('OPTIONS', path, undefined, headers);
    expect((await ask('/Group')).status).toBe(401);
    const rule = await server.admin.create('CorsSetting', { requestUri: '/svc/rest', acceptedOrigins: ORIGIN });
    const [known, unknown] = [await ask('/Group'), await ask('/Nothing')];
    expect(known.status).toBe(200);
    expect(known.headers['access-control-allow-origin']).toBe(ORIGIN);
    expect(known.headers['allow']).toBe('DELETE,GET,HEAD,OPTIONS,PATCH,POST,PUT');
    expect([unknown.status, unknown.headers['allow']]).toEqual([known.status, known.headers['allow']]);
    // Another origin, and what is no preflight: they need the permission.
    expect((await ask('/Group', { ...preflight, Origin: 'https://other.example' })).status).toBe(401);
    expect((await server.as().send('OPTIONS', '/Group', undefined, { Origin: ORIGIN })).status).toBe(401);
    await server.admin.delete(`/CorsSetting/${rule}`);
  });
});
