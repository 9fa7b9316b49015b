/** Errors about objects that came as rows of a table: they say which row, and which column. */
import { GraphError } from '../../graph/index.js';
import { MOST_TOLD, SchemaError, type ErrorToken } from '../../schema/index.js';
import { describeError } from '../errors.js';
import type { RequestBody, TablePlaces } from './request-body.js';

/**
 * The error as it is told of a body: for a table with row and column. `indexOf`: the place in the body of the object that it is about;
 * `subject` is the id of the object, where the error knows it.
 */
export function inTable(
  { table, objects }: RequestBody,
  error: unknown,
  indexOf: (subject: string | undefined) => number,
): unknown {
  if (table === undefined) return error;
  if (error instanceof GraphError && error.code === 'already_taken') {
    const { message, tokens } = describeError(error);
    const row = objects.findIndex(({ id }) => id === error.subject);
    return placed(table, new SchemaError(message, tokens), () => row);
  }
  return error instanceof SchemaError ? placed(table, error, indexOf) : error;
}

function placed(
  { columns, rows }: TablePlaces,
  { message, tokens, kind, subjects }: SchemaError,
  indexOf: (subject: string | undefined) => number,
): SchemaError {
  const rowOf = (token: number): TablePlaces['rows'][number] | undefined => rows[indexOf(subjects[token])];
  const told = tokens.map((token, i): ErrorToken => (i < MOST_TOLD ? { ...token, ...rowOf(i) } : token));
  const first = rowOf(0);
  if (first === undefined) return new SchemaError(message, told, kind);
  const column = columns.find((name) => name === tokens[0]?.property);
  const place = `Row ${String(first.row)} (line ${String(first.line)})${column === undefined ? '' : `, column "${column}"`}`;
  return new SchemaError(`${place}: ${message}`, told, kind);
}
