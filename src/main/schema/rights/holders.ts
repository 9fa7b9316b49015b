/** Who owns objects, and who was granted what on them, by name: for what leaves the database. */
import { OWNS, SECURITY, type ReadTransaction } from '../../graph/index.js';

export interface Holders {
  /** Name of the owner. */
  readonly owner: string | undefined;
  /** By name; `allowed` in the order read, write, delete, accessControl. */
  readonly grantees: readonly { readonly name: string; readonly allowed: readonly string[] }[];
}

const RIGHTS = ['read', 'write', 'delete', 'accessControl'];

/** In the order of the ids. Principals without a name are left out. */
export async function holdersOf(tx: ReadTransaction, ids: readonly string[]): Promise<Holders[]> {
  const [owning, granted] = await Promise.all([
    tx.related(ids, { relType: OWNS, direction: 'in' }, 1),
    tx.links(ids, { relType: SECURITY, direction: 'in' }),
  ]);
  return ids.map((_, i) => {
    const owner = owning[i]?.[0]?.properties['name'];
    const grantees = (granted[i] ?? []).flatMap(({ node, relationship }) => {
      const { name } = node.properties;
      const { allowed } = relationship.properties;
      const list: readonly unknown[] = Array.isArray(allowed) ? allowed : [];
      const rights = RIGHTS.filter((right) => list.includes(right));
      return typeof name === 'string' && rights.length > 0 ? [{ name, allowed: rights }] : [];
    });
    grantees.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    return { owner: typeof owner === 'string' ? owner : undefined, grantees };
  });
}
