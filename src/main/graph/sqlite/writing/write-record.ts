/** What a batch of transactions writes, as a list of statements for the writer's thread (docs/design/writer.md). */
import { ARRAY, FALSE, MISSING, type SqlValue, TRUE } from '../connection/values.js';

/**
 * Statements in order: the number of the statement, how many values it has, then for each value what it is, and numbers and
 * lengths of texts; the texts themselves in one string, one after the other. Two things are copied to the thread at once; measured:
 * JSON of a list of values takes five times as long, and a structured clone of that list longer still.
 */
export interface Recorded {
  readonly numbers: ArrayLike<number>;
  readonly text: string;
}

/** A place in a record. */
export interface RecordMark {
  readonly numbers: number;
  readonly text: string;
}

/** What a value is: a text of this length when not negative, else one of these. */
const NULL = -1;
/** The number comes next. */
const NUMBER = -2;
/** The length of its digits comes next. */
const BIGINT = -3;
/** The length comes next; of each byte there is a character. */
const BYTES = -4;
/** And one less for each of these. */
const BLOB = -5;
const BLOBS: readonly Buffer[] = [FALSE, TRUE, ARRAY, MISSING];

/** Numbers, and characters of texts, from which on a record is full: some hundred small objects. */
const FULL = 100_000;
/** With how much a transaction goes on on the loop: what one may add to a record that is not full, but for its last step. */
const MAX_SIZE = 2 * FULL;

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

export class WriteRecord implements Recorded {
  readonly numbers: number[] = [];
  text = '';

  constructor(private readonly statements: StatementNumbers) {}

  textOf(statement: number): string {
    return this.statements.textOf(statement);
  }

  /** Numbers and characters. */
  get size(): number {
    return this.numbers.length + this.text.length;
  }

  /** It is to be handed over before another transaction begins. */
  get full(): boolean {
    return this.size > FULL;
  }

  /** A transaction that wants to add more is to go on on the loop. */
  get tooLong(): boolean {
    return this.size > MAX_SIZE;
  }

  /** Adds a statement. */
  add(sql: string, params: readonly SqlValue[]): void {
    const { numbers } = this;
    numbers.push(this.statements.numberOf(sql), params.length);
    for (const value of params) {
      if (typeof value === 'string') {
        numbers.push(value.length);
        this.text += value;
      } else if (typeof value === 'number') numbers.push(NUMBER, value);
      else if (value === null) numbers.push(NULL);
      else if (typeof value === 'bigint') {
        const digits = String(value);
        numbers.push(BIGINT, digits.length);
        this.text += digits;
      } else {
        const blob = BLOBS.indexOf(value);
        if (blob >= 0) numbers.push(BLOB - blob);
        else {
          numbers.push(BYTES, value.length);
          this.text += value.toString('latin1');
        }
      }
    }
  }

  /** Adds a statement with one number, however much there is already. */
  addLast(sql: string, value: number): void {
    this.numbers.push(this.statements.numberOf(sql), 1, NUMBER, value);
  }

  get mark(): RecordMark {
    return { numbers: this.numbers.length, text: this.text };
  }

  /** Forgets what was added since `mark`. */
  cut({ numbers, text }: RecordMark): void {
    this.numbers.length = numbers;
    this.text = text;
  }
}

/** Hands the statements of a part of a record over, in order: from a mark (or the beginning) to another (or the end). */
export function replay(
  { numbers, text }: Recorded,
  run: (statement: number, params: readonly SqlValue[]) => void,
  from?: RecordMark,
  to?: RecordMark,
): void {
  let at = from?.numbers ?? 0;
  let read = from?.text.length ?? 0;
  const next = (): number => numbers[at++] ?? 0;
  const slice = (length: number): string => text.slice(read, (read += length));
  const value = (): SqlValue => {
    const kind = next();
    if (kind >= 0) return slice(kind);
    if (kind === NUMBER) return next();
    if (kind === NULL) return null;
    if (kind === BIGINT) return BigInt(slice(next()));
    if (kind === BYTES) return Buffer.from(slice(next()), 'latin1');
    return BLOBS[BLOB - kind] ?? null;
  };
  const end = to?.numbers ?? numbers.length;
  while (at < end) {
    const statement = next();
    const params: SqlValue[] = [];
    for (let left = next(); left > 0; left--) params.push(value());
    run(statement, params);
  }
}
