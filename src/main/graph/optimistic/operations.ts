/** Writes as values: gathered by one transaction, applied by another. */
import type { NewNode, NewRelationship, WriteTransaction } from '../graph.js';
import type { GraphRelationship, PropertyChanges } from '../types.js';

export type Operation =
  | { readonly do: 'createNode'; readonly node: NewNode }
  | { readonly do: 'updateNode' | 'updateRelationship'; readonly id: string; readonly changes: PropertyChanges }
  | {
      readonly do: 'setNodeType';
      readonly id: string;
      readonly type: string;
      readonly traits: readonly string[] | undefined;
    }
  | { readonly do: 'deleteNode'; readonly id: string; readonly links: readonly GraphRelationship[] }
  | { readonly do: 'deleteRelationship'; readonly id: string }
  | { readonly do: 'createRelationship'; readonly relationship: NewRelationship }
  | {
      readonly do: 'setLabels';
      readonly id: string;
      readonly add: readonly string[];
      readonly remove: readonly string[];
    };

/** Does them one after the other, in turns with the loop, as every write does. */
export async function applyAll(tx: WriteTransaction, operations: readonly Operation[]): Promise<void> {
  for (const one of operations) await apply(tx, one);
}

async function apply(tx: WriteTransaction, one: Operation): Promise<unknown> {
  switch (one.do) {
    case 'createNode':
      return tx.createNode(one.node);
    case 'updateNode':
      return tx.updateNode(one.id, one.changes);
    case 'setNodeType':
      return tx.setNodeType(one.id, one.type, one.traits);
    case 'deleteNode':
      return tx.deleteNode(one.id, one.links);
    case 'createRelationship':
      return tx.createRelationship(one.relationship);
    case 'updateRelationship':
      return tx.updateRelationship(one.id, one.changes);
    case 'deleteRelationship':
      return tx.deleteRelationship(one.id);
    case 'setLabels':
      return tx.setLabels?.(one.id, one.add, one.remove);
  }
}
