/** Dates by patterns of Java's SimpleDateFormat, with the names of a language (docs/interface/scripting.md 4.4). */
import {
  datePattern,
  DatePatternError,
  ENGLISH,
  type TimeZone,
  type DateNames,
  type DatePattern,
} from '../../../../shared/dates/index.js';
import { languageTag } from './locales.js';

const CACHED = 100;
/** 2024-01-01 is a Monday. */
const MONDAY = 1;

const namesByTag = new Map<string, DateNames>();

/** Names of months and weekdays in a language; English for one that nobody knows. */
export function dateNames(locale: string): DateNames {
  const tag = languageTag(locale);
  // As Java and the rest of this service write them: `Sep`, `AM`.
  if (tag === undefined || /^en(?:-US)?$/.test(tag)) return ENGLISH;
  const known = namesByTag.get(tag);
  if (known !== undefined) return known;
  const names = makeNames(tag);
  if (namesByTag.size >= CACHED) namesByTag.clear();
  namesByTag.set(tag, names);
  return names;
}

type Part = Intl.DateTimeFormatPartTypes;

function makeNames(tag: string): DateNames {
  const part = (options: Intl.DateTimeFormatOptions, type: Part, instant: number): string => {
    const format = new Intl.DateTimeFormat(tag, {
      timeZone: 'UTC',
      calendar: 'gregory',
      numberingSystem: 'latn',
      ...options,
    });
    return format.formatToParts(instant).find((one) => one.type === type)?.value ?? '';
  };
  const months = (style: 'short' | 'long', beside: Intl.DateTimeFormatOptions): string[] =>
    Array.from({ length: 12 }, (_, month) => {
      const instant = Date.UTC(2017, month, 1);
      const name = part({ month: style, ...beside }, 'month', instant);
      // Languages that write the number of the month beside days.
      if (!/^\d/.test(name)) return name;
      return new Intl.DateTimeFormat(tag, { timeZone: 'UTC', month: style, numberingSystem: 'latn' }).format(instant);
    });
  const weekdays = (style: 'short' | 'long'): string[] =>
    Array.from({ length: 7 }, (_, day) => part({ weekday: style }, 'weekday', Date.UTC(2024, 0, MONDAY + day)));
  const half = (hour: number): string =>
    part({ hour: 'numeric', hourCycle: 'h12' }, 'dayPeriod', Date.UTC(2024, 0, 1, hour));
  const era = (year: number): string => part({ era: 'short' }, 'era', Date.UTC(year, 0, 1));
  return {
    months: months('long', { day: 'numeric' }),
    shortMonths: months('short', { day: 'numeric' }),
    aloneMonths: months('long', {}),
    shortAloneMonths: months('short', {}),
    weekdays: weekdays('long'),
    shortWeekdays: weekdays('short'),
    halves: [half(6) || 'AM', half(18) || 'PM'],
    eras: [era(-100) || 'BC', era(2024) || 'AD'],
  };
}

function patternOf(source: string): DatePattern | undefined {
  try {
    return datePattern(source, 'simple');
  } catch (error) {
    if (error instanceof DatePatternError) return undefined;
    throw error;
  }
}

/** Text of a date on the clocks of a zone. Undefined: the pattern makes no sense. */
export function formatDate(date: Date, pattern: string, zone: TimeZone, locale: string): string | undefined {
  return patternOf(pattern)?.format(date.getTime(), zone, dateNames(locale));
}

/**
 * The date that a text means, in the names of the locale or in English. Undefined: it does not follow the pattern, or there is no
 * such pattern.
 */
export function parseDate(text: string, pattern: string, zone: TimeZone, locale: string): Date | undefined {
  const compiled = patternOf(pattern);
  const instant = compiled?.parseLenient(text, zone, dateNames(locale)) ?? compiled?.parseLenient(text, zone, ENGLISH);
  return instant === undefined ? undefined : new Date(instant);
}
