/** Files within files: ZIP archives, within what a document may take. */
import yauzl from 'yauzl';
import type { Budget } from './format.js';
import type { Source } from './source.js';

const MB = 1024 * 1024;
/** Most that content may grow when it is unpacked (times), beyond a size that anything may have. */
const RATIO = 200;
const SMALL = MB;

/** An archive. Throws errors whose message says what is wrong with it. */
export class Zip {
  readonly #entries: Map<string, yauzl.Entry>;

  private constructor(
    private readonly zip: yauzl.ZipFile,
    entries: readonly yauzl.Entry[],
    private readonly budget: Budget,
  ) {
    this.#entries = new Map(entries.map((one) => [one.fileName, one]));
  }

  /** Runs `work` with the archive, which is closed in the end. */
  static async with<T>(source: Source, budget: Budget, work: (zip: Zip) => Promise<T>): Promise<T> {
    const options = { autoClose: false, validateEntrySizes: true, strictFileNames: false };
    const zip =
      source.path === undefined
        ? await yauzl.fromBufferPromise(await source.bytes(), options)
        : await yauzl.openPromise(source.path, options);
    try {
      const entries: yauzl.Entry[] = [];
      for await (const entry of zip.eachEntry()) {
        if (entries.length >= budget.entries) break;
        if (!entry.fileName.endsWith('/')) entries.push(entry);
      }
      return await work(new Zip(zip, entries, budget));
    } finally {
      zip.close();
    }
  }

  get names(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** Names that a pattern fits, those with numbers in the order of these. */
  named(pattern: RegExp): readonly string[] {
    const { compare } = new Intl.Collator('en', { numeric: true });
    return this.names.filter((name) => pattern.test(name)).sort(compare);
  }

  /** The bytes of an entry; nothing for one that is not there. */
  async *stream(name: string): AsyncGenerator<Buffer, void, undefined> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    const { budget } = this;
    if (--budget.entries < 0) throw new Error('There are too many files in it.');
    if (entry.isEncrypted()) throw new Error('It is protected by a password.');
    const most = Math.max(SMALL, entry.compressedSize * RATIO);
    let size = 0;
    const stream = await this.zip.openReadStreamPromise(entry);
    try {
      for await (const piece of stream as AsyncIterable<Buffer>) {
        size += piece.length;
        budget.unpacked -= piece.length;
        if (size > most || budget.unpacked < 0) throw new Error('It unpacks to more than a document may have.');
        yield piece;
      }
    } finally {
      stream.destroy();
    }
  }

  /** All bytes of an entry, which is not large; undefined: there is none. */
  async bytes(name: string, most = 10 * MB): Promise<Buffer | undefined> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    if (entry.uncompressedSize > most) throw new Error('A file in it is too large.');
    const pieces: Buffer[] = [];
    for await (const piece of this.stream(name)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  sizeOf(name: string): number {
    return this.#entries.get(name)?.uncompressedSize ?? 0;
  }
}
