/** Values as text (docs/interface/scripting.md 4.2). */
import { dateFormatter, datePattern, TimeZone } from '../../../shared/dates/index.js';
import type { Config } from '../../config/index.js';
import type { Schema } from '../../schema/index.js';
import { ScriptError } from './errors.js';
import {
  isMap,
  partsOf,
  ScriptCallable,
  ScriptEntity,
  ScriptPredicate,
  type ScriptObject,
  type ScriptValue,
} from './values.js';

/** Characters of one text; with longer ones a script could fill the memory. */
export const MOST_TEXT = 16 * 1024 * 1024;
/** Parts that the text of a list or map is put together from: more take long. */
const MOST_PARTS = 500_000;
const DEEPEST = 100;
/** Java writes numbers from here on, and below the other, with an exponent. */
const LARGE = 1e7;
const SMALL = 1e-3;

/** What the texts of dates depend on; a `ScriptContext` has it. */
export interface DateSettings {
  readonly run: { readonly schema: Pick<Schema, 'settings'> };
}

/** The same for dates in answers; a `ScriptRun` has it. */
type AnswerSettings = DateSettings['run'] & { readonly parts: { readonly config: Pick<Config, 'get'> } };

/**
 * The text of a value: nothing for null, dates by the default format, `[a, b]` for lists, `{a=1, b=2}` for maps, the uuid of an
 * object. Throws `ScriptError` 422 when it is longer than 16 million characters, and for lists of more than some 250,000 elements or
 * that hold themselves.
 */
export function textOf(value: ScriptValue, context: DateSettings): string {
  if (typeof value === 'string') return value;
  if (value === null) return '';
  const writing = new Writing(context);
  writing.write(value, 0);
  return writing.text;
}

/** The texts of all values that are not null, one behind the other (docs/interface/scripting.md 2.2). */
export function concatenated(values: readonly ScriptValue[], context: DateSettings): string {
  const text = ofTexts(values);
  if (text !== undefined) return text;
  const writing = new Writing(context);
  for (const value of values) if (value !== null) writing.write(value, 0);
  return writing.text;
}

/** Characters of what most scripts put together. */
const SHORT = 10_000;

/** The same of a few texts that are short; undefined: there are others. */
function ofTexts(values: readonly ScriptValue[]): string | undefined {
  let text = '';
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (typeof value === 'string') text += value;
    else if (value !== null) return undefined;
    if (text.length > SHORT) return undefined;
  }
  return text;
}

/** A double in Java's form: `1.0`, `2.234`, `1.0E10`. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const size = Math.abs(value);
  if (size >= SMALL && size < LARGE) return Number.isInteger(value) ? `${String(value)}.0` : String(value);
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  return `${digits.includes('.') ? digits : `${digits}.0`}E${exponent.replace('+', '')}`;
}

/** A date in the default format of the settings (`dateproperty.defaultformat`). */
export function dateText(date: Date, context: DateSettings): string {
  const instant = date.getTime();
  return Number.isNaN(instant) ? '' : formatterOf(context)(instant);
}

/** The same as answers of the REST interface have it (`json.output.dateformat`); null for what is no date. */
export function jsonDate(date: Date, run: AnswerSettings): string | null {
  const instant = date.getTime();
  if (Number.isNaN(instant)) return null;
  const { config } = run.parts;
  let formatter = jsonFormatters.get(config);
  if (formatter === undefined) {
    formatter = dateFormatter(datePattern(config.get('json.output.dateformat')), zoneIn(run));
    jsonFormatters.set(config, formatter);
  }
  return formatter(instant);
}

/** Both settings hold until the next start. */
const jsonFormatters = new WeakMap<object, (instant: number) => string>();

/** The zone of the settings, whose clocks scripts see. */
export function zoneOf({ run }: DateSettings): TimeZone {
  return zoneIn(run);
}

function zoneIn(run: DateSettings['run']): TimeZone {
  return TimeZone.of(run.schema.settings.timeZone) ?? TimeZone.utc;
}

const formatters = new WeakMap<Schema['settings'], (instant: number) => string>();

function formatterOf(context: DateSettings): (instant: number) => string {
  const { settings } = context.run.schema;
  const known = formatters.get(settings);
  if (known !== undefined) return known;
  const formatter = dateFormatter(datePattern(settings.dateFormat, 'simple'), zoneOf(context));
  formatters.set(settings, formatter);
  return formatter;
}

class Writing {
  text = '';
  private parts = 0;

  constructor(private readonly context: DateSettings) {}

  write(value: ScriptValue, depth: number): void {
    if (depth > DEEPEST) {
      throw new ScriptError(422, 'A list or map of the script is nested too deeply to be text, or holds itself.');
    }
    if (Array.isArray(value)) this.list(value, depth);
    else if (isMap(value)) {
      this.add('{');
      let first = true;
      for (const [key, one] of value) {
        this.add(first ? `${key}=` : `, ${key}=`);
        this.write(one, depth + 1);
        first = false;
      }
      this.add('}');
    } else this.add(this.plain(value));
  }

  private list(list: readonly ScriptValue[], depth: number): void {
    this.add('[');
    for (let i = 0; i < list.length; i++) {
      if (i > 0) this.add(', ');
      this.write(list[i] ?? null, depth + 1);
    }
    this.add(']');
  }

  private plain(value: Exclude<ScriptValue, ScriptValue[]>): string {
    switch (typeof value) {
      case 'string':
        return value;
      case 'number':
        return doubleText(value);
      case 'bigint':
      case 'boolean':
        return String(value);
      default:
    }
    if (value === null) return 'null';
    if (value instanceof ScriptEntity) return value.id;
    if (value instanceof Date) return dateText(value, this.context);
    if (value instanceof Uint8Array) return this.bytes(value);
    if (value instanceof ScriptCallable) return 'function';
    if (value instanceof ScriptPredicate) return value.name;
    return isMap(value) ? '' : this.object(value);
  }

  private object({ asValue, title }: ScriptObject): string {
    if (asValue === undefined) return title;
    // Its text is put together of parts, too.
    this.parts += partsOf(asValue);
    this.checkParts();
    return asValue.text();
  }

  private bytes(bytes: Uint8Array): string {
    if (bytes.length > MOST_TEXT) this.refuse();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  }

  private add(text: string): void {
    if (this.text.length + text.length > MOST_TEXT) this.refuse();
    this.parts++;
    this.checkParts();
    this.text += text;
  }

  private checkParts(): void {
    if (this.parts > MOST_PARTS) throw new ScriptError(422, 'A list or map of the script is too large to be text.');
  }

  private refuse(): never {
    throw new ScriptError(422, `A text of the script is longer than ${String(MOST_TEXT)} characters.`);
  }
}
