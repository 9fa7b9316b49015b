import { civilDay, dayNumber, isLeapYear, MAX_INSTANT, mondayOfWeek, weekday } from './calendar.js';
import { fraction, localTime, type ParsedDate } from './iso.js';
import { ABBREVIATIONS, MONTHS, nameIndex, WEEKDAYS } from './names.js';
import type { FieldLetter, PatternDialect, PatternToken } from './pattern-tokens.js';
import { parseOffset, TimeZone } from './time-zone.js';

/** What was read so far, by letter; `L` under `M`. Numbers as written, names as their numbers. */
export type Parts = Partial<Record<FieldLetter, number>> & { zone?: TimeZone; zoneName?: string; fullYear?: boolean };

/** Digits a number field can have when no other number follows directly. */
const DIGITS: Partial<Record<FieldLetter, number>> = { D: 3, S: 3 };

/**
 * Compiles tokens to a function from text and the zone that holds when the text names none. It gives undefined for
 * text that does not follow the pattern from its first to its last character, and for dates that do not exist.
 */
export function compileParse(
  tokens: readonly PatternToken[],
  dialect: PatternDialect,
): (text: string, zone: TimeZone) => ParsedDate | undefined {
  // One expression a field, matched where the last one ended and never taken back: time is linear in the text.
  const readers = tokens.map((token, i): Reader => {
    if (token.kind === 'literal') return { literal: token.text };
    const source = fieldSource(token, startsWithDigit(tokens[i + 1]), dialect);
    return { letter: token.letter, expression: new RegExp(source, 'iy') };
  });
  // Two digits mean a year from 80 years back to 19 ahead, as in Java. Read once: a pattern does not change its mind.
  const firstYear = new Date().getUTCFullYear() - 80;
  return (text, zone) => {
    const parts: Parts = {};
    let at = 0;
    for (const reader of readers) {
      if ('literal' in reader) {
        if (!text.startsWith(reader.literal, at)) return undefined;
        at += reader.literal.length;
        continue;
      }
      reader.expression.lastIndex = at;
      const found = reader.expression.exec(text)?.[0];
      if (found === undefined || !readField(parts, reader.letter, found, dialect, firstYear)) return undefined;
      at += found.length;
    }
    return at === text.length ? resolve(parts, zone) : undefined;
  };
}

type Reader = { readonly literal: string } | { readonly letter: FieldLetter; readonly expression: RegExp };

export function startsWithDigit(token: PatternToken | undefined): boolean {
  if (token === undefined) return false;
  if (token.kind === 'literal') return /^\d/.test(token.text);
  return isNumber(token);
}

export function isNumber(token: PatternToken & { kind: 'field' }): boolean {
  return 'yYwWDdFuHkKhmsS'.includes(token.letter) || ('ML'.includes(token.letter) && token.count <= 2);
}

/** Expression of an offset or the name of a zone. */
export const ZONE =
  'Z|(?:GMT|UTC|UT)?[+-]\\d{1,2}(?::?\\d{2}){0,2}|[A-Za-z][A-Za-z_]{0,40}(?:[/+-][A-Za-z0-9_]{1,40}){0,4}';

/** Expression of one field. A number directly before another one has exactly the pattern's number of digits. */
function fieldSource(token: PatternToken & { kind: 'field' }, adjacent: boolean, dialect: PatternDialect): string {
  const { letter, count } = token;
  if (isNumber(token)) {
    if (adjacent) return `\\d{${String(count)}}`;
    if (letter === 'S' && dialect === 'zoned') return '\\d{1,9}';
    if (letter !== 'y' && letter !== 'Y') return `\\d{1,${String(DIGITS[letter] ?? 2)}}`;
    return count <= 2 ? '\\d{1,6}' : `-?\\d{${String(Math.min(count, 6))},6}`;
  }
  switch (letter) {
    case 'G':
      return 'AD|BCE|BC|CE';
    case 'a':
      return 'AM|PM';
    case 'M':
    case 'L':
      return namesSource(MONTHS);
    case 'E':
      return namesSource(WEEKDAYS);
    default:
      return ZONE;
  }
}

/** Full names before short ones, so that the longest is taken. */
function namesSource(names: readonly string[]): string {
  return [...names, ...names.map((name) => name.slice(0, 3))].join('|');
}

/** Puts the text of a field into `parts`; false when it means nothing. */
function readField(
  parts: Parts,
  letter: FieldLetter,
  text: string,
  dialect: PatternDialect,
  firstYear: number,
): boolean {
  let value: number | undefined;
  switch (letter) {
    case 'G':
      value = /^(?:ad|ce)$/i.test(text) ? 1 : /^(?:bc|bce)$/i.test(text) ? 0 : undefined;
      break;
    case 'a':
      value = /^am$/i.test(text) ? 0 : /^pm$/i.test(text) ? 1 : undefined;
      break;
    case 'E':
      value = nameIndex(WEEKDAYS, text);
      break;
    case 'M':
    case 'L':
      value = /^\d/.test(text) ? Number(text) : nameIndex(MONTHS, text);
      letter = 'M';
      break;
    case 'y':
    case 'Y':
      value = Number(text);
      if (text.length === 2) value = firstYear + ((((value - firstYear) % 100) + 100) % 100);
      break;
    case 'S':
      value = dialect === 'zoned' ? fraction(text) : Number(text);
      break;
    case 'z':
    case 'Z':
    case 'X':
    case 'x':
    case 'O':
    case 'V':
      return readZone(parts, text);
    default:
      value = Number(text);
  }
  if (value === undefined) return false;
  parts[letter] = value;
  return true;
}

/** Puts a zone or offset into `parts`; false when the text names none. */
export function readZone(parts: Parts, text: string): boolean {
  const offset = parseOffset(text);
  const hours = ABBREVIATIONS[text.toUpperCase()];
  if (offset !== undefined || hours !== undefined) {
    // A named zone that the text has as well says more than its offset.
    parts.zone ??= TimeZone.ofOffset(offset ?? (hours ?? 0) * 3_600_000);
    return true;
  }
  const zone = TimeZone.of(text);
  if (zone === undefined) return false;
  parts.zone = zone;
  if (!zone.isFixed) parts.zoneName = zone.name;
  return true;
}

function resolve(parts: Parts, defaultZone: TimeZone): ParsedDate | undefined {
  const day = resolveDay(parts);
  const hour = resolveHour(parts);
  if (day === undefined || hour === undefined) return undefined;
  if (parts.E !== undefined && parts.E !== weekday(day)) return undefined;
  if (parts.u !== undefined && parts.u !== weekday(day)) return undefined;
  const date = civilDay(day);
  const local = localTime(date.year, date.month, date.day, hour, parts.m ?? 0, parts.s ?? 0, parts.S ?? 0);
  if (local === undefined) return undefined;
  const zone = parts.zone ?? defaultZone;
  // Far outside, no zone knows an offset.
  if (Math.abs(local) > MAX_INSTANT) return undefined;
  const instant = zone.instant(local);
  if (Math.abs(instant) > MAX_INSTANT) return undefined;
  const named = parts.zoneName ?? (parts.zone === undefined && !zone.isFixed ? zone.name : undefined);
  const offset = zone.offset(instant);
  return named === undefined ? { instant, offset } : { instant, offset, zone: named };
}

/** Number of the day; what the pattern does not say is as on 1970-01-01. */
function resolveDay(parts: Parts): number | undefined {
  const weekYear = parts.Y ?? parts.y ?? 1970;
  if (parts.w !== undefined && parts.M === undefined && parts.d === undefined && parts.D === undefined) {
    const day = mondayOfWeek(weekYear, parts.w) + (parts.E ?? parts.u ?? 1) - 1;
    return parts.w >= 1 && parts.w <= 53 ? day : undefined;
  }
  let year = parts.y ?? parts.Y ?? 1970;
  if (parts.G !== undefined) {
    if (year < 1) return undefined;
    if (parts.G === 0) year = 1 - year;
  }
  if (parts.D !== undefined && parts.M === undefined && parts.d === undefined) {
    const exists = parts.D >= 1 && parts.D <= (isLeapYear(year) ? 366 : 365);
    return exists ? dayNumber(year, 1, 1) + parts.D - 1 : undefined;
  }
  const month = parts.M ?? 1;
  const dayOfMonth = parts.d ?? 1;
  return localTime(year, month, dayOfMonth, 0, 0, 0, 0) === undefined ? undefined : dayNumber(year, month, dayOfMonth);
}

/** Hour of the day from whichever of the four ways to count hours the pattern has. */
function resolveHour(parts: Parts): number | undefined {
  if (parts.H !== undefined) return parts.H;
  if (parts.k !== undefined) return parts.k >= 1 && parts.k <= 24 ? parts.k % 24 : undefined;
  const half = parts.h === undefined ? parts.K : parts.h >= 1 && parts.h <= 12 ? parts.h % 12 : 99;
  if (half === undefined) return (parts.a ?? 0) * 12;
  return half <= 11 ? half + (parts.a ?? 0) * 12 : undefined;
}
