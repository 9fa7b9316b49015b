/**
 * Memory that pieces of content are read into, used again and again: fresh memory costs about as much as reading into it
 * (every page of it has to be made by the system first).
 */

/** Bytes read at once. */
export const PIECE = 256 * 1024;
/** The same when many read at the same time: each of them may wait long for a slow client. */
const SMALL_PIECE = 64 * 1024;
/** Readers beyond which pieces are small. */
const FEW = 64;
/** Bytes kept of what is not in use. */
const MOST_FREE = 16 * 1024 * 1024;

const free = new Map<number, Buffer[]>([
  [PIECE, []],
  [SMALL_PIECE, []],
]);
let readers = 0;
let freeBytes = 0;

/** The memory of one reader: two pieces in turn, each valid until the next but one is taken. */
export class PieceMemory {
  readonly #size = readers >= FEW ? SMALL_PIECE : PIECE;
  readonly #buffers: Buffer[] = [];
  #turn = 0;

  constructor() {
    readers++;
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
