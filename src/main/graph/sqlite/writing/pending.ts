/**
 * What was recorded and is not committed yet, by id: units look here before they look at what is committed
 * (docs/design/writer.md).
 */
import type { GraphEntity, GraphNode, GraphRelationship } from '../../types.js';
import type { CachedNode } from '../caches/cached-node.js';

/** A relationship and the number of its row. */
export interface StoredLink {
  readonly pk: number;
  readonly relationship: GraphRelationship;
}

/** An entity that was written. */
export interface Written<E extends GraphEntity, S> {
  readonly pk: number;
  /** Before the first write of the layer; undefined: it was not there. */
  readonly before: E | undefined;
  /** After the last; undefined: it is gone. */
  readonly now: S | undefined;
}

export type WrittenNode = Written<GraphNode, CachedNode>;
export type WrittenLink = Written<GraphRelationship, StoredLink>;

export class Pending {
  readonly nodes = new Map<string, WrittenNode>();
  readonly #links = new Map<string, WrittenLink>();
  /** Ids of `links` by the nodes at their ends; perhaps some too many. */
  readonly #byEnd = new Map<string, Set<string>>();
  /** A node has got another type. */
  retypes = false;

  get links(): ReadonlyMap<string, WrittenLink> {
    return this.#links;
  }

  /** `now` undefined: the node is gone. */
  setNode(id: string, pk: number, before: GraphNode | undefined, now: CachedNode | undefined): void {
    const known = this.nodes.get(id);
    if (before !== undefined && now !== undefined && before.type !== now.node.type) this.retypes = true;
    this.nodes.set(id, { pk, before: known === undefined ? before : known.before, now });
  }

  setLink(id: string, pk: number, before: GraphRelationship | undefined, now: StoredLink | undefined): void {
    const known = this.links.get(id);
    this.#put(id, { pk, before: known === undefined ? before : known.before, now });
  }

  #put(id: string, link: WrittenLink): void {
    this.#links.set(id, link);
    for (const entity of [link.now?.relationship, link.before]) {
      if (entity === undefined) continue;
      for (const end of [entity.sourceId, entity.targetId]) {
        const ids = this.#byEnd.get(end);
        if (ids === undefined) this.#byEnd.set(end, new Set([id]));
        else ids.add(id);
      }
    }
  }

  /** Ids of relationships of a node that were written. */
  linksOf(nodeId: string): ReadonlySet<string> {
    return this.#byEnd.get(nodeId) ?? NONE;
  }

  /** What a later layer has written comes on top. */
  add(later: Pending): void {
    this.retypes ||= later.retypes;
    for (const [id, one] of later.nodes) {
      const known = this.nodes.get(id);
      this.nodes.set(id, known === undefined ? one : { ...one, before: known.before });
    }
    for (const [id, one] of later.links) {
      const known = this.links.get(id);
      this.#put(id, known === undefined ? one : { ...one, before: known.before });
    }
  }

  copy(): Pending {
    const copy = new Pending();
    copy.add(this);
    return copy;
  }
}

const NONE: ReadonlySet<string> = new Set();

/** The layers that a unit sees, the latest first. */
export class Layers {
  constructor(private readonly all: readonly Pending[]) {}

  /** Undefined: no layer has it. */
  node(id: string): WrittenNode | undefined {
    for (const { nodes } of this.all) {
      const found = nodes.get(id);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  link(id: string): WrittenLink | undefined {
    for (const { links } of this.all) {
      const found = links.get(id);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Relationships of a node that were written, as they are now, with their ids. */
  linksOf(nodeId: string): ReadonlyMap<string, WrittenLink> {
    const found = new Map<string, WrittenLink>();
    for (const layer of this.all) {
      for (const id of layer.linksOf(nodeId)) {
        const link = found.has(id) ? undefined : this.link(id);
        if (link !== undefined) found.set(id, link);
      }
    }
    return found;
  }

  /** Every node and state of it in any layer, the latest first. */
  *nodes(): Iterable<readonly [id: string, written: WrittenNode]> {
    for (const { nodes } of this.all) yield* nodes;
  }

  *links(): Iterable<readonly [id: string, written: WrittenLink]> {
    for (const { links } of this.all) yield* links;
  }

  get retypes(): boolean {
    return this.all.some((one) => one.retypes);
  }
}
