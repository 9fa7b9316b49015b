/** Checksums that take long, beside the event loop: threads that start when they are needed and end when nobody needs them. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { workerFile } from '../../../shared/worker-path.js';
import type { ChecksumJob, ChecksumMessage } from '../../../workers/checksum.js';

/** Bytes a thread may be behind: of one content, and of all together. */
const BEHIND = 1024 * 1024;
const BEHIND_ALTOGETHER = 32 * 1024 * 1024;
const IDLE = 30_000;

/** The hashes of one content. */
export interface HashStream {
  /** Takes a copy; a promise when the sender is to wait. Throws when the thread has failed. */
  update(chunk: Uint8Array): Promise<void> | undefined;
  /** Lower-case hex by name. */
  values(): Promise<Readonly<Record<string, string>>>;
  /** Nobody wants them any more. */
  drop(): void;
}

export class HashThreads {
  readonly #threads: Thread[] = [];
  #next = 0;
  #behind = 0;

  constructor(private readonly most = Math.min(2, availableParallelism())) {}

  /** Hashes of these names (as OpenSSL knows them) for one content. */
  open(names: readonly string[]): HashStream {
    let thread = this.#threads.reduce<Thread | undefined>(
      (best, one) => (best === undefined || one.streams.size < best.streams.size ? one : best),
      undefined,
    );
    if (thread === undefined || (thread.streams.size > 0 && this.#threads.length < this.most)) {
      thread = new Thread((gone) => this.#threads.splice(this.#threads.indexOf(gone), 1));
      this.#threads.push(thread);
    }
    const all = {
      add: (bytes: number) => (this.#behind += bytes),
      full: () => this.#behind > BEHIND_ALTOGETHER,
    };
    return new Stream(this.#next++, names, thread, all);
  }
}

/** What all streams have in common. */
interface Altogether {
  add(bytes: number): void;
  full(): boolean;
}

class Thread {
  readonly streams = new Map<number, Stream>();
  private readonly worker = new Worker(new URL(workerFile('checksum')));
  private idle: NodeJS.Timeout | undefined;

  constructor(private gone: (thread: Thread) => void) {
    // The process may end while a thread has nothing to do.
    this.worker.unref();
    this.worker.on('message', (message: ChecksumMessage) => this.streams.get(message.id)?.told(message));
    this.worker.once('error', (error) => {
      this.end(new Error('The thread that computes checksums failed.', { cause: error }));
    });
    this.worker.once('exit', () => {
      this.end(new Error('The thread that computes checksums ended.'));
    });
  }

  enter(id: number, stream: Stream): void {
    clearTimeout(this.idle);
    this.streams.set(id, stream);
  }

  leave(id: number): void {
    if (!this.streams.delete(id) || this.streams.size > 0) return;
    this.idle = setTimeout(() => {
      this.gone(this);
      void this.worker.terminate();
    }, IDLE).unref();
  }

  post(job: ChecksumJob, transfer: ArrayBuffer[] = []): void {
    this.worker.postMessage(job, transfer);
  }

  private end(error: Error): void {
    clearTimeout(this.idle);
    this.gone(this);
    this.gone = () => undefined;
    for (const stream of this.streams.values()) stream.fail(error);
    this.streams.clear();
  }
}

class Stream implements HashStream {
  #behind = 0;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;
  #values: Readonly<Record<string, string>> | undefined;

  constructor(
    private readonly id: number,
    names: readonly string[],
    private readonly thread: Thread,
    private readonly all: Altogether,
  ) {
    thread.enter(id, this);
    thread.post({ id, names });
  }

  update(chunk: Uint8Array): Promise<void> | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    // A copy of its own: the storage still writes from the sender's, and what is transferred is gone here.
    const bytes = new Uint8Array(chunk);
    this.#count(bytes.length);
    this.thread.post({ id: this.id, bytes }, [bytes.buffer]);
    return this.#mayGoOn() ? undefined : this.#told();
  }

  async values(): Promise<Readonly<Record<string, string>>> {
    if (this.#failure !== undefined) throw this.#failure;
    this.thread.post({ id: this.id, end: 'values' });
    while (this.#values === undefined) await this.#told();
    this.thread.leave(this.id);
    return this.#values;
  }

  drop(): void {
    this.#count(-this.#behind);
    if (this.#failure === undefined && this.#values === undefined) this.thread.post({ id: this.id, end: 'nothing' });
    this.thread.leave(this.id);
  }

  told(message: ChecksumMessage): void {
    if ('values' in message) this.#values = message.values;
    else this.#count(-message.taken);
    if (this.#values !== undefined || this.#mayGoOn()) this.#wakeUp();
  }

  fail(error: Error): void {
    this.#failure = error;
    this.#count(-this.#behind);
    this.#wakeUp();
  }

  /** Whoever has given all away that he had may always give one more, so that nobody waits for others alone. */
  #mayGoOn(): boolean {
    return this.#behind === 0 || (this.#behind <= BEHIND && !this.all.full());
  }

  async #told(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    if (this.#failure !== undefined) throw this.#failure;
  }

  #wakeUp(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  #count(bytes: number): void {
    this.#behind += bytes;
    this.all.add(bytes);
  }
}
