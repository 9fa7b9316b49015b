import type { GraphNode } from '../../graph/index.js';

/** How an object was touched, and what it is now as far as that is known. */
export interface Touched {
  readonly created: boolean;
  node: GraphNode | undefined;
}

/** What a transaction has touched with the rights of one: objects and relationships to check at its end, and those that are gone. */
export class Touches {
  /** By id, in the order in which they were touched first. */
  readonly nodes = new Map<string, Touched>();
  /** Ids. */
  readonly relationships = new Set<string>();
  private readonly gone = new Set<string>();

  created(node: GraphNode): void {
    this.nodes.set(node.id, { created: true, node });
  }

  /** `node`: as it is after the change. */
  changed(node: GraphNode): void {
    this.nodes.set(node.id, { created: this.isNew(node.id), node });
  }

  /** It was changed by something else than its own values. */
  touch(id: string): void {
    if (!this.nodes.has(id)) this.nodes.set(id, { created: false, node: undefined });
  }

  /** It was deleted: there is nothing to check any more. */
  forget(id: string): void {
    this.nodes.delete(id);
    this.gone.add(id);
  }

  isNew(id: string): boolean {
    return this.nodes.get(id)?.created === true;
  }

  /** Whether it has to do with an object or relationship, one that is gone included. */
  includes(id: string): boolean {
    return this.nodes.has(id) || this.gone.has(id) || this.relationships.has(id);
  }

  /** Objects may have changed behind its back. */
  lookAgain(): void {
    for (const touched of this.nodes.values()) touched.node = undefined;
  }
}
