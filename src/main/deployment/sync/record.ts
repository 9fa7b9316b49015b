/** Records of a sync archive: nodes and relationships as bytes, big-endian (docs/interface/deployment.md 5.2). */
import type { GraphEntity, ScalarValue, StoredValue } from '../../graph/index.js';

/** Types of values; that of a list of them is one less. */
export const enum Code {
  Byte = 1,
  Short = 3,
  Int = 5,
  Long = 7,
  Float = 9,
  Double = 11,
  Char = 13,
  Text = 15,
  Flag = 17,
  Null = 127,
}

export const NODE = 0x4e;
export const RELATIONSHIP = 0x52;
export const END = 10;

/** How a number is written: by what its property holds, else by what it is. */
export type NumberCode = Code.Int | Code.Long | Code.Double;

/** The same by stored key, for the numbers of a type. */
export type NumberCodes = ReadonlyMap<string, NumberCode>;

const INT64 = 2n ** 63n;

/** Bytes of records, gathered. */
export class RecordWriter {
  #bytes = Buffer.allocUnsafe(256 * 1024);
  #at = 0;

  get length(): number {
    return this.#at;
  }

  /** What was gathered; it is the caller's from now on. */
  taken(): Buffer {
    const bytes = this.#bytes.subarray(0, this.#at);
    this.#bytes = Buffer.allocUnsafe(256 * 1024);
    this.#at = 0;
    return bytes;
  }

  entity(entity: GraphEntity, codes: NumberCodes): void {
    this.byte(entity.kind === 'node' ? NODE : RELATIONSHIP);
    if (entity.kind === 'relationship')
      for (const end of [entity.sourceId, entity.targetId, entity.relType]) this.text(end);
    this.text('id');
    this.text(entity.id);
    this.text('type');
    this.text(entity.type);
    for (const key in entity.properties) {
      const value = entity.properties[key];
      if (value === undefined || key === 'id' || key === 'type') continue;
      this.text(key);
      this.value(value, codes.get(key));
    }
    this.byte(END);
  }

  byte(value: number): void {
    this.#room(1);
    this.#bytes[this.#at++] = value;
  }

  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.#room(5 + length);
    this.#bytes[this.#at] = Code.Text;
    this.#bytes.writeInt32BE(length, this.#at + 1);
    this.#bytes.write(value, this.#at + 5, 'utf8');
    this.#at += 5 + length;
  }

  value(value: StoredValue, code: NumberCode | undefined): void {
    if (typeof value !== 'object') {
      this.#scalar(value, code);
      return;
    }
    this.#room(5);
    this.#bytes[this.#at] = value.length === 0 ? Code.Text - 1 : codeOf(value[0] ?? '', code) - 1;
    this.#bytes.writeInt32BE(value.length, this.#at + 1);
    this.#at += 5;
    for (const one of value) this.#scalar(one, code);
  }

  #scalar(value: ScalarValue, wanted: NumberCode | undefined): void {
    if (typeof value === 'string') {
      this.text(value);
      return;
    }
    const code = codeOf(value, wanted);
    this.#room(9);
    this.#bytes[this.#at++] = code;
    if (code === Code.Flag) this.#bytes[this.#at++] = value === true ? 1 : 0;
    else if (code === Code.Int) this.#at = this.#bytes.writeInt32BE(Number(value), this.#at);
    else if (code === Code.Long) this.#at = this.#bytes.writeBigInt64BE(BigInt(value), this.#at);
    else this.#at = this.#bytes.writeDoubleBE(Number(value), this.#at);
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#at + bytes));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

/** Exact in any case: what does not fit the code that is wanted gets one that it fits. */
function codeOf(value: ScalarValue, wanted: NumberCode | undefined): Code {
  if (typeof value === 'string') return Code.Text;
  if (typeof value === 'boolean') return Code.Flag;
  if (typeof value === 'bigint') return value >= -INT64 && value < INT64 ? Code.Long : Code.Double;
  if (wanted === Code.Double || !Number.isSafeInteger(value) || Object.is(value, -0)) return Code.Double;
  return wanted === Code.Int && (value | 0) === value ? Code.Int : Code.Long;
}
