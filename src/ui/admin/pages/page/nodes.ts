/** Nodes of a page over REST: reading them by their parent, and what can be done with them (docs/interface/pages.md 1). */
import { send } from '../../../common/request.js';
import { call, create, list, read, restPath, type Entity } from '../../server/rest.js';

/** A node as the tree shows it. */
export interface PageNode extends Entity {
  readonly tag?: string | null;
  readonly childrenIds?: readonly string[];
  readonly content?: string | null;
  readonly contentType?: string | null;
  readonly dataKey?: string | null;
  readonly hidden?: boolean;
  readonly sharedComponentId?: string | null;
  readonly visibleToPublicUsers?: boolean;
  readonly visibleToAuthenticatedUsers?: boolean;
  readonly parentId?: string | null;
  readonly pageId?: string | null;
  readonly _html_id?: string | null;
  readonly _html_class?: string | null;
}

const SHOWN = [
  'id',
  'type',
  'name',
  'tag',
  'childrenIds',
  'content',
  'contentType',
  'dataKey',
  'hidden',
  'sharedComponentId',
  'visibleToPublicUsers',
  'visibleToAuthenticatedUsers',
  'parentId',
  'pageId',
  '_html_id',
  '_html_class',
];

/** So many children of one node are read. */
export const MOST_CHILDREN = 500;
/** Elements that hold nothing. */
const VOID = /^(Area|Base|Br|Col|Command|Embed|Hr|Img|Input|Keygen|Link|Meta|Param|Source|Track|Wbr)$/;

export const isPage = ({ type }: { readonly type: string }): boolean => type === 'Page' || type === 'ShadowDocument';
export const isText = ({ type }: { readonly type: string }): boolean =>
  type === 'Content' || type === 'Comment' || type === 'Template';
export const isElement = (node: { readonly type: string }): boolean => !isPage(node) && !isText(node);

/** Whether other nodes can be put into it. */
export function canHold({ type }: { readonly type: string }): boolean {
  return type === 'Template' || (type !== 'Content' && type !== 'Comment' && !VOID.test(type));
}

/** The children of a node in their order, at most `MOST_CHILDREN`, and how many there are. */
export async function childrenOf(id: string): Promise<{ readonly nodes: readonly PageNode[]; readonly count: number }> {
  const { result, result_count: count } = await list<PageNode>(
    `DOMNode/${id}/children`,
    { _pageSize: MOST_CHILDREN, _page: 1 },
    { properties: SHOWN },
  );
  return { nodes: result, count: count ?? result.length };
}

/** Nodes of a page that are in no other node: of the hidden page, shared components (1.7). */
export async function rootsOf(pageId: string): Promise<readonly PageNode[]> {
  const { result } = await list<PageNode>(
    'DOMNode',
    { pageId, parent: '', _pageSize: MOST_CHILDREN, _page: 1 },
    { properties: SHOWN },
  );
  return result;
}

export async function readNode(id: string): Promise<PageNode> {
  const { result } = await list<PageNode>(`DOMNode/${id}`, {}, { properties: SHOWN });
  // Of one object the result is the object itself.
  return result as unknown as PageNode;
}

/** Values of one node. Those that it does not have are absent. */
export async function valuesOf(path: string, properties: readonly string[]): Promise<Entity> {
  const { result } = await list(
    path,
    { _outputNestingDepth: 2 },
    { properties: ['id', 'type', 'name', ...properties] },
  );
  return result as unknown as Entity;
}

/** What was taken out of its page, or was in one that is deleted; at most 10,000 (1.7). */
export async function recycled(): Promise<readonly PageNode[]> {
  const response = await send(restPath('DOMNode/getRecycleBin'), {
    method: 'POST',
    json: {},
    headers: { Accept: `application/json; properties=${SHOWN.join(',')}` },
  });
  return ((await response.json()) as { readonly result: readonly PageNode[] }).result;
}

/** The page of shared components; absent while nothing has been shared. */
export async function findShadowDocument(): Promise<string | undefined> {
  const { result } = await list('ShadowDocument', { _pageSize: 1, _page: 1 }, { properties: ['id'] });
  return result[0]?.id;
}

/** What is made: an element by its tag, or a text. */
export interface NewNode {
  readonly type: string;
  readonly tag?: string;
  readonly content?: string;
  readonly contentType?: string;
  readonly [attribute: `_html_${string}`]: string;
}

/** The type of elements with this tag (1.5): one of its own, or that of all elements. */
export function typeOfTag(tag: string, known: ReadonlySet<string>): string {
  const name = tag.slice(0, 1).toUpperCase() + tag.slice(1).toLowerCase();
  if (name === 'Template') return 'TemplateElement';
  return known.has(name) ? name : 'DOMElement';
}

/** Makes a node in another one, before its child `before`, else behind all; its id. It is seen by who sees the other one. */
export async function addNode(parent: PageNode, made: NewNode, before?: string): Promise<string> {
  const { type, ...values } = made;
  const id = await create(encodeURIComponent(type), {
    ...values,
    parent: parent.id,
    visibleToPublicUsers: parent.visibleToPublicUsers ?? false,
    visibleToAuthenticatedUsers: parent.visibleToAuthenticatedUsers ?? false,
  });
  if (before !== undefined) await moveNode(id, parent.id, before);
  return id;
}

/** Puts a node into another one, before its child `before`, else behind all. */
export async function moveNode(id: string, into: string, before?: string): Promise<void> {
  await call(`DOMNode/${into}/insertBefore`, { newChild: id, ...(before === undefined ? {} : { refChild: before }) });
}

/** The child that stands behind a node. */
export async function nextOf({ id, parentId }: PageNode): Promise<string | undefined> {
  if (typeof parentId !== 'string') return undefined;
  const { nodes } = await childrenOf(parentId);
  return nodes[nodes.findIndex((node) => node.id === id) + 1]?.id;
}

/** The child with an index, from 0, when `without` are not counted. */
export async function childAt(
  parentId: string,
  index: number,
  without: readonly string[] = [],
): Promise<string | undefined> {
  const { nodes } = await childrenOf(parentId);
  return nodes.filter(({ id }) => !without.includes(id))[index]?.id;
}

/** A copy with all that is in it, behind the node; its id. */
export async function cloneNode(node: PageNode): Promise<string> {
  const next = await nextOf(node);
  const copy = await call<Entity>(`DOMNode/${node.id}/cloneNode`, { deep: true });
  const id = copy?.id ?? '';
  if (typeof node.parentId === 'string') await moveNode(id, node.parentId, next);
  return id;
}

/** Puts an element around the node; its id. */
export async function wrapNode(node: PageNode, wrapper: NewNode): Promise<string> {
  const { type, ...values } = wrapper;
  const id = await create(encodeURIComponent(type), {
    ...values,
    visibleToPublicUsers: node.visibleToPublicUsers ?? false,
    visibleToAuthenticatedUsers: node.visibleToAuthenticatedUsers ?? false,
  });
  await call(`DOMNode/${node.id}/wrapNode`, { wrapper: id });
  return id;
}

/** Takes a node out of its page, with all that is in it (1.7). */
export async function removeNode(id: string): Promise<void> {
  await call(`DOMNode/${id}/removeNode`);
}

/** A node and all below it, by its levels. */
export async function subtreeOf(id: string): Promise<readonly string[]> {
  const all = [id];
  for (let at = 0; at < all.length; at += 1) {
    for (let page = 1; ; page += 1) {
      const { result } = await list<PageNode>(
        `DOMNode/${all[at] ?? ''}/children`,
        { _pageSize: MOST_CHILDREN, _page: page },
        { properties: ['id'] },
      );
      all.push(...result.map((node) => node.id));
      if (result.length < MOST_CHILDREN) break;
    }
  }
  return all;
}

/** What the page is: its name and its version, which grows with each change of it or what is in it (1.3). */
export interface PageHead {
  readonly id: string;
  readonly type: string;
  readonly name: string | null;
  readonly version: number;
  readonly lastModifiedDate: string;
}

export async function readHead(id: string): Promise<PageHead> {
  const { result } = await list(
    `Page/${id}`,
    {},
    { properties: ['id', 'type', 'name', 'version', 'lastModifiedDate'] },
  );
  return result as unknown as PageHead;
}

/** The name of a node in the tree: its own, else its tag, of a text its beginning. */
export function titleOf(node: PageNode): string {
  if (isText(node)) {
    const text = (node.content ?? '').trim().replaceAll(/\s+/g, ' ');
    const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text;
    if (node.type === 'Template') return node.name ?? (shown === '' ? 'Template' : shown);
    return node.type === 'Comment' ? `<!-- ${shown} -->` : shown === '' ? '""' : shown;
  }
  return isPage(node) ? (node.name ?? node.id) : (node.tag ?? node.type);
}

/** Types by their names, for `typeOfTag`. */
export async function elementTypes(): Promise<ReadonlySet<string>> {
  const types = await read<readonly { readonly name: string }[]>('_schema');
  return new Set(types.map(({ name }) => name));
}
