import { HttpError } from '../errors.js';
import type { Handler } from '../exchange.js';
import type { RequestHead } from '../request/request-head.js';
import { SizedStream } from '../response/response-stream.js';
import { BaseExchange, byteLength, PIECEWISE_FROM } from '../transport/base-exchange.js';
import type { Hub } from '../transport/hub.js';
import { memoryOf, packed, unpacked } from './bytes.js';
import { BITS, PIECE, SMALLEST, WINDOW, type Packed, type ToMain, type ToThread } from './messages.js';

/** Credit is given back from so many bytes on, which is one message for some pieces. */
const CREDIT_FROM = 32 * 1024;

type Open = Extract<ToMain, ['open', ...unknown[]]>;

/** The thread that has the connection. */
export interface Thread {
  readonly handler: Handler;
  send(message: ToThread, memory?: ArrayBuffer): void;
  /** The exchange is over: what comes for it is passed over. */
  forget(id: number): void;
}

/** `Exchange` on the main thread, of a request that a front-end thread has handed over. */
export class RelayedExchange extends BaseExchange {
  readonly remoteAddress: string;
  readonly connectionId: number;
  private readonly id: number;
  protected readonly canUpgrade: boolean;
  /** Bytes of the answer that may be sent on. */
  private credit = WINDOW;
  /** Bytes of an answer of known length that were sent on. */
  private given = 0;
  /** What is left of a piece; its writer waits. */
  private rest: Uint8Array | undefined;
  private begun = false;
  /** Bytes of the body that were taken and not told yet. */
  private owed = 0;
  private isPaused = false;
  private whereabouts: Promise<string> | undefined;
  private foundAddress: ((address: string) => void) | undefined;

  constructor(
    hub: Hub,
    private readonly thread: Thread,
    [, id, method, path, query, headers, remoteAddress, connectionId, bits, contentLength, body]: Open,
  ) {
    super(hub, method, path, query, headers === '' ? [] : headers.split('\n'), headOf(bits, contentLength));
    this.id = id;
    this.remoteAddress = remoteAddress;
    this.connectionId = connectionId;
    this.canUpgrade = (bits & BITS.upgradable) !== 0;
    if ((bits & BITS.whole) !== 0) this.body.push(unpacked(body), true);
  }

  /** Runs the handler. */
  start(): void {
    if (!this.body.complete) this.wait();
    this.begin();
  }

  protected override handle(): void | Promise<void> {
    return this.thread.handler(this);
  }

  localAddress(): Promise<string> {
    if (this.gone || this.state === 'done') return this.whereabouts ?? Promise.resolve('');
    return (this.whereabouts ??= new Promise((resolve) => {
      this.foundAddress = resolve;
      this.thread.send(['where', this.id]);
    }));
  }

  /** The thread says where the request has arrived. */
  found(address: string): void {
    this.foundAddress?.(address);
    this.foundAddress = undefined;
  }

  /** A piece of the body. */
  arrived(bytes: Packed, last: boolean): void {
    const piece = unpacked(bytes);
    this.owed += piece.length;
    this.body.push(piece, last);
    this.body.deliver();
    if (!this.isPaused && this.owed >= CREDIT_FROM) this.giveCredit();
  }

  /** There is no more of the body, and it is not complete. */
  broken(status: number, message: string, headers: Readonly<Record<string, string>>): void {
    if (status === 408) this.closeAfter = true;
    this.body.fail(new HttpError(status, message, headers));
  }

  /** The client is gone, or the thread. */
  abort(): void {
    if (this.gone || this.state === 'done') return;
    this.gone = true;
    this.onGone();
  }

  /** The client has taken so many bytes of the answer. */
  taken(bytes: number): void {
    this.credit += bytes;
    this.progressAt = this.hub.now;
    if (this.silent) return;
    const { rest } = this;
    if (rest !== undefined) {
      this.rest = undefined;
      this.give(rest);
      if (this.rest !== undefined) return;
    }
    if (this.credit > 0) this.stream?.onWritable(this.given);
  }

  /** Whether the client reads is looked at where its connection is. */
  override check(now: number): void {
    if (this.stream?.behind !== true) super.check(now);
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    if (!this.gone && this.state !== 'done') this.giveCredit();
  }

  breakOff(): void {
    if (this.gone || this.state === 'done') return;
    this.thread.send(['break', this.id]);
    setImmediate(() => {
      this.abort();
    });
  }

  writeChunk(chunk: string | Uint8Array): boolean {
    this.startStreamed(-1);
    // A message is one whole, and a short text need not become bytes here.
    if (this.status === 101 || (typeof chunk === 'string' && chunk.length < SMALLEST)) {
      this.credit -= byteLength(chunk);
      if (typeof chunk === 'string') this.thread.send(['piece', this.id, chunk, false]);
      else this.sendPiece(chunk);
      return this.credit > 0;
    }
    this.give(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    return this.rest === undefined && this.credit > 0;
  }

  writeSized(bytes: Uint8Array, length: number): { taken: boolean; complete: boolean } {
    this.startStreamed(length);
    const left = this.sendSome(bytes);
    this.given += bytes.length - left.length;
    const complete = this.given === length;
    if (complete) this.finished();
    return { taken: left.length === 0, complete };
  }

  protected upgrade(): void {
    this.begun = true;
    this.thread.send(['upgrade', this.id, this.head.text(this.status, this.defaults)]);
  }

  sendPing(): void {
    this.thread.send(['ping', this.id]);
  }

  protected sendStreamEnd(): void {
    if (this.status === 101) {
      // It is over when the thread says that the connection is.
      this.thread.send(['close', this.id, this.endsWith.code, this.endsWith.reason]);
      return;
    }
    this.startStreamed(-1);
    this.thread.send(['end', this.id]);
    this.finished();
  }

  protected sendWhole(): void {
    this.state = 'busy';
    const { payload } = this;
    if (this.bodyless) {
      this.setBodylessLength();
      this.sendAnswer('');
      return;
    }
    this.head.take('content-length');
    if (payload.length < PIECEWISE_FROM) {
      this.sendAnswer(payload);
      return;
    }
    const stream = (this.stream = new SizedStream(this, byteLength(payload)));
    void stream.write(payload);
  }

  /** The thread waits for the rest of a body that nobody wants: it has the connection. */
  protected override get bodyEndsConnection(): boolean {
    return false;
  }

  protected override over(): void {
    super.over();
    this.found('');
    this.thread.forget(this.id);
  }

  private sendAnswer(payload: string | Uint8Array): void {
    const head = this.head.text(this.status, this.defaults);
    const raw = typeof payload !== 'string';
    const bytes = raw ? packed(payload) : payload;
    this.thread.send(['answer', this.id, this.status, head, this.closeAfter, bytes, raw], memoryOf(bytes));
    this.finished();
  }

  private startStreamed(length: number): void {
    if (this.begun) return;
    this.begun = true;
    // Of an answer without a body it is the length of what is not sent.
    if (!this.bodyless) this.head.take('content-length');
    const head = this.head.text(this.status, this.defaults);
    this.thread.send(['begin', this.id, this.status, head, this.closeAfter, length]);
    this.wait();
  }

  private give(bytes: Uint8Array): void {
    const left = this.sendSome(bytes);
    if (left.length > 0) this.rest = left;
  }

  /** Sends what there is credit for; answers what is left. */
  private sendSome(bytes: Uint8Array): Uint8Array {
    let left = bytes;
    while (left.length > 0 && (this.credit >= left.length || this.credit >= SMALLEST)) {
      const piece = left.subarray(0, Math.min(PIECE, this.credit));
      this.credit -= piece.length;
      this.sendPiece(piece);
      left = left.subarray(piece.length);
    }
    return left;
  }

  private sendPiece(piece: Uint8Array): void {
    const bytes = packed(piece);
    this.thread.send(['piece', this.id, bytes, true], memoryOf(bytes));
  }

  private giveCredit(): void {
    if (this.owed === 0) return;
    this.thread.send(['read', this.id, this.owed]);
    this.owed = 0;
  }
}

function headOf(bits: number, contentLength: number): RequestHead {
  return {
    status: 0,
    problem: '',
    contentLength,
    chunked: (bits & BITS.chunked) !== 0,
    closes: (bits & BITS.closes) !== 0,
  };
}
