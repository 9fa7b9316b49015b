/** Those who keep something of the graph in a thread that reads: they hear of commits as of those of another instance (`Watcher`). */
import type { CommitFollower } from '../commits/commit.js';
import type { ChangeNotice, Notice, Watcher } from '../commits/notice.js';
import { noticesOf, type ToldChanges, touchedOf } from './told-changes.js';

/** Milliseconds after which who could not take in what he was told is told again. */
const AGAIN = 100;

type Told = ToldChanges | readonly ChangeNotice[] | undefined;

export class Telling {
  readonly #watchers = new Set<Watcher>();
  #follower: CommitFollower | undefined;
  /** What is to be told, in order; `undefined`: anything may be another. */
  readonly #queue: Told[] = [];
  #isTelling = false;
  #settling: Promise<void> | undefined;
  #isClosed = false;

  constructor(private readonly onError: (error: unknown) => void) {}

  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => {
      this.#watchers.delete(watcher);
    };
  }

  follow(follower: CommitFollower): void {
    this.#follower = follower;
  }

  /** Resolves when all have taken in what they were told; undefined: they have. */
  get settling(): Promise<void> | undefined {
    return this.#settling;
  }

  /** Something is committed; `tell` tells it. */
  add(changes: Told): void {
    this.#queue.push(changes);
  }

  /** Tells what was added: at once, but for what somebody has to wait for. Those who are told may read. */
  tell(): void {
    // Who is told may read, and so come to what is committed next: that is told after it.
    if (this.#isTelling) return;
    this.#isTelling = true;
    try {
      for (let told = this.#queue.splice(0); told.length > 0; told = this.#queue.splice(0)) this.#all(told);
    } finally {
      this.#isTelling = false;
    }
  }

  close(): void {
    this.#isClosed = true;
  }

  #all(told: readonly Told[]): void {
    const isHeard = this.#watchers.size > 0 || this.#follower?.isRead === true;
    if (!isHeard) return;
    const changes: Notice['changes'] = told.includes(undefined)
      ? 'everything'
      : told.flatMap((one) => (one === undefined ? [] : listOf(one)));
    if (this.#follower?.isRead === true)
      this.#follower.foreign(changes === 'everything' ? changes : touchedOf(changes));
    if (changes.length === 0) return;
    for (const watcher of this.#watchers) this.#one(watcher, changes);
  }

  #one(watcher: Watcher, changes: Notice['changes']): void {
    let taking: void | Promise<void>;
    try {
      taking = watcher.changed(changes);
    } catch (error) {
      taking = Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
    if (taking === undefined) return;
    const all = Promise.all([this.#settling, this.#taken(taking, watcher, changes)]).then(() => {
      if (this.#settling === all) this.#settling = undefined;
    });
    this.#settling = all;
  }

  async #taken(taking: Promise<void>, watcher: Watcher, changes: Notice['changes']): Promise<void> {
    for (let now: void | Promise<void> = taking; ;) {
      try {
        await now;
        return;
      } catch (error) {
        this.onError(error);
        await new Promise((resolve) => setTimeout(resolve, AGAIN));
        if (this.#isClosed) return;
        now = Promise.resolve().then(() => watcher.changed(changes));
      }
    }
  }
}

function listOf(told: ToldChanges | readonly ChangeNotice[]): readonly ChangeNotice[] {
  return 'kinds' in told ? noticesOf(told) : told;
}
