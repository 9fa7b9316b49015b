/** A node in memory. */
import type { GraphNode } from '../../types.js';

export interface CachedNode {
  readonly pk: number;
  readonly node: GraphNode;
  /** Length of the stored text. */
  readonly size: number;
  /** Asked for since it was last considered for dropping. */
  used: boolean;
  /** Place in the cache's list. */
  at: number;
}
