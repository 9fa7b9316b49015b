/** New pages (docs/interface/pages.md 8.1). */
import type { GraphNode } from '../../graph/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import { onlyReadable, typesOf, type ObjectTransaction } from '../../schema/index.js';
import { cloneNode } from './clone.js';
import { typeNamed } from './relations.js';

/** Pages whose names begin alike that are looked at for a free number. */
const MOST_NAMES = 100_000;

export interface NewPage {
  readonly name: string;
  readonly visibleToPublicUsers?: boolean;
  readonly visibleToAuthenticatedUsers?: boolean;
}

/** A page with a title, a heading and a text, all of them seen by whom the page is for. */
export async function createSimplePage(objects: ObjectTransaction, { name, ...flags }: NewPage): Promise<GraphNode> {
  const type = typeNamed(objects, 'Page');
  const element = (named: string, children: readonly JsonValue[]): JsonObject => ({
    type: named,
    tag: named.toLowerCase(),
    ...flags,
    children: [...children],
  });
  const text = (content: string): JsonObject => ({ type: 'Content', content, contentType: 'text/plain', ...flags });
  const title = '${capitalize(page.name)}';
  const head = element('Head', [element('Title', [text(title)])]);
  const body = element('Body', [element('H1', [text(title)]), element('Div', [text('Initial body text')])]);
  return objects.create(type, {
    name,
    contentType: 'text/html',
    ...flags,
    children: [element('Html', [head, body])],
  });
}

/** A copy of a page with all that is in it, named `<name>-<number>`. */
export async function clonePage(objects: ObjectTransaction, page: GraphNode): Promise<GraphNode> {
  const { name } = page.properties;
  const free = await freeName(objects, typeof name === 'string' && name !== '' ? name : page.id);
  return cloneNode(objects, page, { deep: true, name: free });
}

async function freeName(objects: ObjectTransaction, name: string): Promise<string> {
  const prefix = `${name}-`;
  const where = { op: 'startsWith', key: 'name', value: prefix } as const;
  const types = typesOf(objects.schema, 'Page');
  const query = { kind: 'nodes', trait: 'Page', ...types, where, limit: MOST_NAMES } as const;
  const taken = new Set<unknown>();
  // Pages may share a name: those that the actor does not see are none of his business.
  for await (const batch of objects.tx.stream(onlyReadable(query, objects.access)))
    for (const { properties } of batch) taken.add(properties['name']);
  let number = 1;
  while (taken.has(`${prefix}${String(number)}`)) number++;
  return `${prefix}${String(number)}`;
}
