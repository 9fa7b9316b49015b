/**
 * Arithmetic of the proleptic Gregorian calendar on numbers alone. Day 0 is 1970-01-01. `Date` objects would do the
 * same with an allocation for every value, and reading dates is a hot path of every answer.
 */

export const MS_PER_DAY = 86_400_000;
/** Largest distance of an instant from the epoch that JavaScript (and so the service) handles. */
export const MAX_INSTANT = 8.64e15;

/** A calendar day; `year` 0 is 1 BC. */
export interface CivilDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/** Day number of a calendar day, which must exist. */
export function dayNumber(year: number, month: number, day: number): number {
  // Years begin in March here, so that the leap day is the last day of a year.
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** The calendar day with that number. */
export function civilDay(dayNumber: number): CivilDay {
  const z = dayNumber + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1,
  };
}

export function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** Number of days of a month, 0 for a month that does not exist. */
export function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : (DAYS[month - 1] ?? 0);
}

/** 1 (Monday) to 7 (Sunday). */
export function weekday(dayNumber: number): number {
  return ((((dayNumber + 3) % 7) + 7) % 7) + 1;
}

/** Week and the year it belongs to: weeks begin on Monday, the first has at least four days (ISO 8601). */
export function isoWeek(day: number): { readonly weekYear: number; readonly week: number } {
  const thursday = day + 4 - weekday(day);
  const { year } = civilDay(thursday);
  return { weekYear: year, week: Math.floor((thursday - dayNumber(year, 1, 1)) / 7) + 1 };
}

/** Number of the Monday of a week. */
export function mondayOfWeek(weekYear: number, week: number): number {
  const fourth = dayNumber(weekYear, 1, 4);
  return fourth - weekday(fourth) + 1 + (week - 1) * 7;
}
