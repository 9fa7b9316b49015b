/** Byte ranges of a request (RFC 9110, 14). */
import type { ByteRange } from '../storage/storage.js';

/** Ranges answered in one response; with more the whole is sent, which costs less than answering them. */
const MOST = 20;

/**
 * The ranges a `Range` header asks for of so many bytes, in its order; undefined: the whole (there is no header, or one
 * that means nothing); empty: it asks for nothing that is there.
 */
export function rangesOf(header: string, size: number): readonly ByteRange[] | undefined {
  const list = /^\s*bytes\s*=(.*)$/i.exec(header)?.[1];
  if (list === undefined) return undefined;
  const ranges: ByteRange[] = [];
  const parts = list.split(',').filter((part) => part.trim() !== '');
  if (parts.length === 0) return undefined;
  for (const part of parts) {
    const match = /^\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/.exec(part);
    const [, first = '', last = ''] = match ?? [];
    if (match === null || (first === '' && last === '')) return undefined;
    if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
    const from = first === '' ? Math.max(0, size - Number(last)) : Number(first);
    const to = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
    if (from < to) ranges.push({ from, to });
  }
  return tooMuch(ranges, size) ? undefined : ranges;
}

/** Many ranges, or such that overlap: nobody needs them, and answering them multiplies the work. */
function tooMuch(ranges: readonly ByteRange[], size: number): boolean {
  if (ranges.length < 2) return false;
  return ranges.length > MOST || ranges.reduce((sum, { from, to }) => sum + to - from, 0) > size;
}
