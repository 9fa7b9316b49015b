/**
 * Nodes too large for the cache, shared while somebody uses them: a hundred clients that wait for the same large object keep
 * it in memory once. Like the cache it holds committed state only.
 */
import type { GraphNode } from '../../types.js';
import type { CachedNode } from './cached-node.js';

/** Entries after which those whose node is gone are looked for. */
const TIDY_FROM = 1000;

interface Entry {
  readonly pk: number;
  readonly size: number;
  readonly node: WeakRef<GraphNode>;
}

export class LargeNodes {
  readonly #known = new Map<string, Entry>();
  readonly #ids = new Map<number, string>();
  readonly #coming = new Map<string, Promise<GraphNode>>();
  #tidyAt = TIDY_FROM;

  get(id: string): CachedNode | undefined {
    if (this.#known.size === 0) return undefined;
    const entry = this.#known.get(id);
    const node = entry?.node.deref();
    return entry === undefined || node === undefined
      ? undefined
      : { pk: entry.pk, size: entry.size, node, used: true, at: -1 };
  }

  byKey(pk: number): CachedNode | undefined {
    if (this.#known.size === 0) return undefined;
    const id = this.#ids.get(pk);
    return id === undefined ? undefined : this.get(id);
  }

  put({ pk, size, node }: CachedNode): void {
    this.#known.set(node.id, { pk, size, node: new WeakRef(node) });
    this.#ids.set(pk, node.id);
    if (this.#known.size < this.#tidyAt) return;
    for (const [id, entry] of this.#known) if (entry.node.deref() === undefined) this.#forget(id, entry);
    this.#tidyAt = Math.max(TIDY_FROM, this.#known.size * 2);
  }

  /** A node that somebody is decoding right now. */
  coming(id: string): Promise<GraphNode> | undefined {
    return this.#coming.size === 0 ? undefined : this.#coming.get(id);
  }

  /** Decodes a node, with all who ask for it meanwhile. A commit that touches it ends the sharing. */
  async share(id: string, decode: () => Promise<CachedNode>): Promise<GraphNode> {
    const coming = decode().then((entry) => {
      if (this.#coming.get(id) === coming) this.put(entry);
      return entry.node;
    });
    this.#coming.set(id, coming);
    try {
      return await coming;
    } finally {
      if (this.#coming.get(id) === coming) this.#coming.delete(id);
    }
  }

  clear(): void {
    for (const id of [...this.#known.keys(), ...this.#coming.keys()]) this.delete(id);
  }

  delete(id: string): void {
    this.#coming.delete(id);
    const entry = this.#known.get(id);
    if (entry !== undefined) this.#forget(id, entry);
  }

  #forget(id: string, { pk }: Entry): void {
    this.#known.delete(id);
    this.#ids.delete(pk);
  }
}
