/** The tree of all code, level by level. */
import type { TreeNode } from '../parts/tree.js';
import { list, type Entity } from '../server/rest.js';
import type { CodeKey } from '../texts/code.js';
import { codeOfElements } from './page-code.js';
import { ACTION_KEYS, idOf, nameOf, ownerOf } from './kinds.js';

export const ROOT = 'root';
export const GROUPS = [
  { id: 'functions', title: 'code.functions' },
  { id: 'types', title: 'code.types' },
  { id: 'templates', title: 'code.templates' },
  { id: 'files', title: 'code.files' },
  { id: 'components', title: 'code.components' },
  { id: 'pages', title: 'code.pages' },
  { id: 'mails', title: 'code.mails' },
] as const satisfies readonly { readonly id: string; readonly title: CodeKey }[];

/** Objects of a list that are shown at most; what is behind them is found by searching. */
const MOST = 2_000;
const PAGE = 500;
/** Elements of one page with code of one kind. */
const MOST_ON_PAGE = 200;
const PAGE_KEYS = ['functionQuery', 'showConditions', 'hideConditions', 'sharedComponentConfiguration'];

type T = (key: CodeKey) => string;

/** Between what a node leads to and where it stands. */
const PLACE = '@';

/** What a node of the tree leads to: the segments of its place. Files are edited in their own area. */
export function leadsTo(id: string): readonly string[] {
  const place = (id.split(PLACE)[0] ?? '').split('/');
  return place[0] === 'files' ? place : ['code', ...place];
}

/** All objects of a list, page by page, as many as are shown. */
async function all(path: string, query: Readonly<Record<string, string>>, properties: string[]): Promise<Entity[]> {
  const found: Entity[] = [];
  for (let page = 1; found.length < MOST; page++) {
    const { result } = await list(
      path,
      { ...query, _sort: 'name', _pageSize: PAGE, _page: page, _disableSoftLimit: 1 },
      { properties: ['id', 'type', 'name', ...properties] },
    );
    found.push(...result);
    if (result.length < PAGE) break;
  }
  return found;
}

const leaf = (type: string, object: Entity, key: string, note?: string): TreeNode => ({
  id: idOf({ type, id: object.id, key }),
  name: object.name ?? (nameOf(object['tag']) || object.id),
  isFolder: false,
  ...(note === undefined ? {} : { note }),
});

/** Reads what is in a node of the tree. */
export async function loadChildren(id: string, t: T): Promise<readonly TreeNode[]> {
  if (id === ROOT) return GROUPS.map((group) => ({ id: group.id, name: t(group.title), isFolder: true }));
  if (id === 'functions') return (await methods()).filter((one) => ownerOf(one) === '').map((one) => method(one, t));
  if (id === 'types') return typesWithCode();
  if (id.startsWith('type:')) return codeOfType(id.slice('type:'.length), t);
  if (id === 'templates')
    return (await all('Template', {}, ['ownerDocument'])).map((one) =>
      leaf('Content', one, 'content', nameOf(one['ownerDocument'])),
    );
  if (id === 'files')
    return (await all('File', { isTemplate: 'true' }, ['path'])).map((one) => ({
      id: `files/file/${one.id}`,
      name: one.name ?? one.id,
      isFolder: false,
      note: nameOf(one['path']),
    }));
  if (id === 'mails')
    return (await all('MailTemplate', {}, ['locale'])).map((one) =>
      leaf('MailTemplate', one, 'text', nameOf(one['locale'])),
    );
  if (id === 'components') {
    const [shadow] = (await list('ShadowDocument', { _pageSize: 1 }, { properties: ['id'] })).result;
    return shadow === undefined ? [] : codeOfPage(shadow.id, t);
  }
  if (id === 'pages')
    return (await all('Page', {}, []))
      .filter(({ type }) => type !== 'ShadowDocument')
      .map((one) => ({ id: `page:${one.id}`, name: one.name ?? one.id, isFolder: true }));
  return id.startsWith('page:') ? codeOfPage(id.slice('page:'.length), t) : [];
}

const methods = (): Promise<Entity[]> =>
  all('SchemaMethod', {}, ['schemaNode', 'staticSchemaNodeName', 'isStatic', 'isPrivate']);

const functionProperties = (): Promise<Entity[]> =>
  all('SchemaProperty', { propertyType: 'Function' }, ['schemaNode', 'staticSchemaNodeName']);

function method(one: Entity, t: T): TreeNode {
  const notes = [
    ...(one['isStatic'] === true && ownerOf(one) !== '' ? [t('code.static')] : []),
    ...(one['isPrivate'] === true ? [t('code.private')] : []),
  ];
  return leaf('SchemaMethod', one, 'source', notes.length === 0 ? undefined : notes.join(', '));
}

async function typesWithCode(): Promise<readonly TreeNode[]> {
  const [some, properties] = await Promise.all([methods(), functionProperties()]);
  const names = new Set([...some, ...properties].map(ownerOf).filter((name) => name !== ''));
  return [...names].sort((a, b) => a.localeCompare(b)).map((name) => ({ id: `type:${name}`, name, isFolder: true }));
}

async function codeOfType(name: string, t: T): Promise<readonly TreeNode[]> {
  const [some, properties] = await Promise.all([methods(), functionProperties()]);
  const isOwn = (one: Entity): boolean => ownerOf(one) === name;
  return [
    ...some.filter(isOwn).map((one) => method(one, t)),
    ...properties
      .filter(isOwn)
      .flatMap((one) => [
        leaf('SchemaProperty', one, 'readFunction', t('code.readFunction')),
        leaf('SchemaProperty', one, 'writeFunction', t('code.writeFunction')),
      ]),
  ];
}

/** Contents with scripts in them, and what elements ask and decide by. */
async function codeOfPage(page: string, t: T): Promise<readonly TreeNode[]> {
  const contents = async (): Promise<readonly TreeNode[]> => {
    const { result } = await list(
      'Content',
      { ownerDocument: page, content: '${', _inexact: 1, _sort: 'name', _pageSize: MOST_ON_PAGE },
      { properties: ['id', 'type', 'name'] },
    );
    return result.map((one) => leaf('Content', { ...one, name: one.name ?? one.type }, 'content'));
  };
  const keyed = async (key: string): Promise<readonly TreeNode[]> => {
    // Those without a value come last.
    const { result } = await list(
      'DOMNode',
      { ownerDocument: page, _sort: key, _pageSize: MOST_ON_PAGE },
      { properties: ['id', 'type', 'name', 'tag', key] },
    );
    return result
      .filter((one) => nameOf(one[key]) !== '')
      .map((one) =>
        leaf('DOMNode', { ...one, name: one.name ?? (nameOf(one['tag']) || one.type) }, key, t(keyTitle(key))),
      );
  };
  const elements = async (): Promise<readonly TreeNode[]> =>
    (await codeOfElements(page)).map(({ type, key, object, title }) =>
      leaf(type, { ...object, name: title }, key, t(keyTitle(key))),
    );
  const found = await Promise.all([contents(), ...PAGE_KEYS.map(keyed), elements()]);
  // A template is among the templates as well, and a node of a tree is at one place.
  return found.flat().map((node) => ({ ...node, id: `${node.id}${PLACE}${page}` }));
}

/** How a property of an element is called. */
export function keyTitle(key: string): CodeKey {
  const titles: Readonly<Record<string, CodeKey>> = {
    functionQuery: 'code.functionQuery',
    showConditions: 'code.showConditions',
    hideConditions: 'code.hideConditions',
    sharedComponentConfiguration: 'code.configuration',
    readFunction: 'code.readFunction',
    writeFunction: 'code.writeFunction',
    scriptExpression: 'code.parameter',
    content: 'code.content',
    text: 'code.mailText',
  };
  if (key.startsWith('_html_')) return 'code.attribute';
  return titles[key] ?? (ACTION_KEYS.includes(key) ? 'code.action' : 'code.source');
}
