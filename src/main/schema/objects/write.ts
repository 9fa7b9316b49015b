/** How one object is created and changed by an input: values first, then what needs the object to be there. */
import type { GraphNode, StoredValue } from '../../graph/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import { assignValue, isFrozen, readOnly } from '../input/assign.js';
import { contentIn, mayReplaceContent } from '../input/content.js';
import { idFor } from '../input/ids.js';
import { hasChange, tooLarge, withoutNulls } from '../input/input-values.js';
import { SchemaError } from '../model/errors.js';
import type { Property, Type } from '../model/schema.js';
import { writeNotion, writeRelation } from '../relations/relations.js';
import { decidesAboutRights, KEPT_KEYS } from '../rights/credentials.js';
import { mayDecide, mayWriteLogin } from '../rights/deciding.js';
import { giveToCreator } from '../rights/ownership.js';
import { mayShow, mayWriteRights } from '../rights/sharing.js';
import { rulesOf } from '../rules/table.js';
import { isFunctionProperty, type FunctionProperty } from '../writing/function-properties.js';
import type { Given, ObjectTransaction } from '../writing/object-transaction.js';

/**
 * Creates an object of `type`, or of the type the body names; returns it as stored. Nested objects are created and
 * linked as docs/interface/rest.md 7.3 says. Throws `SchemaError`.
 */
export async function createObject(
  objects: ObjectTransaction,
  type: Type,
  input: JsonObject,
  given?: Given,
): Promise<GraphNode> {
  const named = typeof input['type'] === 'string' ? objects.schema.type(input['type']) : undefined;
  // By name: the type may have been compiled anew since the request was routed.
  const target = named?.kind === 'node' ? named : (objects.schema.type(type.name) ?? type);
  // An endpoint permits its own type and what inherits it; objects that decide about rights want an endpoint of their own.
  const fits = target.name === type.name || (target.hasTrait(type.name) && !decidesAboutRights(target));
  if (!objects.actor.isAdmin && !fits) {
    throw new SchemaError('Node type mismatch', [
      { type: target.name, property: 'type', token: 'must_be_of_type', detail: type.name, value: target.name },
    ]);
  }
  mayDecide(objects, target);
  if (target.isServiceClass) throw new SchemaError(`Cannot instantiate service class ${target.name}`);
  if (target.traitOnly) {
    throw new SchemaError(`Cannot create objects of ${target.name}: create one of its subtypes`, [
      { type: target.name, property: 'type', token: 'instantiation_error', detail: target.concreteTypes.join(', ') },
    ]);
  }
  const content = contentIn(input, target, objects.options.contents);
  given ??=
    content === undefined
      ? undefined
      : { id: content.id, properties: withoutNulls(content.published(target, undefined)) };
  // An id that the input names is checked even when its content is stored already.
  const id = await idFor(objects, input, target, given?.id);
  tooLarge(input, target);
  const values: Record<string, StoredValue | null> = Object.create(null) as Record<string, StoredValue | null>;
  const later: Later[] = [];
  for (const key of Object.keys(input)) {
    if (KEPT_KEYS.has(key)) continue;
    const value = input[key] as JsonValue;
    const property = target.properties.get(key);
    if (property === undefined) objects.unknownKey(target, key, value, values);
    else if (property.kind === 'value') assignValue(objects, property, value, target, values, undefined);
    else later.push({ property, value, frozen: isFrozen(objects, property, target, undefined) });
  }
  for (const property of target.defaults) {
    if (!(property.key in values) && property.defaultValue !== undefined) values[property.key] = property.defaultValue;
  }
  for (const rule of rulesOf(target)) rule.normalise?.(values, undefined, objects, input);
  const properties = withoutNulls(values);
  if (given !== undefined) Object.assign(properties, given.properties);
  objects.stamp(properties, true);
  const node = await objects.tx.createNode({ id, type: target.name, traits: target.traits, properties });
  objects.touches.created(node);
  await giveToCreator(objects, node);
  if (objects.lifecycle?.active(objects.schema) === true) await objects.lifecycle.nodeCreated(node, objects);
  for (const one of later) await writeLater(objects, node, target, one);
  // After the nested ones: they count as created before it (docs/interface/rest.md 2.2).
  objects.created.push(node);
  return node;
}

/** Writes the keys of `input` to an object. Throws `SchemaError`; kind `forbidden` without write permission. */
export async function updateObject(objects: ObjectTransaction, node: GraphNode, input: JsonObject): Promise<GraphNode> {
  const type = objects.schema.typeOf(node);
  tooLarge(input, type);
  mayDecide(objects, type);
  if (!(await objects.may('write', node)) && !(await mayWriteRights(objects, node, type, input)))
    throw objects.notPermitted(node);
  const changes: Record<string, StoredValue | null> = Object.create(null) as Record<string, StoredValue | null>;
  const later: Later[] = [];
  for (const key of Object.keys(input)) {
    const value = input[key] as JsonValue;
    const property = type.properties.get(key);
    if (property === undefined) objects.unknownKey(type, key, value, changes);
    else if (property.kind === 'value') assignValue(objects, property, value, type, changes, node);
    else later.push({ property, value, frozen: isFrozen(objects, property, type, node.id) });
  }
  objects.switches.lock(node.id);
  await mayWriteLogin(objects, node, type, changes);
  for (const rule of rulesOf(type)) rule.normalise?.(changes, node.properties, objects, input);
  await mayShow(objects, node, changes);
  const content = contentIn(input, type, objects.options.contents);
  if (content !== undefined) {
    mayReplaceContent(objects, node);
    Object.assign(changes, content.published(type, node));
  }
  let current = node;
  if (hasChange(node, changes)) {
    objects.stamp(changes, false, node);
    current = await objects.tx.updateNode(node.id, changes);
    for (const rule of rulesOf(type)) await rule.updated?.(node, current, objects);
  }
  objects.touches.changed(current);
  for (const one of later) await writeLater(objects, current, type, one);
  return current;
}

/** An input that needs the object to be there: relations, and what scripts write. */
interface Later {
  readonly property: Property;
  readonly value: JsonValue;
  /** It may say what is there already, and nothing else. */
  readonly frozen: boolean;
}

async function writeLater(objects: ObjectTransaction, node: GraphNode, type: Type, later: Later): Promise<void> {
  const { property, value, frozen } = later;
  const refuse = frozen ? readOnly(property, type) : undefined;
  if (property.kind === 'relation') await writeRelation(objects, node, type, property, value);
  else if (property.kind === 'notion') await writeNotion(objects, node, type, property, value, refuse);
  else if (property.kind === 'computed') {
    property.refuseWrite?.();
    if (!isFunctionProperty(property)) return;
    if (refuse === undefined) await property.write(node, value, objects);
    else if (property.definition.writeFunction !== undefined && !(await readsAs(objects, node, type, property, value)))
      throw refuse;
  }
}

/** Whether a function property reads as this for who writes. */
async function readsAs(
  objects: ObjectTransaction,
  node: GraphNode,
  type: Type,
  property: FunctionProperty,
  value: JsonValue,
): Promise<boolean> {
  const { tx, schema, access, actor } = objects;
  const read = await property.compute(node, { tx, schema, type, access, actor });
  return 'json' in read && JSON.stringify(read.json) === JSON.stringify(value);
}
