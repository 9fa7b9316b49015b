/**
 * Decoded nodes by id and by key. Measured: a hit costs a tenth of reading and decoding the row. It holds committed
 * state only: a commit removes what it touched, and a transaction asks `touched` first.
 *
 * What to drop is decided by second chance: a hit only sets a mark, and the oldest entry goes unless it has one. Moving
 * entries at every hit, as an exact order of use needs, costs more than the better choice gains.
 */
import type { GraphNode } from '../types.js';

export interface CachedNode {
  readonly pk: number;
  readonly node: GraphNode;
  /** Length of the stored text. */
  readonly size: number;
  /** Asked for since it was last considered for dropping. */
  used: boolean;
}

/** Characters of stored text; decoded, about three times as many bytes of heap. */
const MAX_TEXT = 32_000_000;
const MAX_ENTRY = 16_384;
/** About what an entry costs without its values. */
const OVERHEAD = 256;

export class NodeCache {
  readonly #byId = new Map<string, CachedNode>();
  readonly #byKey = new Map<number, CachedNode>();
  #size = 0;

  get(id: string): CachedNode | undefined {
    const found = this.#byId.get(id);
    if (found !== undefined) found.used = true;
    return found;
  }

  byKey(pk: number): CachedNode | undefined {
    const found = this.#byKey.get(pk);
    if (found !== undefined) found.used = true;
    return found;
  }

  put(entry: CachedNode): void {
    if (entry.size > MAX_ENTRY) return;
    this.delete(entry.node.id);
    this.#byId.set(entry.node.id, entry);
    this.#byKey.set(entry.pk, entry);
    this.#size += entry.size + OVERHEAD;
    if (this.#size > MAX_TEXT) this.#shrink();
  }

  #shrink(): void {
    for (const [id, entry] of this.#byId) {
      if (entry.used) {
        // Its second chance: to the end of the line, without the mark. The loop meets it again at the end.
        entry.used = false;
        this.#byId.delete(id);
        this.#byId.set(id, entry);
        continue;
      }
      this.delete(id);
      if (this.#size < MAX_TEXT * 0.99) return;
    }
  }

  delete(id: string): void {
    const found = this.#byId.get(id);
    if (found === undefined) return;
    this.#byId.delete(id);
    this.#byKey.delete(found.pk);
    this.#size -= found.size + OVERHEAD;
  }
}
