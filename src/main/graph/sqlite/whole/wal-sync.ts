/**
 * The durability half of group commit: one asynchronous fdatasync of the write-ahead log at a time. Whatever was
 * committed before it began is durable when it ends; what is committed meanwhile is covered by the next.
 */
import { close, closeSync, fdatasync, openSync } from 'node:fs';
import { GraphError } from '../../errors.js';

/** A promise that waits for durability. */
export interface Waiting {
  resolve(): void;
  reject(error: unknown): void;
}

export class WalSync {
  readonly #fd: number;
  #waiting: Waiting[] = [];
  #running = false;
  #failure: GraphError | undefined;
  #closed = false;
  /** Called when a sync has ended, before its waiters go on: the moment to commit what has gathered. */
  onIdle: () => void = () => undefined;

  constructor(walFile: string) {
    this.#fd = openSync(walFile, 'r+');
  }

  get busy(): boolean {
    return this.#running;
  }

  /** Set once a sync has failed. The kernel may have dropped the pages, so no later sync can be believed either. */
  get failure(): GraphError | undefined {
    return this.#failure;
  }

  /** Nothing is acknowledged any more. Returns the reason for those who wait. */
  failed(error: NodeJS.ErrnoException | GraphError): GraphError {
    if (error instanceof GraphError) return (this.#failure ??= error);
    const code = error.code === 'ENOSPC' || error.code === 'EDQUOT' ? 'storage_full' : 'unavailable';
    const message = `Writes cannot be made durable any more: ${error.message}`;
    this.#failure ??= new GraphError(code, message, undefined, { cause: error });
    return this.#failure;
  }

  /** Settles `waiting` when everything written to the log so far is on disk. */
  cover(waiting: readonly Waiting[]): void {
    if (this.#failure !== undefined) {
      for (const one of waiting) one.reject(this.#failure);
      return;
    }
    for (const one of waiting) this.#waiting.push(one);
    if (!this.#running) this.#start();
  }

  #start(): void {
    const covered = this.#waiting;
    this.#waiting = [];
    this.#running = true;
    fdatasync(this.#fd, (error) => {
      this.#running = false;
      if (error !== null) {
        const failure = this.failed(error);
        for (const one of [...covered, ...this.#waiting]) one.reject(failure);
        this.#waiting = [];
        this.onIdle();
        return;
      }
      // First the next commit and its sync, then the waiters: the disk is not to wait for their continuations.
      this.onIdle();
      if (!this.#running && this.#waiting.length > 0) this.#start();
      for (const one of covered) one.resolve();
    });
  }

  /** Resolves when all that was written is durable. */
  settled(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.cover([{ resolve, reject }]);
    });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#running) close(this.#fd);
    else closeSync(this.#fd);
  }
}
