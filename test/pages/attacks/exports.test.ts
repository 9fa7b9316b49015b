/**
 * What users without administrators' rights have written, in an export that an administrator imports (docs/interface/pages.md 8.3, 8.6): it is theirs in the new
 * page as well, and gets nobody rights that he did not have.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../../support/client.js';
import { getPage, makePage, nodeNamed } from '../../support/pages.js';
import { allow } from '../../support/permissions.js';
import { makeFile } from '../../support/serving.js';
import { TestServer } from '../../support/server.js';
import { refused } from '../imports/support.js';

const ALL = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const SHOWN = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };
const CODE = 'stranger()';

let server: TestServer;
let admin: Client;
let mallory: Client;
let malloryId: string;
let count = 0;

beforeAll(async () => {
  server = await TestServer.start({ settings: { 'html.indentation': false } });
  ({ admin } = server);
  malloryId = await admin.create('User', { name: 'mallory', password: 'a-password' });
  mallory = server.as('mallory', 'a-password');
  for (const type of [
    'DOMNode',
    'DOMElement',
    'Content',
    'Comment',
    'Template',
    'Html',
    'Script',
    'Div',
    'Br',
    'A',
    'Page',
  ])
    for (const signature of [type, `${type}/_id`, `${type}/_id/children`, `${type}/_id/insertComponent`])
      await allow(admin, signature, 'user', ALL);
  await allow(admin, 'Page/importPage', 'user', ['POST']);
});
afterAll(() => server.stop());

const writable = (): object => ({ grantees: [{ id: malloryId, allowed: ['read', 'write'] }] });

interface Place {
  readonly name: string;
  /** An element that the user may write. */
  readonly parent: string;
  /** A text of an administrator behind it, which he may write as well. */
  readonly child: string;
}

async function place(tag = 'div', fields: object = {}): Promise<Place> {
  const name = `page${String(++count)}`;
  await makePage(admin, name, [
    [
      'html',
      {},
      [
        'body',
        {},
        [tag, { name: `${name}-at`, ...writable(), ...fields }],
        ['p', {}, ['', { name: `${name}-text`, content: CODE, contentType: 'text/html', ...writable() }]],
      ],
    ],
  ]);
  return { name, parent: await nodeNamed(admin, `${name}-at`), child: await nodeNamed(admin, `${name}-text`) };
}

async function made(answer: Promise<Answer>): Promise<string> {
  const { status, text, body } = await answer;
  expect(status, text).toBe(201);
  return (body.result as string[])[0] ?? '';
}

const exported = async (path: string): Promise<string> => {
  const { status, text } = await getPage(admin, `/${path}?_edit=4`);
  expect(status, text).toBe(200);
  return text;
};
const imported = (name: string, code: string, client = admin): Promise<Answer> =>
  client.post('/Page/importPage', { name, code, publicVisible: true, authVisible: true, processDeploymentInfo: true });
const shown = async (path: string, client = server.as()): Promise<string> => (await getPage(client, `/${path}`)).text;
const withoutIds = (text: string): string =>
  text
    .replace(/ data-svc-meta-id="\w+"/g, '')
    // Whoever imports it has made it.
    .replace(/ @svc:grant\(admin,rwda\)(?:,|(?= -->))/g, '')
    .replace(/(<svc:template src="[^"]*?-?)\w{32}"/g, '$1"')
    .replace(/<div data-svc-meta-name="page[^>]*>/g, '<div>');

/** Has an administrator import what a page is exported as; what is exported, which is that of the new page as well. `name` is that of the page, the new one has `-again` behind it. */
async function moved(name: string): Promise<string> {
  const code = await exported(name);
  const answer = await imported(`${name}-again`, code);
  expect(answer.status, answer.text).toBe(200);
  expect(withoutIds(await exported(`${name}-again`))).toBe(withoutIds(code));
  return code;
}

/** What both pages show, to whom scripts would matter most. */
async function both(name: string): Promise<string> {
  const text = await shown(name, admin);
  expect(await shown(`${name}-again`, admin)).toBe(text);
  return text;
}

describe('nodes of others', () => {
  it('texts, elements, repeaters, conditions and comments run nothing', async () => {
    const { name, parent } = await place();
    const element = { tag: 'div', parent, ...SHOWN };
    await made(
      mallory.post('/Content', { parent, ...SHOWN, content: '${me.name}<b onclick="x()">', contentType: 'text/html' }),
    );
    await made(
      mallory.post('/Div', {
        ...element,
        _html_onclick: 'x()',
        _html_title: '${me.name}',
        'data-svc-meta-function-query': "find('User')",
      }),
    );
    await made(
      mallory.post('/Div', {
        ...element,
        dataKey: 'u',
        functionQuery: "find('User')",
        showConditions: 'print(me.name)',
      }),
    );
    await made(
      mallory.post('/Div', {
        ...element,
        eventMapping: '{"click":"x"}',
        sharedComponentConfiguration: 'print(me.name)',
      }),
    );
    await made(mallory.post('/Comment', { parent, ...SHOWN, content: '${me.name}' }));
    await made(mallory.post('/Template', { parent, ...SHOWN, content: '${me.name}', contentType: 'text/html' }));
    const code = await moved(name);
    expect(code.match(/@svc:sandboxed/g)).toHaveLength(6);
    expect(code).toContain('@svc:content(text/html), @svc:sandboxed(node, place) -->${me.name}');
    const text = await both(name);
    expect(text).toContain('${me.name}<b>');
    expect(text).not.toMatch(/admin|onclick|data-svc-events/);
  });

  it('part of an export says it as well', async () => {
    const { name, parent } = await place();
    await made(mallory.post('/Content', { parent, ...SHOWN, content: '${me.name}', contentType: 'text/html' }));
    const code = await exported(parent);
    for (const part of [code, code.slice(code.indexOf('<!--', 1), code.lastIndexOf('</'))]) {
      expect((await imported(`${name}-again`, `<html><body>${part}</body></html>`)).status).toBe(200);
      expect(await shown(`${name}-again`, admin)).toContain('${me.name}');
      await admin.delete(
        `/Page/${((await admin.get(`/Page?name=${name}-again`)).body.result as { id: string }[])[0]?.id ?? ''}`,
      );
    }
  });

  it('a template that is copied, and whatever is said of the copy', async () => {
    const { name, parent } = await place();
    const template = await made(
      mallory.post('/Template', {
        parent,
        ...SHOWN,
        name: 'hers',
        dataKey: 'u',
        functionQuery: '{ return [{ a: $.me.name }] }',
      }),
    );
    await made(mallory.post('/Content', { parent: template, ...SHOWN, content: '${u.a}', contentType: 'text/html' }));
    expect(await moved(name)).toMatch(/@svc:sandboxed\(node, place\) --><svc:template src="hers-/);
    expect(await both(name)).not.toContain('admin');
    // One that is not there is made of what stands in the element.
    const html =
      '<html><body><!-- @svc:content(text/html), @svc:sandboxed --><svc:template src="new">${me.name}</svc:template>';
    const shared =
      '<!-- @svc:content(text/html), @svc:sandboxed --><svc:shared-template name="card">${me.name}</svc:shared-template>';
    const used = '<svc:template src="card"></svc:template></body></html>';
    expect((await imported(`${name}-new`, html + shared + used)).status).toBe(200);
    expect(await shown(`${name}-new`, admin)).toContain('<body>${me.name}${me.name}</body>');
  });

  it('in a page of a user who is no administrator everything is marked, whatever it says', async () => {
    const { name } = await place();
    const code = '<html><body><!-- @svc:content(text/html) -->${me.name}</body></html>';
    expect((await imported(`${name}-hers`, code, mallory)).status).toBe(200);
    expect(await shown(`${name}-hers`, admin)).toContain('${me.name}');
  });

  it('in a widget of an administrator', async () => {
    const { parent, name } = await place();
    const source = '<p><!-- @svc:content(text/html), @svc:sandboxed -->${me.name}</p>';
    const widget = await admin.create('Widget', { name: 'w', source });
    const ask = (processDeploymentInfo: boolean): Promise<Answer> =>
      admin.post(`/Div/${parent}/insertWidget`, { widget, processDeploymentInfo });
    expect((await ask(true)).status).toBe(200);
    expect(await shown(name, admin)).toContain('<p>${me.name}</p>');
    refused(await ask(false), 422, /@svc:sandboxed/);
  });
});

describe('links of others', () => {
  it('what they have put into a script', async () => {
    const { name, parent, child } = await place('script');
    expect((await mallory.put(`/Content/${child}`, { parent })).status).toBe(200);
    expect(await moved(name)).toContain(
      `@svc:content(text/html), @svc:name(${name}-text), @svc:sandboxed(place) -->${CODE}`,
    );
    expect(await both(name)).not.toContain(CODE);
  });

  it('what they have an element stand for', async () => {
    const holder = await place();
    await admin.put(`/Content/${holder.child}`, { parent: holder.parent });
    const component = (await admin.post(`/Div/${holder.parent}/createComponent`, {})).body.result.id as string;
    const { name, parent } = await place('div');
    expect((await mallory.put(`/Div/${parent}`, { sharedComponent: component })).status).toBe(200);
    expect(await moved(name)).toMatch(/@svc:sandboxed\(component\) -->\s*<svc:component/);
    const again = (await admin.get(`/Page?name=${name}-again`)).body.result as { id: string }[];
    const [div] = (await admin.get(`/Div?pageId=${again[0]?.id ?? ''}`)).body.result as { id: string }[];
    // The mark is seen where it matters: in a script.
    await admin.put(`/Div/${div?.id ?? ''}`, { tag: 'script' });
    expect(await shown(`${name}-again`)).not.toContain(`<script>${CODE}`);
    expect(await shown(`${name}-again`)).toContain('<script></script>');
  });

  it('what they have an element lead to', async () => {
    const file = await makeFile(server, { name: 'stranger.js', content: CODE });
    const { name, parent } = await place('script', { _html_src: '${link.path}' });
    expect((await mallory.put(`/Script/${parent}`, { linkable: file })).status).toBe(200);
    expect(await moved(name)).toMatch(/@svc:link\(\/stranger\.js\)[^>]*@svc:sandboxed\(link\) -->/);
    expect(await both(name)).not.toContain('stranger.js');
  });
});

describe('forged exports', () => {
  /** Adds nodes to an element of an administrator, and expects that nothing of them is run, or gets anybody a right, in the page that their export makes. */
  async function forged(nodes: readonly (readonly [type: string, fields: object])[]): Promise<string> {
    const { name, parent } = await place();
    await admin.create('Div', { tag: 'div', name: `${name}-last`, parent, ...SHOWN });
    for (const [type, fields] of nodes) await made(mallory.post(`/${type}`, { parent, ...SHOWN, ...fields }));
    const last = await nodeNamed(admin, `${name}-last`);
    await admin.put(`/Div/${last}`, { parent: null });
    await admin.put(`/Div/${last}`, { parent });
    const code = await exported(name);
    const answer = await imported(`${name}-again`, code);
    expect(answer.status, answer.text).toBe(200);
    expect(await shown(`${name}-again`, admin)).not.toMatch(/admin|onclick/);
    const own = (await admin.get(`/Div?name=${name}-last&_sort=createdDate`)).body.result as { id: string }[];
    const again = own.find(({ id }) => id !== last)?.id ?? '';
    expect((await mallory.get(`/Div/${again}`)).status, code).toBe(200);
    expect((await mallory.put(`/Div/${again}`, { _html_title: 'x' })).status, code).toBe(403);
    return `${name}-again`;
  }
  const text = { content: '${me.name}<b onclick="x()">', contentType: 'text/html' };

  it.each([
    [
      'an element that looks like one of the service',
      [
        ['DOMElement', { tag: 'svc:shared-template', _custom_html_name: 'x' }],
        ['Content', text],
      ],
    ],
    ['the same in other letters', [['DOMElement', { tag: 'SVC:template', name: 'x' }]]],
    [
      'an element that is void for HTML alone',
      [
        ['DOMElement', { tag: 'img' }],
        ['Content', text],
      ],
    ],
    [
      'one that is void for its type alone',
      [
        ['Br', { tag: 'div' }],
        ['Content', text],
      ],
    ],
    [
      'attributes with strange names',
      [
        ['Div', { tag: 'div', '_custom_html_a&b;': '1', _custom_html_ä: '"' }],
        ['Content', text],
      ],
    ],
    ['a name with instructions', [['Content', { ...text, name: 'x), @svc:grant(mallory,rwda), @svc:owner(mallory' }]]],
    ['a name that ends a comment', [['Content', { ...text, name: 'x --> <script>y() <!-- ' }]]],
    ['a condition with instructions', [['Content', { ...text, showConditions: 'true), @SVC:content(text/html' }]]],
    ['a comment with instructions', [['Comment', { content: ' @svc:grant(mallory,rwda), @svc:content(text/html) ' }]]],
    ['the same in other letters', [['Comment', { content: '@SVC:grant(mallory,rwda)' }]]],
    ['a blank text', [['Content', { content: ' \n ', contentType: '' }]]],
    ['a blank comment', [['Comment', { content: ' ', contentType: '' }]]],
    [
      'a text that escapes what is escaped',
      [['Content', { ...text, content: '&lt;/div&gt;<!-- @svc:content -->${me.name}&amp;#64;' }]],
    ],
  ] as const)('%s', async (_, nodes) => {
    await forged(nodes);
  });

  it('a blank text before a template or component of an administrator', async () => {
    const { name, parent } = await place();
    await made(mallory.post('/Content', { parent, ...SHOWN, content: '', contentType: '' }));
    const { superuser } = server;
    const template = await superuser.create('Template', {
      name: `${name}-t`,
      content: '<i>${1 + 1}</i>',
      contentType: null,
      parent,
      ...SHOWN,
    });
    await superuser.put(`/Template/${template}`, { contentType: '' });
    expect(await exported(name)).toMatch(
      /@svc:content\(text\/plain\)[^>]*@svc:sandboxed\(node, place\) --><!-- @svc:public --><svc:template/,
    );
    expect((await imported(`${name}-again`, await exported(name))).status).toBe(200);
    const again = await exported(`${name}-again`);
    expect(again).toMatch(/@svc:sandboxed\(node, place\) --><!--[^>]*--><svc:template/);
    expect(/<!--([^>]*)--><svc:template/.exec(again)?.[1]).not.toContain('mallory');
  });

  it('an opening tag of its own is a value', async () => {
    const page = await makePage(admin, 'opening', [], writable() as never);
    const fields = { tag: 'html', parent: page, ...SHOWN };
    const opening = '<html><!-- @svc:grant(mallory,rwda) --><i>${me.name}</i>';
    await made(mallory.post('/Html', { ...fields, customOpeningTag: opening }));
    expect(await moved('opening')).toContain(' data-svc-meta-custom-opening-tag="&lt;html&gt;');
    expect(await both('opening')).toBe('<!DOCTYPE html>\n<html></html>');
    // That of an administrator comes back.
    await makePage(admin, 'own-opening', [['html', { customOpeningTag: '<html lang="de" x>' }, ['body', {}]]]);
    await moved('own-opening');
    expect(await both('own-opening')).toBe('<!DOCTYPE html>\n<html lang="de" x><body></body></html>');
  });
});

describe('what is not read as an export is refused', () => {
  const inScript =
    '<html><head><script><!-- @svc:content(text/javascript), @svc:sandboxed -->x()</script></head></html>';

  it.each([
    [
      'without processDeploymentInfo',
      { processDeploymentInfo: false },
      '<html><body><!-- @svc:sandboxed --><p>x</p></body></html>',
      /"processDeploymentInfo"/,
    ],
    ['the same in a script', { processDeploymentInfo: false }, inScript, /"processDeploymentInfo"/],
    ['where it is not closed', {}, inScript.replace('</head>', '<br></br></head>'), /not closed and escaped/],
    [
      'where it says more than is understood',
      {},
      '<html><body><!-- @svc:sandboxed(node, all) --><p>x</p></body></html>',
      /all, which is none of/,
    ],
  ] as const)('%s', async (_, how, code, message) => {
    refused(
      await admin.post('/Page/importPage', { name: 'x', code, processDeploymentInfo: true, ...how }),
      422,
      message,
    );
    expect((await admin.get('/Page?name=x')).body.result).toEqual([]);
  });
});
