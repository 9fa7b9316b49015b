/**
 * Who gets the writer next: what the service does by itself first, then everybody in turn, each with what he asked for first. So
 * thousands of transactions of one user hold another up by one of them.
 */
import type { Origin } from '../../commit.js';

/** The service's own transactions one after the other while others wait: much of what it does is asked for by somebody. */
const OWN_IN_ROW = 16;

/** Whether a transaction is one that the service does by itself. */
export function isOwn(origin: Origin | undefined): boolean {
  return origin === undefined || nameOf(origin) === undefined;
}

/** Whose turn it is for what such a transaction does; undefined: the service's own. */
function nameOf({ door, userId }: Origin): string | undefined {
  if (userId !== undefined) return userId;
  return door === 'system' ? undefined : `/${door}`;
}

export class Turns<T> {
  /** In the order in which they ask. */
  readonly #own = new Set<T>();
  /** Who waits, the next one first. */
  readonly #users = new Map<string, Set<T>>();
  #length = 0;
  /** Of the service's own, since somebody else had a turn. */
  #inRow = 0;

  get length(): number {
    return this.#length;
  }

  /** Without `origin` it is the service's own. */
  add(job: T, origin?: Origin): void {
    this.#length++;
    const name = origin === undefined ? undefined : nameOf(origin);
    if (name === undefined) {
      this.#own.add(job);
      return;
    }
    const jobs = this.#users.get(name);
    if (jobs === undefined) this.#users.set(name, new Set([job]));
    else jobs.add(job);
  }

  /** Takes the next one out. */
  next(): T | undefined {
    return this.#length === 0 ? undefined : (this.#nextOwn() ?? this.#nextOfUsers());
  }

  #nextOwn(): T | undefined {
    if (this.#inRow >= OWN_IN_ROW && this.#users.size > 0) return undefined;
    for (const job of this.#own) {
      this.#own.delete(job);
      this.#length--;
      this.#inRow++;
      return job;
    }
    return undefined;
  }

  #nextOfUsers(): T | undefined {
    this.#inRow = 0;
    for (const [name, jobs] of this.#users) {
      this.#users.delete(name);
      for (const job of jobs) {
        jobs.delete(job);
        this.#length--;
        // Behind all others.
        if (jobs.size > 0) this.#users.set(name, jobs);
        return job;
      }
    }
    return undefined;
  }

  /** Takes one out that waits for its turn no more. */
  remove(job: T, origin?: Origin): void {
    const name = origin === undefined ? undefined : nameOf(origin);
    const jobs = name === undefined ? this.#own : this.#users.get(name);
    if (jobs?.delete(job) !== true) return;
    this.#length--;
    if (name !== undefined && jobs.size === 0) this.#users.delete(name);
  }
}
