import type { GraphNode, ReadTransaction, Right } from '../../graph/index.js';
import { allowed, type ObjectAccess, type Reading, type Schema } from '../../schema/index.js';

/** What looking at a folder needs, within a transaction that writes or one that reads. */
export interface Looking extends Reading {
  may(right: Right, node: GraphNode): Promise<boolean>;
}

/** The same within one that reads. */
export function looking(tx: ReadTransaction, schema: Schema, access: ObjectAccess): Looking {
  return { tx, schema, may: (right, node) => allowed(tx, access, right, node) };
}
