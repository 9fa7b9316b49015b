/** Tables as text and back (docs/interface/script-runtime.md 8.5). */
import { Readable } from 'node:stream';
import { CsvError, parse, type Options } from 'csv-parse';
import { parse as parseNow } from 'csv-parse/sync';
import { TimeSlice } from '../../../../shared/time-slice.js';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import { callFunction, type FunctionCategory, type ScriptFunction } from '../../run/function/function.js';
import { note } from '../../run/notes.js';
import { localize } from '../text/localization.js';
import { textOf } from '../../language/text.js';
import { chain, isMap, ScriptEntity, type Awaitable, type ScriptValue } from '../../language/values.js';
import { checkLength, isOff, isOn, misused, optionalText, propertyOf } from '../../run/function/arguments.js';
import { runSteps, Turns, wait, type Steps } from '../../language/steps.js';

/** Characters of a text that is read as a table. */
const LONGEST_CSV = 8 * 1024 * 1024;
/** Characters that are parsed at once: parsing holds the loop. */
const PIECE = 16 * 1024;
const LONGEST_MARK = 8;
const MOST_ROWS = 200_000;
/** Values of a table, those that its rows do not have included. */
const MOST_CELLS = 4_000_000;

interface Format {
  readonly delimiter: string;
  readonly quote: string;
  readonly recordSeparator: string;
}

/** Undefined: a table cannot be written like this. */
function formatOf(args: readonly ScriptValue[], context: ScriptContext): Format | undefined {
  const [delimiter, quote, recordSeparator] = args;
  const format = {
    delimiter: optionalText(delimiter, ';', context),
    quote: optionalText(quote, '"', context),
    recordSeparator: optionalText(recordSeparator, '\n', context),
  };
  const { delimiter: between, quote: around, recordSeparator: end } = format;
  if (between === '' || end === '' || around.length > 1) return undefined;
  if (between.length > LONGEST_MARK || end.length > LONGEST_MARK || between === around || between === end)
    return undefined;
  return format;
}

/** The rows of a text; empty lines are left out, values are without blanks around them. */
function rowsOf(text: string, format: Format, context: ScriptContext, most = MOST_ROWS): Awaitable<string[][]> {
  if (text.length > LONGEST_CSV) {
    throw new ScriptError(
      422,
      `A table of more than ${String(LONGEST_CSV)} characters is too long for a script: import it.`,
    );
  }
  const options: Options = {
    bom: true,
    delimiter: format.delimiter,
    quote: format.quote === '' ? null : format.quote,
    escape: format.quote === '' ? null : format.quote,
    // Texts rarely keep to one line end; a plain line feed means any of them.
    record_delimiter: format.recordSeparator === '\n' ? ['\r\n', '\n', '\r'] : format.recordSeparator,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
    to: most,
  };
  const refuse = (error: unknown): string[][] => {
    if (!(error instanceof CsvError)) throw error;
    note(context, `a table could not be read: ${error.message}`);
    return [];
  };
  if (text.length > PIECE) return rowsInTurns(text, options).catch(refuse);
  try {
    return parseNow(text, options);
  } catch (error) {
    return refuse(error);
  }
}

async function rowsInTurns(text: string, options: Options): Promise<string[][]> {
  const parser = parse(options);
  const slice = new TimeSlice();
  const pieces = async function* (): AsyncGenerator<Buffer, void, undefined> {
    for (let at = 0; at < text.length;) {
      if (slice.due) await slice.pause();
      let end = at + PIECE;
      // A character of two units stays whole.
      if (text.charCodeAt(end - 1) >= 0xd800 && text.charCodeAt(end - 1) < 0xdc00) end++;
      yield Buffer.from(text.slice(at, end));
      at = end;
    }
  };
  const rows: string[][] = [];
  const source = Readable.from(pieces(), { objectMode: false });
  source.on('error', (error) => parser.destroy(error));
  for await (const row of source.pipe(parser) as AsyncIterable<string[]>) rows.push(row);
  source.destroy();
  return rows;
}

/** Every row gets all keys: a short text with a long header can mean very many. */
function* mapsOf(rows: readonly (readonly string[])[], names: readonly string[]): Steps<ScriptValue[]> {
  if (rows.length * names.length > MOST_CELLS) {
    throw new ScriptError(
      422,
      `A table of more than ${String(MOST_CELLS)} cells is too large for a script: import it.`,
    );
  }
  const turns = new Turns('fromCsv()', 60_000, 1);
  const maps: ScriptValue[] = [];
  for (const row of rows) {
    maps.push(new Map(names.map((name, i) => [name, row[i] ?? null])));
    yield* turns.pause();
  }
  return maps;
}

const fromCsv: ScriptFunction = {
  name: 'fromCsv',
  signature: `fromCsv(text [, delimiter = ";" [, quote = '"' [, recordSeparator = "\\n" [, headers]]]])`,
  meaning: 'List of maps from headers to texts, one a row; without a list of headers the first row has them.',
  example: "extract(fromCsv('id;name\\n1;Anna\\n2;Bert'), 'name') // [Anna, Bert]",
  min: 1,
  max: 5,
  pure: true,
  run(args, context) {
    const [value = null, delimiter = null, quote = null, separator = null, headers = null] = args;
    if (value === null) return null;
    const format = formatOf([delimiter, quote, separator], context);
    if (format === undefined || (headers !== null && !Array.isArray(headers))) {
      return misused(this, 'was given marks or headers that make no sense', context);
    }
    return chain(rowsOf(textOf(value, context), format, context), (rows): Awaitable<ScriptValue> => {
      const names = headers === null ? rows.shift() : headers.map((one) => textOf(one, context));
      return runSteps(mapsOf(rows, names ?? []));
    });
  },
};

const getCsvHeaders: ScriptFunction = {
  name: 'getCsvHeaders',
  signature: `getCsvHeaders(text [, delimiter = ";" [, quote = '"' [, recordSeparator = "\\n"]]])`,
  meaning: 'List of the headers of a table: its first row.',
  example: "getCsvHeaders('id;name\\n1;Anna') // [id, name]",
  min: 1,
  max: 4,
  pure: true,
  run(args, context) {
    const [value = null, ...marks] = args;
    if (value === null) return null;
    const format = formatOf(marks, context);
    if (format === undefined) return misused(this, 'was given marks that make no sense', context);
    return chain(rowsOf(textOf(value, context), format, context, 1), ([first = []]) => first);
  },
};

/** Keys of the columns: those of the list, else those of the view of the first element. */
export function columnsOf(list: readonly ScriptValue[], viewOrKeys: ScriptValue, context: ScriptContext): string[] {
  if (Array.isArray(viewOrKeys)) return viewOrKeys.filter((one) => one !== null).map((one) => textOf(one, context));
  const [first = null] = list;
  if (isMap(first)) return [...first.keys()];
  if (!(first instanceof ScriptEntity)) return [];
  const view = context.run.entities.typeOf(first).views.get(textOf(viewOrKeys, context));
  return (view?.properties ?? []).map(({ name }) => name);
}

/** What `localize` makes of the keys. */
export function* localized(keys: readonly string[], domain: ScriptValue, context: ScriptContext): Steps<string[]> {
  const names: string[] = [];
  for (const key of keys) {
    const args = domain === null ? [key] : [key, domain];
    names.push(textOf(yield* wait(callFunction(localize, args, context)), context));
  }
  return names;
}

interface Table {
  readonly list: readonly ScriptValue[];
  readonly keys: readonly string[];
  readonly format: Format;
  readonly header: 'none' | 'keys' | 'localized';
  readonly domain: ScriptValue;
}

function* tableText({ list, keys, format, header, domain }: Table, context: ScriptContext): Steps<string> {
  const turns = new Turns('toCsv()', 60_000);
  const { quote, delimiter, recordSeparator } = format;
  const cell = (value: ScriptValue): string => {
    const text = (value === null ? '' : textOf(value, context)).replace(/\r\n|\r|\n/g, '\\n');
    return quote === '' ? text : quote + text.replaceAll(quote, quote + quote) + quote;
  };
  let result = '';
  if (header !== 'none') {
    const names = header === 'keys' ? keys : yield* localized(keys, domain, context);
    result = names.map(cell).join(delimiter) + recordSeparator;
  }
  for (const one of list) {
    let row = '';
    for (const [i, key] of keys.entries()) {
      row += (i === 0 ? '' : delimiter) + cell(yield* wait(propertyOf(one, key, context)));
      checkLength(result.length + row.length, 'toCsv');
      yield* turns.pause();
    }
    result += row + recordSeparator;
  }
  checkLength(result.length, 'toCsv');
  return result;
}

const toCsv: ScriptFunction = {
  name: 'toCsv',
  signature:
    `toCsv(list, viewOrKeys [, delimiter = ";" [, quote = '"' [, recordSeparator = "\\n" ` +
    '[, includeHeader = true [, localizeHeader = false [, domain]]]]]])',
  meaning:
    'The objects or maps of a list as a table, with the properties of a view or with a list of keys. Line ends in values become ' +
    '`\\n`, dates are in the default format.',
  example: `toCsv(fromJson('[{"a": "x"}]'), split('a'), ';', '"', '|') // "a"|"x"|`,
  min: 2,
  max: 8,
  pure: true,
  run(args, context) {
    const [list = null, viewOrKeys = null, delimiter = null, quote = null, separator = null] = args;
    const [, , , , , include, localize, domain = null] = args;
    if (list === null || viewOrKeys === null) return null;
    const format = formatOf([delimiter, quote, separator], context);
    if (!Array.isArray(list) || format === undefined)
      return misused(this, 'needs a list, and marks that differ', context);
    const keys = columnsOf(list, viewOrKeys, context);
    if (keys.length === 0) return '';
    const header = isOff(include) ? 'none' : isOn(localize) ? 'localized' : 'keys';
    return runSteps(tableText({ list, keys, format, header, domain }, context));
  },
};

export const csv: FunctionCategory = { title: 'CSV', functions: [fromCsv, getCsvHeaders, toCsv] };
