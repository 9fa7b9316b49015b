/** The beginning of a text, and places in one. */
import { StringDecoder } from 'node:string_decoder';
import { includesText } from '../../../shared/text-search.js';
import { TimeSlice } from '../../../shared/time-slice.js';

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

/** Places that are shown, and words that are looked for. */
const MOST_CONTEXTS = 100;
const MOST_WANTED = 100;

/**
 * What stands around the words of a search in a text: so many words on each side, and not beyond a blank line (docs/interface/imports.md 1.3).
 * Further words than the first hundred are not looked for. Lets others run while it looks.
 */
export async function contextsOf(text: string, search: string, words: number): Promise<string[]> {
  const contexts: string[] = [];
  const wanted = [...new Set(search.toLowerCase().split(/[\s,;]+/))]
    .filter((word) => word !== '')
    .slice(0, MOST_WANTED);
  if (wanted.length === 0) return contexts;
  const slice = new TimeSlice();
  /** Words of a paragraph; true: there are contexts enough. */
  const look = async (all: readonly string[]): Promise<boolean> => {
    for (const [i, word] of all.entries()) {
      if (contexts.length >= MOST_CONTEXTS) return true;
      if (slice.due) await slice.pause();
      const small = word.toLowerCase();
      if (!wanted.some((one) => includesText(small, one))) continue;
      contexts.push(all.slice(Math.max(0, i - words), i + words + 1).join(' '));
    }
    return false;
  };
  let paragraph: string[] = [];
  for (const [part] of text.matchAll(/\S+|\n[^\S\n]*\n/g)) {
    if (slice.due) await slice.pause();
    if (!part.startsWith('\n')) paragraph.push(part);
    else if (await look(paragraph)) return contexts;
    else paragraph = [];
  }
  await look(paragraph);
  return contexts;
}
