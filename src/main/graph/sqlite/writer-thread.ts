/** The writer's thread as the loop sees it: one job at a time (ARCHITECTURE.md, "The writer's thread"). */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { WriterCommit, WriterData, WriterJob, WriterSync } from '../../../workers/graph-write.js';
import { workerFile } from '../../../shared/worker-path.js';
import { GraphError, type GraphErrorCode } from '../errors.js';
import type { StatementLog } from '../statement-log.js';
import { StatementNumbers, type WriteRecord } from './write-record.js';

export interface ThreadOptions {
  readonly file: string;
  readonly cacheMegabytes: number;
  /** Told when the thread cannot be used; all is written on the loop then. */
  readonly onError: (error: unknown) => void;
  /** Units in a batch from which on the next one may be recorded (8); 0: all that can be, for tests. */
  readonly from?: number | undefined;
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
    this.#worker = new Worker(new URL(workerFile('graph-write')), { workerData: data, transferList: [port2] });
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

  /** Runs, commits and syncs a record, none being in work but the sync of the last one. */
  run(record: WriteRecord, job: ThreadJob): void {
    // `from` would walk the list by its iterator: five times as long.
    const numbers = new Float64Array(record.numbers);
    const order: WriterJob = {
      statements: this.numbers.from(this.#known),
      record: { numbers, text: record.text },
      slow: this.#statements?.slow ?? Infinity,
    };
    this.#known = this.numbers.count;
    this.#job = job;
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
    const { failure, slow } = message;
    for (const [text, milliseconds] of slow) this.#statements?.took(text, milliseconds);
    const job = this.#job;
    this.#job = undefined;
    if (failure === undefined) this.#syncing = job;
    job?.committed(failure === undefined ? undefined : new GraphError(failure.code as GraphErrorCode, failure.message));
    this.#tell();
  }

  /** Resolves when the next job is committed or durable, and when there is no thread any more. */
  async news(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** When whoever hears of a job has done what comes next. */
  #tell(): void {
    if (!this.busy && !this.syncing) this.#port.unref();
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #break(reason: string): void {
    this.#ready = false;
    const error = new GraphError('unavailable', `The thread that writes the database is no more: ${reason}.`);
    const job = this.#job;
    this.#job = undefined;
    const syncing = this.#syncing;
    this.#syncing = undefined;
    this.broken(error, job !== undefined || syncing !== undefined);
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
