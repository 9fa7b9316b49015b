/** What a transaction has written that is nowhere else yet: entities as they will be, changes and operations in their order. */
import type { AccessRule } from '../access.js';
import type { NewNode, NewRelationship } from '../graph.js';
import { storedForm } from '../sqlite/codec.js';
import { merged } from '../sqlite/writes.js';
import type {
  Change,
  GraphNode,
  GraphRelationship,
  PropertyChanges,
  PropertyMap,
  Step,
  StoredValue,
} from '../types.js';
import { carriesRights } from './effects.js';
import type { Operation } from './operations.js';

/** An entity that was written; `fresh`: it comes after all others in the order of creation. */
export interface Own<E> {
  readonly before: E | undefined;
  readonly now: E | undefined;
  readonly fresh: boolean;
}

/** Takes back what was written since. */
export type Restore = () => void;

export class Overlay {
  nodes = new Map<string, Own<GraphNode>>();
  relationships = new Map<string, Own<GraphRelationship>>();
  readonly changes: Change[] = [];
  readonly operations: Operation[] = [];
  /** A node has got another type: conditions on types hold no more. */
  retypes = false;

  get isEmpty(): boolean {
    return this.operations.length === 0;
  }

  snapshot(): Restore {
    const { retypes } = this;
    const [nodes, relationships] = [new Map(this.nodes), new Map(this.relationships)];
    const [changes, operations] = [this.changes.length, this.operations.length];
    return () => {
      this.nodes = nodes;
      this.relationships = relationships;
      this.changes.length = changes;
      this.operations.length = operations;
      this.retypes = retypes;
    };
  }

  createNode(node: NewNode): GraphNode {
    const { id, type } = node;
    const entity: GraphNode = { kind: 'node', id, type, properties: storedForm(node.properties).properties };
    const before = this.nodes.get(id)?.before;
    // In the map behind all others.
    this.nodes.delete(id);
    this.nodes.set(id, { before, now: entity, fresh: true });
    this.operations.push({ do: 'createNode', node: { ...node, properties: entity.properties } });
    this.changes.push({ verb: 'create', entity });
    return entity;
  }

  updateNode(node: GraphNode, changes: PropertyChanges): GraphNode {
    const next = this.#changed(node, changes);
    if (next === undefined) return node;
    this.#setNode(node, next.entity);
    this.operations.push({ do: 'updateNode', id: node.id, changes: next.effective });
    return next.entity;
  }

  setNodeType(node: GraphNode, type: string, traits: readonly string[] | undefined): GraphNode {
    if (node.type === type) return node;
    const entity: GraphNode = { ...node, type };
    this.#setNode(node, entity);
    this.retypes = true;
    this.operations.push({ do: 'setNodeType', id: node.id, type, traits });
    this.changes.push({ verb: 'change', entity, key: 'type', previous: node.type, value: type });
    return entity;
  }

  setLabels(id: string, add: readonly string[], remove: readonly string[]): void {
    this.operations.push({ do: 'setLabels', id, add: [...add], remove: [...remove] });
  }

  /** `relationships`: all that it has. */
  deleteNode(node: GraphNode, relationships: readonly GraphRelationship[]): void {
    for (const one of relationships) this.#unlink(one);
    this.#setNode(node, undefined);
    this.operations.push({ do: 'deleteNode', id: node.id });
    this.changes.push({ verb: 'delete', entity: node });
  }

  createRelationship(relationship: NewRelationship): GraphRelationship {
    const { properties } = storedForm(relationship.properties);
    const entity: GraphRelationship = { ...relationship, kind: 'relationship', properties };
    const before = this.relationships.get(entity.id)?.before;
    this.relationships.delete(entity.id);
    this.relationships.set(entity.id, { before, now: entity, fresh: true });
    this.operations.push({ do: 'createRelationship', relationship: { ...relationship, properties } });
    this.changes.push({ verb: 'link', entity });
    return entity;
  }

  updateRelationship(relationship: GraphRelationship, changes: PropertyChanges): GraphRelationship {
    const next = this.#changed(relationship, changes);
    if (next === undefined) return relationship;
    this.#setRelationship(relationship, next.entity);
    this.operations.push({ do: 'updateRelationship', id: relationship.id, changes: next.effective });
    return next.entity;
  }

  deleteRelationship(relationship: GraphRelationship): void {
    this.#unlink(relationship);
    this.operations.push({ do: 'deleteRelationship', id: relationship.id });
  }

  #unlink(relationship: GraphRelationship): void {
    this.#setRelationship(relationship, undefined);
    this.changes.push({ verb: 'unlink', entity: relationship });
  }

  /** Undefined: nothing changes. `effective`: what of the changes does, a copy of it. */
  #changed<E extends GraphNode | GraphRelationship>(
    entity: E,
    changes: PropertyChanges,
  ): { readonly entity: E; readonly effective: PropertyChanges } | undefined {
    const next = merged(entity.properties, changes);
    if (next === undefined) return undefined;
    const changed: E = { ...entity, properties: next.properties };
    const effective = Object.create(null) as Record<string, StoredValue | null>;
    for (const key of next.keys) {
      const [previous, value] = [entity.properties[key] ?? null, next.properties[key] ?? null];
      effective[key] = value;
      this.changes.push({ verb: 'change', entity: changed, key, previous, value });
    }
    return { entity: changed, effective };
  }

  #setNode(node: GraphNode, now: GraphNode | undefined): void {
    const own = this.nodes.get(node.id);
    this.nodes.set(node.id, own === undefined ? { before: node, now, fresh: false } : { ...own, now });
  }

  #setRelationship(one: GraphRelationship, now: GraphRelationship | undefined): void {
    const own = this.relationships.get(one.id);
    this.relationships.set(one.id, own === undefined ? { before: one, now, fresh: false } : { ...own, now });
  }

  /** Relationships of this step that were made here, in their order, and how many that were there before are gone. */
  linksOf(id: string, { relType, direction }: Step): { readonly made: GraphRelationship[]; readonly gone: number } {
    const made: GraphRelationship[] = [];
    let gone = 0;
    for (const { before, now, fresh } of this.relationships.values()) {
      const one = now ?? before;
      if (one?.relType !== relType || (direction === 'out' ? one.sourceId : one.targetId) !== id) continue;
      if (before !== undefined && (now === undefined || fresh)) gone++;
      if (fresh && now !== undefined) made.push(now);
    }
    return { made, gone };
  }

  /** Whether relationships of one of these types were made or taken away. */
  walks(relTypes: ReadonlySet<string>): boolean {
    for (const { before, now, fresh } of this.relationships.values()) {
      if ((before === undefined || now === undefined || fresh) && relTypes.has((now ?? before)?.relType ?? ''))
        return true;
    }
    return false;
  }

  /** The node is new in this transaction. */
  isFresh(id: string): boolean {
    return this.nodes.get(id)?.fresh === true;
  }

  /** Whether what was written may change what a rule allows among the nodes that were there before. */
  touchesRights({ principals, keys, propagation }: AccessRule): boolean {
    if (this.retypes) return true;
    for (const { before, now, fresh } of this.nodes.values()) {
      if (before === undefined || now === undefined) continue;
      if (fresh || keys.some((key) => isOn(before.properties, key) !== isOn(now.properties, key))) return true;
    }
    for (const { before, now } of this.relationships.values()) {
      const one = now ?? before;
      if (one === undefined) continue;
      const { relType, sourceId, targetId } = one;
      if (carriesRights(relType) && principals.includes(sourceId) && !this.isFresh(targetId)) return true;
      const between = !this.isFresh(sourceId) || !this.isFresh(targetId);
      if (between && propagation?.steps.some((step) => step.relType === relType) === true) return true;
    }
    return false;
  }

  /** What principals have been given on a node of this transaction: owners, and grants with what they allow. */
  *grantsOn(id: string): Iterable<GraphRelationship> {
    for (const { now } of this.relationships.values()) {
      if (now?.targetId === id && carriesRights(now.relType)) yield now;
    }
  }
}

function isOn(properties: PropertyMap, key: string): boolean {
  return properties[key] === true;
}
