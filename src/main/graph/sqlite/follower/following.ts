/** Brings what a thread that reads keeps in memory to the state that it reads. */
import type { Connection } from '../connection/connection.js';
import { CounterDelta, type CounterKind } from '../indexes/counters.js';
import type { Store } from '../reading/store.js';
import type { CommitMessage, CounterChanges, SeatMessage } from './messages.js';
import type { States } from './states.js';
import type { Telling } from '../../seats/telling.js';
import { nodesOf } from '../../seats/told-changes.js';
import type { StateIndexes } from './twins.js';

const KINDS: readonly CounterKind[] = ['node', 'rel', 'flag'];

export class Following {
  /** Number of the last commit that was taken in. */
  #number = -1;
  isClosed = false;

  constructor(
    private readonly store: Store,
    private readonly indexes: StateIndexes,
    private readonly telling: Telling,
    private readonly states: () => Pick<States, 'committed'>,
  ) {}

  /** The state with this number is read on this connection from now on, and `messages` say what it has that the one before had not. */
  took(messages: readonly SeatMessage[], number: number, connection: Connection): void {
    if (messages.some(({ what }) => what === 'closed')) this.isClosed = true;
    for (const message of messages) {
      if (message.what === 'commit') for (const [id, text] of message.names) this.store.names.put(id, text);
    }
    if (this.#isWhole(messages, number)) for (const message of messages) this.#take(message, connection);
    else this.#anew(connection);
    this.#number = number;
    this.telling.tell();
  }

  /** Whether the messages tell all that has happened. */
  #isWhole(messages: readonly SeatMessage[], number: number): boolean {
    let at = this.#number;
    for (const message of messages) {
      if (message.what === 'everything' && message.missed) return false;
      if (message.what !== 'commit') continue;
      if (message.isWhole) return false;
      if (message.numbers === undefined) continue;
      if (message.numbers[0] !== at + 1) return false;
      at = message.numbers[1];
    }
    return at === number;
  }

  #take(message: SeatMessage, connection: Connection): void {
    switch (message.what) {
      case 'commit':
        this.#commit(message);
        break;
      case 'counters':
        this.store.counters.apply(deltaOf(message.counters));
        break;
      case 'indexes':
        this.indexes.load(connection, this.store.names);
        break;
      case 'everything':
        this.store.forget();
        this.telling.add(undefined);
        break;
      default:
        break;
    }
  }

  #commit({ numbers, counters, types, entries, changes }: CommitMessage): void {
    const delta = deltaOf(counters);
    const touched = changes === undefined ? [] : [...nodesOf(changes)];
    const isWhole = changes === undefined;
    if (numbers !== undefined) this.states().committed({ touched, delta, isWhole });
    this.store.took({ touched, entries, isWhole, latest: () => undefined }, types);
    this.store.counters.apply(delta);
    if (numbers !== undefined) this.telling.add(changes);
  }

  /** Nobody has told what has happened: all is read anew. Counting takes some 40 ms a million rows. */
  #anew(connection: Connection): void {
    const { names, counters } = this.store;
    names.load(connection);
    const delta = counters.difference(connection);
    this.states().committed({ touched: [], delta, isWhole: true });
    this.store.forget();
    counters.apply(delta);
    this.indexes.load(connection, names);
    this.telling.add(undefined);
  }
}

function deltaOf(counters: CounterChanges): CounterDelta {
  const delta = new CounterDelta();
  for (const kind of KINDS) for (const [type, by] of counters[kind]) delta.add(kind, type, by);
  return delta;
}
