/**
 * Typed objects in one write transaction: input in, rules kept, everything checked at the end (docs/interface/schema.md 7, docs/interface/rest.md 7
 * and 8.4). The only place that writes objects; REST, scripts and imports all go through it.
 */
import {
  newId,
  type GraphEntity,
  type GraphNode,
  type Right,
  type StoredValue,
  type WriteTransaction,
} from '../../graph/index.js';
import { logger } from '../../../shared/log.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import { TimeSlice } from '../../../shared/time-slice.js';
import { toStored } from '../input/input-values.js';
import { allowed, type Actor, type ObjectAccess } from '../model/actor.js';
import { SchemaError } from '../model/errors.js';
import type { RelationProperty } from '../model/relation-property.js';
import type { Schema, Type } from '../model/schema.js';
import { linkNodes } from '../relations/relations.js';
import { isStoredKey } from '../rights/credentials.js';
import { mayDecide } from '../rights/deciding.js';
import type { Given, Lifecycle, ObjectTransaction as Objects } from '../writing/object-transaction.js';
import { WriteSwitches } from '../writing/switches.js';
import { Touches } from '../writing/touches.js';
import type { WriteOptions } from '../writing/write-options.js';
import { deleteCascading } from './delete.js';
import { checkTouched, completeTouched, completeTransaction, storeFunctions } from './finish.js';
import { createObject, updateObject } from './write.js';

const log = logger('schema.objects');
/** Unknown keys a transaction logs. */
const MAX_WARNINGS = 10;

/** One for each whose rights a transaction is written with. */
class TypedTransaction implements Objects {
  readonly created: GraphNode[] = [];
  readonly touches = new Touches();
  readonly settled: (readonly [begin: number, end: number])[] = [];
  readonly switches: WriteSwitches;
  readonly now = Date.now();
  private readonly others: Objects[] = [];
  /** Parts of it that are over: checked already, and asked for who wrote what. */
  private readonly parts: Objects[] = [];
  /** The one that `as` was called of at first. */
  private root: Objects = this;
  private endings: ((committed: boolean) => void)[] = [];
  /** Made by `as`: methods of users run once a transaction. */
  private isOther = false;
  private unknownKeys = 0;
  /** Ids of objects whose `lastModifiedDate` is of this transaction. */
  private stamped = new Set<string>();
  /** Thousands of objects in one transaction must not hold up the loop; other writers wait for it anyway. */
  private readonly slice = new TimeSlice();

  constructor(
    readonly tx: WriteTransaction,
    readonly schema: Schema,
    readonly actor: Actor,
    readonly access: ObjectAccess,
    readonly options: WriteOptions,
    readonly lifecycle?: Lifecycle,
  ) {
    this.switches = options.switches ?? new WriteSwitches();
  }

  as(actor: Actor, access: ObjectAccess): Objects {
    const { tx, schema, lifecycle, switches } = this;
    const other = new TypedTransaction(tx, schema, actor, access, { ...this.options, switches }, lifecycle);
    other.isOther = true;
    other.endings = this.endings;
    other.stamped = this.stamped;
    other.root = this.root;
    this.others.push(other);
    return other;
  }

  everyone(): Objects[] {
    return [this, ...[...this.others, ...this.parts].flatMap((one) => one.everyone())];
  }

  writerOf(id: string): Objects {
    const all = this.everyone();
    const isUser = ({ actor }: Objects): boolean => !actor.isSuperuser;
    const writers = all.filter((one) => one.touches.includes(id));
    return writers.find(isUser) ?? writers[0] ?? all.find(isUser) ?? this;
  }

  adopt(part: Objects, begin: number): void {
    this.parts.push(part);
    const end = this.tx.changes().length;
    const last = this.settled.at(-1);
    if (last !== undefined && last[1] >= begin) this.settled[this.settled.length - 1] = [last[0], end];
    else this.settled.push([begin, end]);
  }

  onEnd(listener: (committed: boolean) => void): void {
    this.endings.push(listener);
  }

  ended(committed: boolean): void {
    for (const listener of this.endings.splice(0)) listener(committed);
  }

  async create(type: Type, input: JsonObject, given?: Given): Promise<GraphNode> {
    await this.breathe();
    return createObject(this, type, input, given);
  }

  async update(node: GraphNode, input: JsonObject): Promise<GraphNode> {
    await this.breathe();
    return updateObject(this, node, input);
  }

  async delete(node: GraphNode): Promise<void> {
    await this.breathe();
    mayDecide(this, this.schema.typeOf(node));
    await deleteCascading(this, node);
  }

  async link(property: RelationProperty, node: GraphNode, related: GraphNode): Promise<void> {
    const [source, target] = property.direction === 'out' ? [node, related] : [related, node];
    await linkNodes(this, property.relation, source, target, Object.create(null) as Record<string, StoredValue | null>);
  }

  async may(right: Right, entity: GraphEntity): Promise<boolean> {
    if (this.isNew(entity.id)) return true;
    return allowed(this.tx, this.access, right, entity);
  }

  async mayAll(right: Right, nodes: readonly GraphNode[]): Promise<readonly boolean[]> {
    const rule = this.access.rule(right);
    if (rule === undefined) return nodes.map(() => true);
    const old = nodes.filter((node) => !this.isNew(node.id));
    const permitted = old.length === 0 ? [] : await this.tx.permitted(old, rule);
    const allowed = new Set(old.filter((_, i) => permitted[i] === true));
    return nodes.map((node) => allowed.has(node) || this.isNew(node.id));
  }

  async breathe(): Promise<void> {
    if (this.slice.due) await this.slice.pause();
  }

  touch(id: string): void {
    this.touches.touch(id);
  }

  touchRelationship(id: string): void {
    this.touches.relationships.add(id);
  }

  lookAgain(): void {
    for (const one of this.root.everyone()) one.touches.lookAgain();
  }

  forget(id: string): void {
    this.touches.forget(id);
  }

  isNew(id: string): boolean {
    return this.touches.isNew(id);
  }

  newId(): string {
    return newId(this.options.compactIds);
  }

  stamp(properties: Record<string, StoredValue | null>, created: boolean, before?: GraphEntity): void {
    if (created) {
      properties['createdDate'] = this.now;
      if (this.actor.id !== undefined) properties['createdBy'] = this.actor.id;
    }
    // Unlocked ones are written as they are given.
    properties['lastModifiedDate'] ??= this.modifiedAt(before);
    if (this.actor.id !== undefined) properties['lastModifiedBy'] ??= this.actor.id;
  }

  /**
   * Later than before, also where two transactions change an object within one millisecond, or one that began before another one comes
   * behind it: clients take it for the state of the object (docs/interface/rest.md 4.6). Once a transaction.
   */
  private modifiedAt(before: GraphEntity | undefined): number {
    if (before === undefined) return this.now;
    const last = before.properties['lastModifiedDate'];
    const isOwn = this.stamped.has(before.id) || this.isNew(before.id);
    this.stamped.add(before.id);
    if (typeof last !== 'number' || last < this.now) return this.now;
    return isOwn ? last : last + 1;
  }

  async finish(): Promise<void> {
    await completeTouched(this);
    // What others have written in it is in its changes as well.
    if (!this.isOther) await completeTransaction(this);
    if (!this.isOther && this.lifecycle?.active(this.schema) === true) {
      await this.lifecycle.beforeCommit(this);
      await completeTouched(this);
      await completeTransaction(this);
    }
    await storeFunctions(this);
    // These may have created others.
    for (const other of this.others) await other.finish();
    await checkTouched(this);
  }

  mustBeOf(node: GraphNode, wanted: string): GraphNode {
    const trait = this.schema.type(wanted);
    if (wanted === 'NodeInterface' || trait === undefined || trait.concreteTypes.includes(node.type)) return node;
    throw new SchemaError('Node type mismatch', [
      { type: node.type, property: 'id', token: 'must_be_of_type', detail: wanted, value: node.id },
    ]);
  }

  notPermitted(node: GraphNode): SchemaError {
    const by = `${this.actor.type}(${this.actor.id ?? 'anonymous'})`;
    return new SchemaError(`Modification of node ${node.type}(${node.id}) by ${by} not permitted.`, [], 'forbidden');
  }

  unknownKey(type: Type, key: string, value: JsonValue, values: Record<string, StoredValue | null>): void {
    const mode = type.acceptsUnknownKeys ? 'accept' : this.options.unknownKeys;
    // A bulk request may hold thousands of them; the first ones tell what is wrong.
    if (mode.endsWith('_warn') && ++this.unknownKeys <= MAX_WARNINGS) {
      const last = this.unknownKeys === MAX_WARNINGS ? ', further ones in this request are not logged' : '';
      log.warn(`unknown key "${key}" for type ${type.name} (${mode}${last})`);
    }
    if (mode.startsWith('ignore')) return;
    if (mode.startsWith('reject')) {
      throw new SchemaError(
        `Rejecting input with unknown JSON key for type ${type.name}: "${key}" with value "${String(toStored(value))}".`,
      );
    }
    if (!isStoredKey(type, key)) values[key] = toStored(value);
  }
}

/** The class is known by the name of its interface. */
export type ObjectTransaction = Objects;
export const ObjectTransaction: new (...args: ConstructorParameters<typeof TypedTransaction>) => Objects =
  TypedTransaction;
