/**
 * A part of an upload that is gathered before it can be sent: S3 wants parts of some megabytes, and the same bytes again when
 * sending fails. All parts together take a bounded amount of memory; beyond it they wait in temporary files, so that
 * many slow clients hold up nobody.
 */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Spool, type SpoolRoom } from '../../../../shared/spool.js';
import { storageError } from '../../errors.js';

/** Bytes that all parts together keep in memory. */
const room: SpoolRoom = { free: 64 * 1024 * 1024 };

export class PartBuffer {
  readonly #spool = new Spool(room);
  readonly #md5 = createHash('md5');

  get size(): number {
    return this.#spool.size;
  }

  /** Takes bytes that stay as they are. Throws `FilesError` when there is no room for them. */
  async add(chunk: Buffer): Promise<void> {
    this.#md5.update(chunk);
    try {
      await this.#spool.add(chunk);
    } catch (error) {
      throw storageError(error, 'store the file');
    }
  }

  /** The end of the part: its checksum as `Content-MD5` has it. */
  md5(): string {
    return this.#md5.digest('base64');
  }

  /** The bytes, as often as they are needed. `alive` is called as they go. */
  body(alive: () => void): Readable {
    return Readable.from(this.#pieces(alive), { objectMode: false });
  }

  /** The part is not needed any more. */
  release(): Promise<void> {
    return this.#spool.release();
  }

  async *#pieces(alive: () => void): AsyncGenerator<Buffer, void, undefined> {
    for await (const piece of this.#spool.pieces()) {
      alive();
      yield piece;
    }
  }
}
