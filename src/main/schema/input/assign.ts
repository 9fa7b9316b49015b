import type { GraphEntity, StoredValue } from '../../graph/index.js';
import type { JsonValue } from '../../../shared/json/index.js';
import { SchemaError } from '../model/errors.js';
import type { ValueProperty } from '../model/property.js';
import { KEPT_TIMES, mayUnlock, mayWriteCredential } from '../rights/credentials.js';
import type { Property, Type } from '../model/schema.js';
import { storedValue } from '../model/lookup.js';
import { sameStored } from './input-values.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';

/** Converts one value and puts it into `values`, or refuses (docs/interface/rest.md 7.1). `before` is the entity as it is. */
export function assignValue(
  objects: ObjectTransaction,
  property: ValueProperty,
  input: JsonValue,
  type: Type,
  values: Record<string, StoredValue | null>,
  before: GraphEntity | undefined,
): void {
  const { actor, switches } = objects;
  const d = property.definition;
  if (property.ignoresInput?.(input) === true) return;
  const { encryptionKey } = switches;
  const coded = encryptionKey === undefined ? property : (property.withSecret?.(encryptionKey) ?? property);
  if (d.constant === true) {
    // Constants read as their value whatever is stored, so that only stored forms tell them apart.
    if (sameStored(property.fromJson(input, type.name), property.defaultValue ?? null)) return;
    throw readOnly(property, type, `Unable to change value of constant property ‛${property.name}‛`);
  }
  const stored = coded.fromJson(input, type.name);
  const old = before === undefined ? undefined : storedValue(before, property.key);
  const unlocked = switches.unlockedFor(before?.id);
  if (before !== undefined || d.readOnly === true || d.system === true) {
    // Clients send whole objects back: what reads the same is no change, for values that only the service sets (a
    // date loses its milliseconds in text) and for ciphertext, which differs every time. Hidden values all read alike.
    const byText =
      before !== undefined &&
      d.hidden !== true &&
      (d.system === true || d.readOnly === true || d.propertyType === 'Encrypted');
    const unchanged =
      sameStored(old ?? null, stored) || (byText && coded.toJson(old) === coded.toJson(stored ?? undefined));
    if (unchanged) return;
    const isSystem = property.key === 'id' || property.key === 'type' || d.system === true;
    if (isSystem && !(unlocked?.system === true && actor.isAdmin && KEPT_TIMES.has(property.key))) {
      throw new SchemaError(`Property ‛${property.name}‛ is an internal system property`, [
        { type: type.name, property: property.name, token: 'is_system_property' },
      ]);
    }
    if (isFrozen(objects, property, type, before?.id)) throw readOnly(property, type);
  }
  if (!actor.isAdmin && !mayWriteCredential(type, property.key, old, stored)) {
    if (before === undefined && stored === null) return;
    throw readOnly(property, type);
  }
  values[property.key] = stored;
  const companions = property.companions?.(stored);
  if (companions !== undefined) Object.assign(values, companions);
}

/** Whether a property is read-only for who writes; `id`: of the object, once there is one. */
export function isFrozen(
  { actor, switches }: ObjectTransaction,
  { name, definition }: Property,
  type: Type,
  id: string | undefined,
): boolean {
  if (definition.readOnly !== true || actor.isAdmin) return false;
  return switches.unlockedFor(id) === undefined || !mayUnlock(type, name);
}

/** The refusal of another value than the one that is there. */
export function readOnly({ name }: Property, type: Type, message = `Property ‛${name}‛ is read-only`): SchemaError {
  return new SchemaError(message, [{ type: type.name, property: name, token: 'is_read_only_property' }]);
}
