/**
 * Marks of work that might end the process: each is a file beside the content, there while the work goes on. What is there at the start was running
 * when the process ended (docs/design/media.md 3).
 */
import { appendFile, mkdir, readdir, stat, truncate, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { storageError } from '../../files/index.js';
import { WorkError } from '../../../shared/work/index.js';
import { MediaError } from '../errors.js';

/** How often content may end a thread, or the process. */
const MOST = 2;
/** Names that marks may have: ids and keys come from the database. */
const NAME = /^[\w-]{4,160}$/;

export class Attempts {
  /** Ends that are known, by content: of threads since the start, and of processes before. */
  readonly #ends = new Map<string, number>();

  /** How much goes on, by content. */
  readonly #running = new Map<string, number>();

  constructor(private readonly folder: string) {}

  /** Takes up what a process left that ended suddenly; before work begins. `others`: marks may be of work that goes on elsewhere. */
  async start(others: boolean): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    if (others) return;
    for (const name of await readdir(this.folder)) {
      if (NAME.test(name)) this.#ends.set(name, (await stat(join(this.folder, name))).size);
    }
  }

  /** Whether this content has ended threads or the process as often as it may. */
  isBad(content: string): boolean {
    return (this.#ends.get(content) ?? 0) >= MOST;
  }

  /**
   * Does work on a content, which `content` names, so that it is known who ended the process if it does. Throws `MediaError` 422 for content
   * that has done so too often, `FilesError` where no mark can be kept, and what the work throws.
   */
  async run<T>(content: string, work: (died: () => void) => Promise<T>): Promise<T> {
    if (!NAME.test(content)) throw new MediaError(422, 'The id of the file cannot be the name of a file.');
    if (this.isBad(content)) throw tooOften();
    const died = (): void => {
      this.#ends.set(content, (this.#ends.get(content) ?? 0) + 1);
    };
    const others = this.#running.get(content) ?? 0;
    this.#running.set(content, others + 1);
    try {
      // One mark for all that goes on with it: the process can end only once.
      if (others === 0) await this.#mark(content);
      const ends = this.#ends.get(content);
      const result = await work(died);
      // It was others' fault.
      if (ends !== undefined && ends === this.#ends.get(content)) this.#ends.delete(content);
      return result;
    } catch (error) {
      if (error instanceof WorkError && error.code === 'died' && this.isBad(content)) throw tooOften();
      throw error;
    } finally {
      const left = (this.#running.get(content) ?? 1) - 1;
      if (left > 0) this.#running.set(content, left);
      else {
        this.#running.delete(content);
        // Ends stay known when the process ends, and nothing but ends counts then.
        const path = join(this.folder, content);
        const ends = this.#ends.get(content);
        await (ends === undefined ? unlink(path) : truncate(path, ends)).catch(() => undefined);
      }
    }
  }

  async #mark(content: string): Promise<void> {
    try {
      await appendFile(join(this.folder, content), '+', { mode: 0o600 });
    } catch (error) {
      throw storageError(error, 'keep a mark of work');
    }
  }

  /** Resolves when no work goes on any more, or after so many milliseconds. */
  async idle(most: number): Promise<void> {
    for (const end = Date.now() + most; this.#running.size > 0 && Date.now() < end;) await sleep(20);
  }

  /** Somebody wants it to be tried anew. */
  async forget(content: string): Promise<void> {
    this.#ends.delete(content);
    if (NAME.test(content)) await unlink(join(this.folder, content)).catch(() => undefined);
  }
}

function tooOften(): MediaError {
  return new MediaError(
    422,
    'This content has ended what works on it, more than once: it is not tried again until it changes.',
  );
}
