/** Zones of the database of time zones, as `Intl` knows them. */

export interface NamedZone {
  /** Local time minus UTC at an instant, in milliseconds; asks `Intl`, which takes microseconds. */
  offset(instant: number): number;
  /** English name at an instant, such as `EST` or `Eastern Standard Time`. */
  offsetName(instant: number, format: 'short' | 'long'): string | undefined;
}

/** A zone by its name (`Europe/Berlin`); undefined when there is none. */
export function namedZone(name: string): NamedZone | undefined {
  // Newer versions of V8 take offsets for names.
  if (!/^[a-z]/i.test(name)) return undefined;
  try {
    return new IntlZone(name);
  } catch {
    return undefined;
  }
}

/** Parts of local time. */
const PARTS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const;

class IntlZone implements NamedZone {
  readonly #clock: Intl.DateTimeFormat;
  readonly #names: Partial<Record<'short' | 'long', Intl.DateTimeFormat>> = {};

  /** Throws `RangeError` when there is no such zone. */
  constructor(private readonly name: string) {
    this.#clock = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      calendar: 'gregory',
      numberingSystem: 'latn',
      era: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
  }

  offset(instant: number): number {
    // Local times have whole seconds.
    const second = Math.floor(instant / 1000) * 1000;
    const found: Record<string, string> = {};
    for (const { type, value } of this.#clock.formatToParts(second)) found[type] = value;
    const [year = 0, month = 0, day = 0, hour = 0, minute = 0, seconds = 0] = PARTS.map((part) => Number(found[part]));
    const local = new Date(0);
    // The year before 1 AD is 1 BC.
    local.setUTCFullYear(found['era']?.startsWith('B') === true ? 1 - year : year, month - 1, day);
    local.setUTCHours(hour, minute, seconds);
    return local.getTime() - second;
  }

  offsetName(instant: number, format: 'short' | 'long'): string | undefined {
    const names = (this.#names[format] ??= new Intl.DateTimeFormat('en-US', {
      timeZone: this.name,
      timeZoneName: format,
    }));
    return names.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value;
  }
}
