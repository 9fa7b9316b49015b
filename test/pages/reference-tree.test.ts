/** Types, fields and relationships of pages, row by row (docs/interface/pages.md 1; builtin-types.md 4). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../support/client.js';
import { getPage, makePage } from '../support/pages.js';
import { TestServer } from '../support/server.js';
import { call, element, emptyPage, stateOf } from '../support/trees.js';

let server: TestServer;
let admin: Client;
let page: string;
let body: string;
beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  ({ page, body } = await emptyPage(admin, 'tree'));
});
afterAll(() => server.stop());

const stored = async (type: string, id: string): Promise<Record<string, unknown>> =>
  (await admin.get(`/${type}/${id}/all`)).body.result as Record<string, unknown>;

describe('types', () => {
  const TRAITS = 'DOMNode DOMElement Component Content Template Comment Page ShadowDocument Linkable LinkSource'.split(
    ' ',
  );
  test.each([
    ['Page', 'DOMNode Page Linkable'],
    ['ShadowDocument', 'DOMNode Page ShadowDocument Linkable'],
    ['DOMElement', 'DOMNode DOMElement'],
    ['Div', 'DOMNode DOMElement'],
    ...['A', 'Img', 'Link', 'Script'].map((type): [string, string] => [type, 'DOMNode DOMElement LinkSource']),
    ['Component', 'DOMNode DOMElement Component'],
    ['Content', 'DOMNode Content'],
    ['Template', 'DOMNode Content Template'],
    ['Comment', 'DOMNode Content Comment'],
    ['File', 'Linkable'],
    ['Image', 'Linkable'],
  ])('%s is of %s', async (type, traits) => {
    const id = await admin.create(type, { name: `of-${type}` });
    const found = await Promise.all(TRAITS.map(async (trait) => (await admin.get(`/${trait}/${id}`)).status));
    expect(TRAITS.filter((_, i) => found[i] === 200)).toEqual(
      TRAITS.filter((trait) => traits.split(' ').includes(trait)),
    );
    expect(found.filter((status) => status !== 200 && status !== 404)).toEqual([]);
    expect((await admin.get(`/${type}/${id}`)).body.result.type).toBe(type);
  });

  test('DOMNode is a trait alone, and there is no Cdata', async () => {
    expect((await admin.post('/DOMNode', { name: 'x' })).status).toBe(422);
    expect((await admin.get('/Cdata')).status).toBe(404);
  });
});

describe('fields', () => {
  const NODE = {
    ...{ dataKey: 'one', cypherQuery: 'RETURN 1', functionQuery: "find('User')", sharedComponentConfiguration: '1' },
    ...{ showForLocales: 'de', hideForLocales: 'en', showConditions: 'true', hideConditions: 'false' },
    ...{ dontCache: true, domSortPosition: 7, 'data-svc-id': 'i', 'data-svc-hash': 'h' },
  };
  test.each<readonly [type: string, given: object, defaults: object]>([
    [
      'Div',
      {
        ...NODE,
        ...{ tag: 'div', path: '/x', partialUpdateKey: 'k', eventMapping: '{}', fromWidget: true },
        ...{ 'data-svc-insert': true, 'data-svc-from-widget': true, 'data-svc-manual-reload-target': true },
        ...{ 'data-svc-tree-children': 't', 'data-svc-reload-target': 'p', 'data-svc-rendering-mode': 'load' },
        ...{ 'data-svc-delay-or-interval': '5' },
      },
      { isDOMNode: true, dontCache: false, hasSharedComponent: false, tag: null, reloadSources: [], reloadTargets: [] },
    ],
    ['Component', { kind: 'k', position: 3, tag: 'x' }, { isDOMNode: true, kind: null }],
    ['Content', { ...NODE, content: 'x', contentType: 'text/html' }, { isContent: true, contentType: 'text/plain' }],
    ['Comment', { ...NODE, content: 'x' }, { isContent: true, contentType: 'text/html' }],
    [
      'Page',
      {
        ...{ contentType: 'text/html', position: 3, category: 'c', showOnErrorCodes: '401, 404', cacheForSeconds: 7 },
        ...{ dontCache: true, pageCreatesRawData: true, enableBasicAuth: true, basicAuthRealm: 'r' },
      },
      {
        ...{ isPage: true, isDOMNode: true, version: 0, cacheForSeconds: null, dontCache: false, position: null },
        ...{ pageCreatesRawData: false, enableBasicAuth: false, contentType: null, elements: [], paths: [], sites: [] },
      },
    ],
    ['Html', { customOpeningTag: '<html x>' }, { customOpeningTag: null }],
    ['Option', { selectedValues: 'x' }, { selectedValues: null }],
    ['PagePath', { name: '/x', priority: 2 }, { priority: null, parameters: [], page: null }],
    [
      'PagePathParameter',
      { name: 'x', position: 1, valueType: 'Integer', defaultValue: '1', isOptional: true },
      { position: null, valueType: null, defaultValue: null },
    ],
  ])('of %s are kept, and begin as they should', async (type, given, defaults) => {
    const required = type === 'PagePath' ? { name: '/y' } : {};
    expect(await stored(type, await admin.create(type, required))).toMatchObject(defaults);
    expect(await stored(type, await admin.create(type, given))).toMatchObject(given);
  });

  test.each(['isDOMNode', 'isContent', 'isPage', 'path'])('%s is nobody`s to write', async (key) => {
    const type = key === 'isContent' ? 'Content' : 'Page';
    const id = await admin.create(type, { name: `constant-${key}` });
    const before = (await stored(type, id))[key];
    await admin.put(`/${type}/${id}`, {
      [key]: typeof before === 'boolean' ? false : 'x',
    });
    expect((await stored(type, id))[key]).toEqual(before);
    if (key === 'path') expect(before).toBe(`/${id}`);
  });

  test('ids stand for what is related, and are written like it', async () => {
    const [component, one, two] = [
      await element(admin, 'Div'),
      await element(admin, 'Div'),
      await element(admin, 'Div'),
    ];
    await admin.put(`/Div/${component}`, { syncedNodesIds: [one, two] });
    expect((await stateOf(admin, component)).syncedNodes.map(({ id }: { id: string }) => id).sort()).toEqual(
      [one, two].sort(),
    );
    expect(await stateOf(admin, one)).toMatchObject({ sharedComponentId: component, hasSharedComponent: true });
    const link = await element(admin, 'A', { linkableId: page });
    expect((await stateOf(admin, link)).linkable.id).toBe(page);
    const file = await admin.create('File', { name: 'linked.txt', linkingElementsIds: [link] });
    expect((await stored('File', file))['linkingElements']).toMatchObject([{ id: link }]);
    expect((await stateOf(admin, link)).linkableId).toBe(file);
    expect((await stored('Page', page))['linkingElementsIds']).toEqual([]);
    const owned = await element(admin, 'P', { parentId: body });
    expect(await stateOf(admin, owned)).toMatchObject({ parentId: body, pageId: page });
    expect((await call(admin, owned, 'getOwnerDocument')).body.result.id).toBe(page);
  });

  test('a page is shown for each status that is in its codes', async () => {
    const shows = [['Template', { content: 'lost', contentType: 'text/html' }]] as const;
    await makePage(admin, 'codes', shows, { showOnErrorCodes: '401,404 500' });
    expect(await getPage(server.as(), '/nothing')).toMatchObject({ status: 404, text: 'lost' });
  });
});

describe('relationships', () => {
  type End = readonly [type: string, fields?: object];
  const route: End = ['PagePath', { name: '/x' }];
  const parameter: End = ['ParameterMapping', { parameterName: 'p' }];
  /** What many of one end mean for the other: `1:n`, a target has one source; `n:1`, a source has one target. */
  type Row = readonly [
    name: string,
    source: End,
    key: string,
    target: End,
    many: '1:n' | 'n:1' | 'n:m',
    takesAlong: boolean,
  ];
  const mappings = ['SUCCESS_TARGET reloadingActions', 'FAILURE_TARGET failureActions'].concat([
    'SUCCESS_NOTIFICATION_ELEMENT successNotificationActions',
    'FAILURE_NOTIFICATION_ELEMENT failureNotificationActions',
  ]);
  test.each<Row>([
    ['DOMNodeCONTAINSDOMNode', ['Div'], 'children', ['Span'], '1:n', false],
    ['DOMNodePAGEPage', ['Html'], 'ownerDocument', ['Page'], 'n:1', false],
    ['DOMNodeSYNCDOMNode', ['Div'], 'syncedNodes', ['Div'], '1:n', false],
    ['DOMElementTRIGGERED_BYActionMapping', ['Button'], 'triggeredActions', ['ActionMapping'], 'n:m', true],
    ['ActionMappingPARAMETERParameterMapping', ['ActionMapping'], 'parameterMappings', parameter, '1:n', true],
    ['DOMElementINPUT_ELEMENTParameterMapping', ['Input'], 'parameterMappings', parameter, '1:n', false],
    ...mappings.map((one): Row => {
      const [relation = '', key = ''] = one.split(' ');
      return [`DOMNode${relation}ActionMapping`, ['Div'], key, ['ActionMapping'], 'n:m', false];
    }),
    ['DOMElementRELOADSDOMElement', ['Button'], 'reloadTargets', ['Div'], 'n:m', false],
    ['LinkSourceLINKLinkable', ['A'], 'linkable', ['Page'], 'n:1', false],
    ['PageHAS_PATHPagePath', ['Page'], 'paths', route, '1:n', true],
    ['PagePathHAS_PARAMETERPagePathParameter', route, 'parameters', ['PagePathParameter'], '1:n', true],
    ['SiteCONTAINSPage', ['Site', { hostname: 'x.example' }], 'pages', ['Page'], 'n:m', false],
  ])('%s', async (name, source, key, target, many, takesAlong) => {
    const make = ([type, fields = {}]: End, more: object = {}): Promise<string> =>
      admin.create(type, { name: `end-${name}`, ...fields, ...more });
    const links = async (query: string): Promise<{ sourceId: string; targetId: string }[]> =>
      (await admin.get(`/${name}/all?${query}`)).body.result as { sourceId: string; targetId: string }[];
    const end = await make(target);
    const value = many === 'n:1' ? end : [end];
    const [first, second] = [await make(source, { [key]: value }), await make(source, { [key]: value })];
    const expected = many === '1:n' ? [second] : [first, second];
    expect((await links(`targetId=${end}`)).map(({ sourceId }) => sourceId).sort()).toEqual(expected.sort());
    if (many === 'n:1' && key !== 'ownerDocument') {
      const another = await make(target);
      await admin.put(`/${source[0]}/${first}`, { [key]: another });
      expect((await links(`sourceId=${first}`)).map(({ targetId }) => targetId)).toEqual([another]);
    }
    await admin.delete(`/${source[0]}/${second}`);
    expect((await admin.get(`/${target[0]}/${end}`)).status).toBe(takesAlong ? 404 : 200);
    expect(await links(`sourceId=${second}`)).toEqual([]);
  });

  test('DOMNodeCONTAINS_NEXT_SIBLINGDOMNode is there, and nothing keeps it', async () => {
    const [one, two] = [await element(admin, 'P', { parent: body }), await element(admin, 'P', { parent: body })];
    expect((await admin.get('/DOMNodeCONTAINS_NEXT_SIBLINGDOMNode')).body.result).toEqual([]);
    await admin.create('DOMNodeCONTAINS_NEXT_SIBLINGDOMNode', { sourceId: one, targetId: two });
    expect((await admin.get('/DOMNodeCONTAINS_NEXT_SIBLINGDOMNode')).body.result_count).toBe(1);
  });
});

describe('views', () => {
  const LINKABLE = ['linkingElements', 'linkingElementsIds', 'enableBasicAuth', 'basicAuthRealm'];
  test.each(['File', 'Image', 'Page', 'ShadowDocument'])('%s has what can be linked in its view ui', async (type) => {
    const id = await admin.create(type, { name: `view-${type}` });
    expect(Object.keys((await admin.get(`/${type}/${id}/ui`)).body.result as object)).toEqual(
      expect.arrayContaining(LINKABLE),
    );
  });
  test.each(['A', 'Img', 'Link', 'Script'])('%s has where it leads in its view ui', async (type) => {
    const id = await element(admin, type, { linkable: page });
    expect((await admin.get(`/${type}/${id}/ui`)).body.result).toMatchObject({
      linkableId: page,
      linkable: { id: page },
    });
  });
});
