/** Reads records of a sync archive from a stream: memory holds one record and a piece (docs/interface/deployment.md 5.2). */
import { isUtf8 } from 'node:buffer';
import type { ScalarValue, StoredValue } from '../../graph/index.js';
import { DeploymentError } from '../common/errors.js';
import { Code, END, NODE, RELATIONSHIP } from './record.js';

const MB = 1024 * 1024;
/** Bytes of one record. */
const MOST = 64 * MB;

export interface SyncRecord {
  /** Start, end and type in the database of a relationship; absent: it is a node. */
  readonly link?: readonly [sourceId: string, targetId: string, relType: string];
  readonly values: Record<string, StoredValue>;
  /** For messages: number, and first byte. */
  readonly place: string;
}

/** Not all of a record is there yet. */
const MORE = Symbol('more');

/** The records in groups, one for each piece of the stream. Throws `DeploymentError` that names record and byte for what is none. */
export async function* recordsOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<SyncRecord[], void, undefined> {
  const reader = new RecordReader();
  for await (const piece of pieces) {
    const found = reader.add(piece);
    if (found.length > 0) yield found;
  }
  reader.end();
}

class RecordReader {
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  /** Pieces that wait until there is enough to try a large record again. */
  #waiting: Buffer[] = [];
  #held = 0;
  #wanted = 0;
  #number = 0;
  /** Where in the stream the bytes begin. */
  #begin = 0;

  add(piece: Buffer): SyncRecord[] {
    this.#waiting.push(piece);
    this.#held += piece.length;
    if (this.#held < this.#wanted) return [];
    this.#bytes = Buffer.concat([this.#bytes, ...this.#waiting]);
    this.#waiting = [];
    this.#held = 0;
    return this.#parse();
  }

  /** The stream is over. Throws `DeploymentError` when a record is not. */
  end(): void {
    if (this.#held > 0) {
      this.#bytes = Buffer.concat([this.#bytes, ...this.#waiting]);
      this.#parse();
    }
    if (this.#bytes.length > 0) throw this.#wrong(this.#bytes.length, 'it ends too early');
  }

  #parse(): SyncRecord[] {
    const found: SyncRecord[] = [];
    let from = 0;
    while (from < this.#bytes.length) {
      this.#at = from;
      const record = this.#record(from);
      if (record === MORE) break;
      found.push(record);
      this.#number++;
      from = this.#at;
    }
    this.#bytes = this.#bytes.subarray(from);
    this.#begin += from;
    if (this.#bytes.length > MOST) throw this.#wrong(0, `it is larger than ${String(MOST / MB)} MB`);
    // Each attempt has twice as much: a large record is looked through a few times only.
    this.#wanted = from > 0 ? 0 : this.#bytes.length;
    return found;
  }

  #record(from: number): SyncRecord | typeof MORE {
    const kind = this.#bytes[this.#at++];
    const place = `db: record ${String(this.#number)} at byte ${String(this.#begin + from)}`;
    if (kind !== NODE && kind !== RELATIONSHIP)
      throw this.#wrong(from, 'neither a node nor a relationship begins here');
    const ends: string[] = [];
    for (let i = 0; kind === RELATIONSHIP && i < 3; i++) {
      const end = this.#text();
      if (end === MORE) return MORE;
      ends.push(end);
    }
    const values = Object.create(null) as Record<string, StoredValue>;
    for (;;) {
      if (this.#at >= this.#bytes.length) return MORE;
      if (this.#bytes[this.#at] === END) break;
      const key = this.#text();
      if (key === MORE) return MORE;
      const value = this.#value();
      if (value === MORE) return MORE;
      if (value !== null) values[key] = value;
    }
    this.#at++;
    const [sourceId = '', targetId = '', relType = ''] = ends;
    return { ...(kind === RELATIONSHIP ? { link: [sourceId, targetId, relType] } : {}), values, place };
  }

  #text(): string | typeof MORE {
    if (this.#at >= this.#bytes.length) return MORE;
    if (this.#bytes[this.#at] !== Code.Text) throw this.#wrong(this.#at, 'a text is expected here');
    const value = this.#value();
    return value === MORE ? MORE : String(value);
  }

  #value(): StoredValue | null | typeof MORE {
    if (this.#at >= this.#bytes.length) return MORE;
    const code = this.#bytes[this.#at] ?? Code.Null;
    if (code === Code.Null) {
      this.#at++;
      return null;
    }
    if (code > Code.Flag) throw this.#wrong(this.#at, `there is no type ${String(code)} of values`);
    if (code % 2 === 1) return this.#scalar();
    const count = this.#length(1);
    if (count === MORE) return MORE;
    this.#at += 5;
    const list: ScalarValue[] = [];
    for (let i = 0; i < count; i++) {
      if (this.#at >= this.#bytes.length) return MORE;
      if (this.#bytes[this.#at] !== code + 1 && !isNumber(code + 1, this.#bytes[this.#at]))
        throw this.#wrong(this.#at, 'a list has values of one type');
      const one = this.#scalar();
      if (one === MORE) return MORE;
      list.push(one);
    }
    return list;
  }

  /** The number behind a type: bytes, or elements. */
  #length(least: number): number | typeof MORE {
    if (this.#at + 5 > this.#bytes.length) return MORE;
    const length = this.#bytes.readInt32BE(this.#at + 1);
    if (length < 0 || length * least > MOST)
      throw this.#wrong(this.#at, `a length of ${String(length)} is not possible`);
    return length;
  }

  #scalar(): ScalarValue | typeof MORE {
    const at = this.#at + 1;
    const code = this.#bytes[this.#at];
    if (code === Code.Text) {
      const length = this.#length(1);
      if (length === MORE || at + 4 + length > this.#bytes.length) return MORE;
      const bytes = this.#bytes.subarray(at + 4, at + 4 + length);
      if (!isUtf8(bytes)) throw this.#wrong(this.#at, 'a text is no UTF-8');
      this.#at = at + 4 + length;
      return bytes.toString('utf8');
    }
    const size = SIZES[code ?? 0];
    if (size === undefined) throw this.#wrong(this.#at, `there is no type ${String(code)} of values`);
    if (at + size > this.#bytes.length) return MORE;
    this.#at = at + size;
    return numberAt(this.#bytes, at, code);
  }

  #wrong(at: number, what: string): DeploymentError {
    return new DeploymentError(`db: record ${String(this.#number)}, byte ${String(this.#begin + at)}: ${what}.`);
  }
}

const SIZES: Readonly<Record<number, number>> = {
  [Code.Byte]: 1,
  [Code.Short]: 2,
  [Code.Int]: 4,
  [Code.Long]: 8,
  [Code.Float]: 4,
  [Code.Double]: 8,
  [Code.Char]: 2,
  [Code.Flag]: 1,
};

/** Lists of numbers may have each in the type that it fits. */
function isNumber(code: number, other: number | undefined): boolean {
  return [code, other].every((one) => one !== undefined && one <= Code.Double && SIZES[one] !== undefined);
}

function numberAt(bytes: Buffer, at: number, code: number | undefined): ScalarValue {
  switch (code) {
    case Code.Byte:
      return bytes.readInt8(at);
    case Code.Short:
      return bytes.readInt16BE(at);
    case Code.Int:
      return bytes.readInt32BE(at);
    case Code.Long: {
      const value = bytes.readBigInt64BE(at);
      const number = Number(value);
      return Number.isSafeInteger(number) ? number : value;
    }
    case Code.Float:
      return bytes.readFloatBE(at);
    case Code.Double:
      return bytes.readDoubleBE(at);
    case Code.Char:
      return String.fromCharCode(bytes.readUInt16BE(at));
    default:
      return bytes[at] !== 0;
  }
}
