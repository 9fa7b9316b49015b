/** Dates: as text and back, and arithmetic with them, on the clocks of the server (docs/interface/scripting.md 4.4, docs/interface/script-runtime.md 8.3). */
import {
  civilDay,
  dayNumber,
  daysInMonth,
  MS_PER_DAY,
  type TimeZone,
  weekday,
} from '../../../../shared/dates/index.js';
import { formatDate, parseDate } from '../../language/formats/date-format.js';
import { localeName } from '../../language/formats/locales.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { textOf, zoneOf } from '../../language/text.js';
import type { ScriptValue } from '../../language/values.js';
import { dateOf, doubleOf, misused } from '../../run/function/arguments.js';

const dateFormat: ScriptFunction = {
  name: 'dateFormat',
  signature: 'dateFormat(date, pattern)',
  meaning:
    'The date (or epoch milliseconds, or ISO text) by a pattern, in the language of the locale and the time zone of the server. ' +
    'Text that is no date stays as it is.',
  example: "dateFormat('2024-05-07T10:00:00+0000', 'dd.MM.yyyy') // 07.05.2024",
  min: 2,
  max: 2,
  pure: true,
  run(args, context) {
    const [value = null, pattern = null] = args;
    if (value === null || pattern === null) return null;
    if (textOf(pattern, context).trim() === '') return misused(this, 'needs a pattern', context);
    const date = dateOf(value);
    if (date === undefined) return typeof value === 'string' ? value : misused(this, 'needs a date', context);
    const text = formatDate(date, textOf(pattern, context), zoneOf(context), context.run.locale);
    return text ?? misused(this, 'was given a pattern that it cannot read', context);
  },
};

const parse: ScriptFunction = {
  name: 'parseDate',
  signature: 'parseDate(text, pattern)',
  meaning:
    'The date that a text says by a pattern; parts that are too large count on. What is no date gives an empty text.',
  example: "dateFormat(parseDate('7.5.2024', 'dd.MM.yyyy'), 'yyyy-MM-dd') // 2024-05-07",
  min: 2,
  max: 2,
  pure: true,
  run(args, context) {
    const [value = null, pattern = null] = args;
    if (value === null || pattern === null) return null;
    const text = textOf(value, context).trim();
    if (text === '') return '';
    return parseDate(text, textOf(pattern, context), zoneOf(context), context.run.locale) ?? '';
  },
};

/** A part of `dateAdd`; what is no number counts nothing. */
function amount(value: ScriptValue | undefined): number {
  const number = typeof value === 'number' || typeof value === 'bigint' ? Math.trunc(Number(value)) : 0;
  return Number.isFinite(number) ? number : 0;
}

/**
 * Years and months keep the day where the month has it, days keep the time of the clock, hours and smaller parts are times that
 * pass.
 */
function added(date: Date, parts: readonly number[], zone: TimeZone): Date {
  const [years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts;
  const start = date.getTime();
  const local = start + zone.offset(start);
  const number = Math.floor(local / MS_PER_DAY);
  const { year, month, day } = civilDay(number);
  const all = (year + years) * 12 + month - 1 + months;
  const newYear = Math.floor(all / 12);
  const newMonth = all - newYear * 12 + 1;
  const newDay = dayNumber(newYear, newMonth, Math.min(day, daysInMonth(newYear, newMonth))) + days;
  const moved = newDay * MS_PER_DAY + (local - number * MS_PER_DAY);
  // A day that does not change must not make an hour of it that the clocks show twice into the other one.
  const instant = newDay === number ? start : zone.instant(moved);
  return new Date(instant + ((hours * 60 + minutes) * 60 + seconds) * 1000);
}

const dateAdd: ScriptFunction = {
  name: 'dateAdd',
  signature: 'dateAdd(date, years [, months [, days [, hours [, minutes [, seconds]]]]])',
  meaning: 'The date so much later; negative numbers are earlier. What is no number counts as 0.',
  example: "dateFormat(dateAdd(parseDate('2024-01-31', 'yyyy-MM-dd'), 0, 1), 'yyyy-MM-dd') // 2024-02-29",
  min: 2,
  max: 7,
  pure: true,
  run(args, context) {
    const [value = null, ...parts] = args;
    if (value === null) return null;
    const date = dateOf(value);
    if (date === undefined) return misused(this, 'needs a date', context);
    const result = added(date, parts.map(amount), zoneOf(context));
    return Number.isNaN(result.getTime()) ? misused(this, 'would leave the time that dates can say', context) : result;
  },
};

const toDate: ScriptFunction = {
  name: 'toDate',
  signature: 'toDate(milliseconds)',
  meaning: 'The date of a number of milliseconds since 1970-01-01 UTC. What is no number gives an empty text.',
  example: "dateFormat(toDate(86400000), 'yyyy') // 1970",
  min: 1,
  max: 1,
  pure: true,
  run: ([value = null]) => {
    if (value === null) return null;
    const number = doubleOf(value);
    const date = new Date(number === undefined ? NaN : Math.round(number));
    return Number.isNaN(date.getTime()) ? '' : date;
  },
};

/** Days from Monday to Friday among so many days from the first on. */
function workingDays(first: number, count: number): number {
  const rest = count % 7;
  const start = weekday(first);
  let working = Math.floor(count / 7) * 5;
  for (let i = 0; i < rest; i++) if ((start - 1 + i) % 7 < 5) working++;
  return working;
}

const weekDays: ScriptFunction = {
  name: 'weekDays',
  signature: 'weekDays(from, to)',
  meaning: 'Number of days from Monday to Friday from one date on and before another; holidays are not known.',
  example: "weekDays(parseDate('2024-05-06', 'yyyy-MM-dd'), parseDate('2024-05-13', 'yyyy-MM-dd')) // 5",
  min: 2,
  max: 2,
  pure: true,
  run(args, context) {
    if (args.includes(null)) return null;
    const zone = zoneOf(context);
    const days = args.map((value) => {
      const instant = dateOf(value)?.getTime();
      return instant === undefined ? undefined : Math.floor((instant + zone.offset(instant)) / MS_PER_DAY);
    });
    const [from, to] = days;
    if (from === undefined || to === undefined) return misused(this, 'needs two dates', context);
    return BigInt(from <= to ? workingDays(from, to - from) : -workingDays(to, from - to));
  },
};

const setLocale: ScriptFunction = {
  name: 'setLocale',
  signature: 'setLocale(locale)',
  meaning:
    'The language of dates, numbers and localizations from here on: `de`, `de_DE`, `de-DE`. Answers an empty text.',
  example: "concat(setLocale('de'), dateFormat('2017-10-01T12:00:00Z', 'dd. MMM yyyy')) // 01. Okt. 2017",
  min: 1,
  max: 1,
  run(args, context) {
    const [value = null] = args;
    const locale = value === null ? undefined : localeName(textOf(value, context));
    if (locale === undefined) return misused(this, 'needs a locale', context);
    context.run.locale = locale;
    return '';
  },
};

export const dates: FunctionCategory = {
  title: 'Dates',
  functions: [dateFormat, parse, dateAdd, toDate, weekDays, setLocale],
};
