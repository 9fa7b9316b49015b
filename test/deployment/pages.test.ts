/** Pages, components and templates of an application export: out, in, and out again (docs/interface/deployment.md 2.5, 3.6). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { treeOf, writeTree } from '../support/export-tree.js';
import { getPage, makePage, nodeNamed, type Tree } from '../support/pages.js';
import { TestServer } from '../support/server.js';
import { call } from '../support/trees.js';

let server: TestServer;
let admin: Client;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-pages-'));
  server = await TestServer.start();
  admin = server.admin;
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

let count = 0;
const newFolder = (): string => join(folder, String(++count));
async function exported(): Promise<Record<string, string>> {
  const target = newFolder();
  const answer = await admin.post('/maintenance/deploy', { mode: 'export', target });
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"result": []')]);
  return treeOf(target);
}
async function imported(files: Readonly<Record<string, unknown>>, more: object = {}): Promise<Answer> {
  const source = newFolder();
  const all = { 'pages/.keep': '', 'components/.keep': '', 'templates/.keep': '', ...files };
  await writeTree(source, all);
  return admin.post('/maintenance/deploy', { mode: 'import', source, ...more });
}

const visible = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };

describe('an export', () => {
  it('is the same after it was imported', async () => {
    const group = await admin.create('Group', { name: 'editors (all, of us)' });
    const user = await admin.create('User', { name: 'ada', password: 'correct horse' });
    const target = await makePage(admin, 'target', []);
    await admin.put(`/Page/${target}`, { category: 'c', cacheForSeconds: 5, position: 2, owner: user });
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
          'nav',
          { name: 'menu', _html_class: 'm', 'data-x': '1', grantees: [{ id: group, allowed: ['read', 'write'] }] },
          ['a', { linkable: target, 'aria-label': 'x' }, 'page'],
          ['table', { name: 'rows' }, ['tr', {}, ['td', {}, '1']]],
        ],
        [
          'div',
          {
            ...{ name: 'd', visibleToPublicUsers: false, hidden: true, _html_title: '${"<\'>"}&\nx', 'data-z': 'z' },
            ...{ owner: user, dataKey: 'k', functionQuery: "find('User')", cypherQuery: 'MATCH (n) RETURN n' },
            ...{ showForLocales: 'de', hideForLocales: 'en', showConditions: 'a > "b"', hideConditions: 'false' },
            ...{ 'data-svc-rendering-mode': 'load', eventMapping: '{"click":"x"}', _custom_html_viewBox: '0 0 1 1' },
          },
          'one',
          ['b', {}, '\n\ttwo\n'],
          ' ',
          ['i', {}, ' three '],
          ['', { content: '', name: 'empty', contentType: 'text/plain', visibleToPublicUsers: false }],
          [
            '',
            {
              content: '# two',
              contentType: 'text/markdown',
              name: 'm',
              showConditions: 'f(a, b) < "c" && d',
              hidden: true,
            },
          ],
          ['Comment', { content: ' note <x> @svc:public ', name: 'note' }],
          ['Comment', { content: '@svc:private' }],
          ['Comment', { content: '' }],
          ['br', {}],
          ['', { content: ' \n ', contentType: 'text/html' }],
        ],
        ['', { content: '<svg viewBox="0 0 1 1"></svg>', contentType: 'text/xml' }],
        ['pre', {}, ' a\n\tb\n', ['div', {}, 'in'], '\nc'],
        ['my-part', { type: 'DOMElement' }, 'x'],
        [
          'Template',
          { name: 'frame', contentType: 'text/html', content: '\n<b>${render(children)}</b>\n' },
          ['p', {}, 'in it'],
        ],
        ['Template', { name: 'card', contentType: 'text/html', content: '<i>${1 < 2}</i>' }],
        ['', { name: 'words', content: 'shared & words', contentType: 'text/html' }],
      ],
    ];
    await makePage(admin, 'all', [tree]);
    await makePage(admin, 'all', [['html', {}, ['body', {}, 'another of this name']]]);
    for (const name of ['rows', 'menu', 'card', 'words']) {
      const made = await call(admin, await nodeNamed(admin, name), 'createComponent', {});
      expect(made.status, made.text).toBe(200);
    }
    const page = await admin.create('Page', { name: 'plain', contentType: 'text/plain', ...visible });
    await admin.create('PagePath', { name: '/all/{n}', page });
    await admin.create('Site', { name: 's', hostname: 'h.example', pages: [page] });
    const div = await nodeNamed(admin, 'd');
    await admin.create('ActionMapping', { event: 'click', action: 'create', triggerElements: [div] });
    const shown = (await getPage(admin, '/all')).text;
    const first = await exported();
    expect(Object.keys(first).filter((path) => path.startsWith('pages/'))).toEqual([
      expect.stringMatching(/^pages\/all(-\w{32})?\.html$/),
      expect.stringMatching(/^pages\/all(-\w{32})?\.html$/),
      'pages/plain.html',
      'pages/target.html',
    ]);
    const again = await imported(first);
    expect([again.status, again.text]).toEqual([200, expect.stringContaining('"result": []')]);
    const second = await exported();
    for (const path of Object.keys(first).sort(
      (a, b) => Number(a.startsWith('events')) - Number(b.startsWith('events')),
    ))
      expect.soft([path, second[path]]).toEqual([path, first[path]]);
    expect(second).toEqual(first);
    expect((await getPage(admin, '/all')).text).toBe(shown);
  });
});
