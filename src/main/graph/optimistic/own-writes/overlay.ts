/** What a transaction has written that is nowhere else yet: entities as they will be, changes and operations in their order. */
import type { AccessRule, Step } from '../../access.js';
import type { NewNode, NewRelationship } from '../../graph.js';
import type { Query } from '../../query.js';
import { storedForm } from '../../sqlite/connection/codec.js';
import { merged } from '../../sqlite/connection/property-changes.js';
import type { Change, GraphEntity, GraphNode, GraphRelationship, PropertyChanges, StoredValue } from '../../types.js';
import { carriesRights } from '../effects.js';
import { equalityOf } from './equality.js';
import type { Operation } from '../operations.js';
import { type Own, OwnIndex } from './own-index.js';
import { WrittenRights } from './written-rights.js';

/** Takes back what was written since. */
export type Restore = () => void;

/** Bytes that one operation takes beside its properties, about: in the maps, as a change, and as what is to be applied. */
const OPERATION = 700;

export class Overlay {
  readonly nodes = new Map<string, Own<GraphNode>>();
  readonly relationships = new Map<string, Own<GraphRelationship>>();
  readonly changes: Change[] = [];
  readonly operations: Operation[] = [];
  /** A node has got another type: conditions on types hold no more. */
  retypes = false;
  /** What all this takes in memory, about. */
  bytes = 0;
  /** Entities that are to be written: one an operation, and those that go with it. */
  weight = 0;
  /** Nodes that were there before were written. */
  touchesOld = false;
  readonly #nodeIndex = new OwnIndex(this.nodes);
  readonly #relationshipIndex = new OwnIndex(this.relationships);
  readonly #rights = new WrittenRights((id) => this.isFresh(id));
  /** Types of relationships that were made or taken away. */
  readonly #walked = new Set<string>();
  #order = 0;
  /** What takes each write back, once somebody may want that. */
  #undo: (() => void)[] | undefined;

  get isEmpty(): boolean {
    return this.operations.length === 0;
  }

  snapshot(): Restore {
    const { retypes, bytes, weight } = this;
    const undo = (this.#undo ??= []);
    const [steps, changes, operations] = [undo.length, this.changes.length, this.operations.length];
    return () => {
      while (undo.length > steps) undo.pop()?.();
      this.changes.length = changes;
      this.operations.length = operations;
      this.retypes = retypes;
      this.bytes = bytes;
      this.weight = weight;
    };
  }

  createNode(node: NewNode): GraphNode {
    const { id, type } = node;
    const { properties, text } = storedForm(node.properties);
    const entity: GraphNode = { kind: 'node', id, type, properties };
    this.#setNode(id, { before: this.nodes.get(id)?.before, now: entity, fresh: true, order: ++this.#order }, true);
    this.#did({ do: 'createNode', node: { ...node, properties, text } }, text.length);
    this.changes.push({ verb: 'create', entity });
    return entity;
  }

  updateNode(node: GraphNode, changes: PropertyChanges): GraphNode {
    const next = this.#changed(node, changes);
    if (next === undefined) return node;
    this.#nodeIs(node, next.entity);
    this.#did({ do: 'updateNode', id: node.id, changes: next.effective }, next.size);
    return next.entity;
  }

  setNodeType(node: GraphNode, type: string, traits: readonly string[] | undefined): GraphNode {
    if (node.type === type) return node;
    const entity: GraphNode = { ...node, type };
    this.#nodeIs(node, entity);
    this.retypes = true;
    this.#did({ do: 'setNodeType', id: node.id, type, traits });
    this.changes.push({ verb: 'change', entity, key: 'type', previous: node.type, value: type });
    return entity;
  }

  setLabels(id: string, add: readonly string[], remove: readonly string[]): void {
    this.operations.push({ do: 'setLabels', id, add: [...add], remove: [...remove] });
    this.weight++;
  }

  /** `relationships`: all that it has. `unlinkWithNode` was told of each before. */
  deleteNode(node: GraphNode, relationships: readonly GraphRelationship[]): void {
    this.weight += relationships.length;
    this.#nodeIs(node, undefined);
    this.#did({ do: 'deleteNode', id: node.id, links: relationships });
    this.changes.push({ verb: 'delete', entity: node });
  }

  /** A relationship goes with a node that is deleted next: it is no operation of its own. */
  unlinkWithNode(relationship: GraphRelationship): void {
    this.#unlink(relationship);
  }

  createRelationship(relationship: NewRelationship): GraphRelationship {
    const { properties, text } = storedForm(relationship.properties);
    const { id, type, relType, sourceId, targetId } = relationship;
    const entity: GraphRelationship = { kind: 'relationship', id, type, relType, sourceId, targetId, properties };
    const before = this.relationships.get(entity.id)?.before;
    this.#setRelationship(entity.id, { before, now: entity, fresh: true, order: ++this.#order }, true);
    this.#did({ do: 'createRelationship', relationship: { ...relationship, properties, text } }, text.length);
    this.changes.push({ verb: 'link', entity });
    return entity;
  }

  updateRelationship(relationship: GraphRelationship, changes: PropertyChanges): GraphRelationship {
    const next = this.#changed(relationship, changes);
    if (next === undefined) return relationship;
    this.#relationshipIs(relationship, next.entity);
    this.#did({ do: 'updateRelationship', id: relationship.id, changes: next.effective }, next.size);
    return next.entity;
  }

  deleteRelationship(relationship: GraphRelationship): void {
    this.#unlink(relationship);
    this.#did({ do: 'deleteRelationship', id: relationship.id });
  }

  #unlink(relationship: GraphRelationship): void {
    this.#relationshipIs(relationship, undefined);
    this.bytes += OPERATION;
    this.changes.push({ verb: 'unlink', entity: relationship });
  }

  #did(operation: Operation, size = 0): void {
    this.operations.push(operation);
    this.weight++;
    // Texts are there once as they are and once in what they are compared with.
    this.bytes += OPERATION + 2 * size;
  }

  /** Undefined: nothing changes. `effective`: what of the changes does, a copy of it. */
  #changed<E extends GraphNode | GraphRelationship>(
    entity: E,
    changes: PropertyChanges,
  ): { readonly entity: E; readonly effective: PropertyChanges; readonly size: number } | undefined {
    const next = merged(entity.properties, changes);
    if (next === undefined) return undefined;
    const changed: E = { ...entity, properties: next.properties };
    const effective = Object.create(null) as Record<string, StoredValue | null>;
    for (const key of next.keys) {
      const [previous, value] = [entity.properties[key] ?? null, next.properties[key] ?? null];
      effective[key] = value;
      this.changes.push({ verb: 'change', entity: changed, key, previous, value });
    }
    return { entity: changed, effective, size: next.text.length };
  }

  #nodeIs(node: GraphNode, now: GraphNode | undefined): void {
    const { before, fresh, order } = this.nodes.get(node.id) ?? { before: node, fresh: false, order: ++this.#order };
    this.#setNode(node.id, { before, now, fresh, order });
  }

  #relationshipIs(one: GraphRelationship, now: GraphRelationship | undefined): void {
    const own = this.relationships.get(one.id) ?? { before: one, fresh: false, order: ++this.#order };
    this.#setRelationship(one.id, { before: own.before, now, fresh: own.fresh, order: own.order });
  }

  #setNode(id: string, own: Own<GraphNode>, last = false): void {
    this.#put(this.nodes, this.#nodeIndex, id, own, last);
    if (!own.fresh) this.touchesOld = true;
    this.#rights.node(own);
  }

  #setRelationship(id: string, own: Own<GraphRelationship>, last = false): void {
    this.#put(this.relationships, this.#relationshipIndex, id, own, last);
    const { before, now, fresh } = own;
    const one = now ?? before;
    if (one === undefined) return;
    if (before === undefined || now === undefined || fresh) this.#walked.add(one.relType);
    this.#rights.relationship(one);
  }

  /** `last`: in the map behind all others. */
  #put<E extends GraphEntity>(
    map: Map<string, Own<E>>,
    index: OwnIndex<E>,
    id: string,
    own: Own<E>,
    last: boolean,
  ): void {
    const previous = map.get(id);
    this.#undo?.push(() => {
      if (previous === undefined) {
        map.delete(id);
        return;
      }
      map.set(id, previous);
      // A key may have been asked for first meanwhile.
      index.put(id, previous);
    });
    if (last) map.delete(id);
    map.set(id, own);
    index.put(id, own);
  }

  /** What was written and may be in the list of a query, or was in it, in the order in which it was made. */
  nodesFor(query: Query): Iterable<Own<GraphNode>> {
    const equality = equalityOf(query);
    return equality === undefined ? this.nodes.values() : this.#nodeIndex.among(equality);
  }

  relationshipsFor(query: Query): Iterable<Own<GraphRelationship>> {
    const equality = equalityOf(query);
    return equality === undefined ? this.relationships.values() : this.#relationshipIndex.among(equality);
  }

  /** What was written of a node's relationships in a direction. */
  relationshipsAt(id: string, direction: Step['direction']): Own<GraphRelationship>[] {
    return this.#relationshipIndex.among({ key: direction === 'out' ? 'sourceId' : 'targetId', names: [`s${id}`] });
  }

  /** Relationships of this step that were made here, in their order, and how many that were there before are gone. */
  linksOf(id: string, { relType, direction }: Step): { readonly made: GraphRelationship[]; readonly gone: number } {
    const made: GraphRelationship[] = [];
    const isAt = (one: GraphRelationship | undefined): boolean =>
      one?.relType === relType && (direction === 'out' ? one.sourceId : one.targetId) === id;
    let gone = 0;
    for (const { before, now, fresh } of this.relationshipsAt(id, direction)) {
      if (before !== undefined && isAt(before) && (now === undefined || fresh)) gone++;
      if (fresh && now !== undefined && isAt(now)) made.push(now);
    }
    return { made, gone };
  }

  /** Whether relationships of one of these types were made or taken away. */
  walks(relTypes: ReadonlySet<string>): boolean {
    for (const relType of relTypes) if (this.#walked.has(relType)) return true;
    return false;
  }

  /** The node is new in this transaction. */
  isFresh(id: string): boolean {
    return this.nodes.get(id)?.fresh === true;
  }

  /** Whether what was written may change what a rule allows among the nodes that were there before. */
  touchesRights(rule: AccessRule): boolean {
    return this.retypes || this.#rights.concern(rule);
  }

  /** What principals have been given on a node of this transaction: owners, and grants with what they allow. */
  *grantsOn(id: string): Iterable<GraphRelationship> {
    for (const { now } of this.relationshipsAt(id, 'in')) {
      if (now?.targetId === id && carriesRights(now.relType)) yield now;
    }
  }
}
