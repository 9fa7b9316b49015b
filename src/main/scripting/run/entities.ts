/**
 * Objects and relationships as scripts see them: reading and writing their properties with the rights of the one who runs
 * the script (docs/interface/scripting.md 2.5, 3.5, docs/interface/script-runtime.md 1.1).
 */
import type { GraphEntity, GraphNode } from '../../graph/index.js';
import {
  allowed,
  createRelationship,
  deleteRelationship,
  inParts,
  prepareInput,
  relationOf,
  secretKeysOf,
  storedValue,
  updateRelationship,
  type Property,
  type RelationProperty,
  type Schema,
  type Type,
} from '../../schema/index.js';
import type { JsonObject } from '../../../shared/json/index.js';
import { TimeSlice } from '../../../shared/time-slice.js';
import { fromJsonValue, fromStored, toJsonValue } from '../language/conversion.js';
import { ReadAhead, type RelatedList, type Together } from './read-ahead.js';
import type { ScriptTransaction, TransactionParts } from './transaction/transaction.js';
import { ScriptError } from '../language/errors.js';
import { chain, type Awaitable, ScriptEntity, type ScriptValue, type Using } from '../language/values.js';

/** Keys of relationships that name their ends. */
const UNTYPED: ReadonlySet<string> = new Set(['sourceId', 'targetId', 'type']);

/** Objects that a script gets at once at most; one that wants more pages through them. */
export const MOST_ENTITIES = 250_000;

/** So many are made ready for scripts without a look at the clock. */
const AT_ONCE = 2000;

export function tooManyEntities(): ScriptError {
  return new ScriptError(
    422,
    `More than ${String(MOST_ENTITIES)} objects: read them in parts, by find() with page() and conditions.`,
  );
}

/** Whose they are: the run of scripts. */
interface Holder {
  readonly transaction: ScriptTransaction;
  readonly schema: Schema;
  readonly parts: TransactionParts;
}

export class Entities {
  private readonly known = new Map<string, ScriptEntity>();
  private readonly ahead: ReadAhead;

  constructor(private readonly run: Holder) {
    this.ahead = new ReadAhead(run);
  }

  /** The one that stands for this entity in the run, brought up to date. */
  of(entity: GraphEntity): ScriptEntity {
    const asOf = this.run.transaction.changes;
    const known = this.known.get(entity.id);
    if (known === undefined) {
      const fresh = new ScriptEntity(entity, asOf);
      this.known.set(entity.id, fresh);
      return fresh;
    }
    known.entity = entity;
    known.asOf = asOf;
    return known;
  }

  /** The same for entities that were read together (`together`: with others): what is asked of one of them is read for many. */
  all(entities: readonly GraphEntity[], together: Together = entities): ScriptEntity[] {
    return entities.map((entity) => {
      const one = this.of(entity);
      if (together.length > 1 && together.length > (one.together?.length ?? 0)) one.together = together;
      return one;
    });
  }

  /** The same for as many as a script may have, between which others get their turn. */
  async many(entities: readonly GraphEntity[]): Promise<ScriptEntity[]> {
    if (entities.length <= AT_ONCE) return this.all(entities);
    const slice = new TimeSlice();
    const made: ScriptEntity[] = [];
    for (const part of inParts(entities)) {
      made.push(...this.all(part, entities));
      if (slice.due) await slice.pause();
    }
    return made;
  }

  /** The same for one that may have changed since it was read: it is read in the run when somebody asks for what is in it. */
  asBefore(entity: GraphEntity): ScriptEntity {
    const one = this.of(entity);
    one.asOf = -1;
    return one;
  }

  /** Whoever still holds an entity of this run, which is over, sees it as it is when he looks. */
  expire(): void {
    for (const one of this.known.values()) one.asOf = -1;
    this.ahead.forget();
  }

  typeOf(one: ScriptEntity): Type {
    return this.run.schema.typeOf(one.entity);
  }

  /** The newest state of an entity; as it was last when it is deleted. */
  fresh(one: ScriptEntity): Awaitable<GraphEntity> {
    const changes = this.run.transaction.changes;
    if (one.asOf === changes) return one.entity;
    return this.run.transaction
      .read<GraphEntity | undefined>((tx) => (one.entity.kind === 'node' ? tx.node(one.id) : tx.relationship(one.id)))
      .then((entity) => {
        if (entity !== undefined) one.entity = entity;
        one.asOf = changes;
        return one.entity;
      });
  }

  /** The property of this name; undefined: the type has none. */
  property(one: ScriptEntity, key: string): Property | undefined {
    return this.typeOf(one).properties.get(key);
  }

  /** A property's value; undefined: the type has no such property. */
  get(one: ScriptEntity, key: string, context: Using): Awaitable<ScriptValue | undefined> {
    if (key === 'id') return one.id;
    if (key === 'type') return one.type;
    const property = this.property(one, key);
    if (property === undefined) return this.unknown(one, key);
    if (property.kind === 'value') {
      const entity = this.fresh(one);
      const secret = this.run.transaction.switches.encryptionKey;
      if (!(entity instanceof Promise)) return fromStored(property, storedValue(entity, property.key), secret);
      return entity.then((known) => fromStored(property, storedValue(known, property.key), secret));
    }
    return this.related(one, property, context);
  }

  /** Keys that are stored though the type does not have them (`application.schema.allowunknownkeys`, DOM nodes). */
  private unknown(one: ScriptEntity, key: string): Awaitable<ScriptValue | undefined> {
    const type = this.typeOf(one);
    // A stored key may be that of a secret property with another name.
    if (!type.acceptsUnknownKeys || secretKeysOf(type).has(key)) return undefined;
    return chain(this.fresh(one), (entity) => fromStored(undefined, entity.properties[key]));
  }

  private async related(
    one: ScriptEntity,
    property: Exclude<Property, { kind: 'value' }>,
    context: Using,
  ): Promise<ScriptValue> {
    const { transaction, schema } = this.run;
    const type = this.typeOf(one);
    if (property.kind === 'computed') {
      const entity = await this.fresh(one);
      const computed = await transaction.read((tx) =>
        property.compute(entity, { tx, schema, type, access: context.access, actor: context.actor, origin: context }),
      );
      if ('json' in computed) return computed.date ?? fromJsonValue(computed.json);
      const found = this.all(computed.entities);
      return computed.single ? (found[0] ?? null) : found;
    }
    const relation = property.kind === 'relation' ? property : relationOf(type, property);
    if (relation === undefined) return null;
    const { nodes, together } = await this.relatedNodes(one, relation, context);
    const notion = property.notion;
    if (notion === undefined) {
      const found = this.all(nodes, together);
      return relation.isCollection ? found : (found[0] ?? null);
    }
    const values = nodes.map((node) => notionValue(schema.typeOf(node), node, notion.keys));
    return relation.isCollection ? values : (values[0] ?? null);
  }

  private async relatedNodes(one: ScriptEntity, relation: RelationProperty, context: Using): Promise<RelatedList> {
    const { schema } = this.run;
    const limit = relation.isCollection ? MOST_ENTITIES + 1 : 1;
    const isOf = (entity: GraphEntity): boolean => schema.typeOf(entity).properties.get(relation.name) === relation;
    const list = await this.ahead.related(one, { relation, access: context.access, limit, isOf });
    if (list.nodes.length > MOST_ENTITIES) throw tooManyEntities();
    return list;
  }

  /** Assigns properties by the rules for REST input; the rights of the context decide. */
  async set(one: ScriptEntity, values: readonly (readonly [string, ScriptValue])[], context: Using): Promise<void> {
    const input = Object.create(null) as JsonObject;
    for (const [key, value] of values) input[key] = toJsonValue(value);
    await this.setJson(one, input, context);
  }

  /** The same for input that is JSON already. */
  async setJson(one: ScriptEntity, input: JsonObject, context: Using): Promise<void> {
    if (one.entity.kind === 'node') await this.prepare(this.typeOf(one), input, context, one.entity);
    const objects = await this.run.transaction.objects(context.actor, context.access);
    if (one.entity.kind === 'relationship') {
      await updateRelationship(objects, one.id, input);
      one.asOf = -1;
      return;
    }
    const node = await objects.tx.node(one.id);
    if (node === undefined) throw new ScriptError(404, `${one.type} ${one.id} is deleted.`);
    one.entity = await objects.update(node, input);
    one.asOf = this.writesMore(this.typeOf(one), input) ? -1 : this.run.transaction.changes;
  }

  /** Whether what is written may change the object once more, by a write function. */
  private writesMore(type: Type, input: JsonObject): boolean {
    return Object.keys(input).some((key) => type.properties.get(key)?.kind === 'computed');
  }

  /** A new object with values of a script. Throws `ScriptError` 422 for keys the type does not have. */
  async createFrom(
    type: Type,
    values: readonly (readonly [string, ScriptValue])[],
    context: Using,
  ): Promise<ScriptEntity> {
    const input = Object.create(null) as JsonObject;
    for (const [key, value] of values) {
      if (!type.properties.has(key) && !type.acceptsUnknownKeys && !UNTYPED.has(key)) {
        throw new ScriptError(422, `Unknown key '${key}': ${type.name} has no such property.`);
      }
      input[key] = toJsonValue(value);
    }
    return this.create(type, input, context);
  }

  /** Hashes passwords before a writer is made to wait. */
  private async prepare(type: Type, input: JsonObject, context: Using, before?: GraphNode): Promise<void> {
    if (type.kind !== 'node') return;
    const { parts, schema } = this.run;
    await prepareInput(
      schema,
      type,
      input,
      {
        // What the user may not see must not change what he is told.
        byId: async (id) => {
          const found = (await this.byId(id, undefined, context))?.entity;
          return found?.kind === 'node' ? found : undefined;
        },
        passwords: parts.write().passwords,
        contents: {
          store: () => Promise.reject(new ScriptError(422, 'Scripts write the content of files by setContent().')),
        },
      },
      before,
    );
  }

  async create(type: Type, input: JsonObject, context: Using): Promise<ScriptEntity> {
    await this.prepare(type, input, context);
    const objects = await this.run.transaction.objects(context.actor, context.access);
    if (type.kind === 'node') {
      const node = await objects.create(type, input);
      const hasMore = objects.lifecycle?.active(objects.schema) === true || this.writesMore(type, input);
      return hasMore ? this.asBefore(node) : this.of(node);
    }
    const id = await createRelationship(objects, type, input);
    const relationship = await objects.tx.relationship(id);
    if (relationship === undefined) throw new ScriptError(500, `The relationship ${id} is gone.`);
    return this.of(relationship);
  }

  async delete(one: ScriptEntity, context: Using): Promise<void> {
    const objects = await this.run.transaction.objects(context.actor, context.access);
    if (one.entity.kind === 'relationship') {
      await deleteRelationship(objects, one.id);
      return;
    }
    const node = await objects.tx.node(one.id);
    if (node !== undefined) await objects.delete(node);
  }

  /** The entity with this id that the context may read; of the type, or of any when none is given. */
  async byId(id: string, type: Type | undefined, context: Using): Promise<ScriptEntity | undefined> {
    const found = await this.run.transaction.read(async (tx) => {
      const entity = type?.kind === 'relationship' ? await tx.relationship(id) : await tx.node(id);
      return entity !== undefined && (await allowed(tx, context.access, 'read', entity)) ? entity : undefined;
    });
    if (found === undefined) return undefined;
    const isOf = type === undefined || this.run.schema.typeOf(found).hasTrait(type.name);
    return isOf ? this.of(found) : undefined;
  }
}

function notionValue(type: Type, node: GraphNode, keys: readonly string[]): ScriptValue {
  const value = (key: string): ScriptValue => {
    const property = type.properties.get(key);
    return property?.kind === 'value' ? fromStored(property, storedValue(node, property.key)) : null;
  };
  const [only] = keys;
  if (keys.length === 1 && only !== undefined) return value(only);
  return new Map(keys.map((key) => [key, value(key)]));
}
