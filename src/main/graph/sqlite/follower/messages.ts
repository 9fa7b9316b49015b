/** What the main thread tells a thread that reads, in the order in which it does it, and how that comes out of the port. */
import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import type { CounterKind } from '../indexes/counters.js';
import type { ToldChanges } from '../../seats/told-changes.js';

export type CounterChanges = Readonly<Record<CounterKind, ReadonlyMap<number, number>>>;

/** Before a COMMIT: what it changes. */
export interface CommitMessage {
  readonly what: 'commit';
  /** Tells it from others. */
  readonly serial: number;
  /** The numbers of its first and last commit; absent: it has none, as it changes nothing that is an object. */
  readonly numbers: readonly [first: number, last: number] | undefined;
  /** Names that it adds, and their numbers. */
  readonly names: readonly (readonly [number: number, text: string])[];
  readonly counters: CounterChanges;
  /** So many changes by number of the type. */
  readonly types: ReadonlyMap<number, number>;
  /** Types and nodes, in turns, whose entries of rights it writes. */
  readonly entries: readonly number[];
  /** Undefined: anything may be another. */
  readonly changes: ToldChanges | undefined;
  /** It empties the database. */
  readonly isWhole: boolean;
}

export type SeatMessage = (
  | CommitMessage
  /** A COMMIT that was told has failed. */
  | { readonly what: 'lost'; readonly serial: number }
  /** A COMMIT without a number is made, and has changed the counters. */
  | { readonly what: 'counters'; readonly counters: CounterChanges }
  /** Indexes are there now, or are not there any more. */
  | { readonly what: 'indexes' }
  /** All that is kept is to be forgotten. `missed`: something was not told. */
  | { readonly what: 'everything'; readonly missed: boolean }
  /** The database is closed. */
  | { readonly what: 'closed' }
) & {
  /** About how many bytes it takes. */
  readonly size: number;
};

/** What a thread that reads tells the main one. */
export type FollowerMessage =
  { readonly what: 'damaged'; readonly message: string } | { readonly what: 'columns damaged' };

/** Messages that are there, until the state that is read has what they tell. */
export class Inbox {
  readonly #waiting: SeatMessage[] = [];

  constructor(
    private readonly port: MessagePort,
    /** Told how many bytes were taken out of the port. */
    private readonly taken: (bytes: number) => void,
  ) {}

  /**
   * Takes out of the port what is there, and answers what a state with this number has, in order. To be called after the state is held: all that
   * it has was told before.
   */
  upTo(number: number): SeatMessage[] {
    const waiting = this.#waiting;
    for (;;) {
      const received = receiveMessageOnPort(this.port) as { readonly message: SeatMessage } | undefined;
      if (received === undefined) break;
      const { message } = received;
      this.taken(message.size);
      if (message.what !== 'lost') waiting.push(message);
      else {
        const at = waiting.findIndex((one) => one.what === 'commit' && one.serial === message.serial);
        if (at >= 0) waiting.splice(at, 1);
      }
    }
    // What has no number of its own belongs to what was told before it.
    let end = 0;
    while (end < waiting.length && lastOf(waiting[end]) <= number) end++;
    return waiting.splice(0, end);
  }
}

function lastOf(message: SeatMessage | undefined): number {
  return message?.what === 'commit' ? (message.numbers?.[1] ?? 0) : 0;
}
