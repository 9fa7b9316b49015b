/**
 * An index of parts of texts in memory, of indexed properties that are asked for by parts (docs/design/sqlite.md 16). Threads make its segments; writes only note
 * which nodes were written, and those are compared with their rows until a segment has them.
 */
import { writerElsewhere } from '../../errors.js';
import type { Packed, PackWork } from '../../../../workers/graph/pack.js';
import { fold } from '../connection/functions.js';
import { LONG_PART } from '../../../../shared/text-search.js';
import { isIndexable, type PartMatches, SubstringIndex } from './index-of-property.js';
import { type Place } from './search.js';

/** Of fewer nodes of a type the index of the property is looked through. */
const FEW = 20_000;
const MEGABYTES = 96;
/** Milliseconds after which what nobody asks for is forgotten, and what was too large is tried again. */
const UNASKED = 600_000;
/** The second half of a character beyond U+FFFF. */
const LOW_HALF = /[\uDC00-\uDFFF]/;

/** What is looked for. */
export interface Part {
  readonly text: string;
  readonly place: Place;
  /** Whether its case counts. */
  readonly exactly: boolean;
}

/** As in `SqliteOptions`. */
export interface SubstringSettings {
  readonly packFrom?: number;
  readonly partsMegabytes?: number;
  readonly partsExcept?: readonly string[];
  /** The main thread has the indexes, and is asked. */
  readonly partsElsewhere?: boolean;
}

/** What it needs of others. */
export interface SubstringHost {
  pack(work: PackWork): Promise<Packed>;
  /** Nodes of a type. */
  count(type: number): number;
  textOf(name: number): string;
}

export class Substrings {
  /** By type and key, the one that was asked for last at the end. */
  readonly #indexes = new Map<string, SubstringIndex>();
  /** With fewer nodes of a type there is none. */
  #from = FEW;
  /** Bytes of all of them. */
  #most = MEGABYTES * 2 ** 20;
  #except: ReadonlySet<string> = new Set();
  #isElsewhere = false;

  constructor(private readonly host: SubstringHost) {}

  /** Before anything is asked for. */
  set({
    packFrom = FEW,
    partsMegabytes = MEGABYTES,
    partsExcept = [],
    partsElsewhere = false,
  }: SubstringSettings): void {
    this.#from = packFrom;
    this.#most = partsMegabytes * 2 ** 20;
    this.#except = new Set(partsExcept);
    this.#isElsewhere = partsElsewhere;
  }

  /** The first nodes of a type whose property has a part, about `most` of them. Undefined: nobody knows; then it may be known the next time. */
  find(type: number, key: number, part: Part, most: number): PartMatches | undefined {
    const folded = foldedOf(part);
    return folded === undefined ? undefined : this.#indexOf(type, key)?.find(folded, part.place, most);
  }

  /**
   * Counts them up to a limit, one portion of work after the other, but for those written lately, which are named. Undefined: nobody knows. True only if nothing was written meanwhile.
   */
  counting(
    type: number,
    key: number,
    part: Part,
    limit: number,
  ): { readonly steps: Generator<undefined, number>; readonly recent: readonly number[] } | undefined {
    const folded = part.exactly || part.text.length >= LONG_PART ? undefined : foldedOf(part);
    return folded === undefined ? undefined : this.#indexOf(type, key)?.counting(folded, part.place, limit);
  }

  #indexOf(type: number, key: number): SubstringIndex | undefined {
    const most = this.#most;
    if (most === 0 || this.host.count(type) < this.#from) return undefined;
    const name = `${String(type)} ${String(key)}`;
    let index = this.#indexes.get(name);
    // The last one to be forgotten.
    this.#indexes.delete(name);
    if (index?.isTooLarge === true && Date.now() - index.asked > UNASKED) index = undefined;
    if (index === undefined) {
      const keyText = this.host.textOf(key);
      if (this.#except.has(`${this.host.textOf(type)}.${keyText}`)) return undefined;
      if (this.#isElsewhere) throw writerElsewhere('An index of parts of texts is in the main thread.');
      index = new SubstringIndex({ type, key, keyText, most }, (work) => this.host.pack(work), this.#changed);
    } else if (!index.isTooLarge) index.asked = Date.now();
    this.#indexes.set(name, index);
    return index;
  }

  /** Whether there is anything. */
  get any(): boolean {
    return this.#indexes.size > 0;
  }

  /** Whether there is anything of a type. */
  has(type: number): boolean {
    for (const index of this.#indexes.values()) if (index.type === type) return true;
    return false;
  }

  /** Nodes of a type were written and committed, with these keys, or ids whose keys nobody knows. `gone`: perhaps some were deleted, too. */
  written(type: number, keys: readonly number[], ids: readonly string[], gone: boolean): void {
    for (const [name, index] of this.#indexes) {
      if (index.type !== type) continue;
      if (Date.now() - index.asked > UNASKED || !index.written(keys, ids, gone)) this.#indexes.delete(name);
    }
  }

  clear(): void {
    this.#indexes.clear();
  }

  /** The index that has grown may be too large beside the others. */
  readonly #changed = (grown: SubstringIndex): void => {
    let size = 0;
    for (const index of this.#indexes.values()) size += index.size;
    for (const [name, index] of this.#indexes) {
      if (size <= this.#most) return;
      if (index === grown) continue;
      size -= index.size;
      this.#indexes.delete(name);
    }
    if (size > this.#most) grown.tooLarge();
  };
}

/** As segments have it, or of a long one as much as is looked for; undefined: it is looked for otherwise. */
function foldedOf({ text, place }: Part): Buffer | undefined {
  if (!isIndexable(text)) return undefined;
  const folded = Buffer.from(fold(place === 'end' ? lastOf(text) : firstOf(text)));
  return folded.length < 3 ? undefined : folded;
}

/** Not through the middle of a character: half of one is in no segment. */
function firstOf(text: string): string {
  const isWhole = text.length <= LONG_PART || !LOW_HALF.test(text.charAt(LONG_PART));
  return text.slice(0, isWhole ? LONG_PART : LONG_PART - 1);
}

function lastOf(text: string): string {
  const from = Math.max(0, text.length - LONG_PART);
  return text.slice(from > 0 && LOW_HALF.test(text.charAt(from)) ? from + 1 : from);
}
