import { HttpError } from '../errors.js';
import type { MessageStream, ResponseStream } from '../exchange.js';
import type { Follower, HandedOver, ReadyHead } from '../transport/handing-over.js';
import { memoryOf, packed, unpacked } from './bytes.js';
import { BITS, PIECE, WINDOW, type Packed, type ToMain, type ToThread } from './messages.js';
import { TextHead } from './text-head.js';

/** The way to the main thread. */
export interface MainThread {
  send(message: ToMain, memory?: ArrayBuffer): void;
  forget(id: number): void;
}

/** A request of this thread's connections, as long as the main thread answers it. */
export class HandedExchange implements Follower {
  private isOver = false;
  private stream: ResponseStream | undefined;
  private messages: MessageStream | undefined;
  /** Pieces of the answer that wait for those before them, and its end. */
  private readonly pieces: (string | Uint8Array | (() => unknown))[] = [];
  private writing = false;
  /** Bytes of the body that the main thread takes. */
  private credit = WINDOW;
  private wake: (() => void) | undefined;

  constructor(
    private readonly main: MainThread,
    private readonly id: number,
    private readonly exchange: HandedOver,
  ) {
    const { body } = exchange;
    const isWhole = body.isWhole;
    const bytes = isWhole ? packed(body.takeWhole()) : '';
    const bits =
      (exchange.overTls ? BITS.tls : 0) |
      (exchange.chunked ? BITS.chunked : 0) |
      (exchange.closeAfter ? BITS.closes : 0) |
      (exchange.upgradable ? BITS.upgradable : 0) |
      (isWhole ? BITS.whole : 0);
    const { method, path, query, headers, remoteAddress, connectionId, contentLength } = exchange;
    main.send(
      [
        ...(['open', id, method, path, query, headers.join('\n')] as const),
        ...([remoteAddress, connectionId, bits, contentLength, bytes] as const),
      ],
      memoryOf(bytes),
    );
    if (!isWhole) void this.sendBody();
  }

  over(gone: boolean): void {
    if (this.isOver) return;
    this.isOver = true;
    this.pieces.length = 0;
    this.wakeUp();
    this.main.forget(this.id);
    if (gone) this.main.send(['gone', this.id]);
  }

  /** What the main thread says of it. */
  take(message: ToThread): void {
    const { exchange } = this;
    switch (message[0]) {
      case 'answer':
        exchange.sendReady(ready(message[2], message[3], message[4]), payloadOf(message[5], message[6]));
        break;
      case 'begin':
        this.stream = exchange.streamReady(ready(message[2], message[3], message[4]), message[5]);
        break;
      case 'piece':
        this.pieces.push(payloadOf(message[2], message[3]));
        this.write();
        break;
      case 'end':
        this.pieces.push(() => this.stream?.end());
        this.write();
        break;
      case 'break':
        exchange.breakOff();
        break;
      case 'read':
        this.credit += message[2];
        this.wakeUp();
        break;
      case 'upgrade':
        this.messages = exchange.messagesReady(ready(101, message[2], false));
        break;
      case 'ping':
        this.messages?.ping();
        break;
      case 'close':
        this.pieces.push(() => {
          this.messages?.end(message[2], message[3]);
        });
        this.write();
        break;
      case 'where':
        void exchange.localAddress().then((address) => {
          this.main.send(['local', this.id, address]);
        });
        break;
      case 'tell':
        break;
    }
  }

  /** The main thread is gone. */
  abort(): void {
    this.exchange.breakOff();
  }

  private write(): void {
    if (!this.writing) void this.writeOn();
  }

  /** One piece after the other: the next one when the client has taken the last. */
  private async writeOn(): Promise<void> {
    this.writing = true;
    const stream = this.messages ?? this.stream;
    while (this.pieces.length > 0 && stream !== undefined) {
      const piece = this.pieces.shift();
      if (piece === undefined) break;
      if (typeof piece === 'function') {
        await piece();
        break;
      }
      const bytes = typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length;
      const written = stream.write(piece);
      if (stream.behind) {
        // It is held here now, for somebody who may not read on.
        const { answerShare } = this.exchange;
        if (!answerShare.tryAcquire(bytes)) {
          this.exchange.breakOff();
          break;
        }
        await written;
        answerShare.give(bytes);
      }
      if (this.isOver) break;
      this.main.send(['taken', this.id, bytes]);
    }
    this.writing = false;
  }

  private async sendBody(): Promise<void> {
    try {
      for await (const chunk of this.exchange.bodyStream()) {
        for (let at = 0; at < chunk.length; at += PIECE) {
          const piece = chunk.subarray(at, at + PIECE);
          while (this.credit < piece.length && !this.isOver) {
            await new Promise<void>((resolve) => {
              this.wake = resolve;
            });
          }
          if (this.isOver) return;
          this.credit -= piece.length;
          this.send(piece, false);
        }
      }
      if (!this.isOver) this.send(Buffer.alloc(0), true);
    } catch (error) {
      if (this.isOver) return;
      const { status, message, headers } = error instanceof HttpError ? error : new HttpError(500, String(error));
      this.main.send(['failed', this.id, status, message, headers]);
    }
  }

  private send(piece: Uint8Array, last: boolean): void {
    const bytes = packed(piece);
    this.main.send(['body', this.id, bytes, last], memoryOf(bytes));
  }

  private wakeUp(): void {
    const { wake } = this;
    this.wake = undefined;
    wake?.();
  }
}

function ready(status: number, head: string, closes: boolean): ReadyHead {
  return { status, head: new TextHead(head), closes };
}

function payloadOf(payload: Packed, raw: boolean): string | Uint8Array {
  return raw ? unpacked(payload) : payload;
}
