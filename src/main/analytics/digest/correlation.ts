/** Events compared with those of another action (docs/interface/analytics.md 7). */
import type { JavaPattern } from '../../../shared/java-pattern.js';
import { type ColumnBlock, DigestError, type TextColumn } from '../../../shared/digest.js';
import type { LoggedEvent } from './event.js';
import { capturing } from './expressions.js';
import { Numbered, PairSet } from './pairs.js';
import type { Correlation } from './question.js';

/** Keys, and characters of what they are made of, that are held. */
const MOST_KEYS = 2_000_000;
const MOST_CHARACTERS = 100_000_000;

/** The number of a text that is not there. */
const NONE = -1;
/** Of a text that was not looked at yet. */
const UNKNOWN = -2;
/** Stands for the second part of keys that have none. */
const ALONE = '';
/** Rows between two looks at the time, less one. */
const STEP = 0xfff;

export class Correlated {
  readonly #pattern: JavaPattern | undefined;
  readonly #keys = new PairSet();
  readonly #numbers = new Numbered();
  readonly #alone: number;

  /** Throws `DigestError`. */
  constructor(
    private readonly correlation: Correlation,
    private readonly check: () => void,
  ) {
    const { pattern } = correlation;
    this.#pattern = pattern === undefined ? undefined : capturing(pattern, 'correlate');
    this.#alone = this.#numbers.add(ALONE);
  }

  /** Takes an event of the action that others are compared with. */
  add(event: LoggedEvent): void {
    const [one, other] = this.#textsOf(event);
    if (one !== undefined && other !== undefined) this.#add(this.#numbers.add(one), this.#numbers.add(other));
  }

  #add(one: number, other: number): void {
    this.#keys.add(one, other);
    if (this.#keys.size > MOST_KEYS || this.#numbers.characters > MOST_CHARACTERS) {
      throw new DigestError(
        `correlate: the events of ${this.correlation.action} have too many different values to be compared.`,
      );
    }
  }

  /** Whether an event is included. */
  takes(event: LoggedEvent): boolean {
    const [one, other] = this.#textsOf(event);
    const known =
      one !== undefined && other !== undefined && this.#keys.has(this.#numbers.of(one), this.#numbers.of(other));
    return this.#isIncluded(known);
  }

  #isIncluded(known: boolean): boolean {
    return this.correlation.operator === 'not' ? !known : known;
  }

  /** The two texts that an event has in common with those that it correlates with; one is missing: nothing. */
  #textsOf({ subject, object, message }: LoggedEvent): readonly [string | undefined, string | undefined] {
    if (this.#pattern === undefined) return [subject, object];
    const value = message === undefined ? undefined : (this.#pattern.firstGroup(message) ?? undefined);
    switch (this.correlation.operator) {
      case 'andSubject':
        return [value, subject];
      case 'andObject':
        return [value, object];
      default:
        return [value, ALONE];
    }
  }

  /** As `add`, for many. */
  addColumns(block: ColumnBlock): void {
    const [ones, others] = this.#numbersOf(block, (text) => this.#numbers.add(text));
    const { taken } = block;
    for (let i = 0; i < block.rows; i++) {
      if ((i & STEP) === 0) this.check();
      if (taken !== undefined && taken[i] === 0) continue;
      const [one, other] = [ones.at(i), others.at(i)];
      if (one !== NONE && other !== NONE) this.#add(one, other);
    }
  }

  /** As `takes`, for many: 1 for those that are included, 0 for others. */
  takesOf(block: ColumnBlock): Uint8Array {
    const [ones, others] = this.#numbersOf(block, (text) => this.#numbers.of(text));
    const { taken } = block;
    const keys = this.#keys;
    const [whenKnown, otherwise] = this.#isIncluded(true) ? [1, 0] : [0, 1];
    const included = new Uint8Array(block.rows);
    for (let i = 0; i < block.rows; i++) {
      if ((i & STEP) === 0) this.check();
      if (taken !== undefined && taken[i] === 0) continue;
      const [one, other] = [ones.at(i), others.at(i)];
      included[i] = one !== NONE && other !== NONE && keys.has(one, other) ? whenKnown : otherwise;
    }
    return included;
  }

  /** Numbers of the two texts of each row. */
  #numbersOf(block: ColumnBlock, numberOf: (text: string) => number): readonly [NumbersIn, NumbersIn] {
    const plain = (key: 'subject' | 'object'): NumbersIn => new NumbersIn(block.texts(key), numberOf);
    const pattern = this.#pattern;
    if (pattern === undefined) return [plain('subject'), plain('object')];
    const values = new NumbersIn(block.texts('message'), (message) => {
      this.check();
      const text = pattern.firstGroup(message) ?? undefined;
      return text === undefined ? NONE : numberOf(text);
    });
    const { operator } = this.correlation;
    if (operator === 'andSubject') return [values, plain('subject')];
    if (operator === 'andObject') return [values, plain('object')];
    const alone: TextColumn = { values: 1, codes: new Uint32Array(block.rows), text: () => ALONE };
    return [values, new NumbersIn(alone, numberOf, this.#alone)];
  }
}

/** Numbers of the texts of rows. Each text is looked at once, when a row with it is asked for. */
class NumbersIn {
  readonly #codes: Uint32Array;
  readonly #known: Int32Array;

  /** `none`: the number of rows without a text. */
  constructor(
    private readonly column: TextColumn,
    private readonly numberOf: (text: string) => number,
    none = NONE,
  ) {
    this.#codes = column.codes;
    this.#known = new Int32Array(column.values).fill(UNKNOWN);
    this.#known[0] = none;
  }

  at(row: number): number {
    const code = this.#codes[row] as number;
    const number = this.#known[code] as number;
    return number === UNKNOWN ? this.#look(code) : number;
  }

  #look(code: number): number {
    return (this.#known[code] = this.numberOf(this.column.text(code) ?? ''));
  }
}
