/** Threads for what functions do that takes long, or more memory than can be told before: they end what gets too much. */
import { missingPackage } from '../../../../shared/optional-package.js';
import { WorkError, WorkPool } from '../../../../shared/work/index.js';
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
const THREADS = 2;
const MOST_WAITING = 200;

/** They are the scripts' own: what users have computed must not keep others from their images. */
export class ScriptThreads {
  readonly #pool: WorkPool;

  constructor(
    private readonly config: Pick<Config, 'get'>,
    /** Work that waits. */
    most: number = MOST_WAITING,
  ) {
    this.#pool = new WorkPool({ name: 'scripts', threads: THREADS, waiting: most, memory: MEMORY_MB });
  }

  /**
   * Has a thread do the work of a function. `what`: its name for messages. Throws `ScriptError` 422 when that takes too much time or
   * memory, 503 when too many wait, and 501 when its package is not installed. `time`: milliseconds that it may take, where that is less than
   * `application.scripting.threads.timeout`. `given`: memory that the thread gets instead of a copy.
   */
  async run<T>(
    file: ThreadWork,
    job: object,
    what: string,
    { run, time = Infinity }: { readonly run: Bounded; readonly time?: number },
    given: ArrayBuffer[] = [],
  ): Promise<Outcome<T>> {
    const { signal, stop } = waitingSignal(
      run,
      Math.min(time, this.config.get('application.scripting.threads.timeout') * 1000),
    );
    try {
      return await this.#pool.run<Outcome<T>>(job, {
        file,
        what: 'functions of scripts',
        time: Infinity,
        signal,
        again: false,
        transfer: given,
      });
    } catch (error) {
      if (signal.aborted && signal.reason instanceof Error) {
        throw new ScriptError(422, `${what} was ended: ${signal.reason.message}.`, [], { cause: error });
      }
      if (error instanceof WorkError && error.code === 'busy') {
        throw new ScriptError(503, `Too much work waits for ${what}; try again later.`, [], { cause: error });
      }
      if (error instanceof WorkError && error.code === 'memory') {
        throw new ScriptError(422, `${what} was ended: it takes too much memory.`, [], { cause: error });
      }
      const missing = missingPackage(error);
      if (missing !== undefined) throw new ScriptError(501, `${what}: ${missing.message}`, [], { cause: error });
      throw error;
    } finally {
      stop();
    }
  }
}
