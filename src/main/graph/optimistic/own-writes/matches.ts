/**
 * Conditions of queries and orders of sorts on entities in memory, as the SQLite engine decides them (sqlite/query/predicates.ts,
 * sqlite/connection/values.ts).
 */
import type { Predicate, SortKey } from '../../query.js';
import { fold } from '../../sqlite/connection/functions.js';
import type { GraphEntity, ScalarValue, StoredValue } from '../../types.js';

type Value = StoredValue | undefined;

/** The value that a key addresses; NaN compares as missing. */
export function valueOf(entity: GraphEntity, key: string): Value {
  if (isField(entity, key)) return fieldOf(entity, key);
  const value = entity.properties[key];
  return Number.isNaN(value) ? undefined : value;
}

function isField({ kind }: GraphEntity, key: string): boolean {
  if (key === 'id' || key === 'type') return true;
  return kind === 'relationship' && (key === 'relType' || key === 'sourceId' || key === 'targetId');
}

function fieldOf(entity: GraphEntity, key: string): string | undefined {
  if (key === 'id') return entity.id;
  if (key === 'type') return entity.type;
  if (entity.kind === 'node') return undefined;
  return key === 'relType' ? entity.relType : key === 'sourceId' ? entity.sourceId : entity.targetId;
}

/** Order of kinds: numbers, texts, Booleans, arrays, missing. */
function rank(value: Value): number {
  switch (typeof value) {
    case 'number':
      return Number.isNaN(value) ? 4 : 0;
    case 'bigint':
      return 0;
    case 'string':
      return 1;
    case 'boolean':
      return 2;
    case 'undefined':
      return 4;
    default:
      return 3;
  }
}

/** Surrogates stand for code points beyond all other code units. */
function weight(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}

/** By code point. */
function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
    if (x !== y) return weight(x) - weight(y);
  }
  return a.length - b.length;
}

/** What sorts first ascending is less; arrays are alike. */
export function compareValues(a: Value, b: Value): number {
  const kind = rank(a);
  const other = rank(b);
  if (kind !== other) return kind - other;
  if (kind >= 3) return 0;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  const [x, y] = [a as number | bigint | boolean, b as number | bigint | boolean];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** As `sort` orders two entities; 0: they are in the order of their creation. */
export function compareBy(sort: readonly SortKey[], a: GraphEntity, b: GraphEntity): number {
  for (const { key, descending } of sort) {
    const order = compareValues(valueOf(a, key), valueOf(b, key));
    if (order !== 0) return descending === true ? -order : order;
  }
  return 0;
}

const isEqual = (value: Value, wanted: ScalarValue): boolean =>
  rank(value) < 3 && rank(value) === rank(wanted) && compareValues(value, wanted) === 0;

/** Whether a condition holds for an entity; undefined: that cannot be told from the entity alone, or only the engine tells. */
export function matches(entity: GraphEntity, predicate: Predicate): boolean | undefined {
  switch (predicate.op) {
    case 'and':
      return all(predicate.terms.map((term) => matches(entity, term)));
    case 'or':
      return negated(all(predicate.terms.map((term) => negated(matches(entity, term)))));
    case 'not':
      return negated(matches(entity, predicate.term));
    case 'relatedNone':
    case 'relatedSome':
    case 'relatedAll':
    case 'relatedExactly':
    case 'distance':
      return undefined;
    case 'arrayEquals':
    case 'arrayContains':
      return rank(entity.properties[predicate.key]) === 3 && !isField(entity, predicate.key) ? undefined : false;
    default:
      return valueMatches(entity, predicate);
  }
}

type OnValue = Extract<
  Predicate,
  { op: 'equals' | 'in' | 'isNull' | 'isEmpty' | 'contains' | 'startsWith' | 'endsWith' | 'range' }
>;

function valueMatches(entity: GraphEntity, predicate: OnValue): boolean {
  const value = valueOf(entity, predicate.key);
  const missing = rank(value) === 4;
  switch (predicate.op) {
    case 'equals':
      return isEqual(value, predicate.value) || (predicate.orNull === true && missing);
    case 'in':
      return predicate.values.some((one) => isEqual(value, one));
    case 'isNull':
      return missing;
    case 'isEmpty':
      if (isField(entity, predicate.key)) return false;
      return missing || value === '' || (Array.isArray(value) && value.length === 0);
    case 'range':
      return inRange(value, predicate);
    default: {
      if (typeof value !== 'string') return false;
      const folds = predicate.ignoreCase === true;
      const [text, wanted] = folds ? [fold(value), fold(predicate.value)] : [value, predicate.value];
      if (predicate.op === 'contains') return text.includes(wanted);
      return predicate.op === 'startsWith' ? text.startsWith(wanted) : text.endsWith(wanted);
    }
  }
}

/** Bounds hold among values of their own kind only. */
function inRange(value: Value, { from, to, fromExclusive, toExclusive }: Extract<Predicate, { op: 'range' }>): boolean {
  const kind = rank(value);
  if (from === undefined && to === undefined) return kind !== 4;
  if ((from !== undefined && rank(from) !== kind) || (to !== undefined && rank(to) !== kind)) return false;
  if (kind >= 3) return false;
  const low = from === undefined ? 1 : compareValues(value, from);
  const high = to === undefined ? -1 : compareValues(value, to);
  return (fromExclusive === true ? low > 0 : low >= 0) && (toExclusive === true ? high < 0 : high <= 0);
}

function negated(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value;
}

function all(values: readonly (boolean | undefined)[]): boolean | undefined {
  if (values.includes(false)) return false;
  return values.includes(undefined) ? undefined : true;
}
