import type { GraphNode, StoredValue } from '../../graph/index.js';
import { storedValue } from '../model/lookup.js';
import { isFunctionProperty } from '../writing/function-properties.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';
import { sameStored } from '../input/input-values.js';

/**
 * Stores what indexed function properties of an object answer at the end of its transaction, by which it is searched and sorted; nothing of it
 * counts as a change by somebody. Answers the object as it is then.
 */
export async function storeIndexedFunctions(objects: ObjectTransaction, node: GraphNode): Promise<GraphNode> {
  const changes: Record<string, StoredValue | null> = Object.create(null) as Record<string, StoredValue | null>;
  for (const property of objects.schema.typeOf(node).indexedFunctions) {
    if (property.indexedAs === undefined || !isFunctionProperty(property)) continue;
    const { indexedAs, indexedValue } = property;
    const value = (await indexedValue?.(node, objects)) ?? null;
    if (!sameStored(storedValue(node, indexedAs.key) ?? null, value)) changes[indexedAs.key] = value;
  }
  return Object.keys(changes).length === 0 ? node : objects.tx.updateNode(node.id, changes);
}
