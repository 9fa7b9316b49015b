/** Pages of the bench: trees written as nested arrays, made over REST. */
import type { ServerProcess } from '../server-process.js';

/** Who takes requests of the administrator. */
export type Requester = Pick<ServerProcess, 'request'>;

/** A text, or an element: its tag, its fields, and what is in it. */
export type Tree = string | readonly [tag: string, fields: Readonly<Record<string, unknown>>, ...children: Tree[]];

const VISIBLE = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };

export async function create(server: Requester, type: string, object: object): Promise<string> {
  const { result } = await server.request('POST', `/${type}`, object);
  const [id] = result as string[];
  if (id === undefined) throw new Error(`POST of a ${type} answered no id`);
  return id;
}

async function make(server: Requester, tree: Tree, parent: string, ownerDocument: string): Promise<void> {
  const place = { parent, ownerDocument, ...VISIBLE };
  if (typeof tree === 'string') {
    await create(server, 'Content', { content: tree, ...place });
    return;
  }
  const [tag, fields, ...children] = tree;
  const type = tag.charAt(0).toUpperCase() + tag.slice(1);
  const id = await create(server, type, { tag, ...fields, ...place });
  for (const child of children) await make(server, child, id, ownerDocument);
}

/** A page that everybody sees. */
export async function makePage(server: Requester, name: string, body: readonly Tree[], fields = {}): Promise<void> {
  const page = await create(server, 'Page', { name, contentType: 'text/html', ...VISIBLE, ...fields });
  const tree: Tree = ['html', {}, ['head', {}, ['title', {}, name]], ['body', {}, ...body]];
  await make(server, tree, page, page);
}

/** A paragraph is an element, as is what is in it. */
const STATIC_PARAGRAPHS = 148;

/** 300 elements with `html`, `head`, `title` and `body`, 20 KB. */
export function staticBody(): Tree[] {
  return Array.from({ length: STATIC_PARAGRAPHS }, (_, i): Tree => [
    'p',
    { _html_class: `paragraph-${String(i)}` },
    `Paragraph ${String(i)} of a page that says the very same words to everybody, `,
    ['em', {}, 'as most of them do'],
    '.',
  ]);
}

/** Rows that a page shows, and expressions in each of them. */
export const SHOWN = 50;

/** The first rows of a type by rank: 50 by four expressions. */
export function rowsTable(type: string, id = 'rows'): Tree {
  const cells = [
    '${row.name}',
    '${upper(row.code)}',
    "${if(row.active, 'in use', 'not in use')}",
    "${concat(row.note, ', ', row.code)}",
  ].map((text): Tree => ['td', {}, text]);
  const query = `find('${type}', sort('rank'), page(1, ${String(SHOWN)}))`;
  return ['table', { _html_id: id, name: id }, ['tr', { dataKey: 'row', functionQuery: query }, ...cells]];
}

export const SCRIPTS = 20;

/** 20 expressions in JavaScript, one a paragraph. */
export function scriptParagraphs(): Tree[] {
  return Array.from({ length: SCRIPTS }, (_, i): Tree => {
    const n = String(i);
    return ['p', {}, `\${{ const words = ['page', 'row', 'cell']; words[${n} % 3].toUpperCase() + ${n} * 7 }}`];
  });
}
