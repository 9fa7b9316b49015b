import { gzip } from 'node:zlib';
import { overBudget, type ByteShare } from '../budget.js';
import { COMPRESS_FROM, isToCompress, tellCompressed } from '../response/compression.js';
import { cookieOf } from '../cookies/cookies.js';
import type { CookieDefaults } from '../cookies/cookie-defaults.js';
import { HttpError } from '../errors.js';
import type { Exchange, MessageStream, ResponseStream } from '../exchange.js';
import { originOf, type Origin } from '../peer/forwarded.js';
import { RequestBody } from '../request/request-body.js';
import type { RequestHead } from '../request/request-head.js';
import { ResponseHead, type DefaultHeaders, type PreparedHeaders } from '../response/response-head.js';
import { GzipStream, PlainStream, SizedStream } from '../response/response-stream.js';
import { type Closing, Messages, type MessageTarget, NO_MESSAGES } from '../websocket/messages.js';
import { wishesWebSocket } from '../websocket/wish.js';
import { DRAIN_BYTES, drained } from './drain.js';
import type { Hub, Waiting } from './hub.js';

/** Larger bodies are handed to the socket piece by piece, and count while they wait for their reader. */
export const PIECEWISE_FROM = 128 * 1024;
const GZIP_LEVEL = 4;

/** Of a client that is gone. */
export const SILENT: ResponseStream = {
  behind: false,
  write: () => Promise.resolve(),
  flush: () => Promise.resolve(),
  end: () => Promise.resolve(),
};

type State = 'open' | 'busy' | 'streaming' | 'done';

const BODY_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** What the exchanges of all transports have in common: everything but the calls into the library behind them. */
export abstract class BaseExchange implements Exchange, Waiting, MessageTarget {
  status = 200;
  endsWith: Closing = { code: 1000, reason: '' };
  place: string | undefined = undefined;
  /** The connection serves nothing after this request. */
  closeAfter: boolean;
  readonly body: RequestBody;
  protected head = new ResponseHead();
  protected state: State = 'open';
  protected gone = false;
  protected payload: string | Uint8Array = '';
  protected stream: PlainStream | GzipStream | SizedStream | undefined;
  /** Clock when the client last took something of a response that waits for it. */
  protected progressAt = 0;
  /** When it has begun: a request that is refused by its head has no handler. */
  private handled = false;
  /** Somebody else has answered: what the handler still does is dropped. */
  protected abandoned = false;
  private readonly refusal: { readonly status: number; readonly problem: string } | undefined;
  readonly contentLength: number;
  readonly chunked: boolean;
  private origin: Origin | undefined;
  protected controller: AbortController | undefined;
  private bodyShare_: ByteShare | undefined;
  private answerShare_: ByteShare | undefined;

  abstract readonly remoteAddress: string;
  abstract readonly connectionId: number;
  abstract localAddress(): Promise<string>;
  /** Sends `payload` as the whole response. */
  protected abstract sendWhole(): void;
  /** Sends a piece of a response of unknown length. False when the client is behind. */
  abstract writeChunk(chunk: string | Uint8Array): boolean;
  protected abstract sendStreamEnd(): void;
  /** Sends what the client takes of the bytes: `taken` when all of them, `complete` with the last byte of the body. */
  abstract writeSized(bytes: Uint8Array, length: number): { taken: boolean; complete: boolean };
  /** Ends the connection in the middle of the response. */
  abstract breakOff(): void;
  /** The sender of the body is to wait. */
  abstract pause(): void;
  abstract resume(): void;
  /** The library can make a WebSocket of this request. */
  protected abstract readonly canUpgrade: boolean;
  /** Answers 101; from then on `writeChunk` sends messages, and `sendStreamEnd` ends with `endsWith`. */
  protected abstract upgrade(): void;
  abstract sendPing(): void;

  protected constructor(
    protected readonly hub: Hub,
    readonly method: string,
    readonly path: string,
    readonly query: string,
    /** Names in lower case and values in turn: requests have few headers, and most are never asked for. */
    readonly headers: readonly string[],
    found: RequestHead,
  ) {
    this.contentLength = found.contentLength;
    this.chunked = found.chunked;
    // What a parser that is not exact takes for the next request may be a body: its trailers, or all of it when its length stands
    // behind a header that ends the list of headers.
    const unsure = found.chunked || (found.contentLength < 0 && BODY_METHODS.has(method));
    this.closeAfter = found.closes || (unsure && !hub.isExact);
    this.refusal = found.status === 0 ? undefined : { status: found.status, problem: found.problem };
    this.body = new RequestBody(this, hub, found.contentLength, hub.shared.intake);
    // Where it is not sure how long a body is, nobody waits for it.
    this.body.complete = found.status !== 0 || !(found.chunked || found.contentLength > 0);
    hub.active++;
  }

  get address(): string {
    return this.seenOrigin.address;
  }

  get secure(): boolean {
    // The address, which takes 5 µs to find, decides on nothing but whether this header is believed.
    return this.header('x-forwarded-proto') === '' ? this.hub.secure : this.seenOrigin.secure;
  }

  get scheme(): 'http' | 'https' {
    return this.secure ? 'https' : 'http';
  }

  get cookieDefaults(): CookieDefaults {
    return this.hub.shared.policy.cookies;
  }

  cookie(name: string): string | undefined {
    return cookieOf(this.header('cookie'), name);
  }

  get aborted(): boolean {
    return this.gone || this.abandoned;
  }

  get responded(): boolean {
    return this.aborted || this.state !== 'open';
  }

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.aborted) this.controller.abort();
    }
    return this.controller.signal;
  }

  /** Several headers of one name are one list (RFC 9110, 5.3). */
  header(name: string): string {
    const { headers } = this;
    let value = '';
    for (let i = 0; i < headers.length; i += 2) {
      if (headers[i] !== name) continue;
      const next = headers[i + 1] ?? '';
      value = value === '' ? next : `${value}${name === 'cookie' ? '; ' : ', '}${next}`;
    }
    return value;
  }

  readBody(limit: number): Promise<Buffer> {
    return this.body.read(limit, this.header('content-encoding'));
  }

  bodyStream(): AsyncIterable<Buffer> {
    return this.body.stream();
  }

  bodyDone(): void {
    this.body.done();
  }

  get bodyShare(): ByteShare {
    return (this.bodyShare_ ??= this.hub.shared.budgets.bodies.share(this.address));
  }

  get answerShare(): ByteShare {
    return (this.answerShare_ ??= this.hub.shared.budgets.answers.share(this.address));
  }

  setHeader(name: string, value: string): void {
    if (this.aborted) return;
    if (this.state !== 'open') throw new Error('The response has begun');
    this.head.set(name, value);
  }

  setHeaders(headers: PreparedHeaders): void {
    if (this.aborted) return;
    if (this.state !== 'open') throw new Error('The response has begun');
    this.head.setAll(headers);
  }

  vary(name: string): void {
    if (!this.aborted && this.state === 'open') this.head.vary(name);
  }

  end(body: string | Uint8Array = '', asIs = false): void {
    if (this.aborted) return;
    if (this.state !== 'open') throw new Error('The response has begun');
    this.payload = body;
    this.body.unwanted();
    if (body.length >= PIECEWISE_FROM && !this.answerShare.tryAcquire(byteLength(body))) {
      this.refuseAnswer();
      return;
    }
    if (!asIs && body.length >= COMPRESS_FROM && this.mayCompress()) {
      this.state = 'busy';
      this.compress(body);
      return;
    }
    this.complete();
  }

  startStream(length?: number): ResponseStream {
    if (this.aborted) return SILENT;
    if (this.state !== 'open') throw new Error('The response has begun');
    this.body.unwanted();
    this.beginStreaming();
    const compressed = this.mayCompress();
    if (compressed && !this.bodyless) {
      tellCompressed(this.head);
      return (this.stream = new GzipStream(new PlainStream(this)));
    }
    if (length !== undefined && length > 0 && !this.bodyless) return (this.stream = new SizedStream(this, length));
    if (length !== undefined && !compressed) this.head.set('Content-Length', String(length));
    return (this.stream = new PlainStream(this));
  }

  get wantsWebSocket(): boolean {
    return (
      this.canUpgrade &&
      this.hub.shared.options.webSockets.has(this.path) &&
      wishesWebSocket(this.method, (name) => this.header(name))
    );
  }

  startMessages(): MessageStream {
    if (this.aborted) return NO_MESSAGES;
    if (this.state !== 'open' || !this.wantsWebSocket) throw new Error('No WebSocket can begin here');
    this.status = 101;
    return this.beginMessages();
  }

  abandon(): void {
    this.abandoned = true;
    this.body.fail(new HttpError(400, 'The request was abandoned'));
    this.controller?.abort();
  }

  handOver(): boolean {
    return false;
  }

  get handedOver(): Promise<void> | undefined {
    return undefined;
  }

  /** Runs the handler. */
  begin(): void {
    if (this.refusal !== undefined) {
      this.closeAfter = true;
      this.refuse(this.refusal.status, this.refusal.problem);
      this.wasHandled();
      return;
    }
    try {
      const running = this.handle();
      if (running instanceof Promise) {
        this.watch(running);
        return;
      }
    } catch (error) {
      this.handlerFailed(error);
    }
    this.wasHandled();
  }

  protected handle(): void | Promise<void> {
    return this.hub.shared.handler(this);
  }

  /** Called with each step of the clock while this waits for its client. */
  check(now: number): void {
    const { maxBodyTime, readTimeout } = this.hub.shared.options;
    if (this.stream?.behind === true && !this.silent) {
      // The client reads no further: a player that is paused, or nobody any more.
      if (now - this.progressAt > readTimeout) this.breakOff();
    } else if (!this.body.complete && !this.responded && this.body.overdue(now, maxBodyTime)) {
      this.closeAfter = true;
      this.body.fail(new HttpError(408, 'The request took too long to arrive'));
    }
  }

  get silent(): boolean {
    return this.gone || this.state === 'done' || this.bodyless;
  }

  endStream(): void {
    if (this.gone || this.state === 'done') return;
    this.sendStreamEnd();
  }

  /** The client went away; `gone` is set. */
  protected onGone(): void {
    const open = this.state !== 'done';
    this.state = 'done';
    this.payload = '';
    this.body.fail(new HttpError(400, 'The client closed the connection'));
    this.stream?.onGone();
    this.controller?.abort();
    if (open) this.over();
    this.settleShares();
  }

  /** The response is complete. */
  protected finished(): void {
    this.state = 'done';
    this.payload = '';
    this.body.discard();
    this.over();
    this.settleShares();
  }

  /** From now on this waits for its client: what takes too long is ended. */
  protected wait(): void {
    this.progressAt = this.hub.now;
    this.hub.waiting.add(this);
  }

  protected get defaults(): DefaultHeaders {
    const { policy } = this.hub.shared;
    return this.secure ? policy.secureHeaders : policy.plainHeaders;
  }

  protected get bodyless(): boolean {
    return this.method === 'HEAD' || this.status === 204 || this.status === 304;
  }

  /** Of a response without a body: the length it would have. */
  protected setBodylessLength(): void {
    const { head } = this;
    // Of a 304 it would have to be that of the whole content.
    if (this.status === 204 || this.status === 304) head.take('content-length');
    else if (this.method === 'HEAD' && head.get('content-length') === undefined) {
      head.set('Content-Length', String(byteLength(this.payload)));
    }
  }

  /** Answers in the place of a handler, in the form of the contract's errors. */
  protected refuse(status: number, message: string, headers: Readonly<Record<string, string>> = {}): void {
    this.status = status;
    this.head = new ResponseHead();
    for (const [name, value] of Object.entries(headers)) this.head.set(name, value);
    this.head.set('Content-Type', 'application/json; charset=utf-8');
    this.payload = JSON.stringify({ code: status, message, errors: [] });
    this.body.unwanted();
    this.complete();
  }

  protected beginStreaming(): void {
    this.state = 'streaming';
    if (this.hub.closing) this.closeAfter = true;
    // A stream cannot wait until the rest of the body is there.
    if (!this.body.complete && this.bodyEndsConnection) this.closeAfter = true;
  }

  protected beginMessages(): MessageStream {
    this.state = 'streaming';
    const messages = new Messages(this);
    this.stream = messages.pieces;
    this.wait();
    this.upgrade();
    return messages;
  }

  private refuseAnswer(): void {
    const { status, message, headers } = overBudget();
    this.refuse(status, message, headers);
  }

  private compress(body: string | Uint8Array): void {
    gzip(body, { level: GZIP_LEVEL }, (error, packed) => {
      if (this.gone) return;
      if (error === null) {
        this.payload = packed;
        tellCompressed(this.head);
        if (this.answerShare_ !== undefined && body.length >= PIECEWISE_FROM) {
          this.answerShare_.give(Math.max(0, byteLength(body) - packed.length));
        }
      }
      this.complete();
    });
  }

  /** The whole response is ready. Where the connection is to be closed the client has to stop sending before. */
  protected complete(): void {
    if (this.hub.closing) this.closeAfter = true;
    if (this.body.complete || !this.bodyEndsConnection) {
      this.sendWhole();
      return;
    }
    this.closeAfter = true;
    this.state = 'busy';
    void drained(this.body, this).then(() => {
      if (!this.gone) this.sendWhole();
    });
  }

  /** What is missing of the body is too much to wait for, or its connection is closed anyway. */
  protected get bodyEndsConnection(): boolean {
    return this.closeAfter || this.chunked || this.contentLength - this.body.received > DRAIN_BYTES;
  }

  /** Called once. */
  protected over(): void {
    this.hub.waiting.delete(this);
    this.hub.requestOver();
  }

  private wasHandled(): void {
    this.handled = true;
    this.settleShares();
  }

  /** Nobody keeps anything for this request when its handler is through and its response over. */
  private settleShares(): void {
    if (!this.handled) return;
    this.bodyShare_?.release();
    if (this.state === 'done') this.answerShare_?.release();
  }

  /** Asked for once a request: what the proxies' headers say cannot change. */
  private get seenOrigin(): Origin {
    const { proxies } = this.hub.shared.policy;
    return (this.origin ??= originOf(this.remoteAddress, this.hub.secure, proxies, (name) => this.header(name)));
  }

  private mayCompress(): boolean {
    if (!this.hub.shared.options.gzip) return false;
    return isToCompress(this.status, this.head, () => this.header('accept-encoding'));
  }

  private watch(running: Promise<void>): void {
    running.then(
      () => {
        if (!this.responded) this.handlerFailed(new Error('The handler gave no response'));
        this.wasHandled();
      },
      (error: unknown) => {
        this.handlerFailed(error);
        this.wasHandled();
      },
    );
  }

  private handlerFailed(error: unknown): void {
    if (this.aborted) return;
    this.hub.shared.log.error(`${this.method} ${this.path} failed`, error);
    if (this.state !== 'open') {
      // Half a response cannot be taken back: only a broken connection tells the client.
      if (this.state === 'streaming') this.breakOff();
      return;
    }
    this.status = 500;
    this.setHeader('Content-Type', 'application/json; charset=utf-8');
    this.end('{"code":500,"message":"Internal server error","errors":[]}');
  }
}

/** Bytes of a body as it is sent. */
export function byteLength(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length;
}
