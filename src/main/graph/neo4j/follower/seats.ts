/**
 * The threads that read a database of Neo4j, as the main thread sees them (docs/design/threads.md 16): each is told of a commit before the answer
 * to it leaves, and of what other instances have changed before anybody here shows it. Without threads nothing is done.
 */
import type { Notice } from '../../commits/notice.js';
import type { Neo4jSeat } from '../../seats/seat.js';
import { Clock } from '../../seats/clock.js';
import { SeatPorts, SIZE } from '../../seats/ports.js';
import { sizeOfTold, toldChanges } from '../../seats/told-changes.js';
import type { Change } from '../../types.js';
import type { IndexFacts } from '../indexes/indexes.js';
import type { Catalog } from '../query/catalog.js';
import type { FollowerMessage, News, SerialNews } from './messages.js';

export interface SeatsParts {
  readonly catalog: Pick<Catalog, 'takeAdded'>;
  readonly facts: () => IndexFacts;
  /** Parts of texts at this key were looked for in a thread. */
  readonly parts: (key: string) => void;
  /** What threads share of the state that they have shown. */
  readonly shown: SharedArrayBuffer;
  /** For tests: bytes instead of 64 MB. */
  readonly mostLeft?: number | undefined;
}

export class Seats {
  readonly #clock = new Clock();
  readonly #ports: SeatPorts<SerialNews, FollowerMessage>;
  #serial = 0;
  #reached = 0;
  /** What was told last of indexes. */
  #facts = '';

  constructor(private readonly parts: SeatsParts) {
    this.#ports = new SeatPorts<SerialNews, FollowerMessage>({
      // Of before what it could not be told: who has taken this has still to take what comes with it.
      missed: () => ({ what: 'missed', facts: parts.facts(), serial: this.#serial - 1 }),
      told: ({ key }) => {
        parts.parts(key);
      },
      mostLeft: parts.mostLeft,
    });
  }

  get isEmpty(): boolean {
    return this.#ports.isEmpty;
  }

  /** A place for one more thread, which reads in the database what was told before. */
  open(): Neo4jSeat {
    const { taken, port } = this.#ports.open();
    this.#ports.post(taken, { what: 'indexes', facts: this.parts.facts(), serial: this.#serial });
    const { shown } = this.parts;
    return { engine: 'neo4j', port, clock: this.#clock.memory, own: taken.own.memory, shown };
  }

  /** A commit of this instance is made, and nobody has been told of it yet. `everything`: nobody knows what it has changed. */
  committed(number: number, transaction: number | undefined, changes: readonly Change[] | 'everything'): void {
    if (this.isEmpty) return;
    const told = changes === 'everything' ? undefined : toldChanges([{ changes }]);
    const pairs = this.parts.catalog.takeAdded();
    const size = SIZE + (told === undefined ? 0 : sizeOfTold(told));
    this.#tell({ what: 'commit', number, transaction, changes: told, pairs }, size);
  }

  /** Other instances have changed this, up to this commit; who keeps something here is about to be told. */
  foreign(number: number, changes: Notice['changes']): void {
    if (this.isEmpty) return;
    const size = SIZE * (changes === 'everything' ? 1 : 1 + changes.length);
    this.#tell({ what: 'foreign', number, changes, pairs: this.parts.catalog.takeAdded() }, size);
  }

  /** All who keep something here have been told of all commits up to this one. */
  reached(number: number): void {
    if (this.isEmpty || number <= this.#reached) return;
    this.#reached = number;
    this.#tell({ what: 'reached', number });
  }

  /** Something may be known of indexes that was not. */
  indexes(): void {
    if (this.isEmpty) return;
    const facts = this.parts.facts();
    const text = JSON.stringify(facts);
    if (text === this.#facts) return;
    this.#facts = text;
    this.#tell({ what: 'indexes', facts });
  }

  /** Tells them that it is closed; resolves when they are, or soon. */
  async close(): Promise<void> {
    if (this.isEmpty) return;
    this.#tell({ what: 'closed' });
    await this.#ports.close();
  }

  /** First to all, then the clock: whoever sees that it has moved finds what it is about. */
  #tell(news: News, size = SIZE): void {
    const serial = ++this.#serial;
    this.#ports.toAll({ ...news, serial }, size);
    this.#clock.raise(serial);
  }
}
