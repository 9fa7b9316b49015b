/** Who owns objects, and who was granted what on them, by name: for what leaves the database. */
import { OWNS, SECURITY, type ReadTransaction } from '../../graph/index.js';
import { holdersNamed, type Holders } from './holder-names.js';

/** In the order of the ids. Principals without a name are left out. */
export async function holdersOf(tx: ReadTransaction, ids: readonly string[]): Promise<Holders[]> {
  const [owning, granted] = await Promise.all([
    tx.related(ids, { relType: OWNS, direction: 'in' }, 1),
    tx.links(ids, { relType: SECURITY, direction: 'in' }),
  ]);
  return ids.map((_, i) => {
    const grants = (granted[i] ?? []).map(({ node, relationship }) => ({
      name: node.properties['name'],
      allowed: relationship.properties['allowed'],
    }));
    return holdersNamed(owning[i]?.[0]?.properties['name'], grants);
  });
}
