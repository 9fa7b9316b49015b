/** What a front-end thread's exchanges and the way to the main thread need of each other (docs/design/threads.md, 2). */
import type { ByteShare } from '../budget.js';
import type { MessageStream, ResponseStream } from '../exchange.js';
import type { RequestBody } from '../request/request-body.js';
import type { ResponseHead } from '../response/response-head.js';

/** The beginning of an answer that was made elsewhere. */
export interface ReadyHead {
  readonly status: number;
  /** With all headers: the transport adds its framing alone. */
  readonly head: ResponseHead;
  /** It is the last answer of its connection. */
  readonly closes: boolean;
}

/** A request of this thread's connections that somebody else answers. */
export interface HandedOver {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Names in lower case and values in turn. */
  readonly headers: readonly string[];
  readonly remoteAddress: string;
  readonly connectionId: number;
  /** It came over TLS. */
  readonly overTls: boolean;
  /** -1 when unknown or none. */
  readonly contentLength: number;
  readonly chunked: boolean;
  readonly closeAfter: boolean;
  readonly upgradable: boolean;
  readonly body: RequestBody;
  readonly answerShare: ByteShare;
  localAddress(): Promise<string>;
  bodyStream(): AsyncIterable<Buffer>;
  /** Sends a whole answer as it is. */
  sendReady(answer: ReadyHead, payload: string | Uint8Array): void;
  /** Begins an answer in pieces; with `length` (not negative) exactly so many bytes follow. */
  streamReady(answer: ReadyHead, length: number): ResponseStream;
  /** Goes on as a WebSocket. */
  messagesReady(answer: ReadyHead): MessageStream;
  /** Answers in the place of whoever should have. */
  refuseReady(status: number, message: string): void;
  breakOff(): void;
}

/** Who answers a request that was handed over. */
export interface Follower {
  /** Answered, or (`gone`) the client has left: nothing more may be done with it. */
  over(gone: boolean): void;
}

/** The way to the main thread. */
export interface Relay {
  take(exchange: HandedOver): Follower;
}
