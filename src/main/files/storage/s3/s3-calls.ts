/** Requests to an S3 server: each with a time limit, tried again when that may help, its failure a `FilesError`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { S3ServiceException } from '@aws-sdk/client-s3';
import { logger } from '../../../../shared/log.js';
import { FilesError } from '../../errors.js';

const log = logger('files.s3');

const ATTEMPTS = 3;
/** A server that is silent is not waited for as often as one that answers with an error. */
const SILENT_ATTEMPTS = 2;
/** Milliseconds before the second attempt; each further one waits longer. */
const PAUSE = 200;
const TRANSIENT: ReadonlySet<string> = new Set([
  'BadDigest',
  'RequestTimeout',
  'RequestTimeTooSkewed',
  'SlowDown',
  'Throttling',
  'TooManyRequestsException',
]);

/** A server that has said nothing for too long. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError';
}

/** Ends what it watches when nothing happens for some time, or when the caller's signal says so. */
export class Watch {
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly timeout: number,
    private readonly outer?: AbortSignal,
  ) {
    if (outer?.aborted === true) this.#controller.abort(outer.reason);
    else outer?.addEventListener('abort', this.#outerAborted, { once: true });
    this.alive();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get silent(): boolean {
    return this.signal.reason instanceof SilenceError;
  }

  /** Something has happened. */
  readonly alive = (): void => {
    if (this.#timer !== undefined) {
      this.#timer.refresh();
      return;
    }
    this.#timer = setTimeout(() => {
      this.#controller.abort(new SilenceError('no answer in time'));
    }, this.timeout);
  };

  end(): void {
    clearTimeout(this.#timer);
    this.outer?.removeEventListener('abort', this.#outerAborted);
  }

  readonly #outerAborted = (): void => {
    this.#controller.abort(this.outer?.reason);
  };
}

/** Whether what is asked for is not there. */
export function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && ['NoSuchKey', 'NotFound', 'NoSuchUpload'].includes(error.name);
}

function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

/** Errors of the network have no status; answers that name us as the cause will be the same again. */
function mayPass(error: unknown): boolean {
  const status = statusOf(error);
  return status === undefined || status >= 500 || status === 429 || TRANSIENT.has((error as Error).name);
}

export interface CallOptions {
  /** For the log and the message, for example `store the content`. */
  readonly what: string;
  readonly timeout: number;
  /** Ends the call with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Does `work`, again where that may help. `alive` puts the time limit off. What is missing is thrown as it is, everything
 * else as `FilesError`: 504 for silence, 502 for the rest.
 */
export async function call<T>(
  { what, timeout, signal }: CallOptions,
  work: (signal: AbortSignal, alive: () => void, attempt: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    const watch = new Watch(timeout, signal);
    try {
      return await work(watch.signal, watch.alive, attempt);
    } catch (error) {
      signal?.throwIfAborted();
      if (isMissing(error) || error instanceof FilesError) throw error;
      const again = watch.silent ? attempt < SILENT_ATTEMPTS : attempt < ATTEMPTS && mayPass(error);
      if (!again) throw described(error, what, watch.silent);
    } finally {
      watch.end();
    }
    await sleep(PAUSE * 2 ** attempt * (0.5 + Math.random() / 2), undefined, signal === undefined ? {} : { signal });
  }
}

/** The error for the client; which host and bucket it is about is for the log alone. */
export function described(error: unknown, what: string, silent = false): FilesError {
  const status = statusOf(error);
  // Without the stack: it says nothing, and happens to many requests at once.
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  log.error(
    `could not ${what}: ${silent ? 'no answer in time' : text}${status === undefined ? '' : ` (${String(status)})`}`,
  );
  if (silent) return new FilesError(504, `The storage of the file did not answer in time to ${what}.`);
  const refused = status === 403 || status === 401 || status === 404;
  return new FilesError(
    502,
    refused
      ? `The storage of the file does not allow the service to ${what}; its log names the cause.`
      : `The storage of the file failed to ${what}; try again later.`,
  );
}
