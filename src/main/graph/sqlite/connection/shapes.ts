/**
 * Properties of a node without their names (docs/design/sqlite.md, "Records"): many nodes have the same properties, so these have a shape, which is a
 * name with a number like any other (`names.ts`). The JSON of such a node is an array: the number of the shape, then the values. The text of a shape
 * is a JSON object: the path at which the value of a property is in the array, or, of a visibility flag, the value itself. What has no shape
 * is a JSON object as it is.
 */
import { FLAG_KEYS } from '../../access.js';
import type { PropertyMap, StoredValue } from '../../types.js';
import { encodeArray, propertyName, scalarText } from './codec.js';
import { jsonPath } from './parts.js';
import { type Sql, sql, raw } from './sql.js';

/** What a record that is longer would save is little beside it. */
const LONGEST = 4000;
const MOST_KEYS = 60;
const [QUOTE, COMMA, OPEN, BACKSLASH, CLOSE] = [34, 44, 91, 92, 93];
/** Shapes kept in memory; when there are more all are dropped. */
const MAX_SHAPES = 5000;

/** The number of a shape; undefined: it is to have none. */
export type ShapeNumber = (shape: string) => number | undefined;

/** Whether a property is a visibility flag. */
export const isFlag = (key: string): boolean => key === FLAG_KEYS[0] || key === FLAG_KEYS[1];

const isDigit = (key: string): boolean => key.charCodeAt(0) >= 48 && key.charCodeAt(0) <= 57;

/** What begins the text of a shape, and of no other name. */
export function isShape(name: string): boolean {
  return name.startsWith('{"');
}

/** Properties, without those in `except`, as an array; undefined: they have no shape. `text`: their JSON, which is exact. */
export function shapedText(
  properties: PropertyMap,
  text: string,
  except: (key: string) => boolean,
  numberOf: ShapeNumber,
): string | undefined {
  if (text.length > LONGEST || text === '{}') return undefined;
  let shape = '';
  let values = '';
  let keys = 0;
  let at = 0;
  for (const key in properties) {
    const value = properties[key];
    if (value === undefined || value === null || except(key)) continue;
    // Digits would come first in an object, whatever stands before them.
    if (++keys > MOST_KEYS || key === '__proto__' || isDigit(key)) return undefined;
    shape += (keys === 1 ? '{' : ',') + propertyName(key);
    if (isFlag(key)) {
      if (typeof value !== 'boolean') return undefined;
      shape += value ? 'true' : 'false';
    } else {
      shape += `"$[${String(++at)}]"`;
      values += ',' + (typeof value === 'object' ? encodeArray(value) : scalarText(value));
    }
  }
  const number = numberOf(shape + '}');
  return number === undefined ? undefined : `[${String(number)}${values}]`;
}

class Shape {
  /** Those whose values are in the array, in its order. */
  readonly keys: readonly string[];
  /** JSON of an object with all of them in order: what stands before each value, and behind the last. */
  readonly #before: readonly string[];
  /** Objects with all that such a node has, in order: copying one and setting its values takes half as long as adding them one after the other. */
  readonly #plain: Record<string, StoredValue> = {};
  readonly #stamped: Record<string, StoredValue>;

  constructor(text: string, stamps: Readonly<Record<string, StoredValue>>) {
    const keys: string[] = [];
    const before: string[] = [];
    let next = '{';
    for (const [key, at] of Object.entries(JSON.parse(text) as Record<string, string | boolean>)) {
      this.#plain[key] = at;
      next += propertyName(key);
      if (typeof at === 'boolean') next += `${String(at)},`;
      else {
        keys.push(key);
        if (at !== `$[${String(keys.length)}]`) throw new Error(`not a shape: ${text}`);
        before.push(next);
        next = ',';
      }
    }
    this.keys = keys;
    this.#before = [...before, next];
    this.#stamped = { ...this.#plain, ...stamps };
  }

  object(values: readonly StoredValue[], isStamped: boolean): Record<string, StoredValue> {
    const object = isStamped ? { ...this.#stamped } : { ...this.#plain };
    const { keys } = this;
    for (let i = 0; i < keys.length; i++) object[keys[i] as string] = values[i + 1] as StoredValue;
    return object;
  }

  /** JSON of the object, without the bracket at its end; values are taken as they stand in the array. */
  text(props: string, from: number): string {
    let text = '';
    let at = from;
    const last = this.keys.length;
    for (let i = 0; i < last; i++) {
      const end = endOfValue(props, at + 1);
      text += (this.#before[i] ?? '') + props.slice(at + 1, end);
      at = end;
    }
    const rest = this.#before[last] ?? '';
    // Behind the last value a comma waits for what comes next.
    return text + (rest.endsWith(',') ? rest.slice(0, -1) : rest);
  }
}

/** Where a value in the text of an array ends. */
function endOfValue(text: string, from: number): number {
  const first = text.charCodeAt(from);
  if (first === QUOTE) return endOfString(text, from);
  let at = from;
  if (first === OPEN) {
    for (at++; text.charCodeAt(at) !== CLOSE;) at = text.charCodeAt(at) === QUOTE ? endOfString(text, at) : at + 1;
    return at + 1;
  }
  for (let code = first; code !== COMMA && code !== CLOSE;) code = text.charCodeAt(++at);
  return at;
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; ;) {
    const end = text.indexOf('"', at);
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end + 1;
    at = end + 1;
  }
}

const shapes = new Map<string, Shape>();

/** Whether the JSON of a node has a shape. */
export function isShaped(props: string): boolean {
  return props.charCodeAt(0) === OPEN;
}

function shapeOf(text: string, stamps: Readonly<Record<string, StoredValue>>): Shape {
  let shape = shapes.get(text);
  if (shape === undefined) {
    if (shapes.size >= MAX_SHAPES) shapes.clear();
    shapes.set(text, (shape = new Shape(text, stamps)));
  }
  return shape;
}

/** Properties of such JSON, with a prototype; `stamps`: keys that are to come last, whose values the caller sets. Throws where it is not what `shapedText` makes. */
export function decodeShaped(
  props: string,
  textOf: (number: number) => string,
  stamps: Readonly<Record<string, StoredValue>>,
  isStamped: boolean,
): Record<string, StoredValue> {
  const values = JSON.parse(props) as StoredValue[];
  const shape = shapeOf(textOf(Number(values[0])), stamps);
  if (values.length !== shape.keys.length + 1) throw new Error(`its values are not those of its shape`);
  return shape.object(values, isStamped);
}

/** The same as JSON of an object, without the bracket at its end. */
export function objectText(
  props: string,
  textOf: (number: number) => string,
  stamps: Readonly<Record<string, StoredValue>>,
): string {
  const end = endOfValue(props, 1);
  return shapeOf(textOf(Number(props.slice(1, end))), stamps).text(props, end);
}

/** SQL of whether a row has a shape: by the first character. */
const shaped = (alias: string): string => `(${alias}.props>='[' AND ${alias}.props<'\\')`;

/** SQL of what the shape of a row, which has one, says of a property. */
function inShape(alias: string, what: string, path: string): Sql {
  return sql`(SELECT ${raw(what)}(shape_.text,${path}) FROM name_table shape_ WHERE shape_.id=${raw(alias)}.props->>0)`;
}

/** SQL of the path of a property that is no flag in the JSON of a node; NULL: it has no such property. */
export function pathIn(alias: string, key: string): Sql {
  const path = jsonPath(key);
  return sql`iif(${raw(shaped(alias))},${inShape(alias, 'json_extract', path)},${path})`;
}

/** SQL of a flag of a node in comparable form (values.ts) where it has a shape, else of `otherwise`. */
export function flagIn(alias: string, key: string, otherwise: Sql): Sql {
  const type = inShape(alias, 'json_type', jsonPath(key));
  return sql`iif(${raw(shaped(alias))},CASE ${type} WHEN 'true' THEN x'01' WHEN 'false' THEN x'00' ELSE x'ff' END,${otherwise})`;
}
