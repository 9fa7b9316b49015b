/** Routes that users without administrators' rights make for pages that they may write (docs/interface/pages.md 2.5): no address of others leads there, and no script is told anything. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../support/client.js';
import { getPage, makePage } from '../../support/pages.js';
import { allow } from '../../support/permissions.js';
import { makeFile } from '../../support/serving.js';
import { TestServer } from '../../support/server.js';

const ALL = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const HAS_PATH = 'PageHAS_PATHPagePath';

let server: TestServer;
let admin: Client;
let mallory: Client;
let malloryId: string;
let page: string;

beforeAll(async () => {
  server = await TestServer.start({ settings: { 'html.indentation': false } });
  ({ admin } = server);
  malloryId = await admin.create('User', { name: 'mallory', password: 'a-password' });
  mallory = server.as('mallory', 'a-password');
  for (const type of ['Page', 'PagePath', 'PagePathParameter', HAS_PATH, 'PagePathHAS_PARAMETERPagePathParameter'])
    for (const signature of [type, `${type}/_id`]) await allow(admin, signature, 'user', ALL);
  await allow(admin, 'PagePath/_id/updatePathAndParameters', 'user', ['POST']);
  page = await makePage(
    admin,
    'target',
    [['html', {}, ['body', {}, '${page.name} ${user} ${id} ${me.name}']]],
    writable(),
  );
  await makePage(admin, 'login', [['html', {}, ['body', {}, 'own login']]]);
  await makePage(admin, 'routed', [['html', {}, ['body', {}, 'own route ${id}']]]);
  await makeFile(server, { name: 'own.txt', content: 'own file' });
  const routed = (await admin.get('/Page?name=routed')).body.result as { id: string }[];
  await admin.create('PagePath', { name: '/own/{id}', page: routed[0]?.id });
});
afterAll(() => server.stop());

const writable = (): Readonly<Record<string, unknown>> => ({
  grantees: [{ id: malloryId, allowed: ['read', 'write'] }],
});
const shown = async (path: string): Promise<string> => {
  const { status, text } = await getPage(server.as(), path);
  return status === 200 ? (/<body>([^]*)<\/body>/.exec(text)?.[1] ?? text) : String(status);
};

const DOORS: readonly (readonly [string, (name: string) => Promise<string>])[] = [
  ['page of the route', (name) => mallory.create('PagePath', { name, priority: -1, page })],
  [
    'paths of the page',
    async (name) => {
      const made = await mallory.create('PagePath', { name, priority: -1 });
      expect((await mallory.put(`/Page/${page}`, { paths: [made] })).status).toBe(200);
      return made;
    },
  ],
  [
    'the relationship, with a route of an administrator',
    async (name) => {
      const made = await admin.create('PagePath', { name, priority: -1, ...writable() });
      const answer = await mallory.post(`/${HAS_PATH}`, { sourceId: page, targetId: made, sandboxed: false });
      expect(answer.status, answer.text).toBe(201);
      return made;
    },
  ],
  [
    'what an administrator has made, by its name',
    async (name) => {
      const made = await admin.create('PagePath', { name: '/elsewhere', page, ...writable() });
      expect((await mallory.put(`/PagePath/${made}`, { name, priority: -1, sandboxed: null })).status).toBe(200);
      return made;
    },
  ],
  [
    'updatePathAndParameters',
    async (name) => {
      const made = await admin.create('PagePath', { name: '/elsewhere', page, ...writable() });
      const input = { path: name, names: ['user'] };
      expect((await mallory.post(`/PagePath/${made}/updatePathAndParameters`, input)).status).toBe(200);
      return made;
    },
  ],
];

describe.each(DOORS)('a route by %s', (_, door) => {
  it('is tried behind everything else, and tells scripts nothing', async () => {
    const made = await door('/{user}/{id}');
    expect([await shown('/login'), await shown('/own.txt'), await shown('/own/7')]).toEqual([
      'own login',
      'own file',
      'own route 7',
    ]);
    expect(await shown('/free/7')).toBe('target   ');
    // That of an administrator is his.
    await admin.delete(`/PagePath/${made}`);
    const own = await admin.create('PagePath', { name: '/{user}/{id}', page });
    expect(await shown('/free/7')).toBe('target free 7 ');
    await admin.delete(`/PagePath/${own}`);
    expect(await shown('/free/7')).toBe('404');
  });
});

it('parameters of theirs count for nothing', async () => {
  const path = await admin.create('PagePath', { name: '/values/{id}', page, ...writable() });
  const parameter = { name: 'id', valueType: 'String', defaultValue: 'theirs', path };
  const theirs = await mallory.create('PagePathParameter', parameter);
  expect(await shown('/values')).toBe('target   ');
  await admin.delete(`/PagePathParameter/${theirs}`);
  const own = await admin.create('PagePathParameter', { ...parameter, defaultValue: 'own', ...writable() });
  expect(await shown('/values')).toBe('target  own ');
  expect((await mallory.put(`/PagePathParameter/${own}`, { defaultValue: 'theirs' })).status).toBe(200);
  expect(await shown('/values')).toBe('target   ');
  await admin.delete(`/PagePathParameter/${own}`);
  await admin.create('PagePathParameter', { ...parameter, defaultValue: 'own' });
  expect(await shown('/values')).toBe('target  own ');
});
