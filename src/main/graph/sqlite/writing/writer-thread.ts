/** The writer's thread as the loop sees it: one job at a time (docs/design/writer.md). */
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import type { WriterCommit, WriterData, WriterEnd, WriterJob, WriterSync } from '../../../../workers/graph/write.js';
import { workerFile } from '../../../../shared/worker-path.js';
import { GraphError, type GraphErrorCode } from '../../errors.js';
import type { StatementLog } from '../../statement-log.js';
import { StatementNumbers, type WriteRecord } from './write-record.js';

export interface ThreadOptions {
  readonly file: string;
  readonly cacheMegabytes: number;
  /** Told when the thread cannot be used; all is written on the loop then. */
  readonly onError: (error: unknown) => void;
  /** Units in a batch from which on the next one may be recorded (8); 0: all that can be, for tests. */
  readonly from?: number | undefined;
  /** Operations from which on a transaction is large (1,000), and of which a piece of it has some; 1: as many pieces as can be, for tests. */
  readonly largeFrom?: number | undefined;
  /** Hears of slow statements. While it wants to hear of all, they run on the loop. */
  readonly statements?: StatementLog | undefined;
}

/** What hears of a job. */
export interface ThreadJob {
  /** It is committed, or, with a failure, nothing of it was written. */
  committed(failure: GraphError | undefined): void;
  /** It is durable, or, with an error, never will be. After `committed` without a failure. */
  durable(error: NodeJS.ErrnoException | undefined): void;
}

/** Operations from which on a transaction is handed over in pieces. */
export const LARGE = 1000;
/** Pieces that are on their way to the thread at most: some MB. */
const MOST_PIECES = 4;

export class WriterThread {
  /** Resolves when it can be used, or never will. */
  readonly started: Promise<void>;
  readonly numbers = new StatementNumbers();
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #statements: StatementLog | undefined;
  #known = 0;
  #ready = false;
  #closing = false;
  #ended = false;
  #job: ThreadJob | undefined;
  /** The job that is committed and not durable yet. */
  #syncing: ThreadJob | undefined;
  readonly #waiting: (() => void)[] = [];
  /** Pieces that were sent and have not run yet. */
  #pieces = 0;
  /** Pieces were sent, and the transaction that they are of has not ended. */
  #inPieces = false;
  #pieceFailure: GraphError | undefined;

  /**
   * `broken`: the thread is no more. With `working`, nobody knows whether its last job was committed.
   */
  constructor(
    { file, cacheMegabytes, statements }: ThreadOptions,
    private readonly broken: (error: GraphError, working: boolean) => void,
  ) {
    this.#statements = statements;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    const data: WriterData = { file, cacheMegabytes, port: port2 };
    this.#worker = new Worker(new URL(workerFile('graph/write')), { workerData: data, transferList: [port2] });
    this.#worker.unref();
    let reason = 'it has ended';
    this.#worker.once('error', (error: Error) => {
      reason = error.message;
    });
    this.started = new Promise((resolve) => {
      this.#worker.once('message', () => {
        this.#ready = !this.#closing;
        resolve();
      });
      this.#worker.once('exit', () => {
        this.#ended = true;
        resolve();
        if (!this.#closing) this.#break(reason);
      });
    });
    port1.on('message', (message: WriterCommit | WriterSync) => {
      this.#take(message);
    });
    port1.unref();
  }

  get ready(): boolean {
    return this.#ready;
  }

  /** It has a job that is not committed yet. */
  get busy(): boolean {
    return this.#job !== undefined;
  }

  /** A job is committed that is not durable yet. The next one may be handed over; it is begun when the disk has answered. */
  get syncing(): boolean {
    return this.#syncing !== undefined;
  }

  /** Runs, commits and syncs a record, or the last piece of one, none being in work but the sync of the last one. */
  run(record: WriteRecord, job: ThreadJob): void {
    this.#job = job;
    this.#send(record, 'commit');
  }

  /**
   * Runs a piece of what one transaction writes, which `run` or `takeBack` ends. To be awaited when it is something: enough is on its
   * way. Throws, or rejects, when the pieces before it could not be written.
   */
  piece(record: WriteRecord): Promise<void> | undefined {
    this.#checkPieces();
    this.#inPieces = true;
    this.#pieces++;
    this.#send(record, 'more');
    return this.#pieces < MOST_PIECES ? undefined : this.#room();
  }

  async #room(): Promise<void> {
    while (this.#pieces >= MOST_PIECES && !this.#ended) await this.news();
    this.#checkPieces();
  }

  #checkPieces(): void {
    if (this.#pieceFailure !== undefined) throw this.#pieceFailure;
  }

  /** Resolves when nothing is left of the pieces that were sent. */
  async takeBack(): Promise<void> {
    if (!this.#inPieces) return;
    this.#send(undefined, 'take back');
    while (this.#inPieces) await this.news();
  }

  #send(record: WriteRecord | undefined, end: WriterEnd): void {
    // `from` would walk the list by its iterator: five times as long.
    const numbers = new Float64Array(record?.numbers ?? []);
    const order: WriterJob = {
      end,
      statements: this.numbers.from(this.#known),
      record: { numbers, text: record?.text ?? '' },
      slow: this.#statements?.slow ?? Infinity,
    };
    this.#known = this.numbers.count;
    this.#port.ref();
    this.#port.postMessage(order, [numbers.buffer]);
  }

  #take(message: WriterCommit | WriterSync): void {
    if ('error' in message) {
      const { error } = message;
      const durable = this.#syncing;
      this.#syncing = undefined;
      durable?.durable(error === undefined ? undefined : Object.assign(new Error(error.message), error));
      this.#tell();
      return;
    }
    const { end, slow } = message;
    for (const [text, milliseconds] of slow) this.#statements?.took(text, milliseconds);
    const failure = failureOf(message);
    if (end === 'more') {
      this.#pieces--;
      this.#pieceFailure ??= failure;
    } else {
      this.#inPieces = false;
      this.#pieceFailure = undefined;
    }
    if (end === 'commit') {
      const job = this.#job;
      this.#job = undefined;
      if (failure === undefined) this.#syncing = job;
      job?.committed(failure);
    }
    this.#tell();
  }

  /** Resolves when the next job is committed or durable, and when there is no thread any more. */
  async news(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Takes in at once what it has said. */
  hear(): void {
    for (;;) {
      const said = receiveMessageOnPort(this.#port) as { readonly message: WriterCommit | WriterSync } | undefined;
      if (said === undefined) return;
      this.#take(said.message);
    }
  }

  /** When whoever hears of a job has done what comes next. */
  #tell(): void {
    if (!this.busy && !this.syncing && !this.#inPieces) this.#port.unref();
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #break(reason: string): void {
    this.#ready = false;
    const error = new GraphError('unavailable', `The thread that writes the database is no more: ${reason}.`);
    const job = this.#job;
    this.#job = undefined;
    const syncing = this.#syncing;
    this.#syncing = undefined;
    const working = job !== undefined || syncing !== undefined || this.#inPieces;
    this.#inPieces = false;
    this.#pieces = 0;
    this.#pieceFailure = error;
    this.broken(error, working);
    // What was lost first: whoever hears that nothing is durable goes on with what relies on it.
    job?.committed(error);
    syncing?.durable(error);
    this.#tell();
  }

  /** Ends the thread after its job, its connection closed. */
  async close(): Promise<void> {
    if (this.#closing) return;
    this.#ready = false;
    while (this.busy || this.syncing) await this.news();
    this.#closing = true;
    if (!this.#ended) {
      const ended = new Promise((resolve) => this.#worker.once('exit', resolve));
      this.#worker.ref();
      this.#port.postMessage(undefined);
      await ended;
    }
    this.#port.close();
  }
}

function failureOf({ failure }: WriterCommit): GraphError | undefined {
  return failure === undefined ? undefined : new GraphError(failure.code as GraphErrorCode, failure.message);
}
