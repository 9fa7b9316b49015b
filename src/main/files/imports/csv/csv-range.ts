import type { JsonValue } from '../../../../shared/json/index.js';
import { FilesError } from '../../errors.js';

/** Which rows are imported. */
export interface RowRange {
  has(row: number): boolean;
  /** No row after this one. */
  readonly last: number;
}

const LONGEST = 10_000;

/** Rows named as `1-100,250,300-310`, from 1; nothing: all. Throws `FilesError` 400. */
export function rangeOf(value: JsonValue | undefined): RowRange {
  const text = value ?? '';
  if (typeof text !== 'string' || text.length > LONGEST) throw wrong();
  if (text.trim() === '') return { has: () => true, last: Infinity };
  const parts = text.split(',').map((part) => {
    const match = /^\s*(\d{1,15})\s*(?:-\s*(\d{1,15})\s*)?$/.exec(part);
    if (match === null) throw wrong();
    const from = Number(match[1]);
    const to = Number(match[2] ?? from);
    if (from < 1 || to < from) throw wrong();
    return { from, to };
  });
  const sorted = parts.sort((a, b) => a.from - b.from);
  const last = Math.max(...sorted.map(({ to }) => to));
  return { has: (row) => sorted.some(({ from, to }) => row >= from && row <= to), last };
}

function wrong(): FilesError {
  return new FilesError(400, 'The parameter "range" must be rows like 1-100,250,300-310, counted from 1.');
}
