/** The index of parts of texts of one property of the nodes of one type: its segments, and what was written since they were made. */
import type { Packed, PackWork } from '../../../../workers/graph/pack.js';
import { kill, type Segment, sizeOf } from './segment.js';
import { lastBefore, type Place, portions } from './search.js';

/** Nodes written lately from which on a segment is made of them, at once and when somebody asks. */
const [DUE, DUE_ASKED] = [64, 8];
/** With more of them looking elsewhere is faster. */
const MOST_RECENT = 1000;
/** Nodes written while a thread works; with more all is made anew. */
const MOST_NOTED = 100_000;
/** A segment is merged with those behind it when it has less than this many times as many texts. */
const FACTOR = 3;
/** Portions of work for a page. */
const MOST_PORTIONS = 4;
/** Milliseconds between two looks at which nodes are gone, at least. */
const GONE_AFTER = 1000;

export interface PartMatches {
  /** Of nodes whose text has the part, whether its case counts or not, ascending. */
  readonly keys: readonly number[];
  /** Of nodes that were written lately, whatever they have. */
  readonly recent: readonly number[];
  /** All up to this key are among them; Infinity: all. */
  readonly upTo: number;
}

interface About {
  readonly type: number;
  readonly key: number;
  readonly keyText: string;
  /** Bytes. */
  readonly most: number;
}

/** What was written while a thread worked. */
interface Noted {
  readonly keys: Set<number>;
  readonly ids: Set<string>;
  /** Perhaps nodes were deleted. */
  gone: boolean;
}

/** Whether a part is the same in UTF-8, where halves of characters are not. */
export function isIndexable(text: string): boolean {
  return !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]|\uFFFD/.test(text);
}

export class SubstringIndex {
  /** Undefined: there are none yet. */
  #segments: readonly Segment[] | undefined;
  /** Keys of nodes that no segment has as they are now. */
  #recent = new Set<number>();
  /** Ids of such nodes whose keys nobody knows. */
  #ids = new Set<string>();
  /** Keys and ids written since a thread began. */
  #noted: Noted | undefined;
  /** Nodes may be gone that segments have. */
  #gone = false;
  #lookedAt = 0;
  #size = 0;
  /** What was found last: a page, its count and the choice between ways to them ask for the same. */
  #last: (PartMatches & { readonly asked: string; readonly most: number }) | undefined;
  isTooLarge = false;
  asked = Date.now();

  constructor(
    private readonly about: About,
    private readonly pack: (work: PackWork) => Promise<Packed>,
    private readonly grown: (index: SubstringIndex) => void,
  ) {
    this.#begin();
  }

  get type(): number {
    return this.about.type;
  }

  get size(): number {
    return this.#size;
  }

  tooLarge(): void {
    this.isTooLarge = true;
    this.#segments = undefined;
    this.#size = 0;
  }

  find(part: Buffer, place: Place, most: number): PartMatches | undefined {
    const segments = this.#usable();
    if (segments === undefined) return undefined;
    const asked = askedFor(part, place);
    const last = this.#last;
    if (last?.asked === asked && (last.upTo === Infinity || last.most >= most)) return last;
    const found = { asked, most, ...this.#find(segments, part, place, most) };
    this.#last = found;
    return found;
  }

  #find(segments: readonly Segment[], part: Buffer, place: Place, most: number): PartMatches {
    let keys: number[] = [];
    let upTo = Infinity;
    for (const segment of segments) {
      const before = keys.length;
      let taken = 0;
      for (const { keys: found, next } of portions(segment, part, place)) {
        for (const key of found) keys.push(key);
        if (next === undefined || (keys.length - before < most && ++taken < MOST_PORTIONS)) continue;
        upTo = Math.min(upTo, lastBefore(segment, next));
        break;
      }
    }
    if (segments.length > 1) keys.sort((a, b) => a - b);
    if (upTo < Infinity) keys = keys.filter((key) => key <= upTo);
    return { keys, recent: [...this.#recent], upTo };
  }

  counting(
    part: Buffer,
    place: Place,
    limit: number,
  ): { readonly steps: Generator<undefined, number>; readonly recent: readonly number[] } | undefined {
    const segments = this.#usable();
    // What is gone would be counted.
    if (segments === undefined || this.#gone) return undefined;
    const last = this.#last;
    const isKnown = last?.upTo === Infinity && last.asked === askedFor(part, place);
    const steps = function* (): Generator<undefined, number> {
      if (isKnown) return last.keys.length;
      let count = 0;
      for (const segment of segments) {
        for (const { keys } of portions(segment, part, place)) {
          count += keys.length;
          if (count >= limit) return count;
          yield;
        }
      }
      return count;
    };
    return { steps: steps(), recent: [...this.#recent] };
  }

  #usable(): readonly Segment[] | undefined {
    if (this.#recent.size >= DUE_ASKED || this.#gone) this.#begin();
    return this.#ids.size > 0 || this.#recent.size > MOST_RECENT ? undefined : this.#segments;
  }

  /** False: it is of no use any more. */
  written(keys: readonly number[], ids: readonly string[], gone: boolean): boolean {
    if (this.isTooLarge) return true;
    this.#last = undefined;
    const noted = this.#noted;
    for (const key of keys) {
      this.#recent.add(key);
      noted?.keys.add(key);
      for (const segment of this.#segments ?? []) kill(segment, key);
    }
    for (const id of ids) {
      this.#ids.add(id);
      noted?.ids.add(id);
    }
    if (gone) {
      this.#gone = true;
      if (noted !== undefined) noted.gone = true;
    }
    if (this.#recent.size + this.#ids.size > MOST_NOTED) return false;
    if (this.#recent.size >= DUE || this.#ids.size > 0 || this.#gone) this.#begin();
    return true;
  }

  /** Has a thread do what is most needed, unless it works. */
  #begin(): void {
    if (this.#noted !== undefined || this.isTooLarge) return;
    const work = this.#next();
    if (work === undefined) return;
    const noted = { keys: new Set<number>(), ids: new Set<string>(), gone: false };
    this.#noted = noted;
    // The database may be closed, or the thread unable: then nobody knows.
    this.pack(work).then(
      (made) => {
        this.#noted = undefined;
        this.#take(work, made, noted);
      },
      () => {
        this.#noted = undefined;
        this.tooLarge();
      },
    );
  }

  #next(): PackWork | undefined {
    const { type, key, keyText, most } = this.about;
    const segments = this.#segments;
    if (segments === undefined) return { do: 'all', type, key, most };
    if (this.#recent.size >= DUE_ASKED || this.#ids.size > 0)
      return { do: 'some', type, keyText, keys: [...this.#recent], ids: [...this.#ids], most };
    if (this.#gone && Date.now() - this.#lookedAt > GONE_AFTER) return { do: 'gone', type, segments };
    const sizes = segments.map(({ keys }) => keys.length);
    let behind = 0;
    let from = segments.length;
    for (let i = segments.length - 1; i >= 0; i--) {
      if (behind > 0 && (sizes[i] ?? 0) < FACTOR * behind) from = i;
      behind += sizes[i] ?? 0;
    }
    return from === segments.length ? undefined : { do: 'merge', segments: segments.slice(from) };
  }

  #take(work: PackWork, { segment, tooLarge, keys = [] }: Packed, noted: Noted): void {
    this.#last = undefined;
    if (tooLarge === true) {
      this.tooLarge();
      return;
    }
    const old = this.#segments ?? [];
    if (work.do === 'gone') {
      for (const key of keys) for (const one of old) kill(one, key);
      this.#gone = noted.gone;
      this.#lookedAt = Date.now();
    } else {
      // What was written meanwhile is not in it.
      if (segment !== undefined) for (const key of noted.keys) kill(segment, key);
      const kept = work.do === 'merge' ? old.slice(0, old.length - work.segments.length) : old;
      // Asked for by id: they were still in others.
      for (const key of keys) for (const one of kept) kill(one, key);
      this.#segments = segment === undefined ? kept : [...kept, segment];
      if (work.do !== 'merge') {
        this.#recent = noted.keys;
        this.#ids = noted.ids;
      }
      this.#size = this.#segments.reduce((sum, one) => sum + sizeOf(one), 0);
      this.grown(this);
    }
    if (this.#recent.size >= DUE || work.do !== 'gone') this.#begin();
  }
}

function askedFor(part: Buffer, place: Place): string {
  return `${place} ${part.toString('latin1')}`;
}
