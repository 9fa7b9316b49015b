/** What all tabs of the inspector get. */
import type { PageNode } from '../page/nodes.js';

export interface OfNode {
  readonly node: PageNode;
  readonly page: PageNode;
  readonly revision: number;
  /** The page has been changed. */
  readonly touched: () => void;
}
