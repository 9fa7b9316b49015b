/** The thread that appends to the files, as the loop sees it. */
import { Worker } from 'node:worker_threads';
import { workerFile } from '../../../shared/worker-path.js';
import type { AppendJob, AppendMessage, AppendStart } from '../../../workers/changelog/append.js';
import type { PositionedText } from './files/appender.js';

export interface AppendListener {
  /** All up to this position is on the disk. */
  synced(position: number): void;
  /** Something was removed of so many files. */
  swept(files: number): void;
  /** The disk refuses, and is tried again. */
  refused(problem: string): void;
  /** The thread is no more, though nobody has ended it. */
  failed(error: Error): void;
}

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class AppendThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #next = 0;
  /** Characters that are posted, or wait in the thread. */
  #behind = 0;
  #posted = 0;
  #less: (() => void)[] = [];
  #ended = false;

  constructor(
    start: AppendStart,
    private readonly listener: AppendListener,
  ) {
    this.#worker = new Worker(new URL(workerFile('changelog/append')), { workerData: start });
    this.#worker.unref();
    this.#worker.on('message', (message: AppendMessage) => {
      this.#told(message);
    });
    this.#worker.once('error', (error) => {
      this.#gone(error);
    });
    this.#worker.once('exit', () => {
      this.#gone(new Error('the thread that writes the changelog has ended'));
    });
  }

  /** Characters that it has not written yet, about. */
  get behind(): number {
    return this.#behind + this.#posted;
  }

  append(records: readonly PositionedText[], again: boolean): void {
    for (const [, text] of records) this.#posted += text.length;
    this.#post({ records, again });
  }

  /** Resolves when it has written something, or is no more. */
  news(): Promise<void> {
    return this.#ended ? Promise.resolve() : new Promise((resolve) => this.#less.push(resolve));
  }

  /** What was appended for these files is in them afterwards. Throws what the disk says. */
  show(paths: readonly string[]): Promise<void> {
    return this.#ask((show) => ({ show, paths }));
  }

  /** Everything that was appended is on the disk afterwards. Throws what the disk says. */
  settle(): Promise<void> {
    return this.#ask((settle) => ({ settle }));
  }

  /** Bytes from which on files are put aside; 0: never. */
  limit(longest: number): void {
    this.#post({ longest });
  }

  /** Removes what is older (milliseconds since 1970), beside other work. */
  sweep(before: number): void {
    this.#post({ sweep: before });
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#worker.terminate();
  }

  #ask(job: (id: number) => AppendJob): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#ended) {
        reject(new Error('the thread that writes the changelog has ended'));
        return;
      }
      const id = ++this.#next;
      this.#waiting.set(id, { resolve, reject });
      this.#post(job(id));
    });
  }

  #post(job: AppendJob): void {
    if (!this.#ended) this.#worker.postMessage(job);
  }

  #told(message: AppendMessage): void {
    if ('synced' in message) {
      this.#behind = message.waiting;
      this.#posted = 0;
      for (const resolve of this.#less.splice(0)) resolve();
      this.listener.synced(message.synced);
      return;
    }
    if ('done' in message) {
      const waiting = this.#waiting.get(message.done);
      this.#waiting.delete(message.done);
      if (message.problem === undefined) waiting?.resolve();
      else waiting?.reject(new Error(message.problem));
      return;
    }
    if ('swept' in message) this.listener.swept(message.swept);
    else this.listener.refused(message.problem);
  }

  #gone(error: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const resolve of this.#less.splice(0)) resolve();
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.listener.failed(error);
  }
}
