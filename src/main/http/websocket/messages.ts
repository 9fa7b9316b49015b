import type { MessageStream } from '../exchange.js';
import { PlainStream, type StreamTarget } from '../response/response-stream.js';

/** What the client hears where it sends what nobody takes (RFC 6455, 7.4.1). */
export const UNWANTED: Closing = { code: 1003, reason: 'Nothing is taken here.' };
/** Bytes that a client may send in one message before its connection is closed at once. */
export const MOST_RECEIVED = 16 * 1024;
/** Milliseconds without a sign of life of the client after which it is gone. */
export const SILENCE = 60_000;
/** Bytes that may wait in a socket for a client that asks, by pings, and does not read what it is answered. */
export const MOST_BEHIND = 4 * 1024 * 1024;

/** With what a WebSocket ends. */
export interface Closing {
  readonly code: number;
  readonly reason: string;
}

/** Sends messages in the place of pieces. */
export interface MessageTarget extends StreamTarget {
  sendPing(): void;
  /** What `endStream` ends it with. */
  endsWith: Closing;
}

/** Nobody listens any more. */
export const NO_MESSAGES: MessageStream = {
  behind: false,
  write: () => Promise.resolve(),
  ping: () => undefined,
  end: () => undefined,
};

/** Messages as they come, the next one only after the client took the last. */
export class Messages implements MessageStream {
  readonly pieces: PlainStream;
  #ended = false;

  constructor(private readonly target: MessageTarget) {
    this.pieces = new PlainStream(target);
  }

  get behind(): boolean {
    return this.pieces.behind;
  }

  write(message: string | Uint8Array): Promise<void> {
    return this.#ended ? Promise.resolve() : this.pieces.write(message);
  }

  ping(): void {
    // Behind what waits it would come too late to be one.
    if (!this.#ended && !this.behind && !this.target.silent) this.target.sendPing();
  }

  end(code: number, reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.target.endsWith = { code, reason };
    void this.pieces.end();
  }
}
