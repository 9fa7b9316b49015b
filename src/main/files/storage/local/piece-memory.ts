/**
 * Memory that pieces of content are read into, used again and again: fresh memory costs about as much as reading into it
 * (every page of it has to be made by the system first).
 */

/** Bytes read at once where nobody says otherwise. */
export const PIECE = 256 * 1024;
const KB = 1024;
/**
 * Bytes read at once by how many read at the same time. Large pieces take a third less of a processor than small ones; but
 * each reader keeps two of them, however long its client makes it wait.
 */
const SIZES: readonly { readonly readers: number; readonly size: number }[] = [
  { readers: 16, size: 512 * KB },
  { readers: 128, size: 128 * KB },
  { readers: Infinity, size: 64 * KB },
];
/** Bytes kept of what is not in use. */
const MOST_FREE = 16 * KB * KB;

const free = new Map<number, Buffer[]>(SIZES.map(({ size }) => [size, []]));
let readers = 0;
let freeBytes = 0;

/** The memory of one reader: two pieces in turn, each valid until the next but one is taken. */
export class PieceMemory {
  readonly #size: number;
  readonly #buffers: Buffer[] = [];
  #turn = 0;

  constructor() {
    readers++;
    this.#size = SIZES.find((one) => readers <= one.readers)?.size ?? PIECE;
  }

  /** Memory for the next piece, when so many bytes are left to read. */
  take(left: number): Buffer {
    const at = this.#turn++ % 2;
    let buffer = this.#buffers[at];
    if (buffer === undefined) {
      // What is read in one piece needs no more than its length.
      if (left < this.#size && this.#turn === 1) return Buffer.allocUnsafeSlow(left);
      buffer = free.get(this.#size)?.pop();
      if (buffer === undefined) buffer = Buffer.allocUnsafeSlow(this.#size);
      else freeBytes -= buffer.length;
      this.#buffers[at] = buffer;
    }
    return buffer;
  }

  /** Nothing reads or sends from it any more. */
  release(): void {
    readers--;
    for (const buffer of this.#buffers.splice(0)) {
      if (freeBytes + buffer.length > MOST_FREE) return;
      freeBytes += buffer.length;
      free.get(buffer.length)?.push(buffer);
    }
  }
}
