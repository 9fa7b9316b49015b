/** Which page a path means, to whom (docs/interface/pages.md 2). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { getPage, makePage } from '../support/pages.js';
import { fetchPath } from '../support/serving.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;
let nobody: Client;
let anna: Client;

const shows = (content: string): readonly (readonly ['Template', { content: string; contentType: string }])[] => [
  ['Template', { content, contentType: 'text/html' }],
];
/** Status and text of a path under a host. */
async function at(path: string, host?: string, client = nobody): Promise<[number, string]> {
  const headers = {
    ...(host === undefined ? {} : { Host: host }),
    ...(client.name === undefined ? {} : { 'X-User': client.name, 'X-Password': client.password ?? '' }),
  };
  const { status, text } = await fetchPath(server, path, headers);
  return [status, text];
}

beforeAll(async () => {
  server = await TestServer.start({ settings: { 'httpservice.httpbasicauth.enabled': true } });
  ({ admin } = server);
  nobody = server.as();
  await admin.create('User', { name: 'anna', password: 'Anna-pass-1' });
  anna = server.as('anna', 'Anna-pass-1');
});
afterAll(() => server.stop());

test('without pages the root is the welcome page', async () => {
  const [status, text] = await at('/');
  expect(status).toBe(200);
  expect(text).toContain('/svc/rest');
});

describe('start and error pages', () => {
  beforeAll(async () => {
    await makePage(admin, 'second', shows('second'), { position: 2 });
    await makePage(admin, 'first', shows('first'), { position: 1, visibleToPublicUsers: false });
    await makePage(admin, 'lost', shows('nothing at ${request.x}'), { showOnErrorCodes: '401, 404' });
  });

  test('the first that is shown is the start page', async () => {
    expect(await at('/')).toEqual([200, 'second']);
    expect(await at('/', undefined, anna)).toEqual([200, 'first']);
  });

  test('what is not there shows the page for 404, with that status', async () => {
    expect(await at('/none/at/all?x=1')).toEqual([404, 'nothing at 1']);
    expect(await at('/first?x=2')).toEqual([404, 'nothing at 2']);
  });
});

describe('sites', () => {
  beforeAll(async () => {
    const one = await makePage(admin, 'of-one', shows('of one'), { position: 0 });
    const two = await makePage(admin, 'of-two', shows('of two'), { position: 0 });
    await makePage(admin, 'of-none', shows('of none'));
    await admin.create('Site', { name: 'one', hostname: 'one.example', pages: [one] });
    await admin.create('Site', { name: 'two', hostname: 'two.example', port: 8443, pages: [two] });
  });

  test.each([
    ['/of-one', 'one.example', 200],
    ['/of-one', 'ONE.example:1234', 200],
    ['/of-two', 'one.example', 404],
    ['/of-two', 'two.example:8443', 200],
    ['/of-two', 'two.example', 404],
    ['/of-none', 'one.example', 404],
    ['/of-none', 'two.example:8443', 404],
    ['/of-none', 'two.example', 200],
    ['/of-none', 'other.example', 200],
    ['/of-one', 'other.example', 404],
  ])('%s under %s is %i', async (path, host, status) => {
    expect((await at(path, host))[0]).toBe(status);
  });

  test('the id of a page, or of a node of one, is no way around them', async () => {
    const [{ id: page }] = (await admin.get('/Page?name=of-one')).body.result;
    const [{ id: node }] = (await admin.get('/Template?content=of one')).body.result;
    for (const id of [page, node]) {
      expect(await at(`/${String(id)}`, 'one.example')).toEqual([200, 'of one']);
      expect((await at(`/${String(id)}`, 'other.example'))[0]).toBe(404);
    }
  });

  test('each has its start page', async () => {
    expect(await at('/', 'one.example')).toEqual([200, 'of one']);
    expect(await at('/', 'two.example:8443')).toEqual([200, 'of two']);
  });
});

test('a path with a percent sign in it is a path', async () => {
  expect((await at('/no/100%25'))[0]).toBe(404);
});

describe('routes', () => {
  beforeAll(async () => {
    const route = async (
      name: string,
      template: string,
      values: object,
      parameters: readonly object[],
    ): Promise<void> => {
      const page = await makePage(admin, name, shows(template));
      const path = await admin.create('PagePath', { ...values, page });
      for (const one of parameters) await admin.create('PagePathParameter', { ...one, path });
    };
    await route('routed', '${key1}|${key2}', { name: '/test1/prefix_{key1}/{key2}' }, [
      { name: 'key1', valueType: 'String', defaultValue: 'd1' },
      { name: 'key2', valueType: 'Integer', defaultValue: '1' },
    ]);
    await route('three', '${key1}, ${key2}, ${key3}', { name: '/test2/{key1}_{key2}_{key3}' }, []);
    await route('low', 'low', { name: '/ranked/{any}', priority: 2 }, []);
    await route('high', 'high', { name: '/ranked/{one}', priority: 1 }, []);
    await route('demanding', '${must}', { name: '/needed/{must}' }, [
      { name: 'must', valueType: 'String', isOptional: false },
    ]);
  });

  test.each([
    ['/test1/prefix_one/5/three', 'one|5'],
    ['/test1', 'd1|1'],
    ['/test1/', 'd1|1'],
    ['/test1/////', 'd1|1'],
    ['/test1/value1/1234', 'd1|1234'],
    ['/test1/prefix_one/two', 'one|1'],
    ['/test2/one_two_three_four_five', 'one_two_three, four, five'],
    ['/ranked/x', 'high'],
    ['/needed/x', 'x'],
  ])('%s', async (path, text) => {
    expect(await at(path)).toEqual([200, text]);
  });

  test('a placeholder that is not optional needs a value', async () => {
    expect((await at('/needed'))[0]).toBe(404);
  });
});

describe('parts and details objects', () => {
  test('an element by its id or name, with a details object', async () => {
    await makePage(admin, 'whole', [['html', {}, ['body', {}, ['div', { name: 'Part' }, 'about ${current.name}']]]]);
    const [{ id: part }] = (await admin.get('/Div?name=Part')).body.result;
    const [{ id: page }] = (await admin.get('/Page?name=whole')).body.result;
    await admin.put(`/Page/${String(page)}`, { visibleToPublicUsers: true });
    expect(await at(`/${String(part)}`)).toEqual([200, '<div>about </div>']);
    expect(await at(`/${String(part)}/${String(page)}`)).toEqual([200, '<div>about whole</div>']);
    expect(await at('/Part/whole')).toEqual([200, '<div>about whole</div>']);
    expect((await at('/whole/whole'))[1]).toContain('about whole');
  });

  test('what may not be read is no details object, and no part', async () => {
    const hidden = await admin.create('Folder', { name: 'secret' });
    expect((await at(`/whole/${hidden}`))[1]).toContain('<div>about </div>');
    await admin.create('Div', { name: 'Private', tag: 'div' });
    expect((await at('/Private'))[0]).toBe(404);
  });
});

test('a page with enableBasicAuth asks for a name and password, by its id and part too', async () => {
  const page = await makePage(admin, 'asking', [], {
    enableBasicAuth: true,
    basicAuthRealm: 'A "realm"',
  });
  const template = await admin.create('Template', {
    ...{ content: 'for ${me.name}', contentType: 'text/html', parent: page, ownerDocument: page, name: 'AskingPart' },
    ...{ visibleToPublicUsers: true, visibleToAuthenticatedUsers: true },
  });
  for (const path of ['/asking', `/${page}`, `/${template}`, '/AskingPart']) {
    const refused = await fetchPath(server, path);
    expect([path, refused.status]).toEqual([path, 401]);
    expect(refused.headers['www-authenticate']).toContain('realm="A \\"realm\\""');
    const Authorization = `Basic ${Buffer.from('anna:Anna-pass-1').toString('base64')}`;
    const { status, text } = await fetchPath(server, path, { Authorization });
    expect([path, status, text]).toEqual([path, 200, 'for anna']);
  }
});

describe('what somebody else than an administrator has written', () => {
  test('runs no script and no markup', async () => {
    const group = await admin.create('Group', { name: 'editors' });
    await admin.put('/User/' + String((await admin.get('/User?name=anna')).body.result[0].id), { groups: [group] });
    for (const signature of ['Template', 'Template/_id', 'Content', 'Content/_id', 'Div', 'Div/_id']) {
      await admin.create('ResourceAccess', { signature, flags: 15, visibleToAuthenticatedUsers: true });
    }
    const page = await makePage(admin, 'written', [
      ['Template', { content: '<b>${me.isAdmin}</b>', contentType: 'text/html' }],
      ['html', {}, ['body', {}, ['div', {}, 'text']]],
    ]);
    const nodes = (await admin.get(`/DOMNode?pageId=${page}`)).body.result as { id: string; type: string }[];
    const mine = nodes.filter(({ type }) => ['Template', 'Div', 'Content'].includes(type));
    expect(mine).toHaveLength(3);
    const [{ id: user }] = (await admin.get('/User?name=anna')).body.result;
    for (const { id, type } of mine) {
      await admin.put(`/${type}/${id}`, { owner: user });
      const values =
        type === 'Div'
          ? { _html_onclick: 'alert(1)', _html_title: '${me.name}' }
          : { content: '<script>${me.name}</script>' };
      expect((await anna.put(`/${type}/${id}`, values)).status).toBe(200);
    }
    const { text } = await getPage(admin, '/written');
    expect(text).not.toMatch(/<script|onclick|admin/);
    expect(text).toContain('title="${me.name}"');
  });

  test('runs nothing inside of a script, whatever element that is', async () => {
    await admin.create('ResourceAccess', { signature: 'Content/_id', flags: 15, visibleToAuthenticatedUsers: true });
    const [{ id: user }] = (await admin.get('/User?name=anna')).body.result;
    const page = await makePage(admin, 'scripted', [
      [
        'html',
        {},
        ['script', {}, 'first()'],
        ['script', { type: 'DOMElement' }, 'second()'],
        ['style', {}, 'third{}'],
        ['p', {}, 'fourth'],
      ],
    ]);
    for (const { id } of (await admin.get(`/Content?pageId=${page}`)).body.result as { id: string }[]) {
      await admin.put(`/Content/${id}`, { owner: user });
      expect((await anna.put(`/Content/${id}`, { content: 'hostile' })).status).toBe(200);
    }
    expect((await at('/scripted'))[1].match(/hostile/g)).toHaveLength(1);
  });

  test('does not say what names mean below it', async () => {
    await admin.create('ResourceAccess', { signature: 'Div/_id', flags: 15, visibleToAuthenticatedUsers: true });
    const [{ id: user }] = (await admin.get('/User?name=anna')).body.result;
    const page = await makePage(admin, 'named', [['html', {}, ['div', {}, ['p', { name: 'Inner' }, '${me.name}.']]]]);
    const [{ id: div }] = (await admin.get(`/Div?pageId=${page}`)).body.result;
    await admin.put(`/Div/${String(div)}`, { owner: user });
    expect((await anna.put(`/Div/${String(div)}`, { dataKey: 'me' })).status).toBe(200);
    const [{ id: inner }] = (await admin.get('/P?name=Inner')).body.result;
    const state = Buffer.from(JSON.stringify({ me: page })).toString('base64');
    for (const path of [
      `/named?nodeId=${page}`,
      `/${String(inner)}?svc-encoded-render-state=${encodeURIComponent(state)}`,
    ]) {
      const { text } = await getPage(nobody, path);
      expect([path, text.includes('<p>.</p>')]).toEqual([path, true]);
    }
  });
});
