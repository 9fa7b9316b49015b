/**
 * Texts of objects that one answer writes again and again: below each of 500 siblings is their one parent, with all 500 of them. What is
 * written of an object depends on where it stands, and on which of the objects that it shows are open around it (docs/interface/lists.md 2.5).
 */

/** Characters of texts, with their ids, that one answer remembers: those of a list of 10,000 siblings. */
const MOST = 8_000_000;
/** Characters that an id counts for. */
const ID = 50;
/** Objects that one text may depend on. */
const MOST_ASKED = 1000;
/** Objects of which it is remembered that they were written. */
const MOST_WRITTEN = 100_000;

interface Repeated {
  readonly text: string;
  /** All objects of which it was asked whether they are open around it. */
  readonly asked: ReadonlySet<string>;
  /** Those of them that were. */
  readonly open: ReadonlySet<string>;
}

/** A text; or what was written once; or what differs, so that it is not worth keeping. */
type Known = Repeated | 'once' | 'differs';

/** A text that is being written. */
interface Writing {
  readonly asked: Set<string>;
  /** What it holds is to be written anew each time. */
  fits: boolean;
}

export class RepeatedTexts {
  /** By place, and by id. */
  #known = new Map<number, Map<string, Known>>();
  #size = 0;
  #texts = 0;
  #written = 0;
  /** Since it was last looked at: texts that there was no room for, and that were used. */
  #refused = 0;
  #used = 0;
  /** Around each other. */
  readonly #writing: Writing[] = [];

  /** It was asked whether an object is open. */
  asks(id: string): void {
    for (const writing of this.#writing) {
      if (writing.asked.size < MOST_ASKED) writing.asked.add(id);
      else writing.fits = false;
    }
  }

  /** Something was written that may be another thing the next time, as what scripts make. */
  differs(): void {
    for (const writing of this.#writing) writing.fits = false;
  }

  /** What is written of an object at this place, with these objects open around it; undefined: it is to be found out. */
  text(id: string, place: number, path: readonly string[]): string | undefined {
    const at = this.#known.get(place);
    const known = at?.get(id);
    if (known === undefined || typeof known === 'string') return undefined;
    const open = path.filter((one) => known.asked.has(one));
    if (open.length !== known.open.size || !open.every((one) => known.open.has(one))) {
      at?.set(id, 'differs');
      this.#size -= sizeOf(known);
      this.#texts--;
      return undefined;
    }
    if (this.#writing.length > 0) for (const one of known.asked) this.asks(one);
    this.#used++;
    return known.text;
  }

  /** Whether the text of an object at this place should be kept, as it is written for the second time. */
  isAgain(id: string, place: number): boolean {
    let at = this.#known.get(place);
    if (at?.get(id) === 'once') return true;
    if (at?.has(id) === true) return false;
    if (++this.#written > MOST_WRITTEN) this.#clear();
    at = this.#known.get(place);
    if (at === undefined) this.#known.set(place, (at = new Map<string, Known>()));
    at.set(id, 'once');
    return false;
  }

  /** Keeps what `write` answers for the object; undefined: it cannot be kept. */
  async keep(
    id: string,
    place: number,
    path: readonly string[],
    write: () => Promise<string | undefined>,
  ): Promise<void> {
    const writing: Writing = { asked: new Set(), fits: true };
    this.#writing.push(writing);
    const text = await write();
    this.#writing.pop();
    const { asked, fits } = writing;
    if (text === undefined || !fits) return;
    const size = sizeOf({ text, asked });
    if (size > MOST || (this.#size + size > MOST && this.#isWorthIt())) return;
    this.#size += size;
    this.#texts++;
    let at = this.#known.get(place);
    if (at === undefined) this.#known.set(place, (at = new Map<string, Known>()));
    at.set(id, { text, asked, open: new Set(path.filter((one) => asked.has(one))) });
  }

  /** Whether what fills the place stays there: as long as it is used more often than others are refused. */
  #isWorthIt(): boolean {
    if (++this.#refused < this.#texts) return true;
    const isUsed = this.#used >= this.#refused;
    this.#refused = 0;
    this.#used = 0;
    if (!isUsed) this.#clear();
    return isUsed;
  }

  #clear(): void {
    this.#known = new Map();
    this.#size = 0;
    this.#texts = 0;
    this.#written = 0;
  }
}

function sizeOf({ text, asked }: Pick<Repeated, 'text' | 'asked'>): number {
  return text.length + ID * asked.size;
}
