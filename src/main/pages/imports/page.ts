/** Pages made of HTML (docs/interface/pages.md 8.1). */
import type { GraphNode } from '../../graph/index.js';
import type { ObjectTransaction } from '../../schema/index.js';
import { typeNamed } from '../tree/relations.js';
import { insert } from './build.js';
import type { HtmlNode } from './read-html.js';

export interface ImportedPage {
  readonly name: string;
  readonly visibleToPublicUsers: boolean;
  readonly visibleToAuthenticatedUsers: boolean;
}

/** Makes a page of what its HTML was read as; all of it is seen by whom the page is for. Throws `SchemaError`. */
export async function importPage(
  objects: ObjectTransaction,
  { name, ...flags }: ImportedPage,
  nodes: readonly HtmlNode[],
  from: 'author' | 'site' = 'author',
): Promise<GraphNode> {
  const type = typeNamed(objects, 'Page');
  const page = await objects.create(type, { name, contentType: 'text/html', ...flags });
  await insert(objects, page, nodes, { ...flags, from });
  return page;
}
