/** What a batch of transactions writes, as a list of statements for the writer's thread (ARCHITECTURE.md, "The writer's thread"). */
import { ARRAY, FALSE, MISSING, type SqlValue, TRUE } from './values.js';

/**
 * A value as it goes to the thread. Blobs go as a list of their one byte: copying a `Buffer` copies all of the memory that it
 * shares with others.
 */
export type RecordValue = string | number | null | readonly [number] | readonly [kind: 'n' | 'i', text: string];

/** A number of a statement, the number of its values, its values; then the next. In one flat list, which is copied fastest. */
export type FlatRecord = readonly RecordValue[];

const BLOBS = new Map<SqlValue, readonly [number]>([FALSE, TRUE, ARRAY, MISSING].map((blob) => [blob, [blob[0] ?? 0]]));

/** Statements by number; both sides keep the same list. */
export class StatementNumbers {
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];

  numberOf(sql: string): number {
    let number = this.#numbers.get(sql);
    if (number === undefined) {
      number = this.#texts.push(sql) - 1;
      this.#numbers.set(sql, number);
    }
    return number;
  }

  textOf(number: number): string {
    return this.#texts[number] ?? '';
  }

  /** Those from a number on: what the other side does not know yet. */
  from(number: number): readonly string[] {
    return this.#texts.slice(number);
  }

  get count(): number {
    return this.#texts.length;
  }
}

/** Values, and characters of texts, from which on a record is full: some hundred small objects. */
const FULL = 60_000;
/** With how much no more is added: what one transaction may add to a record that is not full. */
const MAX_SIZE = 2 * FULL;

/** Where a record can be cut off. */
export interface RecordMark {
  readonly length: number;
  readonly size: number;
}

export class WriteRecord {
  readonly values: RecordValue[] = [];
  /** Values, and characters of texts. */
  size = 0;

  constructor(private readonly numbers: StatementNumbers) {}

  textOf(statement: number): string {
    return this.numbers.textOf(statement);
  }

  /** It is to be handed over before another transaction begins. */
  get full(): boolean {
    return this.size > FULL;
  }

  /** Adds a statement; false, and nothing is added, when it would be too much or there is no form for one of the values. */
  add(sql: string, params: readonly SqlValue[]): boolean {
    if (this.size > MAX_SIZE) return false;
    const { values } = this;
    const before = values.length;
    values.push(this.numbers.numberOf(sql), params.length);
    for (const value of params) {
      if (typeof value === 'string') this.size += value.length;
      if (typeof value === 'bigint') values.push(['i', String(value)]);
      else if (typeof value === 'number' && !plain(value))
        values.push(['n', Object.is(value, -0) ? '-0' : String(value)]);
      else if (typeof value !== 'object' || value === null) values.push(value);
      else {
        const blob = BLOBS.get(value);
        if (blob === undefined) {
          values.length = before;
          return false;
        }
        values.push(blob);
      }
    }
    this.size += params.length;
    return true;
  }

  get mark(): RecordMark {
    return { length: this.values.length, size: this.size };
  }

  /** Forgets what was added since `mark`. */
  cut({ length, size }: RecordMark): void {
    this.values.length = length;
    this.size = size;
  }
}

/** JSON has a form for it that is read as the same number. */
function plain(value: number): boolean {
  return Number.isFinite(value) && (value !== 0 || !Object.is(value, -0));
}

function sqlValueOf(value: RecordValue): SqlValue {
  if (typeof value !== 'object' || value === null) return value;
  const [kind, text] = value;
  if (typeof kind === 'number') return BLOB_OF.get(kind) ?? null;
  return kind === 'i' ? BigInt(text ?? '') : Number(text);
}

const BLOB_OF = new Map([FALSE, TRUE, ARRAY, MISSING].map((blob) => [blob[0], blob]));

/** Hands the statements of a part of a record over, in order. */
export function replay(
  values: FlatRecord,
  from: number,
  to: number,
  run: (statement: number, params: readonly SqlValue[]) => void,
): void {
  for (let at = from; at < to;) {
    const statement = Number(values[at]);
    const end = at + 2 + Number(values[at + 1]);
    const params: SqlValue[] = [];
    for (let i = at + 2; i < end; i++) params.push(sqlValueOf(values[i] ?? null));
    run(statement, params);
    at = end;
  }
}
