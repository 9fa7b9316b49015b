/** English names: dates read the same whatever the language of the machine is. */
export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** From Monday on. */
export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

/** Names that dates of a language are written with. Weekdays begin with Monday. */
export interface DateNames {
  readonly months: readonly string[];
  readonly shortMonths: readonly string[];
  /** Months that stand alone, without a day beside them. */
  readonly aloneMonths: readonly string[];
  readonly shortAloneMonths: readonly string[];
  readonly weekdays: readonly string[];
  readonly shortWeekdays: readonly string[];
  /** Before and after noon. */
  readonly halves: readonly [string, string];
  /** Before and after year 1. */
  readonly eras: readonly [string, string];
}

const short = (name: string): string => name.slice(0, 3);

export const ENGLISH: DateNames = {
  months: MONTHS,
  shortMonths: MONTHS.map(short),
  aloneMonths: MONTHS,
  shortAloneMonths: MONTHS.map(short),
  weekdays: WEEKDAYS,
  shortWeekdays: WEEKDAYS.map(short),
  halves: ['AM', 'PM'],
  eras: ['BC', 'AD'],
};

/** Offsets in hours of zone abbreviations that mean one thing only; other abbreviations are not read. */
export const ABBREVIATIONS: Readonly<Record<string, number>> = {
  EST: -5,
  EDT: -4,
  CST: -6,
  CDT: -5,
  MST: -7,
  MDT: -6,
  PST: -8,
  PDT: -7,
  AKST: -9,
  AKDT: -8,
  HST: -10,
  WET: 0,
  WEST: 1,
  CET: 1,
  CEST: 2,
  EET: 2,
  EEST: 3,
  MSK: 3,
  JST: 9,
};

/** Position of a name or its first three letters, from 1; case does not matter. */
export function nameIndex(names: readonly string[], text: string): number | undefined {
  const lower = text.toLowerCase();
  const index = names.findIndex((name) => {
    const full = name.toLowerCase();
    return full === lower || (lower.length === 3 && full.startsWith(lower));
  });
  return index < 0 ? undefined : index + 1;
}
