/** A set of pairs of small numbers, and numbers for texts: what thousands of events have in common is looked up for each of millions. */

/** Values from 0 on, below 2 to the power of 31. */
export class PairSet {
  /** Two numbers an entry; -1: free. Linear probing, at most half full. */
  #entries = new Int32Array(2048).fill(-1);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(one: number, other: number): boolean {
    return this.#entries[this.#placeOf(one, other)] !== -1;
  }

  add(one: number, other: number): void {
    const at = this.#placeOf(one, other);
    if (this.#entries[at] !== -1) return;
    this.#entries[at] = one;
    this.#entries[at + 1] = other;
    if (++this.#size * 4 > this.#entries.length) this.#grow();
  }

  /** Where the pair is, or would be. */
  #placeOf(one: number, other: number): number {
    const entries = this.#entries;
    const last = entries.length - 1;
    let hash = Math.imul(one, 0x9e3779b1) ^ Math.imul(other, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    let at = ((hash ^ (hash >>> 13)) << 1) & last;
    for (;;) {
      const there = entries[at];
      if (there === -1 || (there === one && entries[at + 1] === other)) return at;
      at = (at + 2) & last;
    }
  }

  #grow(): void {
    const old = this.#entries;
    this.#entries = new Int32Array(old.length * 2).fill(-1);
    for (let at = 0; at < old.length; at += 2) {
      const one = old[at] ?? -1;
      if (one === -1) continue;
      const place = this.#placeOf(one, old[at + 1] ?? 0);
      this.#entries[place] = one;
      this.#entries[place + 1] = old[at + 1] ?? 0;
    }
  }
}

/** Texts have no parts in common with others: one that was cut from a large one would keep all of it in memory. */
export function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** Numbers from 0 on for texts, in the order of their coming. */
export class Numbered {
  readonly #numbers = new Map<string, number>();
  characters = 0;

  /** -1: it has none. */
  of(text: string): number {
    return this.#numbers.get(text) ?? -1;
  }

  add(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(ownText(text), number);
    this.characters += text.length;
    return number;
  }
}
