/** The calls that an import of a page makes, within limits of their number, their size and their time (docs/interface/pages.md 8.5). */
import type { Config } from '../../../config/index.js';
import { callOut, ScriptError, waitingSignal, type OutboundAnswer } from '../../../scripting/index.js';
import { together } from '../../../../shared/together.js';
import type { boundedBy } from '../read-html.js';

const MB = 1024 * 1024;
/** Files of one page. */
export const MOST_FILES = 500;
/** Bytes of the page, of one file, and of all. */
const LARGEST_PAGE = 16 * MB;
const LARGEST_FILE = 32 * MB;
const MOST_BYTES = 128 * MB;
/** Milliseconds: of one call, and of all. */
const TIME_OF_ONE = 30_000;
const TIME_OF_ALL = 180_000;
/** Calls at a time. */
const AT_ONCE = 4;
/** Imports of this server at a time. */
const MOST_IMPORTS = 4;

/** Imports that go on; each holds some files in memory. */
let going = 0;

export class Fetching {
  #left = MOST_BYTES;
  readonly #begun = performance.now();

  private constructor(
    private readonly config: Config,
    private readonly run: ReturnType<typeof boundedBy>,
    private readonly publicOnly: boolean,
  ) {}

  /** Does work with calls. `publicOnly` as in `OutboundCall`. Throws `ScriptError` 503 when too many imports go on. */
  static async with<T>(
    config: Config,
    run: ReturnType<typeof boundedBy>,
    publicOnly: boolean,
    work: (fetching: Fetching) => Promise<T>,
  ): Promise<T> {
    if (going >= MOST_IMPORTS) throw new ScriptError(503, 'Too many pages are imported at a time; try again later.');
    going++;
    try {
      return await work(new Fetching(config, run, publicOnly));
    } finally {
      going--;
    }
  }

  /** The page itself. Throws `ScriptError` 422 when it cannot be had. */
  async page(url: URL): Promise<OutboundAnswer> {
    return this.#call(url, LARGEST_PAGE);
  }

  /**
   * Calls for each item, several at a time, and takes what comes; why nothing comes is told to `missed`. Throws when nobody waits any more.
   */
  async each<T>(
    items: readonly T[],
    urlOf: (item: T) => URL,
    take: (item: T, answer: OutboundAnswer) => Promise<void>,
    missed: (item: T, why: string) => void,
  ): Promise<void> {
    await together(items, AT_ONCE, async (item) => {
      const answer = await this.#tried(urlOf(item));
      if (typeof answer === 'string') missed(item, answer);
      else await take(item, answer);
    });
  }

  async #tried(url: URL): Promise<OutboundAnswer | string> {
    if (this.#left <= 0) return `all files together are larger than ${String(MOST_BYTES / MB)} MB`;
    if (performance.now() - this.#begun > TIME_OF_ALL) return 'the import has taken too long';
    try {
      const answer = await this.#call(url, Math.min(LARGEST_FILE, this.#left));
      return answer.status >= 200 && answer.status < 300 ? answer : `status ${String(answer.status)}`;
    } catch (error) {
      if (!(error instanceof ScriptError) || this.run.options.request?.exchange.signal.aborted === true) throw error;
      return error.message;
    }
  }

  async #call(url: URL, most: number): Promise<OutboundAnswer> {
    const left = this.#begun + TIME_OF_ALL - performance.now();
    const { signal, stop } = waitingSignal(this.run, Math.max(1, Math.min(TIME_OF_ONE, left)));
    try {
      const answer = await callOut(
        {
          method: 'GET',
          url,
          headers: new Map(),
          body: undefined,
          credentials: undefined,
          followsRedirects: true,
          connectTime: undefined,
          checksCertificates: true,
          most,
          publicOnly: this.publicOnly,
        },
        this.config,
        signal,
      );
      for (const piece of answer.pieces) this.#left -= piece.length;
      return answer;
    } finally {
      stop();
    }
  }
}
