/**
 * Who gets the writer, or a thread that reads, next: what the service does by itself first, then everybody in turn, each with what he asked for first. So
 * thousands of transactions of one user hold another up by one of them.
 */

/** The service's own transactions one after the other while others wait: much of what it does is asked for by somebody. */
const OWN_IN_ROW = 16;

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

  /** `name`: whose it is; without it is the service's own. */
  add(job: T, name?: string): void {
    this.#length++;
    if (name === undefined) {
      this.#own.add(job);
      return;
    }
    const jobs = this.#users.get(name);
    if (jobs === undefined) this.#users.set(name, new Set([job]));
    else jobs.add(job);
  }

  /** Takes the next one out. `mayHave`: who may have a turn now; absent: everybody. */
  next(mayHave?: (name: string) => boolean): T | undefined {
    if (this.#length === 0) return undefined;
    // While nobody else may have one, the service's own goes on.
    return this.#nextOwn() ?? this.#nextOfUsers(mayHave) ?? this.#nextOwn();
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

  #nextOfUsers(mayHave?: (name: string) => boolean): T | undefined {
    this.#inRow = 0;
    for (const [name, jobs] of this.#users) {
      if (mayHave?.(name) === false) continue;
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

  /** Takes one out that waits for its turn no more; false: it does not wait. */
  remove(job: T, name?: string): boolean {
    const jobs = name === undefined ? this.#own : this.#users.get(name);
    if (jobs?.delete(job) !== true) return false;
    this.#length--;
    if (name !== undefined && jobs.size === 0) this.#users.delete(name);
    return true;
  }
}
