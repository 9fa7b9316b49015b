import { civilDay, dayNumber, isoWeek, MS_PER_DAY, weekday } from './calendar.js';
import { yearText } from './iso.js';
import { ENGLISH, type DateNames } from './names.js';
import type { PatternDialect, PatternToken } from './pattern-tokens.js';
import { formatOffset, type TimeZone } from './time-zone.js';

/** An instant in parts, as clocks of a zone show it. */
interface Fields {
  readonly instant: number;
  readonly offset: number;
  readonly zone: TimeZone;
  readonly names: DateNames;
  /** Number of the day. */
  readonly dayNumber: number;
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly millisecond: number;
}

type FieldWriter = (fields: Fields) => string;

/** Compiles tokens to a function from an instant and a zone to text. */
export function compileFormat(
  tokens: readonly PatternToken[],
  dialect: PatternDialect,
): (instant: number, zone: TimeZone, names?: DateNames) => string {
  // Years count from 1 in each era where the pattern names the era; otherwise years before 1 are signed, so that no
  // two of them read the same.
  const hasEra = tokens.some((token) => token.kind === 'field' && token.letter === 'G');
  const writers = tokens.map((token): FieldWriter => {
    if (token.kind === 'field') return fieldWriter(token.letter, token.count, hasEra, dialect);
    const { text } = token;
    return () => text;
  });
  return (instant, zone, names = ENGLISH) => {
    const fields = fieldsOf(instant, zone, names);
    let text = '';
    for (const writer of writers) text += writer(fields);
    return text;
  };
}

function fieldsOf(instant: number, zone: TimeZone, names: DateNames): Fields {
  const offset = zone.offset(instant);
  const local = instant + offset;
  const day = Math.floor(local / MS_PER_DAY);
  const time = local - day * MS_PER_DAY;
  return {
    instant,
    offset,
    zone,
    names,
    dayNumber: day,
    ...civilDay(day),
    hour: Math.floor(time / 3_600_000),
    minute: Math.floor(time / 60_000) % 60,
    second: Math.floor(time / 1000) % 60,
    millisecond: time % 1000,
  };
}

function fieldWriter(
  letter: Extract<PatternToken, { kind: 'field' }>['letter'],
  count: number,
  hasEra: boolean,
  dialect: PatternDialect,
): FieldWriter {
  const number =
    (read: (fields: Fields) => number): FieldWriter =>
    (fields) =>
      String(read(fields)).padStart(count, '0');
  const yearWriter =
    (read: (fields: Fields) => number): FieldWriter =>
    (fields) => {
      const signed = read(fields);
      const year = hasEra && signed <= 0 ? 1 - signed : signed;
      if (count === 2) return String(Math.abs(year) % 100).padStart(2, '0');
      return count === 4 ? yearText(year) : (year < 0 ? '-' : '') + String(Math.abs(year)).padStart(count, '0');
    };
  switch (letter) {
    case 'G':
      return (fields) => fields.names.eras[fields.year > 0 ? 1 : 0];
    case 'y':
      return yearWriter((fields) => fields.year);
    case 'Y':
      return yearWriter((fields) => isoWeek(fields.dayNumber).weekYear);
    case 'M':
      if (count <= 2) return number((fields) => fields.month);
      return ({ names, month }) => (count === 3 ? names.shortMonths : names.months)[month - 1] ?? '';
    case 'L':
      if (count <= 2) return number((fields) => fields.month);
      return ({ names, month }) => (count === 3 ? names.shortAloneMonths : names.aloneMonths)[month - 1] ?? '';
    case 'w':
      return number((fields) => isoWeek(fields.dayNumber).week);
    case 'W':
      return number((fields) => weekOfMonth(fields));
    case 'D':
      return number((fields) => fields.dayNumber - dayNumber(fields.year, 1, 1) + 1);
    case 'd':
      return number((fields) => fields.day);
    case 'F':
      return number((fields) => Math.floor((fields.day - 1) / 7) + 1);
    case 'E':
      return ({ names, dayNumber: day }) => (count < 4 ? names.shortWeekdays : names.weekdays)[weekday(day) - 1] ?? '';
    case 'u':
      return number((fields) => weekday(fields.dayNumber));
    case 'a':
      return (fields) => fields.names.halves[fields.hour < 12 ? 0 : 1];
    case 'H':
      return number((fields) => fields.hour);
    case 'k':
      return number((fields) => fields.hour || 24);
    case 'K':
      return number((fields) => fields.hour % 12);
    case 'h':
      return number((fields) => fields.hour % 12 || 12);
    case 'm':
      return number((fields) => fields.minute);
    case 's':
      return number((fields) => fields.second);
    case 'S':
      if (dialect === 'simple') return number((fields) => fields.millisecond);
      return (fields) => String(fields.millisecond).padStart(3, '0').slice(0, count).padEnd(count, '0');
    case 'z':
      return (fields) => fields.zone.offsetName(fields.instant, count < 4 ? 'short' : 'long');
    case 'Z':
      return (fields) => formatOffset(fields.offset, '');
    case 'V':
      return (fields) => fields.zone.name;
    case 'O':
      return (fields) => (fields.offset === 0 ? 'GMT' : `GMT${formatOffset(fields.offset, ':')}`);
    case 'X':
    case 'x':
      return (fields) => isoOffset(fields.offset, count, letter === 'X');
  }
}

/** Weeks of a month begin on Monday, the first has at least four days. */
function weekOfMonth(fields: Fields): number {
  const first = fields.dayNumber - fields.day + 1;
  const position = weekday(first);
  return Math.floor((fields.day + position - 2) / 7) + (position <= 4 ? 1 : 0);
}

/** `+hh` (one letter, full hours), `+hhmm` (two) or `+hh:mm` (three and more). */
function isoOffset(offset: number, count: number, zeroIsZ: boolean): string {
  if (offset === 0 && zeroIsZ) return 'Z';
  if (count === 1) return offset % 3_600_000 === 0 ? formatOffset(offset, '').slice(0, 3) : formatOffset(offset, '');
  return formatOffset(offset, count === 2 ? '' : ':');
}
