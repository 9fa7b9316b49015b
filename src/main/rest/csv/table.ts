/** A table that is sent: read row by row as it comes, within the limits of bodies. The reader is that of imports. */
import { HttpError, type Exchange } from '../../http/index.js';
import {
  csvFormat,
  csvRows,
  inputOfCell,
  rowRangeOf,
  type CsvFormat,
  type CsvRow,
  type RowRange,
} from '../../files/index.js';
import type { Type } from '../../schema/index.js';
import { charsetOf } from '../../scripting/index.js';
import type { JsonObject } from '../../../shared/json/index.js';
import { TimeSlice } from '../../../shared/time-slice.js';
import { RestError } from '../errors.js';
import type { BodyShare } from '../request/body-memory.js';
import type { Parameters } from '../request/parameters.js';
import type { BodyLimits, RequestBody } from '../request/request-body.js';

/** A table as it came: what its cells mean is said by the type that counts when all of it is there. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly CsvRow[];
}

/** Parameters of the address that say how the table is written. */
const OF_FORMAT = ['delimiter', 'quoteChar', 'recordSeparator', 'rfc4180Mode', 'strictQuotes', 'range'] as const;
const TAKEN = /^(?:text\/(?:csv|plain)|application\/(?:csv|octet-stream|x-www-form-urlencoded))?$/;
/** What a row and a value take of the heap beside its text, about (bytes). */
const ROW_BYTES = 300;
const CELL_BYTES = 64;
/** What a character of JSON in a cell may become, about (bytes). */
const JSON_BYTES = 20;

/** How a table is written, and which of its rows count. */
interface TableFormat extends CsvFormat {
  readonly rows: RowRange;
}

/** What is asked for. Throws `RestError` 400 and 415, `FilesError` 400. */
export function tableFormat(exchange: Exchange, parameters: Parameters): TableFormat {
  const contentType = exchange.header('content-type').toLowerCase();
  if (!TAKEN.test(contentType.split(';', 1)[0]?.trim() ?? ''))
    throw new RestError(415, 'The body must be a table, with Content-Type: text/csv.');
  const charset = charsetOf(contentType);
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')
    throw new RestError(415, 'A table must be sent as UTF-8.');
  const encoding = exchange.header('content-encoding').toLowerCase();
  if (encoding !== '' && encoding !== 'identity')
    throw new RestError(415, 'A table must be sent without Content-Encoding.');
  const given: Partial<Record<(typeof OF_FORMAT)[number], string>> = {};
  for (const [name, value] of parameters.filters) {
    const known = OF_FORMAT.find((one) => one === name);
    if (known === undefined)
      throw new RestError(400, `There is no parameter "${name.slice(0, 60)}" here: ${OF_FORMAT.join(', ')} are known.`);
    given[known] = value;
  }
  return { ...csvFormat(given), rows: rowRangeOf(given.range) };
}

/** Reads all rows. Throws `RestError` 413 and 422, `HttpError` 503 beyond the budgets of bodies. */
export async function readTable(
  exchange: Exchange,
  format: TableFormat,
  limits: BodyLimits,
  share: BodyShare,
): Promise<Table> {
  if (Number(exchange.header('content-length')) > limits.bytes) throw tooLarge(limits.bytes);
  let columns: readonly string[] | undefined;
  const rows: CsvRow[] = [];
  let values = 0;
  let objects = 0;
  for await (const row of csvRows(limited(exchange.bodyStream(), limits.bytes), format)) {
    if (row.problem !== undefined && (row.row === 0 || format.rows.has(row.row))) throw broken(row, row.problem);
    if (columns === undefined) {
      columns = row.values.map((name) => name.trim());
      checkColumns(columns);
      values = columns.length;
      if (values > limits.values) throw tooMany(limits.values, 'values', 'httpservice.body.maxvalues');
      continue;
    }
    if (!format.rows.has(row.row)) continue;
    let size = ROW_BYTES;
    objects++;
    for (const cell of row.values) {
      size += CELL_BYTES + 2 * cell.length;
      values++;
      if (!cell.startsWith('[') && !cell.startsWith('{')) continue;
      size += JSON_BYTES * cell.length;
      objects += countOf(cell, '{');
      values += countOf(cell, ',');
    }
    if (values > limits.values) throw tooMany(limits.values, 'values', 'httpservice.body.maxvalues');
    if (objects > limits.objects) throw tooMany(limits.objects, 'objects', 'httpservice.body.maxobjects');
    share.acquire(size);
    rows.push(row);
  }
  exchange.bodyDone();
  if (columns === undefined) throw new RestError(422, 'The table is empty: its first row names the columns.');
  return { columns, rows };
}

/** The objects that rows stand for. An empty cell is no value. */
export async function objectsOf({ columns, rows }: Table, type: Type): Promise<RequestBody> {
  const slice = new TimeSlice();
  const objects: JsonObject[] = [];
  for (const { values } of rows) {
    if (slice.due) await slice.pause();
    const object = Object.create(null) as JsonObject;
    // By what there is: rows may be much shorter than the header.
    for (const [i, cell] of values.entries()) {
      const name = columns[i];
      if (name === undefined) continue;
      const value = inputOfCell(type, name, cell);
      if (value !== undefined) object[name] = value;
    }
    objects.push(object);
  }
  return {
    isArray: true,
    objects,
    value: objects,
    table: { columns, rows: rows.map(({ row, line }) => ({ row, line })) },
  };
}

function checkColumns(columns: readonly string[]): void {
  const seen = new Set<string>();
  for (const [i, name] of columns.entries()) {
    const place = `Column ${String(i + 1)} of the header`;
    if (name === '') throw new RestError(422, `${place} has no name.`, [{ token: 'must_not_be_empty', line: 1 }]);
    if (seen.has(name))
      throw new RestError(422, `${place} has the name of another one.`, [{ property: name, token: 'already_taken' }]);
    seen.add(name);
  }
}

function broken({ row, line }: CsvRow, problem: string): RestError {
  if (row === 0) return new RestError(422, `The header ${problem}.`, [{ token: 'invalid_row', line }]);
  const message = `Row ${String(row)} (line ${String(line)}) ${problem}.`;
  return new RestError(422, message, [{ token: 'invalid_row', row, line }]);
}

async function* limited(bytes: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer, void, undefined> {
  let size = 0;
  for await (const piece of bytes) {
    size += piece.length;
    if (size > most) throw tooLarge(most);
    yield piece;
  }
}

const AS_FILE = 'Send larger tables as files, and import them by doCSVImport.';

function tooLarge(bytes: number): HttpError {
  return new HttpError(413, `The table is larger than ${String(bytes)} bytes (httpservice.body.maxsize). ${AS_FILE}`);
}

function tooMany(most: number, what: string, setting: string): HttpError {
  return new HttpError(413, `The table holds more than ${String(most)} ${what} (${setting}). ${AS_FILE}`);
}

function countOf(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count++;
  return count;
}
