/** Views of pages' nodes, key by key, and keys that nothing declares (docs/interface/builtin-types.md 4, 5). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../../support/client.js';
import { TestServer } from '../../support/server.js';
import { element, emptyPage, stateOf } from '../../support/trees.js';

const words = (text: string): string[] => text.trim().split(/\s+/);

let server: TestServer;
let admin: Client;

beforeAll(async () => {
  // What has no value is shown as well.
  server = await TestServer.start();
  ({ admin } = server);
});
afterAll(() => server.stop());

const BASE_PUBLIC = words('id type name');
const BASE_UI = words(
  'id type name owner hidden createdBy createdDate lastModifiedDate visibleToPublicUsers visibleToAuthenticatedUsers',
);
const ACTIONS = words('reloadingActions failureActions successNotificationActions failureNotificationActions');
const CONTENT = words(`isContent contentType content isDOMNode pageId parent sharedComponentId syncedNodesIds
  sharedComponentConfiguration showForLocales hideForLocales showConditions hideConditions dataKey cypherQuery functionQuery`);
const PAGE =
  words(`isPage pageCreatesRawData sites version position cacheForSeconds showOnErrorCodes contentType category
  paths dontCache children`);
const LINKABLE = words('linkingElements linkingElementsIds enableBasicAuth basicAuthRealm');
const ELEMENT_PUBLIC =
  words(`tag path partialUpdateKey isDOMNode pageId parent sharedComponentId syncedNodesIds children
  dataKey cypherQuery functionQuery`);
const ELEMENT_UI =
  words(`tag path partialUpdateKey _html_class _html_id sharedComponentConfiguration isDOMNode pageId parent
  sharedComponentId syncedNodesIds data-svc-id children childrenIds showForLocales hideForLocales showConditions hideConditions
  dataKey cypherQuery functionQuery data-svc-rendering-mode data-svc-delay-or-interval data-svc-insert data-svc-from-widget
  data-svc-tree-children data-svc-reload-target eventMapping triggeredActions data-svc-manual-reload-target`);
const MAPPING = words(`triggerElements event action method flow idExpression options dialogType dialogTitle dialogText
  successNotifications successNotificationsPartial successNotificationsEvent successNotificationsDelay successBehaviour
  successPartial successURL successEvent successTargets successNotificationElements failureNotifications
  failureNotificationsPartial failureNotificationsEvent failureNotificationsDelay failureBehaviour failurePartial failureURL
  failureEvent failureTargets failureNotificationElements parameterMappings`);
const PARAMETER = words(
  'inputElement parameterType parameterName constantValue scriptExpression methodResult flowResult',
);
const WIDGET = words(
  'source description configuration svgIconPath thumbnailPath treePath selectors isPageTemplate isWidget',
);

test.each<readonly [string, string, readonly string[]]>([
  ['Div', 'public', [...BASE_PUBLIC, ...ELEMENT_PUBLIC]],
  ['Div', 'ui', [...BASE_UI, ...ACTIONS, ...ELEMENT_UI]],
  ['DOMElement', 'ui', [...BASE_UI, ...ACTIONS, ...ELEMENT_UI]],
  ['A', 'ui', [...BASE_UI, ...ACTIONS, ...ELEMENT_UI, 'linkable', 'linkableId']],
  ['Component', 'public', [...BASE_PUBLIC, ...ELEMENT_PUBLIC, 'kind']],
  ['Content', 'public', [...BASE_PUBLIC, ...CONTENT]],
  ['Content', 'ui', [...BASE_UI, ...ACTIONS, ...CONTENT]],
  ['Comment', 'ui', [...BASE_UI, ...ACTIONS, ...CONTENT]],
  ['Template', 'public', [...BASE_PUBLIC, ...CONTENT, 'children', 'childrenIds']],
  ['Template', 'ui', [...BASE_UI, ...ACTIONS, ...CONTENT, 'children', 'childrenIds']],
  ['Page', 'public', [...BASE_PUBLIC, ...PAGE, ...words('linkingElements enableBasicAuth basicAuthRealm owner')]],
  ['Page', 'ui', [...BASE_UI, ...ACTIONS, ...PAGE, ...LINKABLE]],
  ['Page', 'category', ['category']],
  ['PagePath', 'public', [...BASE_PUBLIC, 'priority', 'parameters']],
  ['PagePathParameter', 'ui', [...BASE_UI, ...words('position valueType defaultValue isOptional')]],
  ['ActionMapping', 'ui', [...BASE_UI, ...MAPPING]],
  ['ActionMapping', 'public', BASE_PUBLIC],
  ['ParameterMapping', 'ui', [...BASE_UI, ...PARAMETER]],
  ['Localization', 'public', [...BASE_PUBLIC, ...words('domain locale localizedName imported')]],
  ['Localization', 'ui', [...BASE_UI, ...words('domain locale localizedName imported')]],
  ['MailTemplate', 'public', [...BASE_PUBLIC, ...words('locale text description')]],
  ['Site', 'public', [...BASE_PUBLIC, ...words('pages hostname port')]],
  ['Widget', 'public', [...BASE_PUBLIC, ...WIDGET]],
  ['Widget', 'editWidget', words('selectors isPageTemplate')],
])('%s in view %s', async (type, view, keys) => {
  const id = await admin.create(type, {
    name: 'viewed',
    ...(type === 'Site' ? { hostname: 'example.com' } : {}),
    ...(type === 'Localization' ? { locale: 'en' } : {}),
    ...(type === 'ParameterMapping' ? { parameterName: 'p' } : {}),
  });
  const answer = await admin.get(`/${type}/${id}/${view}`);
  expect(Object.keys(answer.body.result as object).sort()).toEqual([...new Set(keys)].sort());
});

test('the attributes of an element are in the view _html_', async () => {
  const id = await element(admin, 'Script', { _html_async: 'async', _html_class: 'x', _html_frameborder: '0' });
  const { result } = (await admin.get(`/Script/${id}/_html_`)).body;
  expect(result).toMatchObject({
    _html_async: 'async',
    _html_class: 'x',
    _html_type: 'text/javascript',
    _html_onclick: null,
  });
  expect(Object.keys(result as object).every((key) => key.startsWith('_html_'))).toBe(true);
  expect(result).not.toHaveProperty('_html_frameborder');
  // Stored all the same: the type does not have it.
  expect((await admin.get('/Script?_html_async=async')).body.result_count).toBe(1);
});

test.each(['public', 'ui', '_html_', 'all', 'custom'])('free attributes of an element are in view %s', async (view) => {
  const id = await element(admin, 'Div', {
    'data-x': 'one',
    'data-flag': true,
    'data-n': 7,
    'data-svc-hash': 'h',
    '_custom_html_aria-label': 'label',
    _custom_html_onfoo: '"<',
    other: 'stored, and not shown',
    children: [{ type: 'Span', tag: 'span', 'data-y': 'below' }],
  });
  const { result } = (await admin.get(`/Div/${id}/${view}`)).body;
  expect(result).toMatchObject({
    'data-x': 'one',
    'data-flag': true,
    'data-n': 7,
    'data-svc-hash': 'h',
    '_custom_html_aria-label': 'label',
    _custom_html_onfoo: '"<',
  });
  expect(result).not.toHaveProperty('other');
  if (view === 'public') expect(result.children[0]).toMatchObject({ 'data-y': 'below' });
  await admin.put(`/Div/${id}`, { 'data-x': null });
  expect((await admin.get(`/Div/${id}/${view}`)).body.result).not.toHaveProperty('data-x');
});

test('long free attributes are shown whole, a list of properties narrows them, texts have none', async () => {
  const long = 'ä"'.repeat(20_000);
  const id = await element(admin, 'Div', { 'data-long': long, 'data-b': 'b' });
  expect((await stateOf(admin, id))['data-long']).toBe(long);
  const narrowed = await admin.get(`/Div/${id}`, { Accept: 'application/json; properties=id,data-b' });
  expect(narrowed.body.result).toEqual({ id, 'data-b': 'b' });
  const text = await admin.create('Content', { content: 'x', 'data-x': 'kept' });
  expect(await stateOf(admin, text)).not.toHaveProperty('data-x');
});

test('unknown keys of nodes are stored whatever the setting says', async () => {
  await server.reload({ 'jsonrestservlet.unknowninput.validation.mode': 'reject' });
  const refused = await admin.post('/User', { name: 'u', unknown: 1 });
  expect(refused.status).toBe(422);
  const id = await element(admin, 'Div', { 'data-kept': 'k' });
  expect((await stateOf(admin, id))['data-kept']).toBe('k');
});

test('what a client gets back it may send again', async () => {
  const id = await element(admin, 'Div', { 'data-x': 'one', children: [{ type: 'Span', tag: 'span' }] });
  const { result } = (await admin.get(`/Div/${id}/ui`)).body;
  const answer = await admin.put(`/Div/${id}`, result);
  expect(answer.status).toBe(200);
  expect((await admin.get(`/Div/${id}/ui`)).body.result.children).toHaveLength(1);
});

test('parameters of mappings have a name, localizations a locale, and are seen by all', async () => {
  for (const parameterName of [undefined, null, '', ' '])
    expect((await admin.post('/ParameterMapping', { parameterName })).body.errors?.[0]).toMatchObject({
      property: 'parameterName',
      token: 'must_not_be_empty',
    });
  expect((await admin.post('/Localization', { name: 'key' })).body.errors?.[0]).toMatchObject({
    property: 'locale',
    token: 'must_not_be_empty',
  });
  const id = await admin.create('Localization', { name: 'key', locale: 'de', visibleToPublicUsers: false });
  expect((await admin.get(`/Localization/${id}/all`)).body.result).toMatchObject({
    visibleToPublicUsers: true,
    visibleToAuthenticatedUsers: true,
  });
});

test.each([1, 2, 3, 4])(
  'siblings with all that is around them, each as if it were alone, %i levels deep',
  async (depth) => {
    const { page, body } = await emptyPage(admin, `siblings-${String(depth)}`);
    const texts = Array.from({ length: 5 }, (_, i) => ({ type: 'Content', content: `text ${String(i)}` }));
    for (const [i, text] of texts.entries())
      await element(admin, 'P', { parent: body, name: String(i), children: [text] });
    const query = `_outputNestingDepth=${String(depth)}`;
    const all = (await admin.get(`/DOMNode?pageId=${page}&${query}`)).body.result as { id: string }[];
    expect(all).toHaveLength(12);
    for (const one of all) expect(one).toEqual((await admin.get(`/DOMNode/${one.id}?${query}`)).body.result);
  },
);
