/**
 * Typed objects in one write transaction, as all see them that write a part of it: rules, relations, scripts. What it does stands in
 * `objects/transaction.ts`.
 */
import type {
  Change,
  GraphEntity,
  GraphNode,
  PropertyMap,
  Right,
  StoredValue,
  WriteTransaction,
} from '../../graph/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import type { Actor, ObjectAccess } from '../model/actor.js';
import type { SchemaError } from '../model/errors.js';
import type { RelationProperty } from '../model/relation-property.js';
import type { Schema, Type } from '../model/schema.js';
import type { WriteSwitches } from './switches.js';
import type { Touches } from './touches.js';
import type { WriteOptions } from './write-options.js';

/** What the service itself gives an object it creates for somebody, past all rules for input. */
export interface Given {
  /** An id that is not in use. */
  readonly id: string;
  readonly properties: PropertyMap;
}

/** The only way to write objects; REST, scripts and imports all go through it. */
export interface ObjectTransaction {
  readonly tx: WriteTransaction;
  readonly schema: Schema;
  readonly actor: Actor;
  readonly access: ObjectAccess;
  readonly options: WriteOptions;
  /** What scripts have turned off in this transaction. */
  readonly switches: WriteSwitches;
  /** Methods of users; absent for what runs without them. */
  readonly lifecycle?: Lifecycle | undefined;
  /** When it began (epoch milliseconds), which all it writes has as its time. */
  readonly now: number;
  /** Objects created in this transaction, in order (header `Svc-Return-Details-For-Created-Objects`). */
  readonly created: GraphNode[];
  /** What was touched with these rights. */
  readonly touches: Touches;
  /** Ranges of the transaction's changes for which methods of users need not run here (`objects/nested.ts`). */
  readonly settled: (readonly [begin: number, end: number])[];

  /** The same transaction written with somebody else's rights; ends together with this one. */
  as(actor: Actor, access: ObjectAccess): ObjectTransaction;
  /** Everybody whose rights it is written with. */
  everyone(): readonly ObjectTransaction[];
  /**
   * Who has changed an object or relationship in this transaction; of several one who is not the superuser, as what one user wrote must
   * not run with more rights because a script did something else with them.
   */
  writerOf(id: string): ObjectTransaction;
  /** Takes over what a part of it (`objects/nested.ts`) has written from the change `begin` on: methods of users have run for it. */
  adopt(part: ObjectTransaction, begin: number): void;
  /** Tells the listener when the transaction was committed (true), or taken back; it must not throw. */
  onEnd(listener: (committed: boolean) => void): void;
  /** Called by who ends it alone. */
  ended(committed: boolean): void;

  /**
   * Creates an object of `type`, or of the type the body names; returns it as stored. Nested objects are created and
   * linked as docs/interface/rest.md 7.3 says. Throws `SchemaError`.
   */
  create(type: Type, input: JsonObject, given?: Given): Promise<GraphNode>;
  /** Writes the keys of `input` to an object. Throws `SchemaError`; kind `forbidden` without write permission. */
  update(node: GraphNode, input: JsonObject): Promise<GraphNode>;
  /** Deletes an object with what its relationships say goes with it (docs/interface/schema.md 9). */
  delete(node: GraphNode): Promise<void>;
  /** Links `related` to what a relation property of `node` shows already; a single object is replaced. */
  link(property: RelationProperty, node: GraphNode, related: GraphNode): Promise<void>;
  /** Checks every touched object; all violations together (docs/interface/rest.md 8.4). */
  finish(): Promise<void>;

  /** Whether the actor has a right on an object; what he creates in this transaction is his. */
  may(right: Right, entity: GraphEntity): Promise<boolean>;
  /** The same for several objects, in their order. */
  mayAll(right: Right, nodes: readonly GraphNode[]): Promise<readonly boolean[]>;
  /** The refusal of a write to an object. */
  notPermitted(node: GraphNode): SchemaError;
  /** Answers the node. Throws `SchemaError` when it has not the trait that is wanted. */
  mustBeOf(node: GraphNode, wanted: string): GraphNode;

  /** Lets the loop run when this transaction has held it for long. */
  breathe(): Promise<void>;
  /** Marks an object as modified, so that it is validated at the end. */
  touch(id: string): void;
  touchRelationship(id: string): void;
  /** Objects may have changed behind this transaction's back. */
  lookAgain(): void;
  /** An object was deleted. */
  forget(id: string): void;
  /** Created in this transaction. */
  isNew(id: string): boolean;
  newId(): string;
  /** Stored keys every entity gets at creation or change. `before`: what is changed; its `lastModifiedDate` grows with every transaction. */
  stamp(properties: Record<string, StoredValue | null>, created: boolean, before?: GraphEntity): void;
  /** What the setting says about a key that the type does not know (`jsonrestservlet.unknowninput.validation.mode`). */
  unknownKey(type: Type, key: string, value: JsonValue, values: Record<string, StoredValue | null>): void;
}

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
