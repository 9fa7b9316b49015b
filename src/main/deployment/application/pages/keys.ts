/** Names of pages as keys of entries and names of files: one page a key (docs/interface/deployment.md 2.5). */
import type { GraphNode } from '../../../graph/index.js';

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
