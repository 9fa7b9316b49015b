/** The beginning of a text, and places in one. */
import { StringDecoder } from 'node:string_decoder';

/** Characters of one line that are shown. */
const WIDEST = 10_000;
/** Characters in all. */
const LONGEST = 1024 * 1024;
/** Bytes looked at: a line may have no end. */
const FURTHEST = 8 * 1024 * 1024;

export interface FirstLines {
  /** With LF at the end of each, long ones cut. */
  readonly lines: string;
  /** What ends them in the file; undefined: none of them ends. */
  readonly separator: 'LF' | 'CR' | 'CR+LF' | undefined;
}

/** The first lines of a text in UTF-8. Reads no more than it needs. */
export async function firstLines(bytes: AsyncIterable<Buffer>, count: number): Promise<FirstLines> {
  const decoder = new StringDecoder('utf8');
  let lines = '';
  let found = 0;
  let width = 0;
  let seen = 0;
  let separator: FirstLines['separator'];
  /** The last character was a CR. */
  let afterCr = false;
  const take = (text: string): void => {
    for (const part of text.split(/(\r\n|\r|\n)/)) {
      if (found >= count || lines.length >= LONGEST) return;
      if (part === '') continue;
      if (part === '\n' && afterCr) {
        // A CR and LF in two pieces are one end.
        if (found === 1 && separator === 'CR') separator = 'CR+LF';
      } else if (part === '\r\n' || part === '\r' || part === '\n') {
        separator ??= part === '\r\n' ? 'CR+LF' : part === '\r' ? 'CR' : 'LF';
        lines += '\n';
        found++;
        width = 0;
      } else {
        lines += part.slice(0, WIDEST - width);
        width = Math.min(WIDEST, width + part.length);
      }
      afterCr = part === '\r';
    }
  };
  for await (const piece of bytes) {
    const text = decoder.write(piece);
    take(seen === 0 ? text.replace(/^\ufeff/, '') : text);
    seen += piece.length;
    if (found >= count || lines.length >= LONGEST || seen >= FURTHEST) break;
  }
  take(decoder.end());
  if (width > 0) lines += '\n';
  return { lines, separator };
}

/** Places that are shown. */
const MOST_CONTEXTS = 100;

/**
 * What stands around the words of a search in a text: so many words on each side, and not beyond a blank line (files.md 9).
 */
export function contextsOf(text: string, search: string, words: number): string[] {
  const contexts: string[] = [];
  const wanted = [...new Set(search.toLowerCase().split(/[\s,;]+/))].filter((word) => word !== '');
  for (const paragraph of text.split(/\n\s*\n/)) {
    const all = paragraph.split(/\s+/).filter((word) => word !== '');
    for (const [i, word] of all.entries()) {
      if (contexts.length >= MOST_CONTEXTS) return contexts;
      const small = word.toLowerCase();
      if (!wanted.some((one) => small.includes(one))) continue;
      contexts.push(all.slice(Math.max(0, i - words), i + words + 1).join(' '));
    }
  }
  return contexts;
}
