import { civilDay, dayNumber, daysInMonth, MAX_INSTANT, MS_PER_DAY } from './calendar.js';
import { formatOffset, parseOffset, TimeZone } from './time-zone.js';

/** What a date text says: the instant, and how its author's clock stood. */
export interface ParsedDate {
  readonly instant: number;
  /** Offset in milliseconds. */
  readonly offset: number;
  /** Name of the zone where the text has one. */
  readonly zone?: string;
}

const TWO_DIGITS: readonly string[] = Array.from({ length: 100 }, (_, i) => String(i).padStart(2, '0'));

/** A number from 0 to 99 with two digits. */
export function twoDigits(value: number): string {
  return TWO_DIGITS[value] ?? String(value);
}

/** `yyyy`: four digits at least, with a sign before Christ. */
export function yearText(year: number): string {
  return year < 0 ? `-${String(-year).padStart(4, '0')}` : String(year).padStart(4, '0');
}

/** Builds a formatter of `yyyy-MM-dd'T'HH:mm:ss` plus offset, with the date and offset texts of the last value kept. */
export function isoFormatter(zone: TimeZone, separator: '' | ':'): (instant: number) => string {
  // Values of one answer are often of the same days: half of the text is ready then.
  let lastDay = Number.NaN;
  let dayText = '';
  let lastOffset = Number.NaN;
  let offsetText = '';
  return (instant) => {
    const offset = zone.offset(instant);
    if (offset !== lastOffset) {
      lastOffset = offset;
      offsetText = formatOffset(offset, separator);
    }
    const local = instant + offset;
    const day = Math.floor(local / MS_PER_DAY);
    if (day !== lastDay) {
      lastDay = day;
      const date = civilDay(day);
      dayText = `${yearText(date.year)}-${twoDigits(date.month)}-${twoDigits(date.day)}T`;
    }
    const second = Math.floor((local - day * MS_PER_DAY) / 1000);
    const minute = Math.floor(second / 60);
    return (
      dayText +
      twoDigits(Math.floor(minute / 60)) +
      ':' +
      twoDigits(minute % 60) +
      ':' +
      twoDigits(second % 60) +
      offsetText
    );
  };
}

/**
 * One instant as ISO text on a clock with that offset, which is written `Z` when it is zero and `+hh:mm` else.
 * `needed`: milliseconds where there are some.
 */
export function isoDateTime(instant: number, offset: number, precision: 'seconds' | 'milliseconds' | 'needed'): string {
  const local = instant + offset;
  const day = Math.floor(local / MS_PER_DAY);
  const date = civilDay(day);
  const time = local - day * MS_PER_DAY;
  const second = Math.floor(time / 1000);
  const millisecond = time % 1000;
  const fraction =
    precision === 'seconds' || (precision === 'needed' && millisecond === 0)
      ? ''
      : `.${String(millisecond).padStart(3, '0')}`;
  return (
    `${yearText(date.year)}-${twoDigits(date.month)}-${twoDigits(date.day)}T${twoDigits(Math.floor(second / 3600))}:` +
    `${twoDigits(Math.floor(second / 60) % 60)}:${twoDigits(second % 60)}${fraction}` +
    (offset === 0 ? 'Z' : formatOffset(offset, ':'))
  );
}

const ISO =
  /^(-?\d{4,6})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d(?::?\d\d(?::?\d\d)?)?)(?:\[([^\]]{1,64})\])?$/;

/**
 * Reads an ISO date-time with an offset (`Z`, `+02`, `+0200`, `+02:00`), with or without fractions of a second, of
 * which milliseconds are kept, and with or without a zone in brackets. Dates that do not exist are refused.
 */
export function parseIso(text: string): ParsedDate | undefined {
  const match = ISO.exec(text);
  if (match === null) return undefined;
  const year = Number(match[1]);
  const month = Number(match[2]);
  const day = Number(match[3]);
  const hour = Number(match[4]);
  const minute = Number(match[5]);
  const second = Number(match[6]);
  const offset = parseOffset(match[8] ?? '');
  if (offset === undefined) return undefined;
  const local = localTime(year, month, day, hour, minute, second, fraction(match[7]));
  if (local === undefined) return undefined;
  const instant = local - offset;
  if (Math.abs(instant) > MAX_INSTANT) return undefined;
  if (match[9] === undefined) return { instant, offset };
  const zone = TimeZone.of(match[9]);
  if (zone === undefined) return undefined;
  return { instant, offset: zone.offset(instant), zone: zone.name };
}

/** Milliseconds of the digits after the point. */
export function fraction(digits: string | undefined): number {
  return digits === undefined ? 0 : Number(digits.slice(0, 3).padEnd(3, '0'));
}

/** Milliseconds of a local date and time; undefined when one of the parts does not exist. */
export function localTime(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  millisecond: number,
): number | undefined {
  if (day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  return dayNumber(year, month, day) * MS_PER_DAY + ((hour * 60 + minute) * 60 + second) * 1000 + millisecond;
}
