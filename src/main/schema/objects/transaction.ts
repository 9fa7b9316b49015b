/**
 * Typed objects in one write transaction: input in, rules kept, everything checked at the end (schema.md 7, rest.md 7
 * and 8.4). The only place that writes objects; REST, scripts and imports all go through it.
 */
import {
  newId,
  OWNS,
  SECURITY,
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
import { SchemaError, type ErrorToken } from '../errors.js';
import type { ValueProperty } from '../properties/property.js';
import type { RelationProperty } from '../relations/relation-property.js';
import type { InsertionPosition } from '../rules/abstract-file.js';
import type { PasswordPolicy } from '../rules/password-policy.js';
import { decidesAboutRights, isStoredKey, mayWriteCredential } from '../rules/credentials.js';
import type { StoragePolicy } from '../rules/storage-configuration.js';
import { rulesOf } from '../rules/table.js';
import { storedValue, type Property, type Schema, type Type } from '../schema.js';
import { allowed, type Actor, type ObjectAccess } from './actor.js';
import type { InputContents, PreparedContent } from './content.js';
import { deleteCascading } from './delete.js';
import { hasChange, sameStored, tooLarge, toStored, withoutNulls } from './input-values.js';
import { linkNodes, writeNotion, writeRelation } from './relations.js';
import { isConstrained, validateNode, validateRelationship } from './validate.js';

const log = logger('schema.objects');
/** Unknown keys a transaction logs. */
const MAX_WARNINGS = 10;

export type UnknownKeys = 'accept' | 'accept_warn' | 'ignore' | 'ignore_warn' | 'reject' | 'reject_warn';

/** Settings and request headers that change how objects are written. */
export interface WriteOptions {
  /** `jsonrestservlet.unknowninput.validation.mode` */
  readonly unknownKeys: UnknownKeys;
  /** `application.uuid.allowedformats` as a pattern. */
  readonly idPattern: RegExp;
  /** `application.uuid.createcompact` */
  readonly compactIds: boolean;
  /** `application.email.validation.regex` */
  readonly emailPattern: RegExp;
  /** `security.passwordpolicy.*`; absent for what the service itself writes. */
  readonly passwords?: PasswordPolicy;
  /** Header `Svc-Force-Merge-Of-Nested-Properties`: add to collections instead of replacing them. */
  readonly mergeNested?: boolean;
  /** What files and folders are called that would have the name of another (files.md 2); absent: that is no matter. */
  readonly uniquePaths?: InsertionPosition;
  /** `application.filesystem.enabled`: every user has a folder. */
  readonly homeDirectories?: boolean;
  /** Content of files that was stored for the inputs of this transaction. */
  readonly contents?: Pick<InputContents, 'get'>;
  /** What storages may be configured; absent: that is not checked. */
  readonly storages?: StoragePolicy;
  /** Header `Svc-Cascading-Delete: disabled`. */
  readonly noCascade?: boolean;
}

/** Keys the service keeps itself; in the body of a creation they are ignored (rest.md 6.1). */
export const KEPT_KEYS: ReadonlySet<string> = new Set([
  'id',
  'type',
  'createdDate',
  'createdBy',
  'lastModifiedDate',
  'lastModifiedBy',
]);
const RIGHTS = ['read', 'write', 'delete', 'accessControl'];

export class ObjectTransaction {
  /** Objects created in this transaction, in order (header `Svc-Return-Details-For-Created-Objects`). */
  readonly created: GraphNode[] = [];
  /** Objects to check at the end: how they were touched, and what they are now as far as it is known. */
  private readonly touched = new Map<string, Touched>();
  private readonly touchedRelationships = new Set<string>();
  private readonly now = Date.now();
  private unknownKeys = 0;
  /** Thousands of objects in one transaction must not hold up the loop; other writers wait for it anyway. */
  private readonly slice = new TimeSlice();

  constructor(
    readonly tx: WriteTransaction,
    readonly schema: Schema,
    readonly actor: Actor,
    readonly access: ObjectAccess,
    readonly options: WriteOptions,
  ) {}

  /**
   * Creates an object of `type`, or of the type the body names; returns it as stored. Nested objects are created and
   * linked as rest.md 7.3 says. Throws `SchemaError`.
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
    if (target.isServiceClass) throw new SchemaError(`Cannot instantiate service class ${target.name}`);
    if (target.traitOnly) {
      throw new SchemaError(`Cannot create objects of ${target.name}: create one of its subtypes`, [
        { type: target.name, property: 'type', token: 'instantiation_error', detail: target.concreteTypes.join(', ') },
      ]);
    }
    const content = this.contentIn(input, target);
    given ??=
      content === undefined ? undefined : { id: content.id, properties: withoutNulls(content.published(undefined)) };
    // An id that the input names is checked even when its content is stored already.
    const id = typeof input['id'] === 'string' || given === undefined ? await this.idOf(input, target) : given.id;
    tooLarge(input, target);
    const values: Record<string, StoredValue | null> = Object.create(null) as Record<string, StoredValue | null>;
    const later: [Property, JsonValue][] = [];
    for (const key of Object.keys(input)) {
      if (KEPT_KEYS.has(key)) continue;
      const value = input[key] as JsonValue;
      const property = target.properties.get(key);
      if (property === undefined) this.unknownKey(target, key, value, values);
      else if (property.kind === 'value') this.assign(property, value, target, values, undefined);
      else later.push([property, value]);
    }
    for (const property of target.defaults) {
      if (!(property.key in values) && property.defaultValue !== undefined)
        values[property.key] = property.defaultValue;
    }
    for (const rule of rulesOf(target)) rule.normalise?.(values, undefined, this);
    const properties = withoutNulls(values);
    if (given !== undefined) Object.assign(properties, given.properties);
    this.stamp(properties, true);
    const node = await this.tx.createNode({ id, type: target.name, traits: target.traits, properties });
    this.touched.set(id, { created: true, node });
    await this.own(node);
    for (const [property, value] of later) await this.writeLater(node, target, property, value);
    // After the nested ones: they count as created before it (rest.md 3.1).
    this.created.push(node);
    return node;
  }

  /** Writes the keys of `input` to an object. Throws `SchemaError`; kind `forbidden` without write permission. */
  async update(node: GraphNode, input: JsonObject): Promise<GraphNode> {
    await this.breathe();
    const type = this.schema.typeOf(node);
    tooLarge(input, type);
    if (!(await this.may('write', node))) throw this.notPermitted(node);
    const changes: Record<string, StoredValue | null> = Object.create(null) as Record<string, StoredValue | null>;
    const later: [Property, JsonValue][] = [];
    for (const key of Object.keys(input)) {
      const value = input[key] as JsonValue;
      const property = type.properties.get(key);
      if (property === undefined) this.unknownKey(type, key, value, changes);
      else if (property.kind === 'value') this.assign(property, value, type, changes, node);
      else later.push([property, value]);
    }
    for (const rule of rulesOf(type)) rule.normalise?.(changes, node.properties, this);
    const content = this.contentIn(input, type);
    if (content !== undefined) Object.assign(changes, content.published(node));
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

  /** Deletes an object with what its relationships say goes with it (schema.md 9). */
  async delete(node: GraphNode): Promise<void> {
    await this.breathe();
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
  forget(id: string): void {
    this.touched.delete(id);
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
    properties['lastModifiedDate'] = this.now;
    if (this.actor.id !== undefined) properties['lastModifiedBy'] = this.actor.id;
  }

  /** Checks every touched object; all violations together (rest.md 8.4). */
  async finish(): Promise<void> {
    await this.complete();
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

  /** Converts one value and puts it into `values`, or refuses (rest.md 7.1). `before` is the entity as it is. */
  assign(
    property: ValueProperty,
    input: JsonValue,
    type: Type,
    values: Record<string, StoredValue | null>,
    before: GraphEntity | undefined,
  ): void {
    const d = property.definition;
    if (property.ignoresInput?.(input) === true) return;
    if (d.constant === true) {
      // Constants read as their value whatever is stored, so that only stored forms tell them apart.
      if (sameStored(property.fromJson(input, type.name), property.defaultValue ?? null)) return;
      throw new SchemaError(`Unable to change value of constant property ‛${property.name}‛`, [
        { type: type.name, property: property.name, token: 'is_read_only_property' },
      ]);
    }
    const stored = property.fromJson(input, type.name);
    const old = before === undefined ? undefined : storedValue(before, property.key);
    if (before !== undefined || d.readOnly === true || d.system === true) {
      // Clients send whole objects back: what reads the same is no change, for values that only the service sets (a
      // date loses its milliseconds in text) and for ciphertext, which differs every time. Hidden values all read alike.
      const byText =
        before !== undefined &&
        d.hidden !== true &&
        (d.system === true || d.readOnly === true || d.propertyType === 'Encrypted');
      const unchanged =
        sameStored(old ?? null, stored) || (byText && property.toJson(old) === property.toJson(stored ?? undefined));
      if (unchanged) return;
      if (property.key === 'id' || property.key === 'type' || d.system === true) {
        throw new SchemaError(`Property ‛${property.name}‛ is an internal system property`, [
          { type: type.name, property: property.name, token: 'is_system_property' },
        ]);
      }
      if (d.readOnly === true && !this.actor.isAdmin) {
        throw new SchemaError(`Property ‛${property.name}‛ is read-only`, [
          { type: type.name, property: property.name, token: 'is_read_only_property' },
        ]);
      }
    }
    if (!this.actor.isAdmin && !mayWriteCredential(type, property.key, old, stored)) {
      if (before === undefined && stored === null) return;
      throw new SchemaError(`Property ‛${property.name}‛ is read-only`, [
        { type: type.name, property: property.name, token: 'is_read_only_property' },
      ]);
    }
    values[property.key] = stored;
    const companions = property.companions?.(stored);
    if (companions !== undefined) Object.assign(values, companions);
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

  /** The id that the input wants, checked, or a new one. */
  async idOf(input: JsonObject, type: Type): Promise<string> {
    const id = input['id'];
    if (id === undefined || id === null) return this.newId();
    if (typeof id === 'string' && this.options.idPattern.test(id)) {
      await this.mustBeUnused(id, type);
      return id;
    }
    throw new SchemaError('Unable to commit transaction, validation failed', [
      {
        type: type.name,
        property: 'id',
        token: id === '' ? 'must_not_be_empty' : 'must_match',
        detail: `Property value must match the following pattern: '${this.options.idPattern.source}'.`,
        value: id,
      },
    ]);
  }

  /** An id names one node or relationship in the whole graph. */
  private async mustBeUnused(id: string, type: Type): Promise<void> {
    const taken = (await this.tx.node(id)) ?? (await this.tx.relationship(id));
    if (taken === undefined) return;
    throw new SchemaError('Unable to commit transaction, validation failed', [
      { type: type.name, property: 'id', token: 'already_taken', value: id, detail: id, existingNodeUuid: id },
    ]);
  }

  /** The content that an input brings; prepared ones only: nothing is stored while writers wait. */
  private contentIn(input: JsonObject, type: Type): PreparedContent | undefined {
    if (!type.hasTrait('File')) return undefined;
    let found: PreparedContent | undefined;
    for (const key of Object.keys(input)) {
      const property = type.properties.get(key);
      const value = input[key];
      if (property?.kind !== 'computed' || property.isContent !== true || value === null) continue;
      found = typeof value === 'string' ? this.options.contents?.get(value) : undefined;
      if (found !== undefined) continue;
      throw new SchemaError(`Property ${key} takes content as base64 or as a data URI.`, [
        { type: type.name, property: key, token: 'must_be_of_type', detail: 'base64' },
      ]);
    }
    return found;
  }

  private async writeLater(node: GraphNode, type: Type, property: Property, value: JsonValue): Promise<void> {
    if (property.kind === 'relation') await writeRelation(this, node, type, property, value);
    else if (property.kind === 'notion') await writeNotion(this, node, type, property, value);
    else if (property.kind === 'computed') property.refuseWrite?.();
  }

  /** The creator owns the object and may do everything with it (security.md 9.7). */
  private async own(node: GraphNode): Promise<void> {
    const { id, skipsSecurity } = this.actor;
    if (id !== undefined && !skipsSecurity && id !== node.id) await this.give(node, id);
  }

  /** Makes somebody the owner of a new object, who may do everything with it. */
  async give(node: GraphNode, owner: string): Promise<void> {
    const ends = { sourceId: owner, targetId: node.id };
    const properties = { createdDate: this.now };
    await this.tx.createRelationship({
      id: this.newId(),
      type: 'PrincipalOwnsNode',
      relType: OWNS,
      ...ends,
      properties,
    });
    await this.tx.createRelationship({
      id: this.newId(),
      type: 'Security',
      relType: SECURITY,
      ...ends,
      properties: { ...properties, allowed: RIGHTS },
    });
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
