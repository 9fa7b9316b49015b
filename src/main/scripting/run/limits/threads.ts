/** Threads for what functions do that takes long, or more memory than can be told before: they end what gets too much. */
import type { Piscina } from 'piscina';
import { missingPackage } from '../../../../shared/optional-package.js';
import { workerFile } from '../../../../shared/worker-path.js';
import { workerPool } from '../../../../shared/worker-pool.js';
import type { Outcome } from '../../../../workers/outcome.js';
import type { Config } from '../../../config/index.js';
import { ScriptError } from '../../language/errors.js';
import { waitingSignal, type Bounded } from './signals.js';

/** A file below `src/workers`. */
export type ThreadWork =
  | 'documents/barcode'
  | 'geo/coverage'
  | 'geo/geometry'
  | 'html/css-rules'
  | 'html/css-urls'
  | 'html/markup'
  | 'html/select'
  | 'html/tree'
  | 'documents/pdf-encrypt'
  | 'geo/projection'
  | 'geo/shapefile'
  | 'documents/spreadsheet-read'
  | 'documents/spreadsheet-write'
  | 'documents/xpath';

const MEMORY_MB = 512;
const MOST_WAITING = 200;

export class ScriptThreads {
  #pool: Piscina | undefined;

  constructor(
    private readonly config: Pick<Config, 'get'>,
    /** Work that waits. */
    private readonly most: number = MOST_WAITING,
  ) {}

  /**
   * Has a thread do the work of a function. `what`: its name for messages. Throws `ScriptError` 422 when that takes too much time or
   * memory, 503 when too many wait, and 501 when its package is not installed. `time`: milliseconds that it may take, where that is less than
   * `application.scripting.threads.timeout`. `given`: memory that the thread gets instead of a copy.
   */
  async run<T>(
    work: ThreadWork,
    job: object,
    what: string,
    { run, time = Infinity }: { readonly run: Bounded; readonly time?: number },
    given: ArrayBuffer[] = [],
  ): Promise<Outcome<T>> {
    const pool = this.#threads();
    if (pool.queueSize >= this.most) {
      throw new ScriptError(503, `Too much work waits for ${what}; try again later.`);
    }
    const { signal, stop } = waitingSignal(
      run,
      Math.min(time, this.config.get('application.scripting.threads.timeout') * 1000),
    );
    try {
      return (await pool.run(job, { filename: workerFile(work), signal, transferList: given })) as Outcome<T>;
    } catch (error) {
      if (signal.aborted && signal.reason instanceof Error) {
        throw new ScriptError(422, `${what} was ended: ${signal.reason.message}.`, [], { cause: error });
      }
      if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
        throw new ScriptError(422, `${what} was ended: it takes too much memory.`, [], { cause: error });
      }
      const missing = missingPackage(error);
      if (missing !== undefined) throw new ScriptError(501, `${what}: ${missing.message}`, [], { cause: error });
      throw error;
    } finally {
      stop();
    }
  }

  /** They begin with the first work and end when there was none for a while. */
  #threads(): Piscina {
    this.#pool ??= workerPool({
      minThreads: 0,
      maxThreads: 2,
      idleTimeout: 10_000,
      concurrentTasksPerWorker: 1,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    return this.#pool;
  }
}
