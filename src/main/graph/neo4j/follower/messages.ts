/** What the main thread tells a thread that reads, in the order in which it does it. */
import type { Notice } from '../../commits/notice.js';
import type { ToldChanges } from '../../seats/told-changes.js';
import type { IndexFacts } from '../indexes/indexes.js';
import type { Pair } from '../query/catalog.js';

/** Behind a commit of this instance, before anybody is told of it. */
export interface CommitNews {
  readonly what: 'commit';
  readonly number: number;
  /** Its number in the database; absent: the answer to its commit was lost. */
  readonly transaction: number | undefined;
  /** Undefined: anything may be another. */
  readonly changes: ToldChanges | undefined;
  readonly pairs: readonly Pair[];
}

export type News =
  | CommitNews
  /** Other instances have changed this, up to that commit, as far as it concerns who keeps something. */
  | {
      readonly what: 'foreign';
      readonly number: number;
      readonly changes: Notice['changes'];
      readonly pairs: readonly Pair[];
    }
  /** All who keep something have been told of all commits up to this one. */
  | { readonly what: 'reached'; readonly number: number }
  /** What is known of indexes from now on. */
  | { readonly what: 'indexes'; readonly facts: IndexFacts }
  /** Something was not told. */
  | { readonly what: 'missed'; readonly facts: IndexFacts }
  /** The database is closed. */
  | { readonly what: 'closed' };

/** `serial`: the clock when it counts as told. */
export type SerialNews = News & { readonly serial: number };

export type SeatNews = SerialNews & { readonly size: number };

/** What a thread that reads tells the main one: parts of texts at this key are looked for, and there is no index of them. */
export interface FollowerMessage {
  readonly what: 'parts';
  readonly key: string;
}
