/** Pages as visitors get them (docs/interface/pages.md 2, 3). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { getPage, makePage } from '../support/pages.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;
let nobody: Client;
let anna: Client;

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  nobody = server.as();
  await admin.create('User', { name: 'anna', password: 'Anna-pass-1' });
  anna = server.as('anna', 'Anna-pass-1');
});
afterAll(() => server.stop());

describe('a simple page', () => {
  const html =
    '<!DOCTYPE html>\n<html>\n\t<head>\n\t\t<title>Login</title>\n\t</head>\n\t<body>\n\t\t<h1>Login</h1>\n\t\t<div>Initial body text</div>\n\t</body>\n</html>';

  beforeAll(async () => {
    await makePage(admin, 'login', [
      [
        'html',
        {},
        ['head', {}, ['title', {}, '${capitalize(page.name)}']],
        ['body', {}, ['h1', {}, '${capitalize(page.name)}'], ['div', {}, 'Initial body text']],
      ],
    ]);
  });

  test.each(['/login', '/login/', '/svc/html/login', '/html/login', '/login/index.html'])('at %s', async (path) => {
    const answer = await getPage(nobody, path);
    expect(answer.text).toBe(html);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html;charset=utf-8');
  });

  test('HEAD has its headers alone, OPTIONS says what may be sent', async () => {
    const head = await getPage(nobody, '/login', { method: 'HEAD' });
    expect([head.status, head.text, head.headers.get('content-type')]).toEqual([200, '', 'text/html;charset=utf-8']);
    const options = await getPage(nobody, '/login', { method: 'OPTIONS' });
    expect(options.headers.get('allow')).toBe('GET,HEAD,OPTIONS');
  });

  test('a copy that is as new is 304, until something in the page changes', async () => {
    // A state of a page is told by its date when the second is over in which it could still change.
    const dated = async (): Promise<string> => (await getPage(nobody, '/login')).headers.get('last-modified') ?? '';
    await expect.poll(dated).not.toBe('');
    const date = await dated();
    const again = await getPage(nobody, '/login', { 'If-Modified-Since': date });
    expect([again.status, again.text]).toEqual([304, '']);
    const [content] = (await admin.get('/Content?content=Initial body text')).body.result;
    await admin.put(`/Content/${String(content.id)}`, { content: 'another' });
    const changed = await getPage(nobody, '/login', { 'If-Modified-Since': date });
    expect([changed.status, changed.text.includes('another')]).toEqual([200, true]);
    await admin.delete(`/Content/${String(content.id)}`);
    const emptied = await getPage(nobody, '/login', { 'If-Modified-Since': date });
    expect([emptied.status, emptied.text.includes('another')]).toEqual([200, false]);
  });

  test('nor is a copy good any more when something changes that the date of the page does not tell', async () => {
    const file = await admin.create('File', { name: 'before.txt', visibleToPublicUsers: true });
    const page = await makePage(admin, 'dated', [['html', {}, ['a', { linkable: file, _html_title: '${link.name}' }]]]);
    const dated = async (): Promise<string> => (await getPage(nobody, '/dated')).headers.get('last-modified') ?? '';
    await expect.poll(dated).not.toBe('');
    const date = await dated();
    const ofPage = async (): Promise<unknown> => (await admin.get(`/Page/${page}/all`)).body.result.lastModifiedDate;
    const before = await ofPage();
    await admin.put(`/File/${file}`, { name: 'after.txt' });
    expect(await ofPage()).toBe(before);
    const changed = await getPage(nobody, '/dated', { 'If-Modified-Since': date });
    expect([changed.status, changed.text.includes('after.txt')]).toEqual([200, true]);
    // A copy from before the last of several changes in one second is none of what there is.
    const [a] = (await admin.get(`/A?pageId=${page}`)).body.result;
    for (const name of ['one', 'two', 'three']) {
      await admin.put(`/A/${String(a.id)}`, { _html_class: name });
      const now = await getPage(nobody, '/dated', { 'If-Modified-Since': new Date().toUTCString() });
      expect([now.status, now.text.includes(`class="${name}"`)]).toEqual([200, true]);
    }
  });

  test('nor when a folder above a linked file is renamed or moved: its path is another', async () => {
    const kinds = ['rename', 'move', 'file'] as const;
    const made = new Map<string, { outer: string; inner: string; file: string }>();
    const folder = async (name: string, parent?: string): Promise<string> =>
      admin.create('Folder', { name, parent: parent ?? null, visibleToPublicUsers: true });
    for (const kind of kinds) {
      const outer = await folder(`${kind}-outer`);
      const inner = await folder(`${kind}-inner`, outer);
      const file = await admin.create('File', { name: 'a.txt', parent: inner, visibleToPublicUsers: true });
      await makePage(admin, `link-${kind}`, [['html', {}, ['a', { linkable: file, _html_href: '${link.path}' }]]]);
      made.set(kind, { outer, inner, file });
    }
    const view = (kind: string, date = ''): ReturnType<typeof getPage> =>
      getPage(nobody, `/link-${kind}`, { 'If-Modified-Since': date });
    const dates = async (): Promise<string[]> =>
      Promise.all(kinds.map(async (kind) => (await view(kind)).headers.get('last-modified') ?? ''));
    await expect.poll(async () => (await dates()).includes('')).toBe(false);
    const [date = '', ...later] = (await dates()).sort();
    const last = later.at(-1) ?? date;
    for (const kind of kinds) expect((await view(kind, last)).status).toBe(304);
    const { rename, move, file } = Object.fromEntries(made);
    await admin.put(`/Folder/${String(rename?.outer)}`, { name: 'renamed' });
    await admin.put(`/Folder/${String(move?.inner)}`, { parent: null });
    await admin.put(`/File/${String(file?.file)}`, { parent: file?.outer });
    for (const [kind, path] of [
      ['rename', '/renamed/rename-inner/a.txt'],
      ['move', '/move-inner/a.txt'],
      ['file', '/file-outer/a.txt'],
    ] as const) {
      const changed = await view(kind, last);
      expect([changed.status, /href="([^"]*)"/.exec(changed.text)?.[1]]).toEqual([200, path]);
    }
  });
});

describe('who sees a page', () => {
  beforeAll(async () => {
    const tree = [['html', {}, ['body', {}, 'here']]] as const;
    await makePage(admin, 'public-only', tree, { visibleToAuthenticatedUsers: false });
    await makePage(admin, 'users-only', tree, { visibleToPublicUsers: false });
    await makePage(admin, 'hidden-one', tree, { hidden: true });
  });

  test.each([
    ['public-only', 200, 404],
    ['users-only', 404, 200],
    ['hidden-one', 404, 404],
  ])('%s', async (name, forNobody, forUsers) => {
    expect((await getPage(nobody, `/${name}`)).status).toBe(forNobody);
    expect((await getPage(anna, `/${name}`)).status).toBe(forUsers);
  });

  test('a change of the page is seen at once', async () => {
    const id = await makePage(admin, 'changing', [['html', {}, ['body', {}, 'before']]]);
    expect((await getPage(nobody, '/changing')).text).toContain('before');
    const [content] = (await admin.get(`/Content?content=before&_sort=createdDate&_order=desc`)).body.result;
    await admin.put(`/Content/${String(content.id)}`, { content: 'after' });
    expect((await getPage(nobody, '/changing')).text).toContain('after');
    await admin.put(`/Page/${id}`, { visibleToPublicUsers: false });
    expect((await getPage(nobody, '/changing')).status).toBe(404);
  });
});

describe('what scripts show', () => {
  test('repeaters, attributes, conditions, templates', async () => {
    await admin.defineType('City', [
      { name: 'country', propertyType: 'String', indexed: true },
      { name: 'people', propertyType: 'Integer' },
    ]);
    for (const [name, country, people] of [
      ['Kyiv', 'UA', 3],
      ['Lviv', 'UA', 1],
      ['Oslo', 'NO', 1],
    ] as const) {
      await admin.create('City', { name, country, people, visibleToPublicUsers: true });
    }
    await makePage(admin, 'cities', [
      [
        'html',
        {},
        [
          'body',
          {},
          [
            'ul',
            { dataKey: 'city', functionQuery: "find('City', 'country', request.country, sort('name'))" },
            [
              'li',
              { _html_class: 'c-${city.people}', _html_title: '${null}', 'data-x': '"q"' },
              '${city.name} <${city.people}>',
            ],
            ['b', { showConditions: 'gt(city.people, 1)' }, 'large'],
          ],
          ['Template', { content: '<main>${render(children)}</main>', contentType: 'text/html' }, ['p', {}, 'in it']],
        ],
      ],
    ]);
    const { text } = await getPage(nobody, '/cities?country=UA');
    const ids = (await admin.get('/City?country=UA&_sort=name')).body.result.map(({ id }: { id: string }) => id);
    const row = (id: string, n: number, name: string, more: string): string =>
      `\n\t\t\t<ul data-repeater-data-object-id="${id}">\n\t\t\t\t<li class="c-${String(n)}" data-x="&quot;q&quot;">${name} &lt;${String(n)}&gt;</li>${more}\n\t\t\t</ul>`;
    expect(text).toBe(
      `<!DOCTYPE html>\n<html>\n\t<body>${row(ids[0], 3, 'Kyiv', '<b>large</b>')}${row(ids[1], 1, 'Lviv', '')}<main><p>in it</p></main>\n\t</body>\n</html>`,
    );
  });
});
