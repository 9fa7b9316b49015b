/**
 * Typed objects in one write transaction: input in, rules kept, everything checked at the end (docs/interface/schema.md 7, docs/interface/rest.md 7
 * and 8.4). The only place that writes objects; REST, scripts and imports all go through it.
 */
import {
  newId,
  type GraphEntity,
  type GraphNode,
  type PropertyMap,
  type Right,
  type StoredValue,
  type WriteTransaction,
} from '../../graph/index.js';
import { logger } from '../../../shared/log.js';
import type { JsonObject, JsonValue } from '../../../shared/json.js';
import { TimeSlice } from '../../../shared/time-slice.js';
import { SchemaError, type ErrorToken } from '../model/errors.js';
import type { RelationProperty } from '../model/relation-property.js';
import { decidesAboutRights, isStoredKey, KEPT_KEYS } from '../rights/credentials.js';
import { rulesOf } from '../rules/table.js';
import { type Property, type Schema, type Type } from '../model/schema.js';
import { allowed, type Actor, type ObjectAccess } from '../model/actor.js';
import { assignValue } from '../input/assign.js';
import { contentIn, mayReplaceContent } from '../input/content.js';
import { mayDecide, mayWriteLogin } from '../rights/deciding.js';
import { deleteCascading } from './delete.js';
import { idFor } from '../input/ids.js';
import type { Lifecycle } from '../writing/lifecycle.js';
import { storeIndexedFunctions } from './indexed-functions.js';
import { hasChange, tooLarge, toStored, withoutNulls } from '../input/input-values.js';
import { giveToCreator } from '../rights/ownership.js';
import { linkNodes, writeNotion, writeRelation } from '../relations/relations.js';
import { mayShow, mayWriteRights } from '../rights/sharing.js';
import { WriteSwitches } from '../writing/switches.js';
import { isConstrained, validateNode, validateRelationship } from './validate.js';
import { isFunctionProperty } from '../writing/function-properties.js';
import type { WriteOptions } from '../writing/write-options.js';

const log = logger('schema.objects');
/** Unknown keys a transaction logs. */
const MAX_WARNINGS = 10;

export class ObjectTransaction {
  /** Objects created in this transaction, in order (header `Svc-Return-Details-For-Created-Objects`). */
  readonly created: GraphNode[] = [];
  /** Objects to check at the end: how they were touched, and what they are now as far as it is known. */
  private readonly touched = new Map<string, Touched>();
  private readonly touchedRelationships = new Set<string>();
  /** Ranges of the transaction's changes for which methods of users need not run here (nested.ts). */
  readonly settled: (readonly [begin: number, end: number])[] = [];
  private readonly gone = new Set<string>();
  private readonly others: ObjectTransaction[] = [];
  /** Parts of it that are over: checked already, and asked for who wrote what. */
  private readonly parts: ObjectTransaction[] = [];
  /** The one that `as` was called of at first. */
  private root: ObjectTransaction = this;
  private endings: ((committed: boolean) => void)[] = [];
  /** Made by `as`: methods of users run once a transaction. */
  private isOther = false;
  /** When it began, which all it writes has as its time. */
  readonly now = Date.now();
  private unknownKeys = 0;
  /** Thousands of objects in one transaction must not hold up the loop; other writers wait for it anyway. */
  private readonly slice = new TimeSlice();

  constructor(
    readonly tx: WriteTransaction,
    readonly schema: Schema,
    readonly actor: Actor,
    readonly access: ObjectAccess,
    readonly options: WriteOptions,
    /** Methods of users; absent for what runs without them. */
    readonly lifecycle?: Lifecycle,
  ) {
    this.switches = options.switches ?? new WriteSwitches();
  }

  /** What scripts have turned off in this transaction. */
  readonly switches: WriteSwitches;

  /** The same transaction written with somebody else's rights; ends together with this one. */
  as(actor: Actor, access: ObjectAccess): ObjectTransaction {
    const { tx, schema, lifecycle, switches } = this;
    const other = new ObjectTransaction(tx, schema, actor, access, { ...this.options, switches }, lifecycle);
    other.isOther = true;
    other.endings = this.endings;
    other.root = this.root;
    this.others.push(other);
    return other;
  }

  /** Tells the listener when the transaction was committed (true), or taken back; it must not throw. */
  onEnd(listener: (committed: boolean) => void): void {
    this.endings.push(listener);
  }

  /** Called by `SchemaService` alone. */
  ended(committed: boolean): void {
    for (const listener of this.endings.splice(0)) listener(committed);
  }

  /**
   * Creates an object of `type`, or of the type the body names; returns it as stored. Nested objects are created and
   * linked as docs/interface/rest.md 7.3 says. Throws `SchemaError`.
   */
  async create(type: Type, input: JsonObject, given?: Given): Promise<GraphNode> {
    await this.breathe();
    const named = typeof input['type'] === 'string' ? this.schema.type(input['type']) : undefined;
    // By name: the type may have been compiled anew since the request was routed.
    const target = named?.kind === 'node' ? named : (this.schema.type(type.name) ?? type);
    // An endpoint permits its own type and what inherits it; objects that decide about rights want an endpoint of their own.
    const fits = target.name === type.name || (target.hasTrait(type.name) && !decidesAboutRights(target));
    if (!this.actor.isAdmin && !fits) {
      throw new SchemaError('Node type mismatch', [
        { type: target.name, property: 'type', token: 'must_be_of_type', detail: type.name, value: target.name },
      ]);
    }
    mayDecide(this, target);
    if (target.isServiceClass) throw new SchemaError(`Cannot instantiate service class ${target.name}`);
    if (target.traitOnly) {
      throw new SchemaError(`Cannot create objects of ${target.name}: create one of its subtypes`, [
        { type: target.name, property: 'type', token: 'instantiation_error', detail: target.concreteTypes.join(', ') },
      ]);
    }
    const content = contentIn(input, target, this.options.contents);
    given ??=
      content === undefined ? undefined : { id: content.id, properties: withoutNulls(content.published(undefined)) };
    // An id that the input names is checked even when its content is stored already.
    const id = await idFor(this, input, target, given?.id);
    tooLarge(input, target);
    const values: Record<string, StoredValue | null> = Object.create(null) as Record<string, StoredValue | null>;
    const later: [Property, JsonValue][] = [];
    for (const key of Object.keys(input)) {
      if (KEPT_KEYS.has(key)) continue;
      const value = input[key] as JsonValue;
      const property = target.properties.get(key);
      if (property === undefined) this.unknownKey(target, key, value, values);
      else if (property.kind === 'value') assignValue(this, property, value, target, values, undefined);
      else later.push([property, value]);
    }
    for (const property of target.defaults) {
      if (!(property.key in values) && property.defaultValue !== undefined)
        values[property.key] = property.defaultValue;
    }
    for (const rule of rulesOf(target)) rule.normalise?.(values, undefined, this, input);
    const properties = withoutNulls(values);
    if (given !== undefined) Object.assign(properties, given.properties);
    this.stamp(properties, true);
    const node = await this.tx.createNode({ id, type: target.name, traits: target.traits, properties });
    this.touched.set(id, { created: true, node });
    await giveToCreator(this, node);
    if (this.lifecycle?.active(this.schema) === true) await this.lifecycle.nodeCreated(node, this);
    for (const [property, value] of later) await this.writeLater(node, target, property, value);
    // After the nested ones: they count as created before it (docs/interface/rest.md 2.2).
    this.created.push(node);
    return node;
  }

  /** Writes the keys of `input` to an object. Throws `SchemaError`; kind `forbidden` without write permission. */
  async update(node: GraphNode, input: JsonObject): Promise<GraphNode> {
    await this.breathe();
    const type = this.schema.typeOf(node);
    tooLarge(input, type);
    mayDecide(this, type);
    if (!(await this.may('write', node)) && !(await mayWriteRights(this, node, type, input)))
      throw this.notPermitted(node);
    const changes: Record<string, StoredValue | null> = Object.create(null) as Record<string, StoredValue | null>;
    const later: [Property, JsonValue][] = [];
    for (const key of Object.keys(input)) {
      const value = input[key] as JsonValue;
      const property = type.properties.get(key);
      if (property === undefined) this.unknownKey(type, key, value, changes);
      else if (property.kind === 'value') assignValue(this, property, value, type, changes, node);
      else later.push([property, value]);
    }
    this.switches.lock(node.id);
    await mayWriteLogin(this, node, type, changes);
    for (const rule of rulesOf(type)) rule.normalise?.(changes, node.properties, this, input);
    await mayShow(this, node, changes);
    const content = contentIn(input, type, this.options.contents);
    if (content !== undefined) {
      mayReplaceContent(this, node);
      Object.assign(changes, content.published(node));
    }
    let current = node;
    if (hasChange(node, changes)) {
      this.stamp(changes, false);
      current = await this.tx.updateNode(node.id, changes);
      for (const rule of rulesOf(type)) await rule.updated?.(node, current, this);
    }
    this.touched.set(node.id, { created: this.touched.get(node.id)?.created === true, node: current });
    for (const [property, value] of later) await this.writeLater(current, type, property, value);
    return current;
  }

  /** Deletes an object with what its relationships say goes with it (docs/interface/schema.md 9). */
  async delete(node: GraphNode): Promise<void> {
    await this.breathe();
    mayDecide(this, this.schema.typeOf(node));
    await deleteCascading(this, node);
  }

  /** Links `related` to what a relation property of `node` shows already; a single object is replaced. */
  async link(property: RelationProperty, node: GraphNode, related: GraphNode): Promise<void> {
    const [source, target] = property.direction === 'out' ? [node, related] : [related, node];
    await linkNodes(this, property.relation, source, target, Object.create(null) as Record<string, StoredValue | null>);
  }

  /** Whether the actor has a right on an object; what he creates in this transaction is his. */
  async may(right: Right, entity: GraphEntity): Promise<boolean> {
    if (this.isNew(entity.id)) return true;
    return allowed(this.tx, this.access, right, entity);
  }

  /** The same for several objects, in their order. */
  async mayAll(right: Right, nodes: readonly GraphNode[]): Promise<readonly boolean[]> {
    const rule = this.access.rule(right);
    if (rule === undefined) return nodes.map(() => true);
    const old = nodes.filter((node) => !this.isNew(node.id));
    const permitted = old.length === 0 ? [] : await this.tx.permitted(old, rule);
    const allowed = new Set(old.filter((_, i) => permitted[i] === true));
    return nodes.map((node) => allowed.has(node) || this.isNew(node.id));
  }

  /** Lets the loop run when this transaction has held it for long. */
  async breathe(): Promise<void> {
    if (this.slice.due) await this.slice.pause();
  }

  /** Marks an object as modified, so that it is validated at the end. */
  touch(id: string): void {
    if (!this.touched.has(id)) this.touched.set(id, { created: false, node: undefined });
  }
  touchRelationship(id: string): void {
    this.touchedRelationships.add(id);
  }
  /** Objects may have changed behind this transaction's back. */
  lookAgain(): void {
    for (const one of this.root.everyone()) {
      for (const touched of one.touched.values()) touched.node = undefined;
    }
  }
  forget(id: string): void {
    this.touched.delete(id);
    this.gone.add(id);
  }

  /**
   * Who has changed an object or relationship in this transaction; of several one who is not the superuser, as what one user wrote must
   * not run with more rights because a script did something else with them.
   */
  writerOf(id: string): ObjectTransaction {
    const all = this.everyone();
    const isUser = ({ actor }: ObjectTransaction): boolean => !actor.isSuperuser;
    const writers = all.filter((one) => one.touched.has(id) || one.gone.has(id) || one.touchedRelationships.has(id));
    return writers.find(isUser) ?? writers[0] ?? all.find(isUser) ?? this;
  }
  /** Everybody whose rights it is written with. */
  private everyone(): ObjectTransaction[] {
    return [this, ...[...this.others, ...this.parts].flatMap((one) => one.everyone())];
  }

  /** Takes over what a part of it (nested.ts) has written from the change `begin` on: methods of users have run for it. */
  adopt(part: ObjectTransaction, begin: number): void {
    this.parts.push(part);
    const end = this.tx.changes().length;
    const last = this.settled.at(-1);
    if (last !== undefined && last[1] >= begin) this.settled[this.settled.length - 1] = [last[0], end];
    else this.settled.push([begin, end]);
  }
  /** Created in this transaction. */
  isNew(id: string): boolean {
    return this.touched.get(id)?.created === true;
  }

  newId(): string {
    return newId(this.options.compactIds);
  }

  /** Stored keys every entity gets at creation or change. */
  stamp(properties: Record<string, StoredValue | null>, created: boolean): void {
    if (created) {
      properties['createdDate'] = this.now;
      if (this.actor.id !== undefined) properties['createdBy'] = this.actor.id;
    }
    // Unlocked ones are written as they are given.
    properties['lastModifiedDate'] ??= this.now;
    if (this.actor.id !== undefined) properties['lastModifiedBy'] ??= this.actor.id;
  }

  /** Checks every touched object; all violations together (docs/interface/rest.md 8.4). */
  async finish(): Promise<void> {
    await this.complete();
    if (!this.isOther && this.lifecycle?.active(this.schema) === true) {
      await this.lifecycle.beforeCommit(this);
      await this.complete();
    }
    await this.storeFunctions();
    // These may have created others.
    for (const other of this.others) await other.finish();
    const tokens: ErrorToken[] = [];
    let message: string | undefined;
    for (const [id, { created, node: known }] of this.touched) {
      await this.breathe();
      const node = known ?? (await this.tx.node(id));
      if (node === undefined) continue;
      const type = this.schema.typeOf(node);
      const rules = rulesOf(type);
      if (rules.length === 0 && !isConstrained(type)) continue;
      tokens.push(...(await validateNode(this, node, type, !created)));
      for (const rule of rules) {
        const found = (await rule.validate?.(node, this)) ?? [];
        if (found.length > 0 && rule.message !== undefined) message = rule.message;
        tokens.push(...found);
      }
    }
    for (const id of this.touchedRelationships) {
      const relationship = await this.tx.relationship(id);
      if (relationship !== undefined)
        tokens.push(...(await validateRelationship(this, relationship, this.schema.typeOf(relationship))));
    }
    if (tokens.length > 0) throw new SchemaError(message ?? 'Unable to commit transaction, validation failed', tokens);
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

  /** What the setting says about a key that the type does not know (`jsonrestservlet.unknowninput.validation.mode`). */
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

  private async writeLater(node: GraphNode, type: Type, property: Property, value: JsonValue): Promise<void> {
    if (property.kind === 'relation') await writeRelation(this, node, type, property, value);
    else if (property.kind === 'notion') await writeNotion(this, node, type, property, value);
    else if (property.kind === 'computed') {
      property.refuseWrite?.();
      if (isFunctionProperty(property)) await property.write(node, value, this);
    }
  }

  private async storeFunctions(): Promise<void> {
    for (const [id, touched] of [...this.touched]) {
      if (touched.node !== undefined && this.schema.typeOf(touched.node).indexedFunctions.length === 0) continue;
      // Scripts may have changed it since, with other rights.
      const node = await this.tx.node(id);
      if (node !== undefined) touched.node = await storeIndexedFunctions(this, node);
    }
  }

  private async complete(): Promise<void> {
    for (const [id, touched] of [...this.touched]) {
      await this.breathe();
      touched.node ??= await this.tx.node(id);
      if (touched.node === undefined) continue;
      for (const rule of rulesOf(this.schema.typeOf(touched.node))) {
        if (rule.complete === undefined) continue;
        await rule.complete(touched.node, this);
        touched.node = await this.tx.node(id);
        if (touched.node === undefined) break;
      }
    }
  }
}

/** What the service itself gives an object it creates for somebody, past all rules for input. */
export interface Given {
  /** An id that is not in use. */
  readonly id: string;
  readonly properties: PropertyMap;
}

interface Touched {
  readonly created: boolean;
  node: GraphNode | undefined;
}
