/** The form of exports, imported again (docs/interface/pages.md 8.6). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Answer, Client } from '../../support/client.js';
import { getPage, makePage, nodeNamed, type Tree } from '../../support/pages.js';
import { allow } from '../../support/permissions.js';
import { TestServer } from '../../support/server.js';
import { call, childrenOf, emptyPage } from '../../support/trees.js';
import { refused, SHOWN } from './support.js';

let server: TestServer;
let admin: Client;
let anna: Client;
let annaId: string;

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  annaId = await admin.create('User', { name: 'anna', password: 'Anna-pass-1' });
  anna = server.as('anna', 'Anna-pass-1');
});
afterAll(() => server.stop());

const ask = (input: object, client = admin): Promise<Answer> =>
  client.post('/Page/importPage', { publicVisible: true, authVisible: true, processDeploymentInfo: true, ...input });
const exported = async (path: string): Promise<string> => {
  const { status, text } = await getPage(admin, `${path}?_edit=4`);
  expect(status).toBe(200);
  return text;
};
/** Without the ids of the nodes, which are new ones. */
const withoutIds = (text: string): string =>
  text.replace(/ data-svc-meta-id="\w+"/g, '').replace(/(<svc:template src="[^"]*?-?)\w{32}"/g, '$1"');

/** Imports what a page is exported as, and expects the same of the new page. */
async function roundTrip(name: string): Promise<string> {
  const code = await exported(`/${name}`);
  const answer = await ask({ name: `${name}-again`, code });
  expect(answer.status, answer.text).toBe(200);
  const again = await exported(`/${name}-again`);
  expect(withoutIds(again)).toBe(withoutIds(code));
  return code;
}

it('elements, texts and comments with all that is said of them', async () => {
  const group = await admin.create('Group', { name: 'editors (all, of us)' });
  const tree: Tree = [
    'html',
    { name: 'root', _html_lang: 'en' },
    [
      'head',
      {},
      ['title', {}, 'A & B <c> "d"'],
      ['style', {}, ['', { contentType: 'text/css', content: 'a > b { color: "x" }\n' }]],
    ],
    [
      'body',
      { visibleToPublicUsers: false },
      ['script', {}, ['', { contentType: 'text/javascript', content: 'if (a < b && c) d("</p>");' }]],
      [
        'div',
        {
          ...{
            name: 'd',
            visibleToPublicUsers: false,
            hidden: true,
            _html_title: '${"<\'>"}&\nx',
            'data-z': 'z',
            owner: annaId,
          },
          ...{ dataKey: 'k', functionQuery: "find('User')", cypherQuery: 'MATCH (n) RETURN n', showForLocales: 'de' },
          ...{
            hideForLocales: 'en',
            showConditions: 'a > "b"',
            hideConditions: 'false',
            'data-svc-rendering-mode': 'load',
          },
          eventMapping: '{"click":"x"}',
        },
        'one',
        ['', { content: '', name: 'empty', contentType: 'text/plain', visibleToPublicUsers: false }],
        [
          '',
          {
            content: '# two',
            contentType: 'text/markdown',
            name: 'm',
            showConditions: 'f(a, b) < "c" && d',
            hideForLocales: 'de, en',
          },
        ],
        ['Comment', { content: ' note <x> ', name: 'note' }],
        ['', { content: '', contentType: 'text/html' }],
        ['Comment', { content: '' }],
        ['br', {}],
        ['', { content: '', contentType: 'text/html' }],
      ],
      ['', { content: '<svg viewBox="0 0 1 1"></svg>', contentType: 'text/xml' }],
      ['pre', {}, ['', { contentType: 'text/plain', content: ' a\n\tb' }]],
      ['my-part', { type: 'DOMElement' }, 'x'],
    ],
  ];
  await makePage(admin, 'all', [tree]);
  await admin.create('SchemaMethod', {
    ...{ name: 'grantIt', isStatic: true },
    source: `grant(first(find('Group', 'id', '${group}')), first(find('Div', 'id', '${await nodeNamed(admin, 'd')}')), 'read, write')`,
  });
  expect((await admin.post('/grantIt', {})).status).toBe(200);
  const code = await roundTrip('all');
  expect(code).toContain('@svc:owner(anna)');
  expect(code).toContain('@svc:grant(editors (all, of us),rw)');
});

it('links, templates and shared components', async () => {
  const target = await makePage(admin, 'target', []);
  const folder = await admin.create('Folder', { name: 'docs' });
  const file = await admin.create('File', { name: 'b (1), c.txt', parent: folder });
  await makePage(admin, 'shared', [
    [
      'html',
      {},
      [
        'Template',
        { name: 'frame', contentType: 'text/html', content: '<b>${render(children)}</b>' },
        ['p', {}, 'in it'],
      ],
      [
        'body',
        {},
        [
          'nav',
          { name: 'menu', _html_class: 'm' },
          ['a', { linkable: target }, 'page'],
          ['a', { linkable: file }, 'file'],
        ],
        ['table', {}, ['tr', { name: 'row' }, ['td', {}, '1']]],
      ],
    ],
  ]);
  for (const name of ['menu', 'row']) {
    const made = await call(admin, await nodeNamed(admin, name), 'createComponent', {});
    expect(made.status, made.text).toBe(200);
  }
  const code = await roundTrip('shared');
  expect(code).toMatch(/<svc:component src="menu-\w+"[^>]*>/);
  expect(code).toMatch(/<svc:template src="frame-\w+"/);
  const [first, again] = await Promise.all(['/shared', '/shared-again'].map((path) => getPage(server.as(), path)));
  expect(again?.text).toBe(first?.text);
  // What stands for a component follows it.
  const components = (await admin.get('/Nav')).body.result as { id: string }[];
  const counts = await Promise.all(
    components.map(
      async ({ id }) =>
        ((await admin.get(`/Nav/${id}/ui`)).body.result as { syncedNodesIds: string[] }).syncedNodesIds.length,
    ),
  );
  expect(counts).toContain(2);
});

it('templates that are written as HTML, and in other HTML than exports are', async () => {
  const code =
    '<!-- @svc:protected --><html><body><svc:shared-template name="card"><b>${render(children)}</b></svc:shared-template>' +
    '<!-- @svc:content(text/html) --><svc:template src="card"><p class=a>x</p></svc:template><svc:template src="new"><i>${upper(\'a\')}</i></svc:template></body>';
  expect((await ask({ name: 'written', code })).status).toBe(200);
  expect((await getPage(anna, '/written')).text.replace(/\s*\n\s*/g, '')).toMatch(
    /<b><p class="a">x<\/p><\/b><i>A<\/i>/,
  );
  expect((await getPage(server.as(), '/written')).text).not.toContain('<b>');
});

it('refuses what is not there, or not known, and makes nothing', async () => {
  const before = (await admin.get('/Page?_pageSize=1&_page=1')).body.result_count as number;
  const html = (inside: string): string => `<html><body>${inside}</body></html>`;
  for (const [code, message] of [
    ['<svc:component src="none"></svc:component>', /no shared component none/],
    ['<!-- @svc:link(/none.txt) --><a>x</a>', /no file at \/none\.txt/],
    ['<!-- @svc:pagelink(none) --><a>x</a>', /no Page none/],
    ['<!-- @svc:owner(nobody) --><p>x</p>', /no Principal nobody/],
    ['<!-- @svc:wrong(x) --><p>x</p>', /no instruction @svc:wrong/],
    ['<svc:other></svc:other>', /no element svc:other/],
    ['<b>x</b>'.repeat(10_001), /more than 20000 nodes/],
    ['<b><i>'.repeat(200) + '</i></b>'.repeat(200), /levels deep/],
  ] as const)
    refused(await ask({ name: 'x', code: html(code) }), 422, message);
  refused(await ask({ name: 'x', address: 'http://127.0.0.1:1/' }), 422, /not for an "address"/);
  expect((await admin.get('/Page?_pageSize=1&_page=1')).body.result_count).toBe(before);
});

it('users who are no administrators get nothing that they may not have', async () => {
  await allow(admin, 'Page/importPage', 'user', ['POST']);
  await makePage(admin, 'private', [['html', {}, ['div', { name: 'secret' }, 'hidden words']]], {}, {});
  const made = await call(admin, await nodeNamed(admin, 'secret'), 'createComponent', {});
  expect(made.status, made.text).toBe(200);
  const code = await exported('/private');
  refused(await ask({ name: 'hers', code }, anna), 422, /no Principal admin/);
  const [component = ''] = /<svc:component src="secret-\w+"/.exec(code) ?? [];
  const stolen = `<html><body>${component}></svc:component></body></html>`;
  refused(await ask({ name: 'hers', code: stolen }, anna), 422, /no shared component secret/);
  const hers =
    '<html><body><!-- @svc:public --><p data-svc-meta-function-query="find(\'User\')" data-svc-meta-data-key="u">${me.name}</p></body></html>';
  expect((await ask({ name: 'hers', code: hers }, anna)).status).toBe(200);
  expect((await getPage(admin, '/hers')).text).toContain('<p>${me.name}</p>');
  refused(
    await ask({ name: 'x', code: '<html><!-- @svc:owner(admin) --><body></body></html>' }, anna),
    422,
    /no Principal admin/,
  );
});

it('widgets: instructions count where the configuration, or whoever inserts it, says so', async () => {
  const { body } = await emptyPage(admin, 'w', SHOWN);
  const source = '<!-- @svc:private --><p>[text]</p>';
  const plain = await admin.create('Widget', { name: 'a', source, ...SHOWN });
  const processing = await admin.create('Widget', {
    name: 'b',
    source,
    configuration: '{"processDeploymentInfo":true}',
    ...SHOWN,
  });
  for (const [widget, more] of [
    [plain, {}],
    [processing, {}],
    [plain, { processDeploymentInfo: true }],
    [processing, { processDeploymentInfo: false }],
  ] as const)
    expect((await call(admin, body, 'insertWidget', { widget, values: { text: 'x' }, ...more })).status).toBe(200);
  const shown = (await childrenOf(admin, body)).length;
  // Those without instructions have a comment before them.
  expect(shown).toBe(6);
  expect(((await getPage(server.as(), '/w')).text.match(/<p>x<\/p>/g) ?? []).length).toBe(2);
  await allow(admin, 'Widget', 'user', ['POST']);
  const hers = await anna.create('Widget', { name: 'c', source, ...SHOWN });
  refused(
    await call(admin, body, 'insertWidget', { widget: hers, processDeploymentInfo: true }),
    422,
    /not carried out/,
  );
});

it('elements of the service in each other are bounded, however the text is read', async () => {
  const [open, close] = ['<svc:template src="none">'.repeat(200), '</svc:template>'.repeat(200)];
  const long = 'x'.repeat(100_000);
  for (const end of ['', '<p>not closed']) {
    const code = `${open}${long}${close}${end}`;
    refused(await ask({ name: 'deep', code }), 422, /svc: elements has more than 16777216 characters/);
  }
});
