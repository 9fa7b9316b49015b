/** Rows of CSV content, one after the other, whatever its size. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse, type Options } from 'csv-parse';
import { TimeSlice } from '../../../../shared/time-slice.js';
import { FilesError } from '../../errors.js';
import { Backslashes } from './csv-backslashes.js';

/** How rows and columns are told apart. */
export interface CsvFormat {
  readonly delimiter: string;
  /** Empty: there is no quoting. */
  readonly quoteChar: string;
  /** Ends of rows; the longest first. */
  readonly rowEnds: readonly string[];
  /** Quotes are escaped by doubling alone, stand around a whole value or not at all, and all rows are equally long. */
  readonly rfc4180Mode: boolean;
  /** What is not in quotes is nothing. */
  readonly strictQuotes: boolean;
}

/** A row, or what is wrong with one. */
export interface CsvRow {
  /** Counts from 1, without the header and blank lines. */
  readonly row: number;
  /** The last line it stands on, from 1. */
  readonly line: number;
  readonly values: readonly string[];
  readonly problem?: string;
}

export const ROW_ENDS: readonly string[] = ['\r\n', '\n', '\r'];
/** Characters of one row: a quote that is never closed must not fill the memory. */
const LONGEST_ROW = 1024 * 1024;
/** Bytes parsed at once: parsing holds the loop. */
const PIECE = 32 * 1024;

/** Words for characters that are hard to send. */
const WORDS: Readonly<Record<string, string>> = { 'CR+LF': '\r\n', CR: '\r', LF: '\n', TAB: '\t' };

/** The format that parameters of a request ask for. Throws `FilesError` 400. */
export function csvFormat(input: {
  delimiter?: unknown;
  quoteChar?: unknown;
  recordSeparator?: unknown;
  rfc4180Mode?: unknown;
  strictQuotes?: unknown;
}): CsvFormat {
  const text = (name: keyof typeof input, absent: string): string => {
    const value = input[name] ?? absent;
    if (typeof value === 'string') return WORDS[value] ?? value;
    throw new FilesError(400, `The parameter "${name}" must be text.`);
  };
  const delimiter = text('delimiter', ';');
  const quoteChar = text('quoteChar', '"');
  const separator = text('recordSeparator', '');
  if (delimiter === '' || delimiter.length > 8 || /[\r\n]/.test(delimiter)) {
    throw new FilesError(400, 'The parameter "delimiter" must be one to eight characters other than line ends.');
  }
  if (!/^[\x20-\x7e]?$/.test(quoteChar) || (quoteChar !== '' && delimiter.includes(quoteChar))) {
    throw new FilesError(
      400,
      'The parameter "quoteChar" must be one ASCII character other than the delimiter, or empty.',
    );
  }
  if (separator.length > 8 || (separator !== '' && separator.includes(delimiter))) {
    throw new FilesError(
      400,
      'The parameter "recordSeparator" must be at most eight characters, without the delimiter.',
    );
  }
  return {
    delimiter,
    quoteChar,
    // Files rarely keep to one line end; a plain LF means any of them.
    rowEnds: separator === '' || separator === '\n' ? ROW_ENDS : [separator],
    rfc4180Mode: isTrue(input.rfc4180Mode),
    strictQuotes: isTrue(input.strictQuotes),
  };
}

function isTrue(value: unknown): boolean {
  return value === true || value === 'true';
}

/** The header, then every row. Broken rows come with their `problem`, and the next ones follow. */
export async function* csvRows(
  bytes: AsyncIterable<Buffer>,
  format: CsvFormat,
): AsyncGenerator<CsvRow, void, undefined> {
  const { quoteChar, rfc4180Mode } = format;
  let row = -1;
  let columns = 0;
  /** Line of the last broken row: one may be broken in several ways. */
  let broken = -1;
  const problems: CsvRow[] = [];
  const options: Options<CsvRow, string[]> = {
    bom: true,
    delimiter: format.delimiter,
    quote: quoteChar === '' ? null : quoteChar,
    escape: quoteChar === '' ? null : quoteChar,
    record_delimiter: [...format.rowEnds],
    relax_column_count: true,
    relax_quotes: !rfc4180Mode,
    skip_empty_lines: true,
    skip_records_with_error: true,
    max_record_size: LONGEST_ROW,
    on_record: (values, { lines }) => {
      const at = { row: ++row, line: lines, values };
      if (row === 0) columns = values.length;
      else if (rfc4180Mode ? values.length !== columns : values.length > columns)
        return { ...at, problem: `has ${String(values.length)} columns, the header ${String(columns)}` };
      return at;
    },
    on_skip: (error) => {
      // After this one the parser would leave out rows without a word.
      if (error?.code === 'CSV_MAX_RECORD_SIZE') throw error;
      const line = Number(error?.['lines']);
      if (line !== broken) problems.push({ row: ++row, line, values: [], problem: reason(error) });
      broken = line;
      return undefined;
    },
  };
  if (format.strictQuotes) options.cast = (value, { quoting, records }) => (quoting || records === 0 ? value : '');
  const parser = parse(options as unknown as Options);
  const escaped = rfc4180Mode || quoteChar === '' ? pieces(bytes) : new Backslashes(format).through(pieces(bytes));
  const reading = pipeline(Readable.from(escaped, { objectMode: false, highWaterMark: PIECE }), parser);
  // What fails is thrown by the loop below, too.
  reading.catch(() => undefined);
  try {
    for await (const found of parser as AsyncIterable<CsvRow>) {
      while (problems[0] !== undefined && problems[0].row < found.row) yield problems.shift() as CsvRow;
      yield found;
    }
  } catch (error) {
    if (error instanceof CsvError)
      throw new FilesError(422, `After row ${String(Math.max(0, row))} the file ${reason(error)}.`);
    throw error;
  }
  yield* problems;
}

function reason(error: CsvError | undefined): string {
  switch (error?.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'has a quote that is not closed';
    case 'CSV_MAX_RECORD_SIZE':
      return `has more than ${String(LONGEST_ROW)} characters, perhaps by a quote that is not closed`;
    default:
      return 'has a quote within a value';
  }
}

/** Not more at once than may hold the loop, which others want, too. */
async function* pieces(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  const slice = new TimeSlice();
  for await (const piece of bytes) {
    for (let at = 0; at < piece.length; at += PIECE) {
      if (slice.due) await slice.pause();
      yield piece.subarray(at, at + PIECE);
    }
  }
}

/** The header of CSV content; undefined when there is none. Throws `FilesError` 422 when it cannot be read. */
export async function csvHeader(
  bytes: AsyncIterable<Buffer>,
  format: CsvFormat,
): Promise<readonly string[] | undefined> {
  for await (const { values, problem } of csvRows(bytes, format)) {
    if (problem !== undefined) throw new FilesError(422, `The header ${problem}.`);
    return values;
  }
  return undefined;
}
