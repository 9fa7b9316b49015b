/** Pages for tests: trees written as nested arrays, made over REST as clients make them. */
import type { Client } from './client.js';

/** A text, or an element: its tag, its fields, and what is in it. A field `type` says its type where that is not the tag's. */
export type Tree = string | readonly [tag: string, fields?: Readonly<Record<string, unknown>>, ...children: Tree[]];

const VISIBLE = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };

function typeOfTag(tag: string): string {
  return tag === 'template' ? 'TemplateElement' : tag.charAt(0).toUpperCase() + tag.slice(1);
}

async function make(admin: Client, tree: Tree, parent: string, page: string, flags: object): Promise<string> {
  const place = { parent, ownerDocument: page };
  if (typeof tree === 'string') return admin.create('Content', { content: tree, ...flags, ...place });
  const [tag, { type, ...fields } = {}, ...children] = tree;
  const isText = tag === '' || tag === 'Template' || tag === 'Comment';
  const id = await admin.create(typeof type === 'string' ? type : isText ? tag || 'Content' : typeOfTag(tag), {
    ...(isText ? {} : { tag }),
    ...flags,
    ...fields,
    ...place,
  });
  for (const child of children) await make(admin, child, id, page, flags);
  return id;
}

/** Elements by themselves: a page has none but `html` directly below it. Nothing is around them in what it becomes. */
export function bare(...trees: readonly Tree[]): Tree {
  return ['Template', { name: 'bare', contentType: 'text/html', content: '${render(children)}' }, ...trees];
}

/** Makes a page, visible to all unless `fields` say otherwise; its id. */
export async function makePage(
  admin: Client,
  name: string,
  tree: readonly Tree[],
  fields: Readonly<Record<string, unknown>> = {},
  flags: object = VISIBLE,
): Promise<string> {
  const page = await admin.create('Page', { name, contentType: 'text/html', ...VISIBLE, ...fields });
  for (const one of tree) await make(admin, one, page, page, flags);
  return page;
}

/** What is at a path, as somebody gets it. */
export async function getPage(
  client: Client,
  path: string,
  { method = 'GET', ...headers }: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly text: string; readonly headers: Headers }> {
  const credentials: Record<string, string> = {};
  if (client.name !== undefined) credentials['X-User'] = client.name;
  if (client.password !== undefined) credentials['X-Password'] = client.password;
  const answer = await fetch(`${client.url}${path}`, {
    method,
    redirect: 'manual',
    headers: { Accept: 'text/html', ...credentials, ...client.headers, ...headers },
  });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}
