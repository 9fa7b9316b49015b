/** Which page a path means, whom it is shown, and its headers, row by row (docs/interface/pages.md 2). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { bare, getPage, makePage, type Tree } from '../support/pages.js';
import { allow } from '../support/permissions.js';
import { fetchPath, makeFile, makeFolder } from '../support/serving.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;
let nobody: Client;
let anna: Client;
let annaId: string;
const shows = (content: string): readonly Tree[] => [['Template', { content, contentType: 'text/html' }]];
const HIDDEN = { visibleToPublicUsers: false, visibleToAuthenticatedUsers: false };

beforeAll(async () => {
  server = await TestServer.start({
    settings: {
      'httpservice.httpbasicauth.enabled': true,
      'htmlservlet.resolveproperties': 'NodeInterface.name, City.zip',
    },
  });
  ({ admin } = server);
  nobody = server.as();
  annaId = await admin.create('User', { name: 'anna', password: 'Anna-pass-1' });
  anna = server.as('anna', 'Anna-pass-1');
  await admin.defineType('City', [{ name: 'zip', propertyType: 'Integer' }]);
  await admin.create('City', { name: 'Ulm', zip: 89073, visibleToPublicUsers: true });
  await admin.create('City', { name: 'Atlantis', zip: 1 });
  await makePage(admin, 'p', shows('p of ${current.name}'));
});
afterAll(() => server.stop());

describe('pages and files', () => {
  beforeAll(async () => {
    await makePage(admin, 'both.txt', shows('the page'));
    await makeFile(server, { name: 'both.txt', content: 'the file' });
    await makeFile(server, { name: 'p', content: 'deep file', parent: await makeFolder(server, 'deep') });
    await makeFile(server, { name: 'a b.txt', content: 'with a blank' });
    await makePage(admin, 'namedpart', [bare(['div', { name: 'Taken' }, 'an element'])]);
    await makeFile(server, { name: 'Taken', content: 'a file' });
  });

  test.each([
    ['a page before a file', '/both.txt', 'the page'],
    ['a file in a folder before a page of its name', '/deep/p', 'deep file'],
    ['a blank as %20', '/a%20b.txt', 'with a blank'],
    ['a file before an element of its name', '/Taken', 'a file'],
    ['a slash at the end', '/p/', 'p of '],
    ['index.html', '/p/index.html', 'p of '],
    ['below /html', '/html/p', 'p of '],
    ['below /svc/html', '/svc/html/p', 'p of '],
    ['an object by its name', '/p/Ulm', 'p of Ulm'],
    ['an object by a property of its type', '/p/89073', 'p of Ulm'],
    ['one that may not be read', '/p/Atlantis', 'p of '],
    ['one that is not there', '/p/0123456789abcdef0123456789abcdef', 'p of '],
  ])('%s', async (_, path, text) => {
    expect(await fetchPath(server, path)).toMatchObject({ status: 200, text });
  });

  test('POST is answered as GET is, HEAD without a body, others are refused', async () => {
    expect(await fetchPath(server, '/p', {}, 'POST')).toMatchObject({ status: 200, text: 'p of ' });
    expect(await fetchPath(server, '/p', {}, 'HEAD')).toMatchObject({ status: 200, text: '' });
    for (const method of ['PUT', 'DELETE', 'PATCH']) {
      expect([method, (await fetchPath(server, '/p', {}, method)).status]).toEqual([method, 405]);
    }
  });
});

describe('start pages', () => {
  test('by position, the first that is shown; without any the page for 404', async () => {
    await makePage(admin, 'lost', shows('lost'), { showOnErrorCodes: '401, 404' });
    expect(await getPage(nobody, '/')).toMatchObject({ status: 404, text: 'lost' });
    await makePage(admin, 'third', shows('third'), { position: 3 });
    await makePage(admin, 'hidden-start', shows('no'), { position: 0, hidden: true });
    await makePage(admin, 'second', shows('second'), { position: 2, visibleToPublicUsers: false });
    expect(await getPage(nobody, '/')).toMatchObject({ status: 200, text: 'third' });
    expect(await getPage(anna, '/')).toMatchObject({ status: 200, text: 'second' });
  });
});

describe('who is shown what', () => {
  beforeAll(async () => {
    const group = await admin.create('Group', { name: 'crew', members: [annaId] });
    const make = (name: string, fields: object): Promise<string> => makePage(admin, name, shows(name), fields as never);
    await make('v-both', {});
    await make('v-public', { visibleToAuthenticatedUsers: false });
    await make('v-users', { visibleToPublicUsers: false });
    await make('v-none', HIDDEN);
    await make('v-hidden', { hidden: true });
    await make('v-own', { ...HIDDEN, owner: annaId });
    await make('v-of-group', { ...HIDDEN, owner: group });
    await make('v-granted', { ...HIDDEN, grantees: [{ id: annaId, allowed: ['read'] }] });
    await makePage(admin, 'v-nodes', [
      bare(
        ['i', {}, 'both'],
        ['i', { visibleToAuthenticatedUsers: false }, 'public'],
        ['i', { visibleToPublicUsers: false }, 'users'],
        ['i', HIDDEN, 'none'],
        ['i', { hidden: true }, 'hidden'],
      ),
    ]);
  });

  // What somebody is not shown is the page for 404.
  test.each<readonly [page: string, nobody: number, anna: number, admin: number]>([
    ['v-both', 200, 200, 200],
    ['v-public', 200, 404, 200],
    ['v-users', 404, 200, 200],
    ['v-none', 404, 404, 200],
    ['v-hidden', 404, 404, 404],
    ['v-of-group', 404, 200, 200],
    ['v-own', 404, 200, 200],
    ['v-granted', 404, 200, 200],
  ])('%s', async (page, ...expected) => {
    const seen = await Promise.all([nobody, anna, admin].map(async (one) => (await getPage(one, `/${page}`)).status));
    expect(seen).toEqual(expected);
  });

  test('the same of each node', async () => {
    const nodes = async (client: Client): Promise<string> =>
      (await getPage(client, '/v-nodes')).text
        .replace(/<\/?i>/g, ' ')
        .trim()
        .split(/\s+/)
        .join(' ');
    expect(await nodes(nobody)).toBe('both public');
    expect(await nodes(anna)).toBe('both users');
    expect(await nodes(admin)).toBe('both public users none');
  });
});

describe('routes', () => {
  beforeAll(async () => {
    const page = await makePage(admin, 'routed', shows('[${key1}|${key2}] ${is(empty(current), "none")}'));
    await admin.create('PagePath', { name: '/{key1}/test4/{key2}', page });
    const typed = await makePage(admin, 'typed', shows('${value}'));
    for (const valueType of ['String', 'Integer', 'Long', 'Double', 'Float', 'Date', 'Boolean']) {
      const path = await admin.create('PagePath', { name: `/typed/${valueType}/{value}`, page: typed });
      await admin.create('PagePathParameter', { name: 'value', valueType, defaultValue: 'default', path });
    }
    const unseen = await makePage(admin, 'unseen', shows('unseen'), HIDDEN);
    await admin.create('PagePath', { name: '/shared/{some}', page: unseen, priority: 1 });
    const seen = await makePage(admin, 'seen', shows('seen ${some}'));
    await admin.create('PagePath', { name: '/shared/{some}', page: seen, priority: 2 });
  });

  test.each<readonly [path: string, text: string]>([
    ['//test4', '[|] none'],
    ['/Ulm/test4/x', '[Ulm|x] none'],
    ['/typed/String/a', 'a'],
    ['/typed/Integer/5.7', '5'],
    ['/typed/Integer/x', 'default'],
    ['/typed/Long/12345678901', '12345678901'],
    ['/typed/Double/1.5', '1.5'],
    ['/typed/Float/1.5', '1.5'],
    ['/typed/Boolean/TRUE', 'true'],
    ['/typed/Boolean/yes', 'false'],
    ['/typed/Date/nonsense', 'default'],
    ['/typed/String/', 'default'],
    ['/shared/x', 'seen x'],
  ])('%s', async (path, text) => {
    const { status, text: seen } = await fetchPath(server, path);
    expect([status, seen.replace(/(?<=\d)\.0$/, '')]).toEqual([200, text]);
  });

  test('/test4 alone is none of them', async () => {
    expect((await fetchPath(server, '/test4')).status).toBe(404);
  });

  test('a route comes before a page of a name, and needs one', async () => {
    await makePage(admin, 'by-name', shows('by name'));
    const page = await makePage(admin, 'by-route', shows('by route'));
    await admin.create('PagePath', { name: '/by-name', page });
    expect((await getPage(nobody, '/by-name')).text).toBe('by route');
    const refused = await admin.post('/PagePath', { page });
    expect(refused.status).toBe(422);
  });
});

describe('single nodes', () => {
  test('are HTML, at the margin, without a doctype, and nobody keeps them', async () => {
    const page = await makePage(admin, 'parted', [['html', {}, ['body', {}, ['div', { name: 'APart' }, ['p', {}]]]]], {
      contentType: 'text/plain',
    });
    for (const path of ['/APart', `/${page}`]) {
      const { status, text, headers } = await fetchPath(server, path);
      expect([path, status, headers['content-type']]).toEqual([path, 200, 'text/html;charset=UTF-8']);
      expect(headers['cache-control']).toContain('no-store');
      if (path === '/APart') expect(text).toBe('<div>\n\t<p></p>\n</div>');
    }
  });
});

describe('headers', () => {
  test.each<readonly [what: string, fields: object, expected: Readonly<Record<string, unknown>>]>([
    ['without a time', {}, { 'cache-control': 'no-cache, must-revalidate, proxy-revalidate' }],
    [
      'cacheForSeconds',
      { cacheForSeconds: 60 },
      { 'cache-control': 'max-age=60, s-maxage=60', expires: expect.any(String) },
    ],
    [
      'dontCache',
      { dontCache: true },
      {
        'cache-control': 'private, max-age=0, s-maxage=0, no-cache, no-store, must-revalidate',
        pragma: 'no-cache, no-store',
        expires: 'Thu, 01 Jan 1970 00:00:00 GMT',
      },
    ],
    ['no content type', { contentType: null }, { 'content-type': 'text/html;charset=utf-8' }],
    ['another one', { contentType: 'application/json' }, { 'content-type': 'application/json' }],
    [
      'on each',
      {},
      {
        'x-svc-edition': expect.any(String),
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'SAMEORIGIN',
        'x-xss-protection': '1;mode=block',
        date: expect.any(String),
      },
    ],
  ])('%s', async (what, fields, expected) => {
    const name = `headers ${what}`;
    await makePage(admin, name, shows('x'), fields as never);
    expect((await fetchPath(server, `/${encodeURIComponent(name)}`)).headers).toMatchObject(expected);
  });

  test('users get none to keep; scripts write over those of the settings', async () => {
    await makePage(admin, 'scripted', shows("${setResponseHeader('X-Frame-Options', 'DENY')}x"));
    const mine = await getPage(anna, '/scripted');
    expect([mine.headers.get('cache-control')?.includes('no-store'), mine.headers.get('x-frame-options')]).toEqual([
      true,
      'DENY',
    ]);
  });

  test('the realm of a page that asks for a password may be a script; a session does not count', async () => {
    await makePage(admin, 'asking', shows('for ${me.name}'), {
      enableBasicAuth: true,
      basicAuthRealm: 'of ${this.name}',
    });
    await makePage(admin, 'asking-too', shows('x'), { enableBasicAuth: true });
    const refused = await fetchPath(server, '/asking');
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([
      401,
      expect.stringContaining('"of asking"'),
    ]);
    expect((await fetchPath(server, '/asking-too')).headers['www-authenticate']).toContain('"asking-too"');
    await allow(admin, '_login', 'anonymous', ['POST']);
    const Cookie = (await server.as('anna', 'Anna-pass-1').loggedIn()).headers['Cookie'] ?? '';
    expect((await fetchPath(server, '/asking', { Cookie })).status).toBe(401);
    const Authorization = `Basic ${Buffer.from('anna:Anna-pass-1').toString('base64')}`;
    expect(await fetchPath(server, '/asking', { Authorization })).toMatchObject({ status: 200, text: 'for anna' });
  });
});
