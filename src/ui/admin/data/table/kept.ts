/** What the browser keeps of a table: its columns, and how wide they are. */
import type { PropertyInfo } from '../../server/schema.js';
import { usualColumns } from '../columns.js';

const columnsAt = (type: string): string => `svc.data.columns.${type}`;
const widthsAt = (type: string): string => `svc.data.widths.${type}`;

/** Pixels by the name of the column; one that is not there has the usual width. */
export type Widths = Readonly<Record<string, number>>;
export const NARROWEST = 60;
export const WIDEST = 1200;

function read(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') as unknown;
  } catch {
    // What is no JSON counts as none.
    return null;
  }
}

/** The names of the columns that were chosen for a type, else those that tell most. */
export function shownColumns(type: string, properties: readonly PropertyInfo[]): readonly string[] {
  const kept = read(columnsAt(type));
  if (Array.isArray(kept)) {
    const known = kept.filter((name): name is string => properties.some(({ jsonName }) => jsonName === name));
    if (known.length > 0) return known;
  }
  return usualColumns(properties);
}

/** Undefined: those that tell most. */
export function keepColumns(type: string, names: readonly string[] | undefined): void {
  if (names === undefined) localStorage.removeItem(columnsAt(type));
  else localStorage.setItem(columnsAt(type), JSON.stringify(names));
}

export function shownWidths(type: string): Widths {
  const kept = read(widthsAt(type));
  if (typeof kept !== 'object' || kept === null) return {};
  return Object.fromEntries(Object.entries(kept).filter(([, width]) => typeof width === 'number'));
}

export function keepWidths(type: string, widths: Widths): void {
  localStorage.setItem(widthsAt(type), JSON.stringify(widths));
}
