import { constants, createGzip, type Gzip } from 'node:zlib';
import type { ResponseStream } from '../exchange.js';

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

  /** The client is behind. */
  get behind(): boolean {
    return this.blocked;
  }

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

  flush(): Promise<void> {
    return DONE;
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

  /** The client took what it was behind with. Returns whether it took all there is. */
  onWritable(): boolean {
    this.blocked = false;
    const waiting = this.waiting;
    this.waiting = [];
    for (let next = this.queue.shift(); next !== undefined; next = this.queue.shift()) {
      waiting.push(next.resolve);
      if (this.target.silent || this.target.writeChunk(next.chunk)) continue;
      this.blocked = true;
      this.waiting = waiting;
      return true;
    }
    for (const resolve of waiting) resolve();
    return true;
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

/** What a stream of known length needs of the response it writes to. */
export interface SizedTarget {
  /** Sends what the client takes of the bytes: `taken` when all of them, `complete` with the last byte of the body. */
  writeSized(bytes: Uint8Array, length: number): { taken: boolean; complete: boolean };
  /** Fewer bytes came than were promised: only a broken connection tells the client. */
  breakOff(): void;
  readonly silent: boolean;
}

/** Sends exactly as many bytes as were promised; nothing is copied into a buffer while the client is behind. */
export class SizedStream implements ResponseStream {
  /** Bytes of the body before `pending`. */
  private sent = 0;
  private pending: Uint8Array | undefined;
  private wake: (() => void) | undefined;
  private complete = false;

  constructor(
    private readonly target: SizedTarget,
    private readonly length: number,
  ) {}

  /** The client is behind. */
  get behind(): boolean {
    return this.pending !== undefined;
  }

  async write(chunk: string | Uint8Array): Promise<void> {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    if (this.pending !== undefined) throw new Error('The stream takes one piece after the other');
    if (bytes.length === 0 || this.target.silent) return;
    if (this.sent + bytes.length > this.length) throw new Error('The response is longer than promised');
    this.pending = bytes;
    if (this.#try(bytes)) return;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
    });
  }

  flush(): Promise<void> {
    return DONE;
  }

  end(): Promise<void> {
    if (!this.complete && !this.target.silent) this.target.breakOff();
    return DONE;
  }

  /** The client takes more again, from this byte of the body on. Returns whether it took all there is. */
  onWritable(offset: number): boolean {
    const { pending } = this;
    if (pending === undefined) return true;
    const rest = pending.subarray(offset - this.sent);
    this.sent = offset;
    this.pending = rest;
    if (!this.#try(rest)) return false;
    this.#wake();
    return true;
  }

  onGone(): void {
    this.pending = undefined;
    this.#wake();
  }

  #try(bytes: Uint8Array): boolean {
    const { taken, complete } = this.target.writeSized(bytes, this.length);
    if (complete) this.complete = true;
    if (!taken && !complete) return false;
    this.sent += bytes.length;
    this.pending = undefined;
    return true;
  }

  #wake(): void {
    const { wake } = this;
    this.wake = undefined;
    wake?.();
  }
}

/** Compresses on its way into a `PlainStream`; zlib works on its own threads. */
export class GzipStream implements ResponseStream {
  private readonly gzip: Gzip;
  private readonly finished: Promise<void>;
  private gone = false;
  /** Who waits for zlib, which tells nobody when it is destroyed while the client is behind. */
  private readonly waiting = new Set<() => void>();

  constructor(private readonly plain: PlainStream) {
    const gzip = (this.gzip = createGzip({ level: constants.Z_BEST_SPEED }));
    this.finished = (async () => {
      for await (const chunk of gzip) await plain.write(chunk as Buffer);
    })();
    this.finished.catch(() => undefined);
  }

  /** The client is behind. */
  get behind(): boolean {
    return this.plain.behind;
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
    return this.told((done) => this.gzip.write(chunk, done));
  }

  private told(begin: (done: () => void) => void): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.waiting.delete(done);
        resolve();
      };
      this.waiting.add(done);
      begin(done);
    });
  }

  /** Behind the end zlib would never answer. */
  flush(): Promise<void> {
    if (this.gone || this.gzip.writableEnded) return DONE;
    return this.told((done) => {
      this.gzip.flush(constants.Z_SYNC_FLUSH, done);
    });
  }

  async end(): Promise<void> {
    if (!this.gone) {
      this.gzip.end();
      await this.finished.catch(() => undefined);
    }
    await this.plain.end();
  }

  onWritable(): boolean {
    return this.plain.onWritable();
  }

  onGone(): void {
    this.gone = true;
    this.plain.onGone();
    this.gzip.destroy();
    for (const done of this.waiting) done();
  }
}
