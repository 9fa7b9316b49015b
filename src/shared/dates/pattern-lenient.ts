import { dayNumber, MAX_INSTANT, mondayOfWeek, MS_PER_DAY } from './calendar.js';
import type { DateNames } from './names.js';
import { isNumber, readZone, startsWithDigit, ZONE, type Parts } from './pattern-parse.js';
import type { FieldLetter, PatternToken } from './pattern-tokens.js';
import type { TimeZone } from './time-zone.js';

/** Digits of one number: years far away, no more. */
const MOST_DIGITS = 9;
const NUMBER = new RegExp(`\\s*(-?\\d{1,${String(MOST_DIGITS)}})`, 'y');
const ZONE_TEXT = new RegExp(`\\s*(${ZONE})`, 'iy');

/** What a field says, and where it ends. */
interface Found {
  readonly value: number;
  readonly end: number;
}

/**
 * Compiles tokens to a function from text, zone and names to an instant: numbers may have more digits than the pattern and be too
 * large for their field, the text may go on behind the date, weekdays need not fit.
 */
export function compileLenient(
  tokens: readonly PatternToken[],
): (text: string, zone: TimeZone, names: DateNames) => number | undefined {
  const firstYear = new Date().getUTCFullYear() - 80;
  return (text, zone, names) => {
    const parts: Parts = {};
    let at = 0;
    for (const [i, token] of tokens.entries()) {
      if (token.kind === 'literal') {
        if (!text.startsWith(token.text, at)) return undefined;
        at += token.text.length;
        continue;
      }
      const { letter, count } = token;
      if (isNumber(token)) {
        const found = numberAt(text, at, startsWithDigit(tokens[i + 1]) ? count : undefined);
        if (found === undefined) return undefined;
        const twoDigits = (letter === 'y' || letter === 'Y') && count <= 2 && /^\d\d$/.test(text.slice(at, found.end));
        parts[letter === 'L' ? 'M' : letter] = twoDigits
          ? firstYear + ((((found.value - firstYear) % 100) + 100) % 100)
          : found.value;
        at = found.end;
      } else if ('zZX'.includes(letter)) {
        ZONE_TEXT.lastIndex = at;
        const zoneText = ZONE_TEXT.exec(text);
        if (zoneText === null || !readZone(parts, zoneText[1] ?? '')) return undefined;
        at = ZONE_TEXT.lastIndex;
      } else {
        const found = nameAt(text, at, listsOf(letter, names));
        if (found === undefined) return undefined;
        parts[letter === 'L' ? 'M' : letter] = found.value + ('ML'.includes(letter) || letter === 'E' ? 1 : 0);
        at = found.end;
      }
    }
    return resolve(parts, zone);
  };
}

function numberAt(text: string, at: number, digits: number | undefined): Found | undefined {
  if (digits !== undefined) {
    const exact = text.slice(at, at + digits);
    return /^\d+$/.test(exact) && exact.length === digits ? { value: Number(exact), end: at + digits } : undefined;
  }
  NUMBER.lastIndex = at;
  const match = NUMBER.exec(text);
  return match === null ? undefined : { value: Number(match[1]), end: NUMBER.lastIndex };
}

function listsOf(letter: FieldLetter, names: DateNames): readonly (readonly string[])[] {
  switch (letter) {
    case 'M':
    case 'L':
      return [names.months, names.aloneMonths, names.shortMonths, names.shortAloneMonths];
    case 'E':
      return [names.weekdays, names.shortWeekdays];
    case 'a':
      return [names.halves];
    default:
      return [names.eras];
  }
}

/** The longest of the names that the text goes on with, whatever its case; its point may be left out. */
function nameAt(text: string, at: number, lists: readonly (readonly string[])[]): Found | undefined {
  let best: Found | undefined;
  for (const list of lists) {
    for (const [value, name] of list.entries()) {
      for (const form of name.endsWith('.') ? [name, name.slice(0, -1)] : [name]) {
        const end = at + form.length;
        if (form === '' || end <= (best?.end ?? at)) continue;
        if (text.slice(at, end).toLowerCase() === form.toLowerCase()) best = { value, end };
      }
    }
  }
  return best;
}

function resolve(parts: Parts, zone: TimeZone): number | undefined {
  const second = (hourOf(parts) * 60 + (parts.m ?? 0)) * 60 + (parts.s ?? 0);
  const local = dayOf(parts) * MS_PER_DAY + second * 1000 + (parts.S ?? 0);
  if (!(Math.abs(local) <= MAX_INSTANT)) return undefined;
  const instant = (parts.zone ?? zone).instant(local);
  return Math.abs(instant) <= MAX_INSTANT ? instant : undefined;
}

/** Number of the day; what is not said is as on 1970-01-01. */
function dayOf(parts: Parts): number {
  if (parts.w !== undefined && parts.M === undefined && parts.d === undefined && parts.D === undefined) {
    return mondayOfWeek(parts.Y ?? parts.y ?? 1970, parts.w) + (parts.E ?? parts.u ?? 1) - 1;
  }
  const stated = parts.y ?? parts.Y ?? 1970;
  const year = parts.G === 0 ? 1 - stated : stated;
  if (parts.D !== undefined && parts.M === undefined && parts.d === undefined) {
    return dayNumber(year, 1, 1) + parts.D - 1;
  }
  const month = (parts.M ?? 1) - 1;
  const years = Math.floor(month / 12);
  return dayNumber(year + years, month - years * 12 + 1, 1) + (parts.d ?? 1) - 1;
}

function hourOf(parts: Parts): number {
  if (parts.H !== undefined) return parts.H;
  if (parts.k !== undefined) return parts.k === 24 ? 0 : parts.k;
  const half = (parts.a ?? 0) * 12;
  if (parts.h !== undefined) return (parts.h === 12 ? 0 : parts.h) + half;
  return (parts.K ?? 0) + half;
}
