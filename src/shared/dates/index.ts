export { DEFAULT_DATE_PATTERN, dateFormatter, datePattern, type DatePattern } from './date-pattern.js';
export { isoDateTime, isoFormatter, parseIso, type ParsedDate } from './iso.js';
export { civilDay, dayNumber, daysInMonth, MS_PER_DAY, weekday } from './calendar.js';
export { ENGLISH, type DateNames } from './names.js';
export { DatePatternError, type PatternDialect } from './pattern-tokens.js';
export { formatOffset, parseOffset, TimeZone } from './time-zone.js';
