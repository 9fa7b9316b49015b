/** Ends of relationships that are imported. */
import type { ReadTransaction } from '../../graph/index.js';

/** Types of the nodes that are there, by id. */
export async function typesOfNodes(tx: ReadTransaction, ids: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  const all = [...new Set(ids)];
  const types = tx.types === undefined ? (await tx.nodes(all)).map((node) => node?.type) : await tx.types(all);
  return new Map(all.flatMap((id, i) => (types[i] === undefined ? [] : [[id, types[i]]])));
}
