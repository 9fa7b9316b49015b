/**
 * Values of scripts as those of MongoDB, and back. What scripts have no kind of is a map, as in MongoDB's Extended JSON: an id of a
 * document is `{ $oid: '65a5...' }`, and means that id wherever it is given.
 */
import { BSON } from 'mongodb';
import { fromJsonValue, nameOfValue, toJsonValue } from '../../language/conversion.js';
import { ScriptError } from '../../language/errors.js';
import { isMap, ScriptEntity, type ScriptMap, type ScriptValue } from '../../language/values.js';

/** A document for the driver: without a prototype, so that no key means anything else. */
export type Document = Record<string, unknown>;

/** Levels that servers take. */
const DEEPEST = 100;
const MOST_PARTS = 1_000_000;
const SMALLEST_INT = -(2n ** 31n);
const LARGEST_INT = 2n ** 31n - 1n;

/** Maps with one of these keys alone are a value. */
const EXTENDED: ReadonlySet<string> = new Set([
  ...[
    '$oid',
    '$numberDecimal',
    '$numberLong',
    '$numberInt',
    '$numberDouble',
    '$binary',
    '$uuid',
    '$date',
    '$timestamp',
  ],
  ...['$regularExpression', '$symbol', '$code', '$minKey', '$maxKey'],
]);

/** Throws `ScriptError` 422 for what a document cannot hold. */
export function documentOf(map: ScriptMap): Document {
  return new Writing().document(map, 0);
}

/** The same for a list of documents. */
export function documentsOf(list: readonly ScriptMap[]): Document[] {
  const writing = new Writing();
  return list.map((map) => writing.document(map, 0));
}

/** The same for any value. */
export function bsonOf(value: ScriptValue): unknown {
  return new Writing().value(value, 0);
}

class Writing {
  private parts = 0;

  document(map: ScriptMap, depth: number): Document {
    this.spend(map.size, depth);
    const document = Object.create(null) as Document;
    for (const [key, value] of map) {
      // The driver would take the document for another kind of value.
      if (key === '_bsontype') throw new ScriptError(422, 'A document cannot have the key _bsontype.');
      document[key] = this.value(value, depth + 1);
    }
    return document;
  }

  value(value: ScriptValue, depth: number): unknown {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    // Plain numbers without decimals are integers for the driver.
    if (typeof value === 'number') return Number.isInteger(value) ? new BSON.Double(value) : value;
    if (typeof value === 'bigint') {
      if (value >= SMALLEST_INT && value <= LARGEST_INT) return Number(value);
      if (BigInt.asIntN(64, value) !== value) throw new ScriptError(422, 'An integer is too large for a document.');
      return BSON.Long.fromBigInt(value);
    }
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value;
    if (value instanceof Uint8Array) return new BSON.Binary(value);
    if (value instanceof ScriptEntity) return value.id;
    if (Array.isArray(value)) {
      this.spend(value.length, depth);
      return value.map((one) => this.value(one, depth + 1));
    }
    if (!isMap(value)) throw new ScriptError(422, `${nameOfValue(value)} cannot be in a document.`);
    const [key = ''] = value.keys();
    return value.size === 1 && EXTENDED.has(key) ? extended(value, key) : this.document(value, depth);
  }

  private spend(count: number, depth: number): void {
    this.parts += count;
    if (this.parts > MOST_PARTS) throw new ScriptError(422, 'A document has too many parts.');
    if (depth > DEEPEST) throw new ScriptError(422, 'A document is nested too deeply, or holds itself.');
  }
}

function extended(map: ScriptMap, key: string): unknown {
  try {
    return BSON.EJSON.deserialize(toJsonValue(map) as Document, { relaxed: false });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ScriptError(422, `A value ${key} of a document cannot be read: ${why}`, [], { cause: error });
  }
}

/** Bytes of values by their kind; kinds that have a length of their own are in `behind`. */
const SIZES: ReadonlyMap<number, number> = new Map([
  // Null and the like.
  [0x06, 0],
  [0x0a, 0],
  [0x7f, 0],
  [0xff, 0],
  // Documents and lists: what is in them comes next.
  [0x03, 4],
  [0x04, 4],
  // Boolean, numbers, dates, timestamps, ids, decimals.
  [0x08, 1],
  [0x10, 4],
  [0x01, 8],
  [0x09, 8],
  [0x11, 8],
  [0x12, 8],
  [0x07, 12],
  [0x13, 16],
]);

/** Values in a document, its own and those of all in it; no more than `most` are counted. Throws `ScriptError` 422 where it is none. */
export function countValues(document: Uint8Array, most: number): number {
  const bytes = Buffer.from(document.buffer, document.byteOffset, document.byteLength);
  let count = 0;
  try {
    for (let at = 4; at < bytes.length && count < most;) {
      const kind = bytes[at++] ?? 0;
      // The end of one.
      if (kind === 0) continue;
      count++;
      at = behind(bytes, kind, behindText(bytes, at));
    }
  } catch (error) {
    if (error instanceof RangeError) throw noDocument();
    throw error;
  }
  return count;
}

function behind(bytes: Buffer, kind: number, at: number): number {
  const size = SIZES.get(kind);
  if (size !== undefined) return at + size;
  const length = (from: number): number => bytes.readUInt32LE(from);
  switch (kind) {
    case 0x02:
    case 0x0d:
    case 0x0e:
      return at + 4 + length(at);
    case 0x05:
      return at + 5 + length(at);
    case 0x0b:
      return behindText(bytes, behindText(bytes, at));
    case 0x0c:
      return at + 16 + length(at);
    case 0x0f:
      // Code, and the document of its names.
      return at + 12 + length(at + 4);
    default:
      throw noDocument();
  }
}

function behindText(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(0, at);
  if (end === -1) throw noDocument();
  return end + 1;
}

function noDocument(): ScriptError {
  return new ScriptError(422, 'the server sent something else than documents.');
}

/** A document as a server sent it. */
export function mapOfBytes(bytes: Uint8Array): ScriptMap {
  return mapOf(BSON.deserialize(bytes, READING));
}

/** A document as the driver reads it with `READING`. */
export function mapOf(document: object): ScriptMap {
  return new Map(Object.entries(document).map(([key, value]) => [key, valueOf(value)]));
}

/** Options that keep the kinds of numbers. */
export const READING = { promoteValues: false, bsonRegExp: true } as const;

export function valueOf(value: unknown): ScriptValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'boolean' || value instanceof Date) return value;
  // The driver's own: counts, and ids of what it has written.
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(valueOf);
  if (typeof value !== 'object') return null;
  // Read already.
  if (value instanceof Map) return value as ScriptMap;
  if (value instanceof BSON.Int32) return BigInt(value.value);
  if (value instanceof BSON.Double) return value.value;
  // Timestamps are longs too, for the library.
  if (value instanceof BSON.Long && !(value instanceof BSON.Timestamp)) return value.toBigInt();
  if (value instanceof BSON.Binary && value.sub_type === BSON.Binary.SUBTYPE_DEFAULT) return value.value();
  if (value instanceof BSON.DBRef) return mapOf(value.toJSON());
  // Documents may have such a key; what the library makes inherits it.
  if ('_bsontype' in value && !Object.hasOwn(value, '_bsontype')) {
    return fromJsonValue(BSON.EJSON.serialize(value, { relaxed: false }));
  }
  return mapOf(value);
}
