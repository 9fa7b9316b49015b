/** What filters and sorts mean (docs/interface/lists.md 1), in plain JavaScript, for objects in memory. */
import fc from 'fast-check';

export type Value = string | number | bigint | boolean;
export type Key = 'text' | 'double' | 'long' | 'integer' | 'flag' | 'date' | 'texts' | 'doubles' | 'longs';

export interface Thing {
  readonly name: string;
  readonly unique: string;
  /** Undefined: it has none. */
  readonly values: Readonly<Record<Key, Value | readonly Value[] | undefined>>;
}

/** One search parameter. */
export interface Clause {
  readonly key: Key;
  readonly indexed: boolean;
  readonly kind: 'values' | 'empty' | 'range' | 'open';
  readonly text: string;
  /** What the text names: all or any of these; of a range its ends. */
  readonly wanted: readonly (Value | undefined)[];
  readonly any: boolean;
}

interface TypeOfValues {
  readonly key: Key;
  readonly propertyType: string;
  readonly isArray: boolean;
  readonly sortable: boolean;
  readonly values: fc.Arbitrary<Value | readonly Value[] | undefined>;
  /** One value as a client sends it. */
  readonly toJson: (value: Value) => unknown;
  /** One value as a filter names it. */
  readonly toText: (value: Value) => string;
  /** Values that a filter can name. */
  readonly named: fc.Arbitrary<Value>;
  readonly ranges: boolean;
}

const TEXTS = [
  'a',
  'A',
  'ab',
  'B',
  ' a',
  'null',
  'NaN',
  '0',
  '-0.0',
  'true',
  '"',
  "'",
  '%',
  '_',
  '*',
  '\\',
  'a&b=c#d+e',
  'a\0b',
  '\u0001',
  '\u00e9',
  'e\u0301',
  '\u00c9',
  'stra\u00dfe',
  'STRASSE',
  '\u03c3',
  '\u03c2',
  '\u03a3',
  '\u0436',
  '\u0416',
  '\u0130',
  'i',
  '\ufb01',
  '\uffff',
  '\ufffd',
  '\ud800',
  'x\udc00y',
  '\u{1f600}',
  '\u{10ffff}',
  'z'.repeat(2500),
] as const;
const DOUBLES = [
  0,
  -0,
  0.05,
  -0.05,
  1,
  -1,
  1.5,
  0.1,
  1e21,
  -1e21,
  5e-324,
  1.7976931348623157e308,
  Infinity,
  -Infinity,
  NaN,
  2 ** 53,
];
const LONGS = [
  0n,
  1n,
  -1n,
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 53n + 1n,
  -(2n ** 53n) - 1n,
  2n ** 63n - 1n,
  -(2n ** 63n),
  2n ** 62n + 1n,
];
const INTEGERS = [0, 1, -1, 7, 2 ** 31 - 1, -(2 ** 31)];
const DATES = [
  '2024-03-01T10:00:00.000Z',
  '2024-03-01T10:00:00.001Z',
  '1969-12-31T23:59:59.999Z',
  '1970-01-01T00:00:00.000Z',
  '0001-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
].map((text) => Date.parse(text));

const texts = fc.constantFrom<Value>(...TEXTS);
const same = (value: Value): Value => value;
const inDigits = (value: Value): string => String(value);
const numberText = (value: Value): string => (Object.is(value, -0) ? '-0' : String(value));
/** JSON has no names for what is no number. */
const numberJson = (value: Value): unknown => (Number.isFinite(value) ? value : String(value));
const dateText = (value: Value): string => new Date(Number(value)).toISOString();

function scalar(
  key: Key,
  propertyType: string,
  pool: fc.Arbitrary<Value>,
  more: Partial<TypeOfValues> & Pick<TypeOfValues, 'toText' | 'toJson'>,
): TypeOfValues {
  const values = fc.option(pool, { nil: undefined, freq: 6 });
  return { key, propertyType, isArray: false, sortable: true, values, named: pool, ranges: true, ...more };
}

function list(key: Key, propertyType: string, of: TypeOfValues, pool: fc.Arbitrary<Value>): TypeOfValues {
  const values = fc.option(fc.array(pool, { maxLength: 3 }), { nil: undefined, freq: 6 });
  return { ...of, key, propertyType, isArray: true, sortable: false, values, named: pool, ranges: false };
}

const TEXT = scalar('text', 'String', fc.oneof({ weight: 9, arbitrary: texts }, fc.constant('')), {
  named: texts,
  toJson: same,
  toText: (value) => String(value),
});
const DOUBLE = scalar('double', 'Double', fc.constantFrom<Value>(...DOUBLES), {
  toJson: numberJson,
  toText: numberText,
});
const LONG = scalar('long', 'Long', fc.constantFrom<Value>(...LONGS), { toJson: inDigits, toText: inDigits });

export const TYPES: readonly TypeOfValues[] = [
  TEXT,
  DOUBLE,
  LONG,
  scalar('integer', 'Integer', fc.constantFrom<Value>(...INTEGERS), { toJson: same, toText: inDigits }),
  // Where a missing one is in an order is not said: it reads as false.
  scalar('flag', 'Boolean', fc.boolean(), { toJson: same, toText: inDigits, sortable: false, ranges: false }),
  scalar('date', 'Date', fc.constantFrom<Value>(...DATES), { toJson: same, toText: dateText }),
  list('texts', 'StringArray', TEXT, texts),
  // An array with NaN equals no other, which leaves nothing to compare in an array of others.
  list('doubles', 'DoubleArray', DOUBLE, fc.constantFrom<Value>(...DOUBLES)),
  list('longs', 'LongArray', LONG, fc.constantFrom<Value>(...LONGS)),
];

/** Search parameters on properties of a type. */
export function clauseOf({ key, toText, named, ranges }: TypeOfValues): fc.Arbitrary<Clause> {
  const indexed = fc.boolean();
  const values = fc
    .record({ indexed, wanted: fc.array(named, { minLength: 1, maxLength: 3 }), any: fc.boolean() })
    .map((one): Clause => ({ ...one, key, kind: 'values', text: one.wanted.map(toText).join(one.any ? ';' : ',') }));
  const empty = indexed.map((one): Clause => ({ key, indexed: one, kind: 'empty', text: '', wanted: [], any: false }));
  if (!ranges) return fc.oneof({ weight: 5, arbitrary: values }, empty);
  const end = fc.option(named, { nil: undefined });
  const range = fc.record({ indexed, wanted: fc.tuple(end, end) }).map((one): Clause => {
    const [from, to] = one.wanted.map((value) => (value === undefined ? '' : toText(value)));
    const kind = one.wanted.every((value) => value === undefined) ? 'open' : 'range';
    return { ...one, key, kind, text: `[${from ?? ''} TO ${to ?? ''}]`, any: false };
  });
  return fc.oneof({ weight: 5, arbitrary: values }, empty, { weight: 3, arbitrary: range });
}

/** As it is stored: lone surrogates are no text. */
const stored = (value: Value): Value => (typeof value === 'string' ? value.toWellFormed() : value);

const equal = (a: Value, b: Value): boolean => stored(a) === stored(b);

/** Below 0, 0, or above it; texts by code point. */
function compare(a: Value, b: Value): number {
  const [x, y] = [stored(a), stored(b)];
  if (typeof x === 'string' && typeof y === 'string') return Buffer.compare(Buffer.from(x), Buffer.from(y));
  return x < y ? -1 : x > y ? 1 : 0;
}

function fold(text: string): string {
  return text.toWellFormed().toLowerCase().toUpperCase().toLowerCase().replaceAll('\u03c2', '\u03c3');
}

export function found(thing: Thing, clause: Clause, inexact: boolean): boolean {
  const { key, kind, any } = clause;
  const value = thing.values[key];
  const isNothing = value === undefined || Number.isNaN(value);
  if (kind === 'open') return true;
  if (kind === 'empty') {
    if (key === 'flag') return value !== true;
    return isNothing || value === '' || (Array.isArray(value) && value.length === 0);
  }
  if (kind === 'range') {
    const [from, to] = clause.wanted.map((end) => (typeof end === 'string' ? trimmed(end) : end));
    if (isNothing || Array.isArray(value) || Number.isNaN(from) || Number.isNaN(to)) return false;
    const one = value as Value;
    return (from === undefined || compare(one, from) >= 0) && (to === undefined || compare(one, to) <= 0);
  }
  const wanted = clause.wanted.filter((one) => one !== undefined);
  const isArray = TYPES.find((type) => type.key === key)?.isArray === true;
  if (isArray) {
    if (!Array.isArray(value)) return false;
    const has = (one: Value): boolean => value.some((element: Value) => equal(element, one));
    const is = (all: readonly Value[]): boolean =>
      all.length === value.length && all.every((one, i) => equal(one, value[i] as Value));
    if (any) return wanted.some((one) => (inexact ? has(one) : is([one])));
    return inexact ? wanted.every(has) : is(wanted);
  }
  const matches = (one: Value): boolean => {
    if (key === 'flag') return one === (value === true);
    if (isNothing) return false;
    if (inexact && typeof value === 'string') return fold(value).includes(fold(String(one)));
    return equal(value as Value, one);
  };
  return any ? wanted.some(matches) : wanted.every(matches);
}

/** The ends of a range have blanks around them, which are no part of them. */
const trimmed = (text: string): string => text.toWellFormed().trim();

export interface Order {
  readonly key: Key;
  readonly descending: boolean;
}

/** Ascending: what has no value last; descending: first. At the end by name. */
export function sorted(things: readonly Thing[], orders: readonly Order[]): Thing[] {
  const valueOf = (thing: Thing, key: Key): Value | undefined => {
    const value = thing.values[key] as Value | undefined;
    return Number.isNaN(value) ? undefined : value;
  };
  return [...things].sort((a, b) => {
    for (const { key, descending } of orders) {
      const [x, y] = [valueOf(a, key), valueOf(b, key)];
      const order =
        x === undefined || y === undefined ? Number(x === undefined) - Number(y === undefined) : compare(x, y);
      if (order !== 0) return descending ? -order : order;
    }
    return a.name < b.name ? -1 : 1;
  });
}
