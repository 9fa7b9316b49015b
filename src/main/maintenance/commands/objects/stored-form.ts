/** Whether a stored value is of the kind that its property stores, and that value as one of it. */
import type { ScalarValue, StoredValue } from '../../../graph/index.js';
import { SchemaError, type ValueProperty } from '../../../schema/index.js';
import type { JsonValue } from '../../../../shared/json/index.js';

type Kind = 'text' | 'number' | 'boolean';

/** What the elements of a value type are stored as; all others are texts. */
const KINDS: Readonly<Record<string, Kind>> = {
  Integer: 'number',
  Long: 'number',
  Double: 'number',
  Date: 'number',
  Boolean: 'boolean',
};

const kindOf = ({ valueType }: ValueProperty): Kind => KINDS[valueType.replace(/\[\]$/, '')] ?? 'text';

function kindOfValue(value: ScalarValue): Kind {
  if (typeof value === 'string') return 'text';
  return typeof value === 'boolean' ? 'boolean' : 'number';
}

/** Whether the property stores values of this kind. */
export function isStored(property: ValueProperty, value: StoredValue): boolean {
  const kind = kindOf(property);
  if (typeof value !== 'object') return !property.isCollection && kindOfValue(value) === kind;
  return property.isCollection && value.every((one) => kindOfValue(one) === kind);
}

/**
 * The same value as the property stores it, null for none. A single value becomes a list of it, a list of one that value. Throws `SchemaError`
 * for what cannot be that.
 */
export function storedAs(property: ValueProperty, value: StoredValue, type: string): StoredValue | null {
  const kind = kindOf(property);
  const all = typeof value === 'object' ? value : [value];
  if (!property.isCollection && all.length > 1) {
    throw new SchemaError(`A list of ${String(all.length)} values is no value of ${property.name}.`, [
      { type, property: property.name, token: 'invalid_value' },
    ]);
  }
  const elements = all.map((one): JsonValue => (kind === 'text' && typeof one !== 'string' ? String(one) : one));
  if (property.isCollection) return property.fromJson(elements, type);
  return property.fromJson(elements[0] ?? null, type);
}
