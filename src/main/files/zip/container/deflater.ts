/** The threads that deflate for all archives that are being made. */
import { availableParallelism } from 'node:os';
import type { Piscina } from 'piscina';
import { workerFile } from '../../../../shared/worker-path.js';
import { workerPool } from '../../../../shared/worker-pool.js';
import type { DeflateJob } from '../../../../workers/deflate.js';

/** How far back deflate looks for repetitions. */
const WINDOW = 32 * 1024;

export class Deflater {
  #pool: Piscina | undefined;

  constructor(private readonly level: () => number) {}

  /** Deflates a piece of a file. `before`: the end of the piece before it, as `tail` gives it. */
  deflate(bytes: Buffer, before: Buffer | undefined, last: boolean): Promise<Uint8Array> {
    // A copy moves to the thread: whose memory the bytes are in is not known here.
    const own = new Uint8Array(bytes);
    const job: DeflateJob = { bytes: own, before, level: this.level(), last };
    return this.#threads().run(job, { transferList: [own.buffer] }) as Promise<Uint8Array>;
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
    this.#pool = undefined;
  }

  /** Threads begin with the first archive and end when there was none for a while: at rest they cost nothing. */
  #threads(): Piscina {
    this.#pool ??= workerPool({
      filename: workerFile('deflate'),
      minThreads: 0,
      maxThreads: availableParallelism(),
      idleTimeout: 10_000,
      concurrentTasksPerWorker: 1,
    });
    return this.#pool;
  }
}

/** The end of a piece, to which the next one may refer. */
export function tail(bytes: Buffer): Buffer {
  return bytes.subarray(-WINDOW);
}
