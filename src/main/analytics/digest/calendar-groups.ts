/** Groups of time that a date pattern makes (docs/interface/analytics.md 4). */
import {
  datePattern,
  DatePatternError,
  type TimeZone,
  weekday,
  civilDay,
  dayNumber,
  MS_PER_DAY,
} from '../../../shared/dates/index.js';
import { DigestError } from '../../../shared/digest.js';

type Unit = 'year' | 'month' | 'week' | 'day' | 'half' | 'hour' | 'minute' | 'second' | 'millisecond';

const HOUR = 3_600_000;

/** Units of the letters of patterns, the finest first. */
const UNITS: readonly (readonly [Unit, string])[] = [
  ['millisecond', 'S'],
  ['second', 's'],
  ['minute', 'm'],
  ['hour', 'HkKh'],
  ['half', 'a'],
  ['day', 'dDEuF'],
  ['week', 'wW'],
  ['month', 'ML'],
  ['year', 'yY'],
];

const LENGTHS: Readonly<Record<Unit, number>> = {
  millisecond: 1,
  second: 1000,
  minute: 60_000,
  hour: HOUR,
  half: 12 * HOUR,
  day: MS_PER_DAY,
  week: 7 * MS_PER_DAY,
  month: 31 * MS_PER_DAY,
  year: 366 * MS_PER_DAY,
};

/** Groups one after the other, each as long as the finest unit of a pattern: days are those of the calendar, months have their own length. */
export class CalendarGroups {
  readonly #unit: Unit;

  /** Throws `DigestError`. */
  constructor(
    pattern: string,
    private readonly zone: TimeZone,
  ) {
    this.#unit = unitOf(pattern);
  }

  /** Milliseconds of the longest group. */
  get longest(): number {
    return LENGTHS[this.#unit];
  }

  /** Beginning of the group of an instant. */
  start(instant: number): number {
    const { zone } = this;
    const unit = this.#unit;
    const length = LENGTHS[unit];
    const offset = zone.offset(instant);
    const local = instant + offset;
    // Hours and what is shorter are not looked up by local time, which comes twice when clocks are set back.
    if (length <= HOUR) return Math.floor(local / length) * length - offset;
    const begins = unit === 'half' ? Math.floor(local / length) * length : startOfDays(local, unit);
    const start = zone.instant(begins);
    if (start <= instant) return start;
    return begins - zone.offset(start - 1);
  }

  /** Beginning of the group behind the one that begins there. */
  next(start: number): number {
    const length = LENGTHS[this.#unit];
    // In the middle of the next one, whatever its length.
    const next = this.start(start + (length <= HOUR ? length : length * 1.5));
    return next > start ? next : start + length;
  }
}

function startOfDays(local: number, unit: Unit): number {
  const day = Math.floor(local / MS_PER_DAY);
  if (unit === 'day') return day * MS_PER_DAY;
  if (unit === 'week') return (day - weekday(day) + 1) * MS_PER_DAY;
  const { year, month } = civilDay(day);
  return dayNumber(year, unit === 'year' ? 1 : month, 1) * MS_PER_DAY;
}

function unitOf(pattern: string): Unit {
  try {
    datePattern(pattern);
  } catch (error) {
    if (error instanceof DatePatternError) throw new DigestError(`aggregate is no date pattern: ${error.message}`);
    throw error;
  }
  // Quoted parts stand for themselves.
  const letters = pattern.replace(/'[^']*'/g, '');
  const found = UNITS.find(([, of]) => [...of].some((letter) => letters.includes(letter)));
  if (found === undefined)
    throw new DigestError('aggregate needs a date pattern that names a unit of time, such as yyyy-MM-dd.');
  return found[0];
}
