import { isoFormatter, type ParsedDate } from './iso.js';
import type { DateNames } from './names.js';
import { compileFormat } from './pattern-format.js';
import { compileLenient } from './pattern-lenient.js';
import { compileParse } from './pattern-parse.js';
import { tokenize, type PatternDialect } from './pattern-tokens.js';
import type { TimeZone } from './time-zone.js';

/** Pattern of dates where nothing else is set. */
export const DEFAULT_DATE_PATTERN = "yyyy-MM-dd'T'HH:mm:ssZ";

/** A compiled date pattern. */
export interface DatePattern {
  readonly source: string;
  /** Text of an instant (epoch milliseconds) on the clocks of `zone`, in English when no names are given. */
  format(instant: number, zone: TimeZone, names?: DateNames): string;
  /** Instant of a text; `zone` is where its author lives when it does not say. Undefined when it does not fit. */
  parse(text: string, zone: TimeZone): ParsedDate | undefined;
  /**
   * Instant of a text that follows the pattern roughly, as Java's lenient parsing takes it: parts that are too large count on
   * (month 13 is January of the next year), and what stands behind the date is no matter.
   */
  parseLenient(text: string, zone: TimeZone, names: DateNames): number | undefined;
}

const CACHED_PATTERNS = 500;
const patterns = new Map<string, DatePattern>();

/** Compiles a pattern, once. Throws `DatePatternError`. */
export function datePattern(source: string, dialect: PatternDialect = 'simple'): DatePattern {
  const key = `${dialect} ${source}`;
  const known = patterns.get(key);
  if (known !== undefined) return known;
  const tokens = tokenize(source, dialect);
  const pattern = {
    source,
    format: compileFormat(tokens, dialect),
    parse: compileParse(tokens, dialect),
    parseLenient: compileLenient(tokens),
  };
  if (patterns.size >= CACHED_PATTERNS) patterns.clear();
  patterns.set(key, pattern);
  return pattern;
}

/** The quickest way to write many dates by one pattern in one zone. */
export function dateFormatter(pattern: DatePattern, zone: TimeZone): (instant: number) => string {
  if (pattern.source === DEFAULT_DATE_PATTERN) return isoFormatter(zone, '');
  return (instant) => pattern.format(instant, zone);
}
