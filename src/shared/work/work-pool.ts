/**
 * A bounded pool for one kind of work: so much at a time, so much that waits, what somebody waits for before what nobody waits for.
 * Work runs in a thread (`run`), or elsewhere while it has a place here (`hold`), as a process of ffmpeg does.
 */
import type { Piscina } from 'piscina';
import { workerFile } from '../worker-path.js';
import { workerPool } from '../worker-pool.js';
import { WorkError } from './errors.js';
import { WorkFigures } from './figures.js';

export interface WorkPoolOptions {
  /** For messages and metrics. */
  readonly name: string;
  /** How much runs at a time. */
  readonly threads: number;
  /** How much may wait. */
  readonly waiting: number;
  /** Most that the JavaScript of one thread may have in memory (MB). */
  readonly memory: number;
}

/** Who waits for work: a client now, or nobody. */
export type Priority = 'asked' | 'background';

/** How work is done. */
export interface Work {
  /** What is done, in a few words, for messages and metrics: few different ones. */
  readonly what: string;
  /** Milliseconds it may take, once it has begun. */
  readonly time: number;
  /** Absent: `asked`. */
  readonly priority?: Priority;
  /** Aborted when nobody wants it any more: work that waits is forgotten, work that runs is ended. */
  readonly signal?: AbortSignal | undefined;
}

/** Work for a thread. */
export interface ThreadWork extends Work {
  /** A file below `src/workers`, without its ending. */
  readonly file: string;
  /** Memory that the thread gets instead of a copy; such work is not run once more. */
  readonly transfer?: readonly ArrayBuffer[];
  /** Absent: true. Whether it is run once more when its thread ends under it. */
  readonly again?: boolean;
  /** Told when a thread has ended under it. */
  readonly died?: (() => void) | undefined;
}

interface Waiting {
  readonly begin: () => void;
  readonly end: (error: WorkError) => void;
}

const IDLE = 10_000;
/** How the package says that a thread has ended under its task. */
const ENDED = /^(?:Terminating worker thread|worker exited with code)/;
/** How much one finds that was run once more. */
const TRIES = 2;

/** All that are there, for who watches the process. */
const pools = new Set<WorkPool>();

/** How the pools of the process are doing. */
export function workFigures(): readonly WorkFigures[] {
  return [...pools].map(({ figures }) => figures);
}

export class WorkPool {
  readonly figures: WorkFigures;
  readonly #waiting: Readonly<Record<Priority, Set<Waiting>>> = { asked: new Set(), background: new Set() };
  /** Ends each piece of work that runs. */
  readonly #ends = new Set<() => void>();
  #running = 0;
  #pool: Piscina | undefined;
  #closed = false;

  constructor(private readonly options: WorkPoolOptions) {
    this.figures = new WorkFigures(options.name, () => ({ running: this.#running, waiting: this.waiting }));
    pools.add(this);
  }

  /** How much waits. */
  get waiting(): number {
    return this.#waiting.asked.size + this.#waiting.background.size;
  }

  /** Places: how much can run at a time. */
  get places(): number {
    return this.options.threads;
  }

  /**
   * Has a thread do the work. Throws `WorkError`, and what the work itself throws, as far as that gets from one thread to another:
   * a worker that wants to say what is wrong with its input answers an `Outcome`.
   */
  async run<T>(job: object, work: ThreadWork): Promise<T> {
    const tries = work.again === false || work.transfer !== undefined ? 1 : TRIES;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.hold(work, (signal) => this.#inThread<T>(job, work, signal));
      } catch (error) {
        if (!(error instanceof WorkError) || error.code !== 'died') throw error;
        work.died?.();
        if (attempt >= tries) throw error;
      }
    }
  }

  /**
   * Runs a function that waits for something outside, a process for example, as one piece of this pool's work. The signal is aborted
   * when it is to end, with the `WorkError` that is thrown then. Throws `WorkError`, and what the function throws.
   */
  async hold<T>(work: Work, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const asked = performance.now();
    await this.#place(work);
    const control = new AbortController();
    const end = (code: 'time' | 'gone', message: string): void => control.abort(new WorkError(code, message));
    const late = (): void => end('time', `${work.what} took longer than ${String(work.time / 1000)} s`);
    const gone = (): void => end('gone', `nobody waits for ${work.what} any more`);
    const close = (): void => end('gone', 'the server is ending');
    this.#ends.add(close);
    const timer = Number.isFinite(work.time) ? setTimeout(late, work.time).unref() : undefined;
    work.signal?.addEventListener('abort', gone, { once: true });
    const begun = performance.now();
    let failed = true;
    try {
      if (work.signal?.aborted === true) gone();
      if (this.#closed) close();
      control.signal.throwIfAborted();
      const value = await run(control.signal);
      failed = false;
      return value;
    } catch (error) {
      // What is told of an ending is why, not how it showed.
      if (control.signal.aborted) throw control.signal.reason;
      throw error;
    } finally {
      this.#ends.delete(close);
      clearTimeout(timer);
      work.signal?.removeEventListener('abort', gone);
      this.figures.add(work.what, (begun - asked) / 1000, (performance.now() - begun) / 1000, failed);
      this.#leave();
    }
  }

  /** What waits is refused, what runs is ended. */
  async close(): Promise<void> {
    this.#closed = true;
    pools.delete(this);
    for (const waiting of Object.values(this.#waiting)) {
      for (const one of waiting) one.end(new WorkError('gone', 'the server is ending'));
      waiting.clear();
    }
    // Before their threads end: it is not their work that ends those.
    for (const end of this.#ends) end();
    await this.#pool?.destroy();
  }

  /** Resolves when it is this work's turn. */
  #place({ what, priority = 'asked', signal }: Work): Promise<void> {
    if (this.#closed) return Promise.reject(new WorkError('gone', 'the server is ending'));
    if (this.#running < this.options.threads && this.waiting === 0) {
      this.#running++;
      return Promise.resolve();
    }
    if (this.waiting >= this.options.waiting) {
      return Promise.reject(new WorkError('busy', `too much work waits for ${what}; try again later`));
    }
    const queue = this.#waiting[priority];
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        queue.delete(one);
        signal?.removeEventListener('abort', gone);
      };
      const gone = (): void => one.end(new WorkError('gone', `nobody waits for ${what} any more`));
      const one: Waiting = {
        begin: () => {
          leave();
          resolve();
        },
        end: (error) => {
          leave();
          reject(error);
        },
      };
      queue.add(one);
      signal?.addEventListener('abort', gone, { once: true });
      if (signal?.aborted === true) gone();
    });
  }

  #leave(): void {
    this.#running--;
    const { asked, background } = this.#waiting;
    const next = first(asked) ?? first(background);
    if (next === undefined) return;
    this.#running++;
    next.begin();
  }

  async #inThread<T>(job: object, work: ThreadWork, signal: AbortSignal): Promise<T> {
    try {
      const options = { filename: workerFile(work.file), signal, transferList: [...(work.transfer ?? [])] };
      return (await this.#threads().run(job, options)) as T;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
        throw new WorkError('memory', `${work.what} takes too much memory`, { cause: error });
      }
      if (ENDED.test(error.message)) {
        throw new WorkError('died', `the thread of ${work.what} ended`, { cause: error });
      }
      throw error;
    }
  }

  /** They begin with the first work and end when there was none for a while. */
  #threads(): Piscina {
    const { threads, memory } = this.options;
    this.#pool ??= workerPool(
      {
        minThreads: 0,
        maxThreads: threads,
        idleTimeout: IDLE,
        concurrentTasksPerWorker: 1,
        resourceLimits: { maxOldGenerationSizeMb: memory },
      },
      this.options.name,
    );
    return this.#pool;
  }
}

function first<T>(set: ReadonlySet<T>): T | undefined {
  for (const one of set) return one;
  return undefined;
}
