/** What is written above a column, as search keys of REST (docs/interface/lists.md 1.2). */
import type { Query } from '../server/rest.js';
import type { Column } from './columns.js';

/** Texts by name of the column. */
export type Filters = Readonly<Record<string, string>>;

export interface Order {
  readonly name: string;
  readonly descending: boolean;
}

/** Kinds that can be searched by what is written. */
export function canFilter({ kind }: Column): boolean {
  return kind !== 'related' && kind !== 'other' && kind !== 'list' && kind !== 'date';
}

export function queryOf(columns: readonly Column[], filters: Filters, order: Order | undefined): Query {
  const query: Record<string, string> = {};
  for (const column of columns) {
    const text = (filters[column.name] ?? '').trim();
    if (text === '' || !canFilter(column)) continue;
    const value = conditionOf(column, text);
    if (value === undefined) continue;
    query[column.name] = value;
    if (column.kind === 'text' && column.name !== 'id' && column.name !== 'type') query['_inexact'] = '1';
  }
  if (order !== undefined) {
    query['_sort'] = order.name;
    query['_order'] = order.descending ? 'desc' : 'asc';
  }
  return query;
}

/** Undefined: it says nothing yet, as `5..` of a range that is being written. */
function conditionOf({ kind }: Column, text: string): string | undefined {
  if (kind !== 'number') return text;
  const range = /^\s*([+-]?[\d.]+)?\s*\.\.\s*([+-]?[\d.]+)?\s*$/.exec(text);
  if (range !== null) {
    const [, from = '', to = ''] = range;
    return from === '' && to === '' ? undefined : `[${from} TO ${to}]`;
  }
  return Number.isFinite(Number(text)) ? text : undefined;
}
