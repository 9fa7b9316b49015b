import type { ByteShare } from './budget.js';
import type { CookieDefaults } from './cookies/cookie-defaults.js';
import type { PreparedHeaders } from './response/response-head.js';

/**
 * One request and its response, free of the server library behind it. The only type the other rooms know of
 * HTTP transport.
 */
export interface Exchange {
  /** Upper case. */
  readonly method: string;
  /** Path as sent, still percent-encoded. */
  readonly path: string;
  /** Query as sent, without `?`; empty when there is none. */
  readonly query: string;
  /** Address of the peer, as text: of the client, or of the proxy nearest to us. */
  readonly remoteAddress: string;
  /** Address of the client: the peer's, or what a trusted proxy says (`httpservice.trustedproxies`). */
  readonly address: string;
  /**
   * Address of this machine that the request has arrived at; empty when nobody knows. To be asked before the answer: it is looked for
   * then, and costs a system call or more.
   */
  localAddress(): Promise<string>;
  /** Tells the connection from all others of this server. */
  readonly connectionId: number;
  /** The client speaks HTTPS, to us or to a trusted proxy. */
  readonly secure: boolean;
  /** `https` when `secure`, else `http`. */
  readonly scheme: 'http' | 'https';
  /** Value of a request header (name in lower case); empty when absent. */
  header(name: string): string;
  /** Value of a request cookie, the first of its name and without quotes; undefined when there is none. */
  cookie(name: string): string | undefined;
  /** What `setCookie` takes where it is not told otherwise. */
  readonly cookieDefaults: CookieDefaults;
  /** Aborted when the client went away before the response was complete. */
  readonly signal: AbortSignal;
  readonly aborted: boolean;

  /** The whole body, at most `limit` bytes. Throws `HttpError` 413, 408 or 400 (aborted, bad gzip). */
  readBody(limit: number): Promise<Buffer>;
  /**
   * The body as it arrives; the sender is paused while a chunk is being worked on. To be read before the response
   * begins: what arrives later is dropped, and the reader gets an `HttpError` 500.
   */
  bodyStream(): AsyncIterable<Buffer>;
  /**
   * The bytes of the body are no longer kept by anybody, so they count no more for the budget of bodies
   * (`httpservice.bodies.maxbytes`). Without it they count until the request is over.
   */
  bodyDone(): void;
  /**
   * What this request keeps in memory while its answer waits for the client (`httpservice.answers.maxbytes`). The transport counts
   * what it was given and the socket has not taken; whoever makes answers counts here what it keeps beside that. Released
   * when the request is over.
   */
  readonly answerShare: ByteShare;

  /** The client asks to go on as a WebSocket (RFC 6455), at a path that has them (`HttpServerOptions.webSockets`). */
  readonly wantsWebSocket: boolean;

  /**
   * What of the service answers, for those who count requests: set by the room that knows it. One of few names, such as
   * `/svc/rest/Project/<uuid>`, and never what a client has made up.
   */
  place: string | undefined;
  /** Response status, default 200. */
  status: number;
  /** Sets a response header; names and values with control characters throw. */
  setHeader(name: string, value: string): void;
  /** Sets headers that were made ready before. `Vary` is added to what is set already. */
  setHeaders(headers: PreparedHeaders): void;
  /** The response depends on this request header, too (`Vary`). */
  vary(name: string): void;
  /**
   * Sends the whole response; compresses when asked for and worth it, unless it is to leave `asIs`. HEAD sends the headers
   * alone.
   */
  end(body?: string | Uint8Array, asIs?: boolean): void;
  /**
   * Starts a response that is sent piece by piece. With `length` exactly so many bytes have to follow: the client is told
   * the length, unless the body is compressed on its way.
   */
  startStream(length?: number): ResponseStream;
  /**
   * Answers with 101 and goes on as a WebSocket, which `wantsWebSocket`, with the headers that are set. Who only listens may send nothing
   * but pings and the end: anything else ends it (1003). `signal` is aborted when it has ended.
   */
  startMessages(): MessageStream;
  /**
   * In a front-end thread: the main thread answers this request, as if it had accepted it; what is still done with it here is dropped. False on
   * the main thread, and where the answer has begun or the body was asked for.
   */
  handOver(): boolean;
  /** Of a request that was handed over: resolves when it is over. */
  readonly handedOver: Promise<void> | undefined;
  /** The answer was given in place of the handler: its signal is aborted, what it still sends is dropped. */
  abandon(): void;
  /** True once `end` or `startStream` was called, or the client is gone. */
  readonly responded: boolean;
}

/** A response sent piece by piece. After an abort every call does nothing. */
export interface ResponseStream {
  /** The client has not taken all that was written; what `write` answers is settled otherwise. */
  readonly behind: boolean;
  /** Resolves when the client can take more; bytes must stay as they are until then. */
  write(chunk: string | Uint8Array): Promise<void>;
  /** Nothing that was written is held back to be compressed with what follows; resolves when it has left. Not beside a write or `end`. */
  flush(): Promise<void>;
  end(): Promise<void>;
}

/** A WebSocket to a client who only listens. After its end every call does nothing. */
export interface MessageStream {
  /** The client has not taken all that was written. */
  readonly behind: boolean;
  /** One message of text, in UTF-8 where it is bytes. Resolves when the client can take more; bytes must stay as they are until then. */
  write(message: string | Uint8Array): Promise<void>;
  /** Asks the client for a sign of life. One who gives none for a minute is let go by the transport. */
  ping(): void;
  /** Ends it behind all that was written, with a status code (RFC 6455, 7.4) and a reason of at most 123 bytes. */
  end(code: number, reason: string): void;
}

/** Handles one request. What it throws becomes an error response in the room that knows the body's form. */
export type Handler = (exchange: Exchange) => void | Promise<void>;
