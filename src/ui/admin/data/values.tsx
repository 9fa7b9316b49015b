/** How values are shown in a cell. */
import type { ReactNode } from 'react';
import { useAreaTexts } from '../texts/catalogue.js';
import { dataTexts } from '../texts/data.js';
import { useFormats } from '../texts/index.js';
import type { Column, Kind } from './columns.js';
import { dateOf, pickedOf, textOf } from './drafts.js';

/** Related objects that a cell names; one more is asked for, to know whether there are more. */
export const MOST_RELATED = 3;
/** Characters of a text that a cell holds; the rest is seen where it is edited. */
const MOST_TEXT = 300;
const COLOR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

/** A colour as CSS writes it, six digits. */
export function colorOf(text: string): string | undefined {
  if (!COLOR.test(text)) return undefined;
  return text.length === 7 ? text : `#${[...text.slice(1)].map((digit) => digit + digit).join('')}`;
}

/** Values in the words of who reads. */
export function useWords(): (column: Column, value: unknown) => string {
  const { t } = useAreaTexts(dataTexts);
  const formats = useFormats();
  return ({ kind, element }, value) => {
    if (value === null || value === undefined || value === '') return '';
    if (kind === 'password' || kind === 'encrypted') return '••••••';
    if (kind === 'boolean') return t(value === true ? 'data.yes' : 'data.no');
    const all = Array.isArray(value) ? (value as readonly unknown[]) : [value];
    if (kind === 'related' || (kind === 'other' && typeof value === 'object')) {
      const names = all.slice(0, MOST_RELATED).map((one) => shortened(pickedOf(one)?.name ?? textOf(one)));
      return all.length > MOST_RELATED ? `${names.join(', ')}, …` : names.join(', ');
    }
    const words =
      kind === 'list' ? all.map((one) => written(element, one, formats)).join(', ') : written(kind, value, formats);
    return shortened(words);
  };
}

export function Value({ column, value }: { readonly column: Column; readonly value: unknown }): ReactNode {
  const words = useWords()(column, value);
  if (column.kind === 'boolean') return <span aria-label={words}>{value === true ? '✓' : '–'}</span>;
  const color = column.kind === 'text' ? colorOf(words) : undefined;
  if (color === undefined) return words;
  return (
    <>
      <span className="swatch" style={{ background: color }} /> {words}
    </>
  );
}

/** A single value in words. */
function written(kind: Kind, value: unknown, { exact, time, day }: ReturnType<typeof useFormats>): string {
  if (kind === 'number' && typeof value === 'number') return exact(value);
  const date = kind === 'date' || kind === 'day' ? dateOf(value) : undefined;
  if (date === undefined) return textOf(value);
  // A day has no zone: midnight of Greenwich is another day elsewhere.
  return kind === 'date' ? time(date) : day(typeof value === 'string' ? new Date(`${value}T00:00:00`) : date);
}

function shortened(text: string): string {
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text;
}
