import type { MessagePort } from 'node:worker_threads';

interface SeatBase {
  /** Says what is committed. */
  readonly port: MessagePort;
  /** The clock, which all threads share. */
  readonly clock: SharedArrayBuffer;
  /** What the main thread and this one tell each other. */
  readonly own: SharedArrayBuffer;
}

/** A place at the embedded database. */
export interface SqliteSeat extends SeatBase {
  readonly engine: 'sqlite';
  /** The file of the database. */
  readonly file: string;
}

/** A place at a database of Neo4j, to which the thread connects by itself. */
export interface Neo4jSeat extends SeatBase {
  readonly engine: 'neo4j';
  /** The last transaction of the database that any thread has shown, in a cluster. */
  readonly shown: SharedArrayBuffer;
}

/** What a thread is given to read the database of this process: to be handed to one thread, by `workerData` or a message, with `port` in the list of transfers. */
export type Seat = SqliteSeat | Neo4jSeat;
