/** ZIP archives are read here and there: by those that are extracted, and by those that are mounted. */
import { Readable } from 'node:stream';
import yauzl from 'yauzl';
import type { ByteRange } from '../../storage/storage.js';

/** Bytes read at once where little is asked for, each of which might be a request to another machine. */
const BLOCK = 256 * 1024;

/** The content of an archive, wherever it lies. */
export interface ArchiveBytes {
  readonly size: number;
  read(range: ByteRange): AsyncIterable<Buffer>;
}

/** Bytes of an archive wherever they are wanted; small pieces come from the block that was read last. */
export class RandomAccess extends yauzl.RandomAccessReader {
  #start = 0;
  #block: Buffer = Buffer.alloc(0);

  constructor(private readonly bytes: ArchiveBytes) {
    super();
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const at = start - this.#start;
    // A copy: the block changes while it is being read.
    if (at >= 0 && end - this.#start <= this.#block.length) {
      return Readable.from([Buffer.from(this.#block.subarray(at, end - this.#start))]);
    }
    return Readable.from(this.bytes.read({ from: start, to: end }), { objectMode: false });
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.#from(position, length).then(
      (block) => {
        block.copy(buffer, offset, 0, length);
        callback(null);
      },
      (error: unknown) => {
        callback(error instanceof Error ? error : new Error(String(error)));
      },
    );
  }

  /** What lies from a position on, at least so many bytes of it: what is asked for next is most likely what follows. */
  async #from(position: number, length: number): Promise<Buffer> {
    const at = position - this.#start;
    if (at >= 0 && at + length <= this.#block.length) return this.#block.subarray(at);
    const to = Math.min(this.bytes.size, position + Math.max(length, BLOCK));
    const pieces: Buffer[] = [];
    for await (const piece of this.bytes.read({ from: position, to })) pieces.push(piece);
    const block = Buffer.concat(pieces);
    if (block.length < length) throw new Error('it ends too early');
    this.#start = position;
    this.#block = block;
    return block;
  }
}
