/**
 * Decoded nodes by id and by key. Measured: a hit costs a tenth of reading and decoding the row. It holds committed
 * state only: a commit removes what it touched, and a transaction asks `touched` first.
 *
 * What to drop is decided by chance: of a few entries picked at random the first goes that was not asked for since it was
 * last picked. A hit only sets a mark; an exact order of use, or walking past marked entries, costs more than the better
 * choice gains as soon as more objects are in use than fit.
 *
 * While there is much room every node is kept. From then on one that was read by its id is kept when it is asked for again: of a million objects
 * that are asked for at random most never are, and to keep one costs more than to decode it, as the collector of garbage copies it twice and
 * another has to go.
 */
import { KeptNode, type NodeRoom } from '../../kept-node.js';
import { AskedBefore } from './asked-before.js';
import { LargeNodes } from './large-nodes.js';
import type { CachedNode } from './cached-node.js';

/** Characters of stored text and overhead; about as many bytes of heap, some 130,000 small objects. */
const MAX_TEXT = 64_000_000;
const MAX_ENTRY = 16_384;
/** About what an entry costs besides the text of its values. */
const OVERHEAD = 352;
/** The part of the room up to which every node is kept. */
const EVERY = 1 / 8;
/** Entries looked at for one to drop. */
const SAMPLES = 4;

/** A node that is not large. */
interface Entry extends CachedNode {
  readonly node: KeptNode;
  /** What the texts that are kept with it take, in characters. */
  kept: number;
}

export class NodeCache implements NodeRoom {
  /** `most`: characters of stored text and overhead. */
  constructor(private readonly most = MAX_TEXT) {}

  readonly #byId = new Map<string, Entry>();
  readonly #byKey = new Map<number, Entry>();
  readonly #list: Entry[] = [];
  readonly large = new LargeNodes();
  readonly #asked = new AskedBefore();
  #size = 0;
  /** Nodes that were asked for and there, and others. */
  hits = 0;
  misses = 0;

  get(id: string): CachedNode | undefined {
    const found = this.#byId.get(id);
    if (found === undefined) return this.#counted(this.large.get(id));
    this.hits++;
    found.used = true;
    return found;
  }

  byKey(pk: number): CachedNode | undefined {
    const found = this.#byKey.get(pk);
    if (found === undefined) return this.#counted(this.large.byKey(pk));
    this.hits++;
    found.used = true;
    return found;
  }

  /** Those that are not large, and about how many bytes they take. */
  get count(): number {
    return this.#list.length;
  }

  get size(): number {
    return this.#size;
  }

  #counted(found: CachedNode | undefined): CachedNode | undefined {
    if (found === undefined) this.misses++;
    else this.hits++;
    return found;
  }

  /** Keeps a node that is not here and was just read, unless room is scarce and nobody has asked for it lately. */
  offer(given: CachedNode): void {
    if (this.#size < this.most * EVERY || given.size > MAX_ENTRY || this.#asked.again(given.pk)) this.put(given);
  }

  put(given: CachedNode): void {
    if (given.size > MAX_ENTRY) {
      this.large.put(given);
      return;
    }
    const { pk, node, size } = given;
    const kept = node instanceof KeptNode ? node : new KeptNode(node.id, node.type, node.properties);
    const entry = { pk, node: kept, size, kept: 0, used: given.used, at: -1 };
    this.delete(node.id);
    KeptNode.keepIn(kept, this);
    this.#byId.set(node.id, entry);
    this.#byKey.set(pk, entry);
    entry.at = this.#list.push(entry) - 1;
    this.#size += size + OVERHEAD;
    this.#makeRoom();
  }

  /** For nodes that are here: texts count like their properties. */
  take(node: KeptNode, characters: number): boolean {
    const entry = this.#byId.get(node.id);
    if (entry?.node !== node) return false;
    entry.kept += characters;
    this.#size += characters;
    this.#makeRoom();
    // It may have had to go itself.
    return this.#byId.get(node.id) === entry;
  }

  #makeRoom(): void {
    while (this.#size > this.most) this.#dropOne();
  }

  /** After a commit: an entry that is there is this one now; without it, it goes. */
  renew(id: string, latest: () => CachedNode | undefined): void {
    const known = this.#byId.has(id);
    this.delete(id);
    const now = known ? latest() : undefined;
    if (now !== undefined) this.put(now);
  }

  clear(): void {
    for (const { node } of [...this.#list]) this.delete(node.id);
    this.large.clear();
    this.#asked.clear();
  }

  #dropOne(): void {
    let chosen: CachedNode | undefined;
    for (let i = 0; i < SAMPLES; i++) {
      chosen = this.#list[Math.floor(Math.random() * this.#list.length)];
      if (chosen === undefined || !chosen.used) break;
      chosen.used = false;
    }
    if (chosen !== undefined) this.delete(chosen.node.id);
  }

  delete(id: string): void {
    this.large.delete(id);
    const found = this.#byId.get(id);
    if (found === undefined) return;
    this.#byId.delete(id);
    this.#byKey.delete(found.pk);
    KeptNode.keepIn(found.node, undefined);
    // The last entry takes its place, so that the list has no holes.
    const last = this.#list.pop();
    if (last !== undefined && last !== found) {
      this.#list[found.at] = last;
      last.at = found.at;
    }
    this.#size -= found.size + found.kept + OVERHEAD;
  }
}
