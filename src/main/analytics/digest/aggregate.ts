/** Counts of events in groups of time (docs/interface/analytics.md 4 to 6). */
import { TimeZone } from '../../../shared/dates/index.js';
import type { JavaPattern } from '../../../shared/java-pattern.js';
import { type ColumnBlock, DigestError, type Digester, type Stored } from '../../../shared/digest.js';
import { CalendarGroups } from './calendar-groups.js';
import { countColumns, type Tally } from './column-counts.js';
import { type LoggedEvent, eventOf } from './event.js';
import { capturing, expression, shown } from './expressions.js';
import { Histogram } from './histogram.js';
import { type Outcome, Outcomes } from './outcomes.js';
import type { Aggregation } from './question.js';
import { Selected } from './selected.js';

/** Groups of an answer, and counts in all of them. */
const MOST_GROUPS = 100_000;
const MOST_COUNTS = 1_000_000;

/** Under this name stands the sum of what the multiplier has found. */
const MULTIPLIER = 'multiplier';
const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

/** What an event comes to whose message nothing matches. */
const NOTHING: Outcome = { matched: [], weight: 1, value: undefined };

interface Group {
  total: number;
  /** By the number of the expression. */
  readonly counts: number[];
  /** By captured value; absent: none. */
  values: Map<string, number> | undefined;
}

interface Counted {
  readonly name: string;
  readonly pattern: JavaPattern;
  /** It has matched somewhere. */
  seen: boolean;
}

export class Aggregate implements Digester {
  readonly #groups: CalendarGroups;
  readonly #selected: Selected;
  readonly #named: readonly Counted[];
  readonly #multiplier: JavaPattern | undefined;
  readonly #histogram: Histogram | undefined;
  readonly #found = new Map<number, Group>();
  #first = Infinity;
  #last = -Infinity;
  /** The group that the last event was in. */
  #current: Group | undefined;
  #begin = 0;
  #end = -Infinity;
  #counts = 0;
  readonly #tally: Tally<Group>;

  /** Throws `DigestError`. */
  constructor(
    private readonly asked: Aggregation,
    private readonly check: () => void,
  ) {
    this.#groups = new CalendarGroups(asked.pattern, TimeZone.of(asked.zone) ?? TimeZone.utc);
    this.#selected = new Selected(asked, check);
    this.#tally = {
      groups: this.#groups,
      groupAt: (begin) => this.#groupAt(begin),
      count: (group, outcome, times) => {
        this.#add(group, outcome, times);
      },
      saw: (instant) => {
        this.#saw(instant);
      },
    };
    const { named, multiplier, histogram, from, to } = asked;
    this.#named = named.map(({ name, source }) => ({ name, pattern: expression(source, name), seen: false }));
    this.#multiplier = multiplier === undefined ? undefined : capturing(multiplier, MULTIPLIER);
    if (this.#multiplier !== undefined)
      this.#named = [...this.#named, { name: MULTIPLIER, pattern: this.#multiplier, seen: false }];
    this.#histogram =
      histogram === undefined
        ? undefined
        : new Histogram(histogram, new Set(['total', ...this.#named.map(({ name }) => name)]));
    if (from !== undefined && to !== undefined && (to - from) / this.#groups.longest > MOST_GROUPS)
      throw tooManyGroups();
  }

  take(query: number, id: string, properties: Stored): string {
    const event = eventOf(id, properties);
    if (query < this.#selected.before) this.#selected.refer(event);
    else if (event.timestamp !== undefined && this.#selected.takes(event)) this.#count(event, event.timestamp);
    return '';
  }

  takeColumns(query: number, block: ColumnBlock): void {
    if (query < this.#selected.before) {
      this.#selected.referColumns(block);
      return;
    }
    // Messages in columns are short, and asking for the time takes as long as an expression.
    let calls = 0;
    const seldom = (): void => {
      if ((++calls & 15) === 0) this.check();
    };
    const asksMessages = this.#named.length > 0 || this.#histogram !== undefined || this.#selected.hasFilters;
    const outcomes = asksMessages
      ? new Outcomes(block.texts('message'), (message) =>
          this.#selected.takesMessage(message, seldom) ? this.#outcomeOf(message, seldom) : undefined,
        )
      : undefined;
    countColumns(block, this.#selected.correlated(block), outcomes, this.#tally, this.check);
  }

  #count({ message }: LoggedEvent, instant: number): void {
    this.#saw(instant);
    this.#add(this.#groupOf(instant), this.#outcomeOf(message), 1);
  }

  #saw(instant: number): void {
    if (instant < this.#first) this.#first = instant;
    if (instant > this.#last) this.#last = instant;
  }

  #outcomeOf(message: string | undefined, check = this.check): Outcome {
    if (message === undefined) return NOTHING;
    const weight = this.#weightOf(message);
    const matched: number[] = [];
    for (const [i, one] of this.#named.entries()) {
      check();
      if (one.pattern.matches(message)) matched.push(i);
    }
    const value = this.#histogram?.valueOf(message);
    // Only what counts has a weight.
    return matched.length === 0 && value === undefined ? NOTHING : { matched, weight, value };
  }

  /** So many events of a group come to this. */
  #add(group: Group, { matched, weight, value }: Outcome, times: number): void {
    group.total += times;
    for (const i of matched) {
      const one = this.#named[i];
      if (one !== undefined) one.seen = true;
      group.counts[i] = (group.counts[i] ?? 0) + weight * times;
    }
    if (value === undefined) return;
    const values = (group.values ??= new Map<string, number>());
    const before = values.get(value);
    values.set(value, (before ?? 0) + weight * times);
    if (before === undefined && ++this.#counts > MOST_COUNTS) throw tooManyCounts();
  }

  #weightOf(message: string): number {
    const text = this.#multiplier?.firstGroup(message);
    if (text === undefined) return 1;
    if (text === null || !NUMBER.test(text.trim())) {
      throw new DigestError(
        `multiplier: ${text === null ? 'nothing' : shown(text)} is no number; its group has to capture one, such as (\\d+).`,
      );
    }
    return Number(text);
  }

  #groupOf(instant: number): Group {
    if (this.#current !== undefined && instant >= this.#begin && instant < this.#end) return this.#current;
    const begin = this.#groups.start(instant);
    this.#begin = begin;
    this.#end = this.#groups.next(begin);
    return (this.#current = this.#groupAt(begin));
  }

  #groupAt(begin: number): Group {
    let group = this.#found.get(begin);
    if (group === undefined) {
      if (this.#found.size >= MOST_GROUPS) throw tooManyGroups();
      group = { total: 0, counts: this.#named.map(() => 0), values: undefined };
      this.#found.set(begin, group);
    }
    return group;
  }

  *end(): Iterable<string> {
    const { indent, from = this.#first, to = this.#last } = this.asked;
    const line = (level: number): string => (indent ? `\n${'\t'.repeat(level)}` : '');
    const colon = indent ? ': ' : ':';
    const values = this.#histogram?.values ?? [];
    const begins: number[] = [];
    if (from <= to) {
      for (let at = this.#groups.start(from); at <= to; at = this.#groups.next(at)) {
        begins.push(at);
        if (begins.length > MOST_GROUPS) throw tooManyGroups();
      }
    }
    if (begins.length * (this.#named.length + values.length) > MOST_COUNTS) throw tooManyCounts();
    // In every group the same keys.
    const labels = this.#named.map(({ name, seen }) => (seen ? JSON.stringify(name) : undefined));
    const valueLabels = values.map(({ value, name }) => [value, JSON.stringify(name)] as const);
    yield `${line(2)}{`;
    let separator = '';
    for (const begin of begins) {
      const group = this.#found.get(begin);
      const entries = [`"total"${colon}${String(group?.total ?? 0)}`];
      for (const [i, label] of labels.entries()) {
        if (label !== undefined) entries.push(`${label}${colon}${numberText(group?.counts[i] ?? 0)}`);
      }
      for (const [value, label] of valueLabels)
        entries.push(`${label}${colon}${numberText(group?.values?.get(value) ?? 0)}`);
      yield `${separator}${line(3)}"${String(begin)}"${colon}{${line(4)}${entries.join(`,${line(4)}`)}${line(3)}}`;
      separator = ',';
    }
    yield separator === '' ? '}' : `${line(2)}}`;
  }
}

/** Sums of decimal numbers without the noise of their binary form. */
function numberText(value: number): string {
  return String(Number.isInteger(value) ? value : Math.round(value * 1e6) / 1e6);
}

function tooManyGroups(): DigestError {
  return new DigestError(
    `aggregate: the answer would have more than ${String(MOST_GROUPS)} groups; ask for a shorter time, or longer groups.`,
  );
}

function tooManyCounts(): DigestError {
  return new DigestError(
    `The answer would have more than ${String(MOST_COUNTS)} counts; ask for a shorter time, or longer groups, or for less in each.`,
  );
}
