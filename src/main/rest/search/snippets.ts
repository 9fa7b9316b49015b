/** Pieces of a text around what was looked for in it, with marks (docs/interface/lists.md 1.9). */
import { edits, fits, type TextQuery } from '../../graph/index.js';
import { escapeMarkup } from '../../../shared/escape-markup.js';
import { TimeSlice } from '../../../shared/time-slice.js';

/** Characters around what was found, on both sides together. */
const AROUND = 160;
/** Characters of what was found, before another piece begins. */
const TOGETHER = 100;
/** Pieces of a text that the best are taken from. */
const CANDIDATES = 200;
/** Characters of a text that are looked through, and of all texts of an answer. */
const LOOKED_AT = 2_000_000;
const LOOKED_AT_IN_ALL = 20_000_000;
/** Characters of all pieces of an answer. */
const MOST_SHOWN = 4_000_000;
/** Characters that are marked: a word may be as long as its text, and there may be anything between two. */
const MOST_MARKED = 300;
/** Letters of a word that is compared with patterns: each letter of one may cost a look at each of the other. */
const LONGEST_WORD = 200;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const SPACES = /\s+/g;
const OPEN = '<mark>';
const CLOSE = '</mark>';

const words = (text: string): string[] => (text.match(WORD) ?? []).map((word) => word.toLowerCase());

/** What of a query may be there, in no order. */
interface Wanted {
  /** Words side by side, by the first of them. */
  readonly phrases: ReadonlyMap<string, readonly (readonly string[])[]>;
  /** Each for a word. */
  readonly tests: readonly ((word: string) => boolean)[];
}

function wantedOf(query: TextQuery): Wanted {
  const phrases = new Map<string, (readonly string[])[]>();
  const tests: ((word: string) => boolean)[] = [];
  const collect = (one: TextQuery): void => {
    switch (one.op) {
      case 'all':
        for (const inner of [...one.must, ...one.may]) collect(inner);
        return;
      case 'words': {
        const phrase = words(one.text);
        const [first] = phrase;
        if (first !== undefined) phrases.set(first, [...(phrases.get(first) ?? []), phrase]);
        return;
      }
      case 'prefix':
        tests.push((word) => word.startsWith(one.word));
        return;
      case 'pattern': {
        const pattern = [...one.text];
        tests.push((word) => word.length <= LONGEST_WORD && fits([...word], pattern));
        return;
      }
      case 'like': {
        const wanted = [...one.word];
        tests.push((word) => word.length <= LONGEST_WORD && edits([...word], wanted, one.edits) <= one.edits);
      }
    }
  };
  collect(query);
  return { phrases, tests };
}

interface Hit {
  readonly from: number;
  to: number;
  /** What was found: the more different things, the better. */
  readonly what: string;
}

/** Finds pieces of texts for one query. */
export class Snippets {
  readonly #wanted: Wanted;
  readonly #slice = new TimeSlice();
  /** What may still be looked through, and shown. */
  #unread = LOOKED_AT_IN_ALL;
  #unshown = MOST_SHOWN;

  constructor(query: TextQuery) {
    this.#wanted = wantedOf(query);
  }

  /** At most so many pieces of a text, in its order: those with most of what was looked for. HTML, in which only the marks are elements. */
  async of(text: string, most: number): Promise<string[]> {
    const pieces: Hit[][] = [];
    for await (const hit of this.#hits(text)) {
      const last = pieces.at(-1);
      if (last?.[0] !== undefined && hit.to - last[0].from <= TOGETHER) last.push(hit);
      else if (pieces.length >= CANDIDATES) break;
      else pieces.push([hit]);
    }
    const worth = (piece: readonly Hit[]): number => new Set(piece.map(({ what }) => what)).size;
    const best = pieces
      .map((piece, place) => ({ piece, place, worth: worth(piece) }))
      .sort((a, b) => b.worth - a.worth || a.place - b.place)
      .slice(0, most)
      .sort((a, b) => a.place - b.place);
    return best.flatMap(({ piece }) => {
      if (this.#unshown <= 0) return [];
      const html = shown(text, piece);
      this.#unshown -= html.length;
      return [html];
    });
  }

  async *#hits(text: string): AsyncGenerator<Hit, void, undefined> {
    const { phrases, tests } = this.#wanted;
    /** Phrases that have begun. */
    let open: { readonly phrase: readonly string[]; next: number; readonly from: number }[] = [];
    const some = text.slice(0, Math.min(LOOKED_AT, this.#unread));
    let at = 0;
    try {
      for (const match of some.matchAll(WORD)) {
        if (this.#slice.due) await this.#slice.pause();
        at = match.index + match[0].length;
        const word = match[0].toLowerCase();
        for (const phrase of phrases.get(word) ?? []) open.push({ phrase, next: 0, from: match.index });
        open = open.filter((one) => one.phrase[one.next] === word);
        for (const one of open) one.next++;
        const done = open.find(({ phrase, next }) => next === phrase.length);
        open = open.filter(({ phrase, next }) => next < phrase.length);
        if (done !== undefined) yield { from: done.from, to: marked(text, done.from, at), what: done.phrase.join(' ') };
        else if (tests.some((test) => test(word)))
          yield { from: match.index, to: marked(text, match.index, at), what: word };
      }
      at = some.length;
    } finally {
      this.#unread -= at;
    }
  }
}

/** Where a mark ends, which is within no character. */
function marked(text: string, from: number, to: number): number {
  if (to - from <= MOST_MARKED) return to;
  const end = from + MOST_MARKED;
  return /[\udc00-\udfff]/.test(text.charAt(end)) ? end - 1 : end;
}

/** A piece of a text with its marks, from one word's begin to another's end. */
function shown(text: string, hits: readonly Hit[]): string {
  const first = hits[0]?.from ?? 0;
  const last = hits.at(-1)?.to ?? 0;
  const around = Math.max(0, AROUND - (last - first)) / 2;
  const from = begin(text, Math.max(0, Math.floor(first - around)), first);
  const to = end(text, Math.min(text.length, Math.ceil(last + around)), last);
  let out = from > 0 ? '… ' : '';
  let at = from;
  for (const hit of hits) {
    if (hit.from < at) continue;
    out += escaped(text.slice(at, hit.from)) + OPEN + escaped(text.slice(hit.from, hit.to)) + CLOSE;
    at = hit.to;
  }
  out += escaped(text.slice(at, to));
  return `${out.trimEnd()}${to < text.length ? ' …' : ''}`.trimStart();
}

function begin(text: string, from: number, most: number): number {
  if (from === 0) return 0;
  const blank = text.slice(from, most).search(/\s\S/);
  return blank < 0 ? most : from + blank + 1;
}

function end(text: string, to: number, least: number): number {
  if (to === text.length) return to;
  const blank = text.slice(least, to).search(/\s\S*$/);
  return blank < 0 ? least : least + blank;
}

function escaped(text: string): string {
  return escapeMarkup(text.replace(SPACES, ' '));
}
