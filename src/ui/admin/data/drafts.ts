/** Values as they are written in fields, and back. */
import type { Picked } from '../parts/object-picker.js';
import type { Column, Kind } from './columns.js';

/** What a field holds; a kind of column uses one of these. */
export interface Draft {
  readonly text: string;
  /** Elements of a list. Of several related objects: ids of those that are to go. */
  readonly items: readonly string[];
  /** The related object. Of several: those that are to come. */
  readonly picked: readonly Picked[];
}

export const EMPTY: Draft = { text: '', items: [], picked: [] };

/** A value as text: lists and objects as JSON. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The instant of a date of REST; undefined: it is none. A zone in brackets says nothing more. */
export function dateOf(value: unknown): Date | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const date = new Date(typeof value === 'string' ? value.replace(/\[.*\]$/, '') : value);
  return value === '' || Number.isNaN(date.getTime()) ? undefined : date;
}

/** A date as a field of a form wants it: the time of the reader, without its zone. */
function localTime(value: unknown): string {
  const date = dateOf(value);
  if (date === undefined) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

const isoOf = (date: Date): string => date.toISOString().replace(/\.\d+Z$/, '+0000');

export function pickedOf(value: unknown): Picked | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, name } = value as { readonly id?: unknown; readonly name?: unknown };
  return typeof id === 'string' ? { id, name: typeof name === 'string' && name !== '' ? name : id } : undefined;
}

const draftText = (kind: Kind, value: unknown): string => (kind === 'date' ? localTime(value) : textOf(value));

/** What a field begins with. */
export function draftOf(column: Column, value: unknown): Draft {
  const { kind, element, relation } = column;
  if (kind === 'list') {
    const elements = Array.isArray(value) ? (value as readonly unknown[]) : [];
    return { ...EMPTY, items: elements.map((one) => draftText(element, one)) };
  }
  if (kind === 'related') {
    const picked = relation?.many === true ? undefined : pickedOf(value);
    return { ...EMPTY, picked: picked === undefined ? [] : [picked] };
  }
  // A password is never shown; what is written is a new one.
  return kind === 'password' ? EMPTY : { ...EMPTY, text: draftText(kind, value) };
}

/** The value that a text says; undefined: it says none that fits. Empty is null. */
function single(kind: Kind, integer: boolean, text: string): { readonly value: unknown } | undefined {
  if (text === '') return { value: null };
  if (kind === 'number') {
    const number = Number(text);
    // As text where it is too large to be exact.
    if (integer) return /^[+-]?\d+$/.test(text) ? { value: Number.isSafeInteger(number) ? number : text } : undefined;
    return Number.isFinite(number) ? { value: number } : undefined;
  }
  if (kind === 'boolean') return { value: text === 'true' };
  if (kind === 'date') {
    const date = new Date(text);
    return Number.isNaN(date.getTime()) ? undefined : { value: isoOf(date) };
  }
  return { value: text };
}

/** The value that a field says; undefined: it says none that fits. Several related objects are written as links (`links.ts`). */
export function valueOf(column: Column, draft: Draft): { readonly value: unknown } | undefined {
  const { kind, element, integer } = column;
  if (kind === 'list') {
    const all = draft.items.map((text) => single(element, integer, text));
    const isWhole = all.every((one) => one !== undefined && (one.value !== null || element === 'text'));
    return isWhole ? { value: all.map((one) => one?.value ?? '') } : undefined;
  }
  if (kind === 'related') return { value: draft.picked[0]?.id ?? null };
  return single(kind, integer, draft.text);
}

/** Whether somebody has written something into a field. */
export function isChanged(column: Column, draft: Draft, known: unknown): boolean {
  const before = draftOf(column, known);
  if (column.kind === 'related') {
    if (column.relation?.many === true) return draft.picked.length > 0 || draft.items.length > 0;
    return draft.picked[0]?.id !== before.picked[0]?.id;
  }
  return draft.text !== before.text || JSON.stringify(draft.items) !== JSON.stringify(before.items);
}

/** Whether two answers have the same value; of related objects their ids count. */
export function isSame(column: Column, a: unknown, b: unknown): boolean {
  const plain = (value: unknown): string =>
    column.kind === 'related' ? textOf((value as { readonly id?: unknown } | null | undefined)?.id) : textOf(value);
  return plain(a) === plain(b);
}
