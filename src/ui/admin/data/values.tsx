/** How values are shown in a cell, and written in a field. */
import type { ReactNode } from 'react';
import { useFormats, useTexts } from '../texts/index.js';
import type { Column } from './columns.js';

const MOST_RELATED = 3;
/** Characters of a text that a cell holds; the rest is seen where it is edited. */
const MOST_TEXT = 300;

export function Value({ column, value }: { readonly column: Column; readonly value: unknown }): ReactNode {
  const { t } = useTexts();
  const { time } = useFormats();
  if (value === null || value === undefined) return null;
  if (column.kind === 'boolean') return value === true ? '✓' : '–';
  if (column.kind === 'date' && (typeof value === 'string' || typeof value === 'number')) {
    const date = new Date(value);
    return Number.isNaN(date.getTime()) ? String(value) : time(date);
  }
  if (column.kind === 'related') {
    const all = Array.isArray(value) ? (value as readonly unknown[]) : [value];
    const names = all.slice(0, MOST_RELATED).map(nameOf).join(', ');
    return all.length > MOST_RELATED ? `${names}, ${t('data.more', { n: all.length - MOST_RELATED })}` : names;
  }
  return shortened(textOf(value));
}

function nameOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return textOf(value);
  const { name, id } = value as { readonly name?: unknown; readonly id?: unknown };
  return typeof name === 'string' && name !== '' ? name : textOf(id);
}

function shortened(text: string): string {
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text;
}

/** A value as text: lists and objects as JSON. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A date as a field of a form wants it: the time of the reader, without its zone. */
export function localTime(value: unknown): string {
  const date = new Date(typeof value === 'number' ? value : textOf(value));
  if (textOf(value) === '' || Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** The value that a field says; undefined: it says none that fits. Empty is null. */
export function valueOf(column: Column, text: string): { readonly value: unknown } | undefined {
  if (text === '') return { value: null };
  switch (column.kind) {
    case 'number': {
      const number = Number(text);
      // As text where it is too large to be exact.
      if (column.integer)
        return /^[+-]?\d+$/.test(text) ? { value: Number.isSafeInteger(number) ? number : text } : undefined;
      return Number.isFinite(number) ? { value: number } : undefined;
    }
    case 'boolean':
      return { value: text === 'true' };
    case 'date': {
      const date = new Date(text);
      return Number.isNaN(date.getTime()) ? undefined : { value: date.toISOString().replace(/\.\d+Z$/, '+0000') };
    }
    case 'list':
      try {
        const list = JSON.parse(text) as unknown;
        return Array.isArray(list) ? { value: list } : undefined;
      } catch {
        return undefined;
      }
    default:
      return { value: text };
  }
}
