/** Deflates pieces of files for ZIP archives, on a thread of its own (`files/zip/container/deflater.ts`). */
import { constants, deflateRawSync } from 'node:zlib';
import { move } from 'piscina';

export interface DeflateJob {
  readonly bytes: Uint8Array;
  /** What comes before these bytes in the same file: repetitions of it are found, too. */
  readonly before: Uint8Array | undefined;
  readonly level: number;
  /** The last piece of its file. */
  readonly last: boolean;
}

/** The piece in deflate's format; the pieces of a file one after the other are its whole. */
export default function deflate({ bytes, before, level, last }: DeflateJob): Uint8Array {
  const packed = deflateRawSync(bytes, {
    level,
    // One buffer for most; more are taken when they are needed.
    chunkSize: Math.max(1024, bytes.length + 64),
    finishFlush: last ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
    ...(before === undefined ? {} : { dictionary: before }),
  });
  // A small result in a large buffer would hold all of it.
  const own = packed.buffer.byteLength > packed.length * 2 ? new Uint8Array(packed) : packed;
  return move(own) as unknown as Uint8Array;
}
