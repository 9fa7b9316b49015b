/**
 * Texts that look alike and have other characters: `é` is one, or an `e` with an accent behind it. Where a text must be
 * unique both are the same: such properties store the composed form (NFC) and look for it.
 */
import type { Predicate } from '../../../graph/index.js';

/** A character that is none of ASCII: without one a text has one spelling. */
const FOREIGN = /[\u0080-\uffff]/;

/** The form in which texts that must be unique are stored. */
export function composed(text: string): string {
  return FOREIGN.test(text) ? text.normalize('NFC') : text;
}

/** A text however it is spelled, among what was stored before its property had to be unique as well. */
export function equalsAnySpelling(key: string, text: string): Predicate {
  if (!FOREIGN.test(text)) return { op: 'equals', key, value: text };
  const values = [...new Set([text, text.normalize('NFC'), text.normalize('NFD')])];
  const [value = text] = values;
  return values.length === 1 ? { op: 'equals', key, value } : { op: 'in', key, values };
}
