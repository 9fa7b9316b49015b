/**
 * Texts of indexed properties in memory, for parts of texts: looking through them takes a hundredth of what looking through the index takes (bench/notes.md).
 * They are packed by a thread when a part is asked for and there are many, and tell only where to look: what they name is compared with the rows, and what was
 * written since is named as well. So they cost writes nothing but to note who was written.
 */
import type { Packed } from '../../../../workers/graph/pack.js';
import { fold } from '../connection/functions.js';

/** Fewer texts are looked through in the index. */
const FEW = 20_000;
/** Texts that one part may be in: comparing more with their rows takes longer than the index. */
const MOST_MATCHES = 500;
/** Nodes written since; with more it is packed anew. */
const MOST_CHANGED = 500;
/** Bytes of all that is packed. */
const MOST_BYTES = 64 * 1024 * 1024;

interface Entry {
  /** Undefined: it is being packed, or cannot be. */
  packed: Packed | undefined;
  /** Keys of nodes that were written since it began to be packed. */
  readonly changed: Set<number>;
  size: number;
}

export class PackedTexts {
  /** By type and key, the one that was asked for last at the end. */
  readonly #entries = new Map<string, Entry>();
  #size = 0;
  /** With fewer nodes of a type nothing is packed. */
  from = FEW;

  /** `pack`: has a thread do it; undefined: the texts are too large. `count`: nodes of a type. */
  constructor(
    private readonly pack: (type: number, key: number, most: number) => Promise<Packed | undefined>,
    private readonly count: (type: number) => number,
  ) {}

  /**
   * Keys of nodes of a type among which are all whose property has a part, whether its case counts or not. Undefined: nobody knows, or they are too many; then
   * it may be known the next time.
   */
  find(type: number, key: number, part: string): readonly number[] | undefined {
    if (this.count(type) < this.from) return undefined;
    const name = `${String(type)} ${String(key)}`;
    const entry = this.#entries.get(name);
    if (entry === undefined) {
      void this.#pack(name, type, key);
      return undefined;
    }
    // The last one to be forgotten.
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    if (entry.packed === undefined) return undefined;
    const found = matches(entry.packed, Buffer.from(fold(part)));
    return found === undefined ? undefined : [...new Set([...found, ...entry.changed])].sort((a, b) => a - b);
  }

  /** Whether anything is packed of a type. */
  has(type: number): boolean {
    const prefix = `${String(type)} `;
    for (const name of this.#entries.keys()) if (name.startsWith(prefix)) return true;
    return false;
  }

  /** Nodes of a type were written and committed; undefined: any, or many. */
  written(type: number, keys: readonly number[] | undefined): void {
    const prefix = `${String(type)} `;
    for (const [name, entry] of this.#entries) {
      if (!name.startsWith(prefix)) continue;
      for (const key of keys ?? []) entry.changed.add(key);
      if (keys === undefined || entry.changed.size > MOST_CHANGED) this.#forget(name);
    }
  }

  clear(): void {
    for (const name of [...this.#entries.keys()]) this.#forget(name);
  }

  async #pack(name: string, type: number, key: number): Promise<void> {
    const entry: Entry = { packed: undefined, changed: new Set(), size: 0 };
    this.#entries.set(name, entry);
    const packed = await this.pack(type, key, MOST_BYTES).catch(() => undefined);
    // Forgotten meanwhile: too much was written.
    if (this.#entries.get(name) !== entry || packed === undefined) return;
    entry.packed = packed;
    entry.size = packed.bytes.length + packed.starts.byteLength + packed.keys.byteLength;
    this.#size += entry.size;
    for (const oldest of [...this.#entries.keys()]) {
      if (this.#size <= MOST_BYTES) break;
      this.#forget(oldest);
    }
  }

  #forget(name: string): void {
    this.#size -= this.#entries.get(name)?.size ?? 0;
    this.#entries.delete(name);
  }
}

/** Keys of the texts with this part; undefined: too many. */
function matches({ bytes, starts, keys }: Packed, part: Buffer): number[] | undefined {
  const found: number[] = [];
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = all.indexOf(part); at >= 0;) {
    const i = entryAt(starts, at);
    found.push(keys[i] ?? 0);
    if (found.length > MOST_MATCHES) return undefined;
    // Once is enough.
    const next = starts[i + 1];
    if (next === undefined) break;
    at = all.indexOf(part, next);
  }
  return found;
}

/** The last entry that begins at or before a place. */
function entryAt(starts: Uint32Array, at: number): number {
  let low = 0;
  for (let high = starts.length - 1; low < high;) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}
