import { MAX_INSTANT, MS_PER_DAY } from './calendar.js';
import { namedZone, type NamedZone } from './named-zone.js';

/** Offsets of one UTC day: `before` up to `at`, `after` from then on. */
interface DayOffsets {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

const CACHED_DAYS = 4096;

/**
 * A time zone with offsets in milliseconds. Asking `Intl` for an offset takes microseconds; so offsets are remembered by
 * day, with the moment of the change on days that have one.
 */
export class TimeZone {
  /** Undefined: the offset never changes. */
  readonly #zone: NamedZone | undefined;
  readonly #days = new Map<number, DayOffsets>();
  readonly #names = new Map<string, string>();
  #lastDay = Number.NaN;
  #last: DayOffsets = { at: Infinity, before: 0, after: 0 };
  /** The zone never changes its offset. */
  readonly isFixed: boolean;

  private constructor(
    /** A zone of the database of time zones, or an offset in milliseconds. */
    zone: NamedZone | number,
    readonly name: string,
  ) {
    this.#zone = typeof zone === 'number' ? undefined : zone;
    this.isFixed = typeof zone === 'number';
    if (typeof zone === 'number') this.#last = { at: Infinity, before: zone, after: zone };
  }

  static readonly utc = new TimeZone(0, 'UTC');

  /**
   * A zone by its name (`Europe/Berlin`) or offset (`+02:00`, `GMT+2`); undefined when there is none. Zones are shared,
   * so that their caches are.
   */
  static of(name: string): TimeZone | undefined {
    const key = name.toLowerCase();
    const known = zones.get(key);
    if (known !== undefined) return known;
    const offset = parseOffset(name);
    if (offset !== undefined) return TimeZone.ofOffset(offset);
    const named = name.length > 64 ? undefined : namedZone(spelling(name));
    if (named === undefined) return undefined;
    // Names are valid in any spelling; kept by their lower case they cannot fill the memory.
    const zone = new TimeZone(named, spelling(name));
    zones.set(key, zone);
    return zone;
  }

  /** The zone with a fixed offset. */
  static ofOffset(milliseconds: number): TimeZone {
    if (milliseconds === 0) return TimeZone.utc;
    return new TimeZone(milliseconds, formatOffset(milliseconds, ':'));
  }

  /** Local time minus UTC at that instant. */
  offset(instant: number): number {
    if (this.isFixed) return this.#last.before;
    const day = Math.floor(instant / MS_PER_DAY);
    if (day !== this.#lastDay) {
      this.#last = this.#days.get(day) ?? this.#lookUp(day);
      this.#lastDay = day;
    }
    return instant < this.#last.at ? this.#last.before : this.#last.after;
  }

  #lookUp(day: number): DayOffsets {
    let low = Math.max(day * MS_PER_DAY, -MAX_INSTANT);
    let high = Math.min((day + 1) * MS_PER_DAY - 1, MAX_INSTANT);
    const before = this.#exact(low);
    const after = this.#exact(high);
    let at = Infinity;
    if (before !== after) {
      while (high - low > 1) {
        const middle = Math.floor((low + high) / 2);
        if (this.#exact(middle) === before) low = middle;
        else high = middle;
      }
      at = high;
    }
    const offsets = { at, before, after };
    if (this.#days.size >= CACHED_DAYS) this.#days.clear();
    this.#days.set(day, offsets);
    return offsets;
  }

  #exact(instant: number): number {
    return this.#zone?.offset(instant) ?? this.#last.before;
  }

  /**
   * The instant of a local time given as milliseconds. Of two (clocks set back) the later one, in standard time; a time
   * that clocks skip counts on from before the change: both as in Java.
   */
  instant(local: number): number {
    const before = this.offset(Math.max(local - MS_PER_DAY, -MAX_INSTANT));
    const after = this.offset(Math.min(local + MS_PER_DAY, MAX_INSTANT));
    const late = local - after;
    if (before === after || this.offset(late) === after) return late;
    return local - before;
  }

  /** English name of the zone at an instant, such as `EST` or `Eastern Standard Time`. */
  offsetName(instant: number, format: 'short' | 'long'): string {
    if (this === TimeZone.utc) return format === 'short' ? 'UTC' : 'Coordinated Universal Time';
    const offset = this.offset(instant);
    const key = `${format}${String(offset)}`;
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const name = this.#zone?.offsetName(instant, format) ?? shortName(this.name);
    this.#names.set(key, name);
    return name;
  }
}

/** `UTC+2` for `+02:00`. */
function shortName(offset: string): string {
  return `UTC${offset.replace(/^(.)0/, '$1').replace(/:00$/, '')}`;
}

const zones = new Map<string, TimeZone>([
  ['utc', TimeZone.utc],
  ['gmt', TimeZone.utc],
  ['ut', TimeZone.utc],
  ['z', TimeZone.utc],
  ['etc/utc', TimeZone.utc],
]);

/** Names in their own spelling, by lower case. Aliases are missing; they stay as they were given first. */
let spellings: ReadonlyMap<string, string> | undefined;

function spelling(name: string): string {
  spellings ??= new Map(Intl.supportedValuesOf('timeZone').map((known) => [known.toLowerCase(), known]));
  return spellings.get(name.toLowerCase()) ?? name;
}

const OFFSET = /^(?:GMT|UTC|UT)?([+-])(\d{1,2})(?::?(\d{2})(?::?(\d{2}))?)?$/i;

/** Reads `+2`, `+02`, `+0200`, `+02:00`, `+02:00:30` and the same after `GMT`; undefined for anything else. */
export function parseOffset(text: string): number | undefined {
  if (text === 'Z' || text === 'z') return 0;
  const match = OFFSET.exec(text);
  if (match === null) return undefined;
  const hours = Number(match[2]);
  const minutes = Number(match[3] ?? 0);
  const seconds = Number(match[4] ?? 0);
  if (hours > 18 || minutes > 59 || seconds > 59) return undefined;
  const size = (hours * 3600 + minutes * 60 + seconds) * 1000;
  return size === 0 ? 0 : match[1] === '-' ? -size : size;
}

/** `+hhmm` with `separator` between the parts; seconds only when there are some (local mean times of the past). */
export function formatOffset(milliseconds: number, separator: '' | ':'): string {
  const size = Math.abs(milliseconds);
  const seconds = Math.floor(size / 1000) % 60;
  const text =
    (milliseconds < 0 ? '-' : '+') +
    String(Math.floor(size / 3_600_000)).padStart(2, '0') +
    separator +
    String(Math.floor(size / 60_000) % 60).padStart(2, '0');
  return seconds === 0 ? text : text + separator + String(seconds).padStart(2, '0');
}
