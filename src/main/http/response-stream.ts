import { constants, createGzip, type Gzip } from 'node:zlib';
import type { ResponseStream } from './exchange.js';

const DONE = Promise.resolve();
/** Characters of a text that are encoded at once. */
const PIECE = 256 * 1024;

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** What a stream needs of the response it writes to. Both return false when the client is behind. */
export interface StreamTarget {
  writeChunk(chunk: string | Uint8Array): boolean;
  endStream(): void;
  /** No more can be sent: the client is gone, or HEAD wants no body. */
  readonly silent: boolean;
}

/** Sends chunks as they come, the next one only after the client took the last. */
export class PlainStream implements ResponseStream {
  private queue: { chunk: string | Uint8Array; resolve: () => void }[] = [];
  private waiting: (() => void)[] = [];
  private blocked = false;
  private ended = false;

  constructor(private readonly target: StreamTarget) {}

  write(chunk: string | Uint8Array): Promise<void> {
    if (this.ended) throw new Error('The response has ended');
    if (this.target.silent || chunk.length === 0) return DONE;
    if (this.blocked) {
      return new Promise((resolve) => {
        this.queue.push({ chunk, resolve });
      });
    }
    if (this.target.writeChunk(chunk)) return DONE;
    this.blocked = true;
    return new Promise((resolve) => {
      this.waiting.push(resolve);
    });
  }

  async end(): Promise<void> {
    if (this.ended) return;
    this.ended = true;
    while (this.blocked && !this.target.silent) {
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve);
      });
    }
    this.target.endStream();
  }

  /** The client took what it was behind with. */
  onWritable(): void {
    this.blocked = false;
    const waiting = this.waiting;
    this.waiting = [];
    for (let next = this.queue.shift(); next !== undefined; next = this.queue.shift()) {
      waiting.push(next.resolve);
      if (this.target.silent || this.target.writeChunk(next.chunk)) continue;
      this.blocked = true;
      this.waiting = waiting;
      return;
    }
    for (const resolve of waiting) resolve();
  }

  /** Nobody waits for a client that is gone. */
  onGone(): void {
    this.blocked = false;
    const waiting = this.waiting;
    this.waiting = [];
    for (const { resolve } of this.queue) waiting.push(resolve);
    this.queue = [];
    for (const resolve of waiting) resolve();
  }
}

/** Compresses on its way into a `PlainStream`; zlib works on its own threads. */
export class GzipStream implements ResponseStream {
  private readonly gzip: Gzip;
  private readonly finished: Promise<void>;
  private gone = false;

  constructor(private readonly plain: PlainStream) {
    const gzip = (this.gzip = createGzip({ level: constants.Z_BEST_SPEED }));
    this.finished = (async () => {
      for await (const chunk of gzip) await plain.write(chunk as Buffer);
    })();
    this.finished.catch(() => undefined);
  }

  async write(chunk: string | Uint8Array): Promise<void> {
    let rest = chunk;
    // Encoding a long text at once would hold the loop up.
    while (typeof rest === 'string' && rest.length > PIECE) {
      const end = isHighSurrogate(rest.charCodeAt(PIECE - 1)) ? PIECE - 1 : PIECE;
      await this.compress(rest.slice(0, end));
      rest = rest.slice(end);
    }
    return this.compress(rest);
  }

  private compress(chunk: string | Uint8Array): Promise<void> {
    if (this.gone || chunk.length === 0) return DONE;
    return new Promise((resolve) => {
      // Also called, with an error, for what was waiting when the stream is destroyed.
      this.gzip.write(chunk, () => {
        resolve();
      });
    });
  }

  async end(): Promise<void> {
    if (!this.gone) {
      this.gzip.end();
      await this.finished.catch(() => undefined);
    }
    await this.plain.end();
  }

  onWritable(): void {
    this.plain.onWritable();
  }

  onGone(): void {
    this.gone = true;
    this.plain.onGone();
    this.gzip.destroy();
  }
}
