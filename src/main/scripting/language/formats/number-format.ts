/**
 * Numbers as text by patterns of Java's DecimalFormat (`#,##0.00`, `0.###E0`, `0 %`, `0.0;(0.0)`), with the symbols of a
 * locale, rounded half-even; and back (docs/interface/scripting.md 4.4).
 */
import { languageTag } from './locales.js';
import { magnitude, scaled } from './decimal.js';

const LONGEST_PATTERN = 200;
const MOST_DIGITS = 340;
const CACHED = 200;

interface Symbols {
  readonly decimal: string;
  readonly group: string;
  readonly minus: string;
  readonly percent: string;
  readonly currency: string;
}

interface NumberPattern {
  readonly positive: { readonly prefix: string; readonly suffix: string };
  readonly negative: { readonly prefix: string; readonly suffix: string } | undefined;
  readonly minInteger: number;
  readonly maxInteger: number;
  readonly minFraction: number;
  readonly maxFraction: number;
  /** 0: digits are not grouped. */
  readonly grouping: number;
  /** Decimal places the value is moved by: 2 for percents, 3 for per mills. */
  readonly shift: number;
  /** Digits of the exponent; 0: there is none. */
  readonly exponent: number;
}

/** Currencies of the regions whose scripts are likely to say `¤`. */
const CURRENCIES = new Map(
  Object.entries({
    EUR: 'AT BE CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK',
    USD: 'US EC SV PR',
    GBP: 'GB',
    CHF: 'CH LI',
    JPY: 'JP',
    CNY: 'CN',
    CAD: 'CA',
    AUD: 'AU',
    SEK: 'SE',
    NOK: 'NO',
    DKK: 'DK',
    PLN: 'PL',
    CZK: 'CZ',
    INR: 'IN',
    BRL: 'BR',
  }).flatMap(([currency, regions]) => regions.split(' ').map((region) => [region, currency] as const)),
);

const symbolsByTag = new Map<string, Symbols>();

/** Symbols of a locale; of one that nobody knows, those of English. */
function symbolsOf(locale: string): Symbols {
  const tag = languageTag(locale) ?? 'en';
  const known = symbolsByTag.get(tag);
  if (known !== undefined) return known;
  const options = { numberingSystem: 'latn', useGrouping: true } as const;
  const parts = new Intl.NumberFormat(tag, options).formatToParts(-1234567.8);
  const percents = new Intl.NumberFormat(tag, { ...options, style: 'percent' }).formatToParts(0.5);
  const find = (type: string, from = parts): string | undefined => from.find((part) => part.type === type)?.value;
  const currency = CURRENCIES.get(/-([A-Z]{2})\b/.exec(tag)?.[1] ?? '');
  const money =
    currency === undefined ? [] : new Intl.NumberFormat(tag, { style: 'currency', currency }).formatToParts(1);
  const symbols = {
    decimal: find('decimal') ?? '.',
    group: find('group') ?? ',',
    minus: find('minusSign') ?? '-',
    percent: find('percentSign', percents) ?? '%',
    currency: find('currency', money) ?? '¤',
  };
  if (symbolsByTag.size >= CACHED) symbolsByTag.clear();
  symbolsByTag.set(tag, symbols);
  return symbols;
}

/** Special characters of an affix, before the locale's symbols take their places. */
const MARKS = { minus: '\ue000', percent: '\ue001', permille: '\ue002', currency: '\ue003' } as const;
const patterns = new Map<string, NumberPattern | undefined>();

/** A pattern; undefined when it makes no sense. */
function patternOf(source: string): NumberPattern | undefined {
  if (patterns.has(source)) return patterns.get(source);
  const pattern = source.length > LONGEST_PATTERN ? undefined : compile(source);
  if (patterns.size >= CACHED) patterns.clear();
  if (source.length <= LONGEST_PATTERN) patterns.set(source, pattern);
  return pattern;
}

interface Halves {
  prefix: string;
  digits: string;
  suffix: string;
}

/** Cuts a pattern into affixes and digits; two halves when there is one for negative numbers. */
function cut(source: string): Halves[] | undefined {
  const halves: Halves[] = [{ prefix: '', digits: '', suffix: '' }];
  let quoted = false;
  for (let at = 0; at < source.length; at++) {
    const half = halves[halves.length - 1];
    if (half === undefined) return undefined;
    const char = source.charAt(at);
    let literal = char;
    if (char === "'") {
      if (source.charAt(at + 1) === "'") at++;
      else {
        quoted = !quoted;
        continue;
      }
    } else if (!quoted) {
      if (char === ';') {
        if (halves.length === 2 || half.digits === '') return undefined;
        halves.push({ prefix: '', digits: '', suffix: '' });
        continue;
      }
      if (/[0#,.]/.test(char) || (char === 'E' && half.digits !== '' && source.charAt(at + 1) === '0')) {
        if (half.suffix !== '') return undefined;
        half.digits += char;
        continue;
      }
      if (char === '-') literal = MARKS.minus;
      if (char === '%') literal = MARKS.percent;
      if (char === '\u2030') literal = MARKS.permille;
      if (char === '¤') literal = MARKS.currency;
    }
    if (half.digits === '') half.prefix += literal;
    else half.suffix += literal;
  }
  return quoted ? undefined : halves;
}

function compile(source: string): NumberPattern | undefined {
  const [positive, negative] = cut(source) ?? [];
  if (positive === undefined) return undefined;
  const match = /^([#,]*)([0,]*)(?:(\.)(0*)(#*))?(?:E(0+))?$/.exec(positive.digits);
  if (match === null || (positive.digits !== '' && !/[0#]/.test(positive.digits))) return undefined;
  const [, optional = '', required = '', point, zeros = '', more = '', exponent = ''] = match;
  const whole = optional + required;
  if (whole.endsWith(',')) return undefined;
  const comma = whole.lastIndexOf(',');
  const needed = required.replaceAll(',', '').length;
  const affixes = positive.prefix + positive.suffix;
  return {
    positive,
    negative: negative === undefined ? undefined : { prefix: negative.prefix, suffix: negative.suffix },
    // `#.##` writes a zero before its point, `#.00` does not.
    minInteger: needed === 0 && zeros === '' && point !== undefined ? 1 : needed,
    maxInteger: whole.replaceAll(',', '').length,
    minFraction: zeros.length,
    maxFraction: zeros.length + more.length,
    grouping: comma < 0 || exponent !== '' ? 0 : whole.length - comma - 1,
    shift: affixes.includes(MARKS.percent) ? 2 : affixes.includes(MARKS.permille) ? 3 : 0,
    exponent: exponent.length,
  };
}

/** Text of a number. Undefined: the pattern makes no sense. */
export function formatNumber(value: number | bigint, source: string, locale: string): string | undefined {
  const pattern = patternOf(source);
  if (pattern === undefined) return undefined;
  if (typeof value === 'number' && Number.isNaN(value)) return 'NaN';
  const symbols = symbolsOf(locale);
  const infinite = value === Infinity || value === -Infinity;
  const body = infinite
    ? '∞'
    : pattern.exponent > 0
      ? scientific(value, pattern, symbols)
      : plain(value, pattern, symbols);
  // What is rounded to zero has no sign.
  const below = value < 0 && /[1-9∞]/.test(body);
  const { prefix, suffix } = below
    ? (pattern.negative ?? { prefix: MARKS.minus + pattern.positive.prefix, suffix: pattern.positive.suffix })
    : pattern.positive;
  return written(prefix, symbols) + body + written(suffix, symbols);
}

function written(affix: string, symbols: Symbols): string {
  return affix
    .replaceAll(MARKS.minus, symbols.minus)
    .replaceAll(MARKS.percent, symbols.percent)
    .replaceAll(MARKS.permille, '\u2030')
    .replaceAll(MARKS.currency, symbols.currency);
}

/** All digits of a number without its sign, so many of them behind the point. */
function digitsOf(value: number | bigint, fraction: number, shift: number): string {
  const digits = scaled(value, fraction + shift)
    .toString()
    .replace('-', '');
  return digits.padStart(fraction + 1, '0');
}

function plain(value: number | bigint, pattern: NumberPattern, symbols: Symbols): string {
  const places = Math.min(pattern.maxFraction, MOST_DIGITS);
  const digits = digitsOf(value, places, pattern.shift);
  const whole = digits
    .slice(0, digits.length - places)
    .replace(/^0+/, '')
    .padStart(pattern.minInteger, '0');
  const fraction = trimmed(digits.slice(digits.length - places), pattern.minFraction);
  const grouped = pattern.grouping === 0 ? whole : inGroups(whole, pattern.grouping, symbols.group);
  if (fraction !== '') return grouped + symbols.decimal + fraction;
  return grouped === '' ? '0' : grouped;
}

/** Without zeros at the end, except for so many digits. */
function trimmed(fraction: string, least: number): string {
  let end = fraction.length;
  while (end > least && fraction.charAt(end - 1) === '0') end--;
  return fraction.slice(0, end);
}

function inGroups(digits: string, size: number, separator: string): string {
  const first = digits.length % size;
  const groups = first === 0 ? [] : [digits.slice(0, first)];
  for (let at = first; at < digits.length; at += size) groups.push(digits.slice(at, at + size));
  return groups.join(separator);
}

function scientific(value: number | bigint, pattern: NumberPattern, symbols: Symbols): string {
  const { minInteger, maxInteger, minFraction, maxFraction } = pattern;
  const engineering = maxInteger > minInteger && maxInteger > 1;
  const step = engineering ? maxInteger : 1;
  const zero = Number(value) === 0;
  const first = zero ? 0 : magnitude(value) + pattern.shift;
  let exponent = engineering ? Math.floor(first / step) * step : first - Math.max(minInteger, 1) + 1;
  const ahead = first - exponent + 1;
  const places = engineering ? Math.max(0, minInteger + maxFraction - ahead) : maxFraction;
  let digits = digitsOf(value, places - exponent, pattern.shift);
  // 9.99 becomes 10.0, which is 1.00 with the next exponent.
  if (!zero && digits.replace(/^0+/, '').length > ahead + places) {
    exponent += step;
    digits = digitsOf(value, places - exponent, pattern.shift);
  }
  const all = digits.padStart(places + 1, '0');
  const whole = all
    .slice(0, all.length - places)
    .replace(/^0+(?=\d)/, '')
    .padStart(minInteger, '0');
  const fraction = trimmed(all.slice(all.length - places), minFraction);
  const power = zero ? 0 : exponent;
  const sign = power < 0 ? symbols.minus : '';
  return `${whole}${fraction === '' ? '' : symbols.decimal + fraction}E${sign}${String(Math.abs(power)).padStart(pattern.exponent, '0')}`;
}

/**
 * The number that a text of a locale means, whatever stands around it (`123.456 €`); undefined when there is none. It ends where
 * the locale's way of writing numbers does.
 */
export function parseNumber(text: string, locale: string): number | bigint | undefined {
  const { decimal, group } = symbolsOf(locale);
  const kept = text.replace(/[^0-9.,-]/g, '').slice(0, MOST_DIGITS);
  const negative = kept.startsWith('-');
  let digits = '';
  let fraction: string | undefined;
  for (const char of negative ? kept.slice(1) : kept) {
    if (/\d/.test(char)) {
      if (fraction === undefined) digits += char;
      else fraction += char;
    } else if (char === decimal && fraction === undefined) fraction = '';
    else if (char !== group || fraction !== undefined) break;
  }
  if (digits === '' && (fraction ?? '') === '') return undefined;
  const sign = negative ? '-' : '';
  if (/^0*$/.test(fraction ?? '') && digits.length <= 18) return BigInt(sign + digits.padStart(1, '0'));
  return Number(`${sign}${digits.padStart(1, '0')}.${fraction === undefined || fraction === '' ? '0' : fraction}`);
}
