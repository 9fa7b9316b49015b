/** What says who may do what with an object is written with `accessControl`, everything else with `write` (docs/interface/security.md 9.8). */
import {
  FLAG_KEYS,
  OWNS,
  SECURITY,
  type GraphEntity,
  type GraphNode,
  type PropertyChanges,
} from '../../graph/index.js';
import type { JsonObject } from '../../../shared/json/index.js';
import { SchemaError } from '../model/errors.js';
import { isOfAdministratorsAlone } from './credentials.js';
import type { Type } from '../model/schema.js';
import { relationOf } from '../model/lookup.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';

/** What every object is called by: clients send it along. */
const NAMES: ReadonlySet<string> = new Set(['id', 'type']);

/** Whether a key of an input is about rights on the object alone: its flags, its owner, its grantees. */
function saysWho(type: Type, key: string): boolean {
  const property = type.properties.get(key);
  if (property === undefined) return false;
  if (property.kind === 'value') return FLAG_KEYS.some((flag) => flag === property.key);
  const relation = property.kind === 'notion' ? relationOf(type, property) : property;
  if (relation?.kind !== 'relation' || relation.direction !== 'in') return false;
  return relation.relation.relType === OWNS || relation.relation.relType === SECURITY;
}

/** Whether an input is about rights on the object alone, and the actor may say who has them. */
export async function mayWriteRights(
  objects: ObjectTransaction,
  node: GraphNode,
  type: Type,
  input: JsonObject,
): Promise<boolean> {
  const keys = Object.keys(input).filter((key) => !NAMES.has(key));
  if (keys.length === 0 || !keys.every((key) => saysWho(type, key))) return false;
  return objects.may('accessControl', node);
}

/**
 * Whether the actor may say who has which rights on an object, whatever else he may do with it; for objects that decide about
 * rights only administrators may.
 */
export async function mayGrant(objects: ObjectTransaction, entity: GraphEntity): Promise<boolean> {
  const { actor, options, schema } = objects;
  if (actor.isAdmin) return true;
  if (options.usersDecide !== true && isOfAdministratorsAlone(schema.typeOf(entity))) return false;
  return objects.may('accessControl', entity);
}

/** Throws `SchemaError` (forbidden) when changes make an object visible, or hide it, and the actor may not decide about that. */
export async function mayShow(objects: ObjectTransaction, node: GraphNode, changes: PropertyChanges): Promise<void> {
  const flag = FLAG_KEYS.find((key) => key in changes && (changes[key] ?? false) !== (node.properties[key] ?? false));
  if (flag === undefined || (await objects.may('accessControl', node))) return;
  const { message } = objects.notPermitted(node);
  throw new SchemaError(
    `${message} It needs accessControl to change ${flag}.`,
    [{ type: node.type, property: flag, token: 'not_permitted' }],
    'forbidden',
  );
}
