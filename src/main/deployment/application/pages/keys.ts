/** Names of pages as keys of entries and names of files: one page a key (docs/interface/deployment.md 2.5). */
import type { GraphNode, ReadTransaction } from '../../../graph/index.js';
import { typesOf, type Schema } from '../../../schema/index.js';
import { allOf } from '../section.js';

/** An id, as it may stand at the end of a key. */
const ID = /(?:^|-)([0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** The pages that exports have: all but that of shared components. */
export async function exportedPages(tx: ReadTransaction, schema: Schema): Promise<GraphNode[]> {
  return (await allOf(tx, schema, 'Page')).filter((page) => isExported(page, schema));
}

/**
 * The pages that are named by their keys, in that order; undefined where there is none. Exports of others say a name once for each page that has it, so that
 * one that is said again means the next of these.
 */
export async function pagesWithKeys(
  tx: ReadTransaction,
  schema: Schema,
  said: readonly string[],
): Promise<(GraphNode | undefined)[]> {
  const names = said.flatMap((key) => [key, key.replace(ID, '')]);
  const ids = said.flatMap((key) => ID.exec(key)?.[1] ?? []);
  const where = { op: 'in', key: 'name', values: [...new Set(names)] } as const;
  const found = await tx.find({ kind: 'nodes', trait: 'Page', ...typesOf(schema, 'Page'), where });
  const known = new Set(found.map(({ id }) => id));
  for (const node of await tx.nodes([...new Set(ids)])) if (node !== undefined && !known.has(node.id)) found.push(node);
  const pages = found.filter((page) => isExported(page, schema)).sort((a, b) => (a.id < b.id ? -1 : 1));
  const keys = pageKeys(pages);
  const byKey = new Map(pages.map((page) => [keys.get(page.id), page]));
  const byName = new Map<unknown, GraphNode[]>();
  for (const page of pages) {
    const name = page.properties['name'];
    const others = byName.get(name);
    if (others === undefined) byName.set(name, [page]);
    else others.push(page);
  }
  const left = new Set(pages);
  return said.map((key) => {
    const page = byKey.get(key);
    const sameName = byName.get(key) ?? [];
    while (sameName[0] !== undefined && !left.has(sameName[0])) sameName.shift();
    const meant = page !== undefined && left.has(page) ? page : (sameName[0] ?? page);
    if (meant !== undefined) left.delete(meant);
    return meant;
  });
}

function isExported(node: GraphNode, schema: Schema): boolean {
  const type = schema.typeOf(node);
  return type.hasTrait('Page') && !type.hasTrait('ShadowDocument');
}

/** By the id of a page. The first of several pages of one name, by their ids, has it as its key; each other one has its id behind it. */
export function pageKeys(pages: readonly GraphNode[]): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  const taken = new Set<string>();
  for (const { id, properties } of [...pages].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const name = typeof properties['name'] === 'string' ? properties['name'] : '';
    const isPlain = name !== '' && !taken.has(name) && nameIn(name, id) === name;
    const key = isPlain ? name : name === '' ? id : `${name}-${id}`;
    keys.set(id, key);
    taken.add(key);
  }
  return keys;
}

/** The name of a page in its key; null: it has none. */
export function nameIn(key: string, id: string): string | null {
  if (key === id) return null;
  return key.endsWith(`-${id}`) ? key.slice(0, -id.length - 1) : key;
}
