/** What is written above a column, as search keys of REST (docs/interface/lists.md 1.2 to 1.4). */
import type { Picked } from '../../parts/object-picker.js';
import type { Query } from '../../server/rest.js';
import type { Column } from '../columns.js';

/** What a filter says; a kind of column uses some of it. */
export interface Filter {
  readonly text?: string;
  /** Days, both included. */
  readonly from?: string;
  readonly to?: string;
  readonly members?: readonly string[];
  readonly picked?: readonly Picked[];
  /** Those that have nothing there. */
  readonly none?: boolean;
}

/** By name of the column. */
export type Filters = Readonly<Record<string, Filter>>;

export interface Order {
  readonly name: string;
  readonly descending: boolean;
}

export const canFilter = ({ stored }: Column): boolean => stored;
export const canSort = ({ stored, kind }: Column): boolean => stored && kind !== 'related' && kind !== 'list';

export function isSet({ text = '', from = '', to = '', members = [], picked = [], none = false }: Filter): boolean {
  return text.trim() !== '' || from !== '' || to !== '' || members.length > 0 || picked.length > 0 || none;
}

export function queryOf(columns: readonly Column[], filters: Filters, order: Order | undefined): Query {
  const query: Record<string, string> = {};
  for (const column of columns) {
    const filter = filters[column.name];
    if (filter === undefined || !isSet(filter) || !canFilter(column)) continue;
    const value = conditionOf(column, filter);
    if (value === undefined) continue;
    query[column.name] = value;
    if (isPart(column) && filter.none !== true) query['_inexact'] = '1';
  }
  if (order !== undefined) {
    query['_sort'] = order.name;
    query['_order'] = order.descending ? 'desc' : 'asc';
  }
  return query;
}

/** What is looked for is a part of the value: of a text, of a list, of the related objects. */
function isPart({ kind, name, relation }: Column): boolean {
  if (kind === 'text') return name !== 'id' && name !== 'type';
  return kind === 'list' || relation?.many === true;
}

/** Undefined: it says nothing yet, as `5..` of a range that is being written. */
function conditionOf(column: Column, filter: Filter): string | undefined {
  const { text = '', from = '', to = '', members = [], picked = [], none = false } = filter;
  if (none) return '';
  switch (column.kind) {
    case 'related':
      return picked.map(({ id }) => id).join(';');
    case 'enum':
      return members.join(';');
    case 'date':
    case 'day':
      return rangeOf(column, from, to);
    case 'number':
      return numberOf(text.trim());
    case 'list':
      return members.length > 0 ? members.join(';') : text.trim().replaceAll(/\s*([,;])\s*/g, '$1');
    default:
      return text.trim();
  }
}

function rangeOf({ kind }: Column, from: string, to: string): string | undefined {
  if (kind === 'day') return `[${from} TO ${to}]`;
  const begin = from === '' ? undefined : new Date(`${from}T00:00:00`);
  const end = to === '' ? undefined : new Date(`${to}T23:59:59.999`);
  const isWhole = [begin, end].every((one) => one === undefined || !Number.isNaN(one.getTime()));
  return isWhole ? `[${begin?.toISOString() ?? ''} TO ${end?.toISOString() ?? ''}]` : undefined;
}

function numberOf(text: string): string | undefined {
  const range = /^([+-]?[\d.]+)?\s*\.\.\s*([+-]?[\d.]+)?$/.exec(text);
  if (range !== null) {
    const [, from = '', to = ''] = range;
    return from === '' && to === '' ? undefined : `[${from} TO ${to}]`;
  }
  return Number.isFinite(Number(text)) ? text : undefined;
}
