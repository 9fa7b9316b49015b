/** Tables as spreadsheets and back (docs/interface/script-runtime.md 8.5). */
import type { SheetRows, SpreadsheetReadJob } from '../../../../workers/documents/spreadsheet-read.js';
import type { PackedCell } from '../../../../workers/documents/spreadsheet-write.js';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import { isFile, wholeContent } from '../../run/files/file-content.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { takesMemory } from '../../run/limits/memory.js';
import { textOf } from '../../language/text.js';
import type { ScriptValue } from '../../language/values.js';
import {
  checkLength,
  indexOf,
  isOff,
  isOn,
  LONGEST_TEXT,
  misused,
  optionalText,
  propertyOf,
} from '../../run/function/arguments.js';
import { columnsOf, localized } from './csv.js';
import { runSteps, Turns, wait, type Steps } from '../../language/steps.js';

const MOST_ROWS = 200_000;
const MOST_CELLS = 500_000;
const MOST_UNPACKED = 128 * 1024 * 1024;
/** What spreadsheets keep in a cell. */
const LONGEST_CELL = 32_767;
const DATE_FORMAT = 'yyyy-mm-dd hh:mm:ss';

interface Sheet {
  readonly list: readonly ScriptValue[];
  readonly keys: readonly string[];
  readonly header: 'none' | 'keys' | 'localized';
  readonly domain: ScriptValue;
  readonly longest: number;
  /** `o`: what is too long goes on in a comment; `t`: it is cut; else: the text of the comment. */
  readonly overflow: string;
}

function cellOf(value: ScriptValue, { longest, overflow }: Sheet, context: ScriptContext): PackedCell {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'bigint' && BigInt.asIntN(53, value) === value) return Number(value);
  if (value instanceof Date && !Number.isNaN(value.getTime())) return { d: value.getTime() };
  const text = textOf(value, context);
  if (text.length <= longest) return text;
  const t = text.slice(0, longest);
  if (overflow === 't') return t;
  return { t, c: (overflow === 'o' ? text.slice(longest) : overflow).slice(0, LONGEST_CELL) };
}

/** Rows in JSON. */
function* packed(sheet: Sheet, context: ScriptContext): Steps<string> {
  const { list, keys, header, domain } = sheet;
  const turns = new Turns('toExcel()', 60_000);
  const rows: string[] = [];
  let length = 0;
  const add = (cells: readonly PackedCell[]): void => {
    const row = JSON.stringify(cells);
    length += row.length;
    checkLength(length, 'toExcel');
    rows.push(row);
  };
  if (header !== 'none') {
    const names = header === 'keys' ? keys : yield* localized(keys, domain, context);
    add(names.map((name) => cellOf(name, sheet, context)));
  }
  for (const one of list) {
    const cells: PackedCell[] = [];
    for (const key of keys) cells.push(cellOf(yield* wait(propertyOf(one, key, context)), sheet, context));
    add(cells);
    yield* turns.pause();
  }
  return `[${rows.join(',')}]`;
}

const toExcel: ScriptFunction = {
  name: 'toExcel',
  signature:
    'toExcel(list, viewOrKeys [, includeHeader = true [, localizeHeader = false [, domain [, maxCellLength = 32767 [, overflow = "o"]]]]])',
  meaning:
    "The objects or maps of a list as an XLSX file, its bytes as text in ISO-8859-1 (`setContent(file, ..., 'ISO-8859-1')`), with " +
    'the properties of a view or with a list of keys. Of texts longer than maxCellLength the rest is a comment of the cell, or is ' +
    'left out with overflow "t"; any other overflow is the text of the comment.',
  example: `startsWith(toExcel(fromJson('[{"a": "x"}]'), split('a')), 'PK') // true`,
  min: 2,
  max: 7,
  pure: true,
  async run(args, context) {
    const [list = null, viewOrKeys = null, include, localize, domain = null, most = null, overflow = null] = args;
    if (list === null || viewOrKeys === null) return null;
    const longest = most === null ? LONGEST_CELL : indexOf(most);
    if (!Array.isArray(list) || longest === undefined || longest < 1 || longest > LONGEST_CELL) {
      return misused(this, 'needs a list, and cells of 1 to 32767 characters', context);
    }
    const keys = columnsOf(list, viewOrKeys, context);
    if (keys.length === 0) return '';
    if (list.length > MOST_ROWS || list.length * keys.length > MOST_CELLS) {
      throw new ScriptError(422, `toExcel() makes at most ${String(MOST_ROWS)} rows and ${String(MOST_CELLS)} cells.`);
    }
    const header = isOff(include) ? 'none' : isOn(localize) ? 'localized' : 'keys';
    const sheet = { list, keys, header, domain, longest, overflow: optionalText(overflow, 'o', context) } as const;
    const job = { rows: await runSteps(packed(sheet, context)), dateFormat: DATE_FORMAT };
    const outcome = await context.run.parts.threads.run<Uint8Array>(
      'documents/spreadsheet-write',
      job,
      'toExcel()',
      context,
    );
    if ('problem' in outcome) throw new ScriptError(422, `toExcel() cannot write the table: ${outcome.problem}.`);
    return Buffer.from(outcome.value).toString('latin1');
  },
};

type ReadCell = null | string | number | boolean | { readonly d: number };

function valueOf(cell: ReadCell | undefined): ScriptValue {
  if (cell === undefined || cell === null) return null;
  return typeof cell === 'object' ? new Date(cell.d) : cell;
}

/** A map a row; columns without a name are left out. */
function* mapsOf(pieces: readonly string[], context: ScriptContext): Steps<ScriptValue> {
  const turns = new Turns('fromExcel()', 60_000, 1);
  const maps: ScriptValue[] = [];
  let names: string[] | undefined;
  for (const piece of pieces) {
    yield* turns.pause();
    takesMemory(piece.length);
    for (const row of JSON.parse(piece) as ReadCell[][]) {
      if (names === undefined) {
        names = row.map((cell) => (cell === null ? '' : textOf(valueOf(cell), context)));
        continue;
      }
      const map = new Map<string, ScriptValue>();
      for (const [i, name] of names.entries()) if (name !== '') map.set(name, valueOf(row[i]));
      maps.push(map);
    }
  }
  return maps;
}

const fromExcel: ScriptFunction = {
  name: 'fromExcel',
  signature: 'fromExcel(file [, sheetIndexOrName = 0])',
  meaning:
    'The rows of a sheet of an XLSX File as maps, by the names in its first row; sheets count from 0. Numbers are such, dates are ' +
    'dates, empty cells null.',
  example: "fromExcel(first(find('File', 'name', 'orders.xlsx')), 'Sheet1')",
  min: 1,
  max: 2,
  pure: true,
  async run(args, context) {
    const [file = null, wanted = null] = args;
    if (file === null) return null;
    if (!isFile(file, context)) return misused(this, 'needs a File', context);
    const sheet = wanted === null ? 0 : typeof wanted === 'string' ? wanted : indexOf(wanted);
    const unknown = (): ScriptError => {
      return new ScriptError(400, `The file has no sheet ${JSON.stringify(sheet ?? null).slice(0, 200)}.`);
    };
    if (sheet === undefined || (typeof sheet === 'number' && sheet < 0)) throw unknown();
    const job: SpreadsheetReadJob = {
      ...{ bytes: await wholeContent(file, context), sheet },
      ...{ mostRows: MOST_ROWS, mostCells: MOST_CELLS, longest: LONGEST_TEXT, mostUnpacked: MOST_UNPACKED },
    };
    const outcome = await context.run.parts.threads.run<SheetRows>(
      'documents/spreadsheet-read',
      job,
      'fromExcel()',
      context,
    );
    if ('problem' in outcome) throw new ScriptError(422, `The spreadsheet cannot be read: ${outcome.problem}.`);
    if (outcome.value === undefined) throw unknown();
    return runSteps(mapsOf(outcome.value, context));
  },
};

export const spreadsheets: FunctionCategory = { title: 'Spreadsheets', functions: [toExcel, fromExcel] };
