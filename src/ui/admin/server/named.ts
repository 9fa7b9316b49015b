/** Searching for exactly one text, although some signs mean something in a search (docs/interface/lists.md 1.2). */
import type { Query } from './rest.js';

const SPECIAL = /[,;[\]\r\n]/;

/** Whether a search takes a text as it is. */
export const isPlain = (text: string): boolean => !SPECIAL.test(text);

/** The longest part of a text that a search can look for inexactly; what is found is to be compared. Blank: there is nothing to ask for. */
export function partOf(text: string): string {
  const parts = text.split(/[,;\r\n]/).map((part) => part.replace(/^\[+|\]+$/g, ''));
  return parts.reduce((a, b) => (b.trim().length > a.trim().length ? b : a), '');
}

/**
 * The query that finds all that have exactly this text in a property. Where the text has special signs it finds more, all there are at worst:
 * compare what it finds with the text.
 */
export function exactly(property: string, text: string): Query {
  if (isPlain(text)) return { [property]: text };
  const part = partOf(text).trim();
  return part === '' ? {} : { [property]: part, _inexact: 1 };
}
