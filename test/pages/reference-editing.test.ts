/**
 * What whoever edits pages asks for over REST: each feature of an editor (reference, 9, the row Pages), by requests that it is made of
 * (docs/interface/pages.md 1, 2, 7, 8, 9).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { getPage } from '../support/pages.js';
import { TestServer } from '../support/server.js';
import { call, childrenOf, element, emptyPage, namesOf, stateOf } from '../support/trees.js';

let server: TestServer;
let admin: Client;
let count = 0;
let page: string;
let body: string;
const SHOWN = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };

beforeAll(async () => {
  server = await TestServer.start({ settings: { 'html.indentation': false } });
  ({ admin } = server);
});
afterAll(() => server.stop());

const name = (): string => `edited-${String(count)}`;
const fresh = async (): Promise<void> => {
  count++;
  ({ page, body } = await emptyPage(admin, name(), SHOWN));
};
const seen = async (client = server.as()): Promise<string> => {
  const { text } = await getPage(client, `/${name()}`);
  return /<body>([^]*)<\/body>/.exec(text)?.[1] ?? text;
};
const done = (answer: Answer): void => {
  expect(answer.status, answer.text).toBe(200);
};

describe('the tree of pages', () => {
  test('pages by name and by category, without the hidden one of components', async () => {
    for (const [one, category] of [
      ['pages-b', 'shop'],
      ['pages-a', 'shop'],
      ['pages-c', 'blog'],
    ] as const)
      await admin.create('Page', { name: one, category });
    const names = async (query: string): Promise<string[]> =>
      ((await admin.get(`/Page?${query}`)).body.result as { name: string }[]).map((one) => one.name);
    expect(await names('category=shop&_sort=name')).toEqual(['pages-a', 'pages-b']);
    expect(await names('hidden=false&_sort=name')).not.toContain('__ShadowDocument__');
    const categories = (await admin.get('/Page/category?category=blog')).body.result as object[];
    expect(categories).toEqual([{ category: 'blog' }]);
  });

  test('children with what a tree shows of them', async () => {
    await fresh();
    await element(admin, 'Div', { parent: body, name: 'locked', visibleToPublicUsers: false, hidden: true });
    await admin.create('Content', { parent: body, content: 'x' });
    const { result } = (await admin.get(`/Body/${body}/children/ui`)).body;
    expect(result).toMatchObject([
      { name: 'locked', tag: 'div', hidden: true, visibleToPublicUsers: false },
      { type: 'Content', content: 'x' },
    ]);
  });
});

describe('new pages', () => {
  test('of a template, with what its dialog asks for', async () => {
    await fresh();
    const source = `<html><head><title>[title]</title></head><body><!-- @svc:protected --><p>[text:one,two]</p></body></html>`;
    await admin.create('Widget', { name: 'landing', source, isPageTemplate: true, treePath: '/Pages' });
    const [template] = (await admin.get('/Widget/ui?isPageTemplate=true')).body.result as { source: string }[];
    const code = String(template?.source).replace('[title]', 'T').replace('[text:one,two]', 'two');
    const made = await admin.post('/Page/importPage', {
      ...{ name: `of-${name()}`, code, publicVisible: true, authVisible: true, processDeploymentInfo: true },
    });
    done(made);
    const { text } = await getPage(server.as(), `/of-${name()}`);
    expect([text.includes('<title>T</title>'), text.includes('two')]).toEqual([true, false]);
  });

  test('what the editor keeps for a user is kept with him, and his alone', async () => {
    const localStorage = JSON.stringify({ autorefresh: true, preview: { details: 'x', parameters: 'a=1' } });
    await admin.create('User', { name: 'editor', password: 'Editor-pass-1', isAdmin: true });
    const editor = server.as('editor', 'Editor-pass-1');
    const { id } = (await editor.get('/me/ui')).body.result as { id: string };
    done(await editor.put(`/User/${id}`, { localStorage }));
    expect((await editor.get('/me/all')).body.result).toMatchObject({ id, localStorage });
    await admin.create('User', { name: 'other', password: 'Other-pass-1' });
    expect((await server.as('other', 'Other-pass-1').get(`/User/${id}/all`)).status).not.toBe(200);
  });
});

describe('tabs of a page', () => {
  test.each<readonly [what: string, fields: object]>([
    ['General', { name: 'general', contentType: 'text/plain', category: 'c', showOnErrorCodes: '404', position: 2 }],
    ['caching and raw output', { cacheForSeconds: 5, dontCache: true, pageCreatesRawData: true }],
    [
      'Security',
      { visibleToPublicUsers: false, visibleToAuthenticatedUsers: true, enableBasicAuth: true, basicAuthRealm: 'r' },
    ],
  ])('%s', async (_, fields) => {
    await fresh();
    done(await admin.put(`/Page/${page}`, fields));
    expect((await admin.get(`/Page/${page}/ui`)).body.result).toMatchObject(fields);
  });

  test('URL Routing', async () => {
    await fresh();
    await admin.put(`/Body/${body}`, { children: [{ type: 'Content', content: '${where}', ...SHOWN }] });
    const path = await admin.create('PagePath', { name: '/old', page });
    done(
      await admin.post(`/PagePath/${path}/updatePathAndParameters`, {
        path: `/at-${name()}/{where}`,
        names: ['where'],
      }),
    );
    expect((await getPage(server.as(), `/at-${name()}/here`)).text).toContain('here');
    const [parameter] = (await admin.get(`/PagePath/${path}/ui`)).body.result.parameters as { id: string }[];
    done(
      await admin.put(`/PagePathParameter/${String(parameter?.id)}`, { valueType: 'Integer', defaultValue: 'none' }),
    );
    expect((await getPage(server.as(), `/at-${name()}/here`)).text).toContain('none');
  });
});

describe('tabs of an element', () => {
  let id: string;
  test.each<readonly [what: string, fields: object, text: string]>([
    [
      'General',
      { name: 'n', _html_id: 'i', _html_class: 'c', _html_style: 's' },
      '<p id="i" class="c" style="s">x</p>',
    ],
    [
      'HTML',
      { _html_title: 't', '_custom_html_aria-label': 'l', 'data-own': 'o' },
      '<p title="t" aria-label="l" data-own="o">x</p>',
    ],
    ['Repeater', { functionQuery: '{ [{}, {}] }', dataKey: 'k' }, '<p>x</p><p>x</p>'],
    ['conditions', { showConditions: '{ return false; }' }, ''],
    ['Security', { visibleToPublicUsers: false }, ''],
    ['Advanced', { hidden: true }, ''],
  ])('%s', async (_, fields, text) => {
    await fresh();
    id = await element(admin, 'P', { parent: body, ...SHOWN, children: [{ type: 'Content', content: 'x', ...SHOWN }] });
    done(await admin.put(`/P/${id}`, fields));
    const sorted = (html: string): string =>
      html.replace(
        /<p ([^>]*)>/,
        (_all, list: string) => `<p ${(list.match(/[\w-]+="[^"]*"/g) ?? []).sort().join(' ')}>`,
      );
    expect(sorted(await seen())).toBe(sorted(text));
  });

  test('Editor and Preview: a text is changed where the page shows it', async () => {
    await fresh();
    const content = await admin.create('Content', { parent: body, content: '${1 + 1}', ...SHOWN });
    const { text } = await getPage(admin, `/${name()}?_edit=2`);
    expect(text).toContain(`data-svc-id="${content}" data-svc-raw-value="\${1 + 1}"`);
    done(await admin.put(`/Content/${content}`, { content: '# x', contentType: 'text/markdown' }));
    expect(await seen()).toMatch(/<h1[^>]*>/);
  });
});

describe('the menu of a node', () => {
  let a: string;
  beforeAll(() => undefined);
  const begin = async (): Promise<void> => {
    await fresh();
    a = await element(admin, 'P', { parent: body, name: 'a', ...SHOWN });
    await element(admin, 'P', { parent: body, name: 'b', ...SHOWN });
  };
  const make = (type: string, one: string): Promise<string> => element(admin, type, { name: one, ...SHOWN });

  test.each<readonly [what: string, work: () => Promise<Answer>, names: readonly string[]]>([
    [
      'insert before',
      async () => call(admin, body, 'insertBefore', { newChild: await make('I', 'new'), refChild: a }),
      ['new', 'a', 'b'],
    ],
    [
      'insert after',
      async () => {
        const [, b] = await childrenOf(admin, body);
        return call(admin, body, 'insertBefore', { newChild: await make('I', 'new'), refChild: b });
      },
      ['a', 'new', 'b'],
    ],
    [
      'insert a content',
      () =>
        admin
          .post('/Content', { name: 'new', content: 'x', parent: body })
          .then((one) => ({ ...one, status: one.status - 1 })),
      ['a', 'b', 'new'],
    ],
    [
      'clone',
      async () =>
        call(admin, body, 'appendChild', {
          newChild: (await call(admin, a, 'cloneNode', { deep: true })).body.result.id,
        }),
      ['a', 'b', 'a'],
    ],
    ['wrap', async () => call(admin, a, 'wrapNode', { wrapper: await make('Div', 'around') }), ['around', 'b']],
    [
      'replace',
      async () => call(admin, body, 'replaceChild', { newChild: await make('Div', 'instead'), refChild: a }),
      ['instead', 'b'],
    ],
    ['move here', async () => call(admin, body, 'appendChild', { newChild: a }), ['b', 'a']],
    ['remove', () => call(admin, a, 'removeNode'), ['b']],
    ['convert to a shared component', () => call(admin, a, 'createComponent'), ['a', 'b']],
  ])('%s', async (_, work, names) => {
    await begin();
    done(await work());
    expect(await namesOf(admin, body)).toEqual(names);
  });
});

describe('panels', () => {
  test('shared components: those without a parent in the shadow document, and what refers to them', async () => {
    await fresh();
    const div = await element(admin, 'Div', {
      parent: body,
      name: `shared-${name()}`,
      children: [{ type: 'B', tag: 'b' }],
    });
    const component = (await call(admin, div, 'createComponent')).body.result.id as string;
    const shadow = (await stateOf(admin, component)).pageId as string;
    const { result } = (await admin.get(`/DOMNode/ui?pageId=${shadow}&parent=&_pageSize=1000`)).body;
    expect((result as { id: string }[]).map(({ id }) => id)).toContain(component);
    expect((result as { tag?: string }[]).filter(({ tag }) => tag === 'b')).toEqual([]);
    expect((await admin.get(`/Div/${component}/ui`)).body.result.syncedNodesIds).toEqual([div]);
  });

  test('the recycle bin: what was removed, put back, and deleted with all the rest', async () => {
    await fresh();
    const p = await element(admin, 'P', { parent: body, name: 'thrown' });
    done(await call(admin, p, 'removeNode'));
    const bin = async (): Promise<string[]> =>
      ((await admin.post('/DOMNode/getRecycleBin')).body.result as { id: string }[]).map(({ id }) => id);
    expect(await bin()).toContain(p);
    done(await call(admin, body, 'appendChild', { newChild: p }));
    expect(await bin()).not.toContain(p);
    done(await call(admin, p, 'removeNode'));
    done(await admin.post('/DOMNode/emptyRecycleBin'));
    expect(await bin()).toEqual([]);
  });

  test('active elements: repeaters, conditions and triggers of a page', async () => {
    await fresh();
    await element(admin, 'P', { parent: body, name: 'repeats', dataKey: 'one', functionQuery: "find('Page')" });
    await element(admin, 'P', { parent: body, name: 'hides', hideConditions: 'true' });
    const triggers = await element(admin, 'Button', { parent: body, name: 'triggers' });
    await element(admin, 'P', { parent: body, name: 'idle' });
    await admin.create('ActionMapping', { event: 'click', action: 'none', triggerElements: [triggers] });
    const active = async (query: string): Promise<string[]> =>
      ((await admin.get(`/DOMElement/ui?pageId=${page}&${query}`)).body.result as { name: string }[]).map(
        (one) => one.name,
      );
    expect(await active('dataKey=one')).toEqual(['repeats']);
    expect(await active('hideConditions=true')).toEqual(['hides']);
    const mappings = (await admin.get('/ActionMapping/ui')).body.result as { triggerElements: { id: string }[] }[];
    expect(mappings.flatMap((one) => one.triggerElements).map(({ id }) => id)).toContain(triggers);
  });

  test('widgets that are suggested for an element, by its selectors', async () => {
    await admin.create('Widget', { name: 'row', source: '<tr></tr>', selectors: ['table', '.list'] });
    expect((await admin.get('/Widget/editWidget?selectors=table&_inexact=1')).body.result).toMatchObject([
      { selectors: ['table', '.list'] },
    ]);
    expect((await admin.get('/Widget/editWidget?selectors=ul&_inexact=1')).body.result).toEqual([]);
  });

  test('localizations, mail templates and widgets are made, filtered, written and deleted', async () => {
    for (const [type, fields, change, query] of [
      [
        'Localization',
        { name: 'k', domain: 'd', locale: 'de', localizedName: 'x' },
        { localizedName: 'y' },
        'domain=d',
      ],
      ['MailTemplate', { name: 'm', locale: 'de', text: 'x', description: 'd' }, { text: 'y' }, 'locale=de'],
      ['Widget', { name: 'w', source: 'x', treePath: '/A' }, { source: 'y' }, 'treePath=/A'],
    ] as const) {
      const id = await admin.create(type, fields);
      done(await admin.put(`/${type}/${id}`, change));
      expect((await admin.get(`/${type}/ui?${query}`)).body.result).toMatchObject([{ ...fields, ...change, id }]);
      done(await admin.delete(`/${type}/${id}`));
      expect((await admin.get(`/${type}?${query}`)).body.result).toEqual([]);
    }
  });
});

describe('who is no administrator', () => {
  test('edits nothing without a permission', async () => {
    await fresh();
    await admin.create('User', { name: 'anna', password: 'Anna-pass-1' });
    const anna = server.as('anna', 'Anna-pass-1');
    for (const answer of [
      await anna.put(`/Page/${page}`, { name: 'hers' }),
      await anna.post('/Div', { tag: 'div', parent: body }),
      await call(anna, body, 'appendChild', { newChild: body }),
      await anna.post('/DOMNode/getRecycleBin'),
      await anna.get('/Widget'),
    ])
      expect([401, 403]).toContain(answer.status);
    expect((await getPage(anna, `/${name()}?_edit=1`)).text).toBe((await getPage(anna, `/${name()}`)).text);
  });
});
