import type { Change, GraphNode } from '../../graph/index.js';
import type { Schema } from '../model/schema.js';
import type { ObjectTransaction } from '../objects/transaction.js';

/**
 * Methods of users that run when objects are created, changed and deleted (docs/interface/scripting.md 6.5). The scripting room implements
 * it; this room says when.
 */
export interface Lifecycle {
  /** Whether any type has such a method: without one nothing further is asked. */
  active(schema: Schema): boolean;
  /** Whether such methods run before the commit when objects of this type are written. */
  runsFor(schema: Schema, type: string): boolean;
  /** What scripts have called in this transaction that nothing takes back; undefined: nothing. */
  reachedOut(objects: ObjectTransaction): string | undefined;
  /** Immediately after an object was created (`onNodeCreation`). */
  nodeCreated(node: GraphNode, objects: ObjectTransaction): Promise<void>;
  /**
   * At the end of the transaction, for what was created, changed and deleted in it; again for what these methods change
   * (`onCreate`, `onSave`, `onDelete`). What it throws ends the transaction.
   */
  beforeCommit(objects: ObjectTransaction): Promise<void>;
  /** After the commit, with all changes of the transaction (`afterCreate`, `afterSave`, `afterDelete`). Never rejects. */
  afterCommit(changes: readonly Change[], objects: ObjectTransaction): Promise<void>;
}
