import { overBudget, type ByteShare } from '../budget.js';
import { HttpError } from '../errors.js';
import { unpack } from './content-coding.js';
import type { Intake } from './intake.js';

/** Of a body nobody has asked for yet, this much is kept before its sender is paused. */
const UNREAD_BYTES = 64 * 1024;
/** Of a body that is said to be longer than this, nothing more than has come with its head. */
const LONG_BODY = 512 * 1024;
/** A streamed body may take longer than `maxBodyTime` when at least this many bytes arrive per millisecond. */
const STREAM_BYTES_PER_MS = 16;
/** What the first piece of a streamed body is taken for, as long as it is not there. */
const FIRST_PIECE = 64 * 1024;

/** So many bytes of each body are free: small ones are not worth counting. */
const UNCOUNTED = 16 * 1024;

const EMPTY = Buffer.alloc(0);

/** What a body needs of its connection. */
export interface BodySource {
  pause(): void;
  resume(): void;
  /** What the bytes are counted in. */
  readonly bodyShare: ByteShare;
}

type Mode = 'unread' | 'collect' | 'stream' | 'discard';

/** The body of one request: bytes come in by `push`, one reader takes them out. */
export class RequestBody {
  /** All of it has arrived. */
  complete = false;
  /** Bytes that have arrived. */
  received = 0;
  paused = false;
  /** Bytes that came when nobody wanted them any more. */
  drained = 0;
  /** It came compressed: however few bytes have arrived, what they became may count. */
  private unpacked = false;
  private mode: Mode = 'unread';
  private chunks: Buffer[] = [];
  private limit = UNREAD_BYTES;
  private failure: HttpError | undefined;
  private wake: (() => void) | undefined;
  /** When the sender's time began; moved on by the time it was paused. */
  private since: number;
  private pausedAt = 0;

  constructor(
    private readonly source: BodySource,
    private readonly clock: { readonly now: number },
    private readonly contentLength: number,
    private readonly intake: Intake,
  ) {
    this.since = clock.now;
  }

  /** An `ArrayBuffer` is only valid during the call. Nobody is told before `deliver`. */
  push(bytes: ArrayBuffer | Buffer, last: boolean): void {
    const size = bytes.byteLength;
    this.received += size;
    if (last) this.complete = true;
    if (this.mode === 'discard' || this.failure !== undefined) {
      this.drained += size;
      return;
    }
    if (this.received > UNCOUNTED && !this.source.bodyShare.tryAcquire(size)) {
      this.refuse(overBudget());
      return;
    }
    if (size > 0) this.chunks.push(Buffer.isBuffer(bytes) ? bytes : Buffer.from(new Uint8Array(bytes)));
    if (this.mode === 'collect' && this.received > this.limit) {
      this.refuse(tooLarge(this.limit));
      return;
    }
    // A long body is not read on before somebody wants it: many that wait for their turn must not fill the memory.
    const enough = this.received > UNREAD_BYTES || this.contentLength > LONG_BODY;
    if (!last && (this.mode === 'stream' || (this.mode === 'unread' && enough))) {
      if (!this.paused) this.pausedAt = this.clock.now;
      this.paused = true;
      // Again when it was paused: uWebSockets.js reads on once a write has failed.
      this.source.pause();
    }
  }

  /** Tells the reader what has come. Apart from `push`, which may be called where nothing else may happen. */
  deliver(): void {
    if (this.failure !== undefined || this.complete || (this.mode === 'stream' && this.chunks.length > 0))
      this.notify();
  }

  /** The body will not become complete: readers are told, later bytes are dropped. */
  fail(error: HttpError): void {
    this.refuse(error);
    this.resume();
    this.notify();
  }

  /** The sender has had longer than `maxTime` ms, time in which it was paused not counted. */
  overdue(now: number, maxTime: number): boolean {
    if (this.complete || this.paused || this.failure !== undefined || this.mode === 'discard') return false;
    const extra = this.mode === 'stream' ? this.received / STREAM_BYTES_PER_MS : 0;
    return now - this.since > maxTime + extra;
  }

  /** Nobody has asked for it. */
  get untouched(): boolean {
    return this.mode === 'unread';
  }

  /** All of it is here, and nobody has asked for it. */
  get isWhole(): boolean {
    return this.complete && this.mode === 'unread' && this.failure === undefined;
  }

  /** Of a body that `isWhole` its bytes, which count no more here. */
  takeWhole(): Buffer {
    const chunks = this.chunks;
    this.discard();
    return (chunks.length === 1 ? chunks[0] : undefined) ?? Buffer.concat(chunks);
  }

  async read(limit: number, encoding: string): Promise<Buffer> {
    this.begin('collect');
    this.limit = limit;
    if (this.contentLength > limit || this.received > limit) this.fail(tooLarge(limit));
    this.resume();
    if (!this.complete && this.failure === undefined) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    if (this.failure !== undefined) throw this.failure;
    const chunks = this.chunks;
    this.chunks = [];
    const only = chunks.length === 1 ? chunks[0] : undefined;
    const body = only ?? (chunks.length === 0 ? EMPTY : Buffer.concat(chunks));
    if (encoding === '' || encoding === 'identity') return body;
    const share = this.source.bodyShare;
    const packed = share.held;
    this.unpacked = true;
    const pieces = await unpack(body, encoding.toLowerCase(), (size, piece) => {
      if (size > limit) throw tooLarge(limit);
      if (size > UNCOUNTED) share.acquire(piece);
    });
    share.give(packed);
    return pieces.length === 1 ? (pieces[0] ?? EMPTY) : Buffer.concat(pieces);
  }

  async *stream(): AsyncGenerator<Buffer, void, undefined> {
    this.begin('stream');
    // Pieces of one body are about as long as the one before, which is all that is known before they come.
    let usual = FIRST_PIECE;
    try {
      for (;;) {
        if (this.chunks.length > 0 || !this.complete) await this.intake.enter(this.chunks[0]?.length ?? usual);
        if (this.chunks.length === 0) await this.arrived();
        const chunk = this.chunks.shift();
        if (chunk === undefined) return;
        usual = chunk.length;
        yield chunk;
        if (this.received > UNCOUNTED) this.source.bodyShare.give(chunk.length);
      }
    } finally {
      this.discard();
    }
  }

  /**
   * The response begins: what has not arrived by then is dropped, and a reader who goes on gets an error. A paused
   * socket is not written to either, and does not notice a client that goes away.
   */
  unwanted(): void {
    if (this.mode === 'unread') this.discard();
    else if (!this.complete) this.fail(new HttpError(500, 'The response began before the body was read'));
    this.resume();
  }

  /** Nobody wants the rest. */
  discard(): void {
    if (this.mode !== 'collect') this.drop();
    this.mode = 'discard';
    this.chunks = [];
    this.resume();
  }

  /** The reader is done with the bytes. */
  done(): void {
    if (this.received <= UNCOUNTED && !this.unpacked) return;
    const share = this.source.bodyShare;
    share.give(share.held);
  }

  private refuse(error: HttpError): void {
    this.failure ??= error;
    this.drop();
  }

  private drop(): void {
    this.chunks = [];
    this.done();
  }

  private begin(mode: Mode): void {
    if (this.mode !== 'unread') throw new Error('The request body was read before');
    this.mode = mode;
  }

  /** Resolves when there is a piece, or no more to come. */
  private async arrived(): Promise<void> {
    while (this.chunks.length === 0) {
      if (this.failure !== undefined) throw this.failure;
      if (this.complete) return;
      this.resume();
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  private resume(): void {
    if (!this.paused) return;
    this.paused = false;
    this.since += this.clock.now - this.pausedAt;
    this.source.resume();
  }

  private notify(): void {
    const wake = this.wake;
    this.wake = undefined;
    wake?.();
  }
}

function tooLarge(limit: number): HttpError {
  return new HttpError(413, `Request body is larger than ${String(limit)} bytes`);
}
