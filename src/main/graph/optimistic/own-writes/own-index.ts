/** What a transaction has written, found by values: reads must not look at all of it for each of thousands. */
import type { GraphEntity } from '../../types.js';
import { type Equality, nameIn } from './equality.js';

/** An entity that was written; `fresh`: it comes after all others in the order of creation. */
export interface Own<E> {
  readonly before: E | undefined;
  readonly now: E | undefined;
  readonly fresh: boolean;
  /** Grows with the order in which they were made here. */
  readonly order: number;
}

export class OwnIndex<E extends GraphEntity> {
  /** By key, then by the name of a value: ids of those that have it or had it, perhaps some too many. */
  readonly #keys = new Map<string, Map<string, Set<string>>>();
  readonly #all: ReadonlyMap<string, Own<E>>;

  constructor(all: ReadonlyMap<string, Own<E>>) {
    this.#all = all;
  }

  put(id: string, own: Own<E>): void {
    for (const [key, ids] of this.#keys) add(ids, key, id, own);
  }

  /** All that may have one of these values, now or before, in the order in which they were made. */
  among({ key, names }: Equality): Own<E>[] {
    let ids = this.#keys.get(key);
    if (ids === undefined) {
      ids = new Map();
      this.#keys.set(key, ids);
      for (const [id, own] of this.#all) add(ids, key, id, own);
    }
    const found = new Set<Own<E>>();
    for (const name of names) {
      for (const id of ids.get(name) ?? []) {
        const own = this.#all.get(id);
        if (own !== undefined) found.add(own);
      }
    }
    return [...found].sort((a, b) => a.order - b.order);
  }
}

function add<E extends GraphEntity>(ids: Map<string, Set<string>>, key: string, id: string, own: Own<E>): void {
  for (const entity of [own.before, own.now]) {
    const name = nameIn(entity, key);
    if (name === undefined) continue;
    const known = ids.get(name);
    if (known === undefined) ids.set(name, new Set([id]));
    else known.add(id);
  }
}
