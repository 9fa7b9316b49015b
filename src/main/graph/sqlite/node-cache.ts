/**
 * Decoded nodes by id, least recently used last to stay. Measured: a hit costs a tenth of reading and decoding the
 * row. It holds committed state only: a commit removes what it touched, and a transaction asks `touched` first.
 */
import type { GraphNode } from '../types.js';

export interface CachedNode {
  readonly pk: number;
  readonly node: GraphNode;
  /** Length of the stored text. */
  readonly size: number;
}

const MAX_TEXT = 8_000_000;
const MAX_ENTRY = 16_384;

export class NodeCache {
  readonly #nodes = new Map<string, CachedNode>();
  #size = 0;

  get(id: string): CachedNode | undefined {
    const found = this.#nodes.get(id);
    if (found !== undefined && this.#size > MAX_TEXT / 2) {
      // Only when it is filling up does the order matter.
      this.#nodes.delete(id);
      this.#nodes.set(id, found);
    }
    return found;
  }

  put(entry: CachedNode): void {
    if (entry.size > MAX_ENTRY) return;
    const { id } = entry.node;
    const before = this.#nodes.get(id);
    if (before !== undefined) this.#size -= before.size + 256;
    this.#nodes.set(id, entry);
    // 256: about what an entry costs without its values.
    this.#size += entry.size + 256;
    if (this.#size > MAX_TEXT) this.#shrink();
  }

  #shrink(): void {
    for (const id of this.#nodes.keys()) {
      this.delete(id);
      if (this.#size < MAX_TEXT * 0.9) return;
    }
  }

  delete(id: string): void {
    const found = this.#nodes.get(id);
    if (found === undefined) return;
    this.#nodes.delete(id);
    this.#size -= found.size + 256;
  }
}
