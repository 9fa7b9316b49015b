/** Values of a data export as they are stored again (docs/interface/deployment.md 4.4): nothing is checked but that the property can hold them. */
import type { ScalarValue, StoredValue } from '../../graph/index.js';
import type { Type } from '../../schema/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';

type Kind = 'text' | 'integer' | 'number' | 'flag';

/** By `propertyType`, arrays without their ending. Others store text. */
const KINDS: Readonly<Record<string, Kind>> = {
  Integer: 'integer',
  Long: 'integer',
  Date: 'integer',
  Byte: 'integer',
  Double: 'number',
  Boolean: 'flag',
};

interface Shape {
  readonly kind: Kind;
  readonly isList: boolean;
}

/** What the stored keys of a type hold; a key that is not there holds anything. */
export type Shapes = ReadonlyMap<string, Shape>;

const known = new WeakMap<Type, Shapes>();

export function shapesOf(type: Type): Shapes {
  let shapes = known.get(type);
  if (shapes === undefined) {
    const found = new Map<string, Shape>();
    for (const property of type.properties.values()) {
      if (property.kind !== 'value') continue;
      const { propertyType } = property.definition;
      const isList = propertyType.endsWith('Array');
      const name = isList ? propertyType.slice(0, -'Array'.length) : propertyType;
      found.set(property.key, { kind: KINDS[name] ?? 'text', isList });
    }
    known.set(type, (shapes = found));
  }
  return shapes;
}

/** The stored values of an entry without `apart`. `wrong` is told of keys whose value the property cannot hold: they are left out. */
export function storedValues(
  entry: JsonObject,
  apart: ReadonlySet<string>,
  shapes: Shapes,
  wrong: (key: string) => void,
): Record<string, StoredValue> {
  const values = Object.create(null) as Record<string, StoredValue>;
  for (const key in entry) {
    const value = entry[key];
    if (value === undefined || value === null || apart.has(key)) continue;
    const stored = storedAs(value, shapes.get(key));
    if (stored === undefined) wrong(key);
    else values[key] = stored;
  }
  return values;
}

function storedAs(value: JsonValue, shape: Shape | undefined): StoredValue | undefined {
  if (!Array.isArray(value)) return shape?.isList === true ? undefined : scalar(value, shape?.kind);
  if (shape?.isList === false) return undefined;
  const list: ScalarValue[] = [];
  for (const one of value) {
    const stored = scalar(one, shape?.kind);
    if (stored === undefined || (list.length > 0 && kindOf(stored) !== kindOf(list[0]))) return undefined;
    list.push(stored);
  }
  return list;
}

const kindOf = (value: ScalarValue | undefined): string => (typeof value === 'bigint' ? 'number' : typeof value);

function scalar(value: JsonValue, kind: Kind | undefined): ScalarValue | undefined {
  if (value === null || typeof value === 'object') return undefined;
  switch (kind) {
    case undefined:
      return value;
    case 'text':
      return typeof value === 'string' ? value : undefined;
    case 'flag':
      return typeof value === 'boolean' ? value : undefined;
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : typeof value === 'bigint' ? value : undefined;
    case 'number':
      return typeof value === 'string' ? unwritable(value) : typeof value === 'boolean' ? undefined : Number(value);
  }
}

function unwritable(text: string): number | undefined {
  return text === 'NaN' || text === 'Infinity' || text === '-Infinity' ? Number(text) : undefined;
}
