/**
 * Threads that read: a bounded number, given in turns to who asks for long reads, and not all of them to one. They start with the first long read
 * and end when there was none for a while: at rest they cost nothing.
 */
import type { Transferable } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import { workerFile } from '../../../../shared/worker-path.js';
import { workerPool } from '../../../../shared/worker-pool.js';
import { GraphError } from '../../errors.js';
import { Turns } from '../turns.js';

/** Reads that wait: of all who ask, and as many of the service; of all whom nobody knows; of one. */
const MOST_WAITING = 1000;
const MOST_OF_UNKNOWN = 500;
const MOST_OF_ONE = 200;
const IDLE = 30_000;
/** Stands for the service among who asks. */
const OWN = '';

export class ReaderThreads {
  readonly #turns = new Turns<() => void>();
  /** Reads that run, by who asked. */
  readonly #running = new Map<string, number>();
  readonly #waiting = new Map<string, number>();
  /** Those of them whom nobody knows. */
  #unknown = 0;
  #free: number;
  #pool: Piscina | undefined;

  constructor(private readonly threads: number) {
    this.#free = Math.max(1, threads);
  }

  /**
   * Runs a job in a thread when it is its turn. `asker`: who asks; undefined: the service. `waiting` gets what takes the job out of the queue.
   * Throws `GraphError` `unavailable` where too many wait, and what the thread throws.
   */
  async run<T = void>(
    job: object,
    {
      file = 'graph/read',
      transferList = [],
    }: { readonly file?: string; readonly transferList?: readonly Transferable[] },
    asker: string | undefined,
    waiting?: (leave: () => void) => void,
  ): Promise<T> {
    if (!(await this.#place(asker, waiting))) return undefined as T;
    try {
      return (await this.#threads().run(job, { filename: workerFile(file), transferList: [...transferList] })) as T;
    } finally {
      this.#leave(asker);
    }
  }

  /** Whatever runs has been told to end. */
  async close(): Promise<void> {
    await this.#pool?.destroy();
    this.#pool = undefined;
  }

  /** Resolves at once, or when it is the job's turn; false: it left the queue. */
  #place(asker: string | undefined, waiting?: (leave: () => void) => void): Promise<boolean> | boolean {
    // Who waits while there is a place has had enough of them, and keeps nobody else from it.
    if (this.#free > 0 && this.#mayHave(asker)) {
      this.#take(asker);
      return true;
    }
    this.#mayWait(asker ?? OWN);
    return new Promise((resolve) => {
      this.#countWaiting(asker ?? OWN, 1);
      const over = (): void => {
        this.#countWaiting(asker ?? OWN, -1);
      };
      const begin = (): void => {
        over();
        this.#take(asker);
        resolve(true);
      };
      this.#turns.add(begin, asker);
      waiting?.(() => {
        if (!this.#turns.remove(begin, asker)) return;
        over();
        resolve(false);
      });
    });
  }

  /** Throws `GraphError` `unavailable`. */
  #mayWait(asker: string): void {
    const its = this.#waiting.get(asker) ?? 0;
    const ofOthers = this.#turns.length - (this.#waiting.get(OWN) ?? 0);
    const isOver =
      asker === OWN
        ? its >= MOST_WAITING
        : ofOthers >= MOST_WAITING || its >= MOST_OF_ONE || (isUnknown(asker) && this.#unknown >= MOST_OF_UNKNOWN);
    if (isOver) throw new GraphError('unavailable', 'Too many long queries wait; try again later.');
  }

  #countWaiting(asker: string, by: number): void {
    add(this.#waiting, asker, by);
    if (isUnknown(asker)) this.#unknown += by;
  }

  /** One who asks does not get all threads, where there are several. */
  readonly #mayHave = (asker: string | undefined): boolean =>
    asker === undefined || this.threads <= 1 || (this.#running.get(asker) ?? 0) < this.threads - 1;

  #take(asker: string | undefined): void {
    this.#free--;
    if (asker !== undefined) add(this.#running, asker, 1);
  }

  #leave(asker: string | undefined): void {
    this.#free++;
    if (asker !== undefined) add(this.#running, asker, -1);
    while (this.#free > 0) {
      const begin = this.#turns.next(this.#mayHave);
      if (begin === undefined) return;
      begin();
    }
  }

  #threads(): Piscina {
    this.#pool ??= workerPool({
      filename: workerFile('graph/read'),
      minThreads: 0,
      maxThreads: Math.max(1, this.threads),
      idleTimeout: IDLE,
      concurrentTasksPerWorker: 1,
    });
    return this.#pool;
  }
}

function isUnknown(asker: string): boolean {
  return asker.startsWith('/');
}

function add(counts: Map<string, number>, name: string, by: number): void {
  const count = (counts.get(name) ?? 0) + by;
  if (count <= 0) counts.delete(name);
  else counts.set(name, count);
}
