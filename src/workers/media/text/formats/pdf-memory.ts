/**
 * How much pdf.js may unpack. It unpacks into memory that no limit of a thread counts, and a file of some megabytes can stand for as many gigabytes: the
 * whole process would end. It makes its buffers in two ways, and both are taken here.
 */

const MB = 1024 * 1024;
/** Bytes of one buffer, and of all of the thread. */
const MOST = 256 * MB;
const MOST_IN_ALL = 640 * MB;
/** Bytes for which it is looked how much there is. */
const LARGE = 8 * MB;

const TOO_MUCH = 'It unpacks to more than a document may have.';

/** Makes what pdf.js takes for its buffers refuse such as are too large. To be called once in a thread, before the package is loaded. */
export function limitUnpacking(): void {
  Object.assign(globalThis, {
    Uint8Array: new Proxy(Uint8Array, {
      construct(target, args: unknown[]) {
        const [size] = args;
        if (typeof size === 'number' && size >= LARGE) mustFit(size, size);
        return Reflect.construct(target, args) as object;
      },
    }),
    DecompressionStream: LimitedDecompression,
  });
}

/** `more`: what of it is not there yet. */
function mustFit(size: number, more: number): void {
  if (size > MOST || process.memoryUsage().arrayBuffers + more > MOST_IN_ALL) throw new Error(TOO_MUCH);
}

const Native = DecompressionStream;

class LimitedDecompression {
  readonly writable: WritableStream;
  readonly readable: ReadableStream;

  constructor(format: ConstructorParameters<typeof Native>[0]) {
    const { writable, readable } = new Native(format);
    let [size, looked] = [0, 0];
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, control) {
        size += piece.byteLength;
        if (size >= looked + LARGE) mustFit((looked = size), 0);
        control.enqueue(piece);
      },
    });
    this.writable = writable;
    this.readable = readable.pipeThrough(counted);
  }
}
