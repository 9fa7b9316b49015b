/** The archives that are being sent and made: how many at once, and by what threads. */
import type { Config } from '../../config/index.js';
import { FilesError } from '../errors.js';
import { Deflater } from './container/deflater.js';
import type { ZipEncryption } from './container/encryption.js';
import { zip } from './container/writer.js';

/** What goes into an archive, in order. */
type Entries = Parameters<typeof zip>[0];

export class Archives {
  readonly #deflater: Deflater;
  #running = 0;

  constructor(private readonly config: Config) {
    this.#deflater = new Deflater(() => config.get('application.filesystem.zip.level'));
  }

  /**
   * The bytes of an archive of these entries (`entriesOf`). Throws `FilesError` 503 at once when too many are on their way;
   * whoever takes the generator has to read or return it.
   */
  of(entries: Entries, encryption?: ZipEncryption): AsyncGenerator<Uint8Array, void> {
    if (this.#running >= this.config.get('application.filesystem.zip.maxconcurrent')) {
      throw new FilesError(503, 'Too many archives are being made; try again later.', { 'Retry-After': '10' });
    }
    this.#running++;
    return this.#counted(zip(entries, this.#deflater, encryption));
  }

  /** The same for jobs, which have a limit of their own. */
  inBackground(entries: Entries): AsyncGenerator<Uint8Array, void> {
    return zip(entries, this.#deflater);
  }

  close(): Promise<void> {
    return this.#deflater.close();
  }

  #counted(archive: AsyncGenerator<Uint8Array, void>): AsyncGenerator<Uint8Array, void> {
    let counted = true;
    const end = (): void => {
      if (counted) this.#running--;
      counted = false;
    };
    // Returned before it has begun, a generator runs none of its code: what ends it is counted here.
    return {
      next: async () => {
        try {
          const result = await archive.next();
          if (result.done === true) end();
          return result;
        } catch (error) {
          end();
          throw error;
        }
      },
      return: async () => {
        try {
          return await archive.return();
        } finally {
          end();
        }
      },
      throw: (error: unknown) => archive.throw(error).finally(end),
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }
}
