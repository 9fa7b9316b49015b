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

/** Id of the one node in a page with this name. */
export async function nodeNamed(admin: Client, name: string): Promise<string> {
  const { body } = await admin.get(`/DOMNode?name=${encodeURIComponent(name)}`);
  const found = body.result as readonly { readonly id: string; readonly type: string }[];
  const [node, another] = found.filter(({ type }) => type !== 'Page');
  if (node === undefined || another !== undefined) throw new Error(`there is not one node named ${name}`);
  return node.id;
}

/** Gives an element, by its name, an action mapping with parameters. Fields that end with `Targets`, `Elements` or are `inputElement` name nodes. Its id. */
export async function makeAction(
  admin: Client,
  trigger: string,
  fields: Readonly<Record<string, unknown>>,
  parameters: readonly Readonly<Record<string, unknown>>[] = [],
  flags: object = VISIBLE,
): Promise<string> {
  const resolved: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    const isNodes = /(?:Targets|Elements)$/.test(key) && Array.isArray(value);
    resolved[key] = isNodes ? await Promise.all(value.map((name: string) => nodeNamed(admin, name))) : value;
  }
  const triggerElements = [await nodeNamed(admin, trigger)];
  const mapping = await admin.create('ActionMapping', { ...resolved, ...flags, triggerElements });
  for (const { inputElement, ...more } of parameters) {
    const input = typeof inputElement === 'string' ? { inputElement: await nodeNamed(admin, inputElement) } : {};
    await admin.create('ParameterMapping', { ...more, ...flags, ...input, actionMapping: mapping });
  }
  return mapping;
}
