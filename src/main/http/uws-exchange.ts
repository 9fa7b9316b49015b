import { gzip } from 'node:zlib';
import { acceptsGzip, COMPRESS_FROM, compressible } from './compression.js';
import { DRAIN_BYTES, type Connection, type Hub } from './connection.js';
import { cookieOf, type CookieDefaults } from './cookies.js';
import { HttpError } from './errors.js';
import type { Exchange, ResponseStream } from './exchange.js';
import { originOf, type Origin } from './forwarded.js';
import { RequestBody } from './request-body.js';
import { ResponseHead, type PreparedHeaders } from './response-head.js';
import { GzipStream, PlainStream, SizedStream } from './response-stream.js';
import type { HttpResponse } from './uws.js';

/** Larger bodies are handed to the socket piece by piece instead of being copied into its buffer whole. */
const PIECEWISE_FROM = 128 * 1024;
const GZIP_LEVEL = 4;

/** The exchange whose response is being written: `cork` then needs no closure per request. */
let corked: UwsExchange | undefined;

function corkedEnd(): void {
  corked?.writeWhole();
}

function corkedStream(): void {
  corked?.writeStreamed();
}

/** Runs `write` so that what it sends leaves in one piece. */
function cork(exchange: UwsExchange, write: () => void): void {
  const outer = corked;
  corked = exchange;
  try {
    exchange.res.cork(write);
  } finally {
    corked = outer;
  }
}

type State = 'open' | 'busy' | 'streaming' | 'done';

/** `Exchange` on uWebSockets.js. `res` is touched only while the connection is open and the response incomplete. */
export class UwsExchange implements Exchange {
  status = 200;
  closeAfter = false;
  /** Status with which the request is answered instead of being handled; 0: it is handled. */
  refusal = 0;
  readonly body: RequestBody;
  private readonly head = new ResponseHead();
  private origin: Origin | undefined;
  private connection: Connection | undefined;
  private state: State = 'open';
  private gone = false;
  private controller: AbortController | undefined;
  private stream: PlainStream | GzipStream | SizedStream | undefined;
  private payload: string | Uint8Array = '';
  private streamStarted = false;
  private streamOk = true;
  private streamEnds = false;
  private closesBefore = 0;
  /** Clock when the client last took something of a streamed response. */
  private progressAt = 0;

  constructor(
    private readonly hub: Hub,
    readonly res: HttpResponse,
    /** A second object for the same response, of requests that may need it (see `Connection`). */
    readonly spare: HttpResponse | undefined,
    readonly method: string,
    readonly path: string,
    readonly query: string,
    /** Names in lower case and values in turn: requests have few headers, and most are never asked for. */
    private readonly headers: readonly string[],
    /** -1 when unknown. */
    readonly contentLength: number,
    private peer: string,
  ) {
    this.body = new RequestBody(this, hub, contentLength, hub.shared.intake);
  }

  get remoteAddress(): string {
    return this.peer;
  }

  get address(): string {
    return this.seenOrigin.address;
  }

  get secure(): boolean {
    return this.seenOrigin.secure;
  }

  get connectionId(): number {
    return this.connection?.id ?? 0;
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
    return this.gone;
  }

  get responded(): boolean {
    return this.gone || this.state !== 'open';
  }

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.gone) this.controller.abort();
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

  setHeader(name: string, value: string): void {
    if (this.gone) return;
    if (this.state !== 'open') throw new Error('The response has begun');
    this.head.set(name, value);
  }

  setHeaders(headers: PreparedHeaders): void {
    if (this.gone) return;
    if (this.state !== 'open') throw new Error('The response has begun');
    this.head.setAll(headers);
  }

  vary(name: string): void {
    if (!this.gone && this.state === 'open') this.head.vary(name);
  }

  end(body: string | Uint8Array = '', asIs = false): void {
    if (this.gone) return;
    if (this.state !== 'open') throw new Error('The response has begun');
    this.payload = body;
    this.body.unwanted();
    if (!asIs && body.length >= COMPRESS_FROM && this.hub.gzip && this.mayCompress()) {
      this.state = 'busy';
      gzip(body, { level: GZIP_LEVEL }, (error, packed) => {
        if (this.gone) return;
        if (error === null) {
          this.payload = packed;
          this.head.set('Content-Encoding', 'gzip');
          this.head.weaken();
        }
        this.send(corkedEnd);
      });
      return;
    }
    this.send(corkedEnd);
  }

  startStream(length?: number): ResponseStream {
    if (!this.gone && this.state !== 'open') throw new Error('The response has begun');
    if (!this.gone) this.state = 'streaming';
    this.body.unwanted();
    const compressed = !this.gone && this.hub.gzip && this.mayCompress();
    if (compressed && !this.bodyless) {
      this.head.set('Content-Encoding', 'gzip');
      this.head.weaken();
      return (this.stream = new GzipStream(new PlainStream(this)));
    }
    if (length !== undefined && length > 0 && !this.bodyless) return (this.stream = new SizedStream(this, length));
    if (length !== undefined && !compressed) this.head.set('Content-Length', String(length));
    return (this.stream = new PlainStream(this));
  }

  /** From here on the connection is known. Runs the handler. */
  begin(connection: Connection, bytes: ArrayBuffer, last: boolean): void {
    this.connection = connection;
    this.peer = connection.address;
    this.body.push(bytes, last);
    if (this.hub.closing) this.closeAfter = true;
    if (this.refusal !== 0) {
      this.status = this.refusal;
      this.closeAfter = true;
      this.end();
      return;
    }
    try {
      const running = this.hub.handler(this);
      if (running instanceof Promise) this.watch(running);
    } catch (error) {
      this.handlerFailed(error);
    }
  }

  /** The sender of the body is to wait. */
  pause(): void {
    this.connection?.pause();
  }

  resume(): void {
    this.connection?.resume();
  }

  /** The client went away. */
  onGone(): void {
    this.gone = true;
    this.state = 'done';
    this.payload = '';
    this.body.fail(new HttpError(400, 'The client closed the connection'));
    this.stream?.onGone();
    this.controller?.abort();
  }

  abandon(): void {
    // What was ended may be sent in the next turn only.
    setImmediate(() => {
      this.onGone();
    });
  }

  /** The client took too long to send its request. */
  onOverdue(): void {
    this.closeAfter = true;
    this.body.fail(new HttpError(408, 'The request took too long to arrive'));
  }

  get silent(): boolean {
    return this.gone || this.state === 'done' || this.bodyless;
  }

  writeChunk(chunk: string | Uint8Array): boolean {
    this.progressAt = this.hub.now;
    this.payload = chunk;
    cork(this, corkedStream);
    this.payload = '';
    return this.streamOk;
  }

  endStream(): void {
    if (this.gone || this.state === 'done') return;
    this.streamEnds = true;
    this.send(corkedStream);
  }

  /** Inside `cork`. */
  writeWhole(): void {
    const { res, payload } = this;
    this.closesBefore = this.hub.closes;
    this.payload = '';
    const linger = this.mustLinger();
    const closeAfter = this.closeAfter;
    if (this.bodyless) {
      const { head } = this;
      if (this.method === 'HEAD' && head.get('content-length') === undefined) {
        head.set('Content-Length', String(byteLength(payload)));
      } else if (this.status === 204) head.take('content-length');
      res.writeStatus(this.headText(closeAfter));
      // A length given here would leave the response incomplete for ever in this version of uWebSockets.js.
      res.endWithoutBody();
      this.finished(closeAfter);
      return;
    }
    this.head.take('content-length');
    res.writeStatus(this.headText(linger));
    if (payload.length < PIECEWISE_FROM || closeAfter) {
      res.end(payload, closeAfter && !linger);
      this.finished(linger);
      return;
    }
    this.state = 'busy';
    this.streamStarted = true;
    const stream = (this.stream = new SizedStream(this, byteLength(payload)));
    this.onWritable();
    void stream.write(payload);
  }

  writeSized(bytes: Uint8Array, length: number): { taken: boolean; complete: boolean } {
    const { res } = this;
    this.progressAt = this.hub.now;
    let taken = false;
    let complete = false;
    res.cork(() => {
      this.closesBefore = this.hub.closes;
      if (!this.streamStarted) {
        this.streamStarted = true;
        this.head.take('content-length');
        res.writeStatus(this.headText(this.closeAfter));
        this.onWritable();
      }
      [taken, complete] = res.tryEnd(bytes, length);
      if (complete) this.finished(this.closeAfter);
    });
    return { taken, complete };
  }

  breakOff(): void {
    this.connection?.closeSoon();
  }

  /** Inside `cork`. */
  writeStreamed(): void {
    const { res } = this;
    this.closesBefore = this.hub.closes;
    if (!this.streamStarted) {
      this.streamStarted = true;
      this.head.take('content-length');
      res.writeStatus(this.headText(this.closeAfter));
      if (!this.bodyless) this.onWritable();
    }
    if (!this.streamEnds) {
      this.streamOk = res.write(this.payload);
      return;
    }
    if (this.bodyless) res.endWithoutBody();
    else res.end();
    this.finished(this.closeAfter);
  }

  /** Set once a response: uWebSockets.js knows one handler. */
  private onWritable(): void {
    this.res.onWritable((offset) => {
      this.progressAt = this.hub.now;
      return this.stream?.onWritable(offset) ?? true;
    });
  }

  /** Clock since when the client has taken nothing of what is ready for it; undefined: nothing waits. */
  get waitingSince(): number | undefined {
    return this.stream?.behind === true && !this.silent ? this.progressAt : undefined;
  }

  private headText(close: boolean): string {
    const { policy } = this.hub.shared;
    const text = this.head.text(this.status, this.secure ? policy.secureHeaders : policy.plainHeaders);
    return close ? `${text}\r\nConnection: close` : text;
  }

  /** The rest of the body is too much to wait for, or not wanted: say so, and close a little later. */
  private mustLinger(): boolean {
    const { body } = this;
    if (body.complete) return false;
    if (this.contentLength - body.received > DRAIN_BYTES) this.closeAfter = true;
    return this.closeAfter;
  }

  /**
   * The response is complete. Usually the connection cannot close before the cork ends. But while another connection
   * is corked (its data is being parsed, and what it did completed this response) this one cannot be, and closes
   * within the call that ends the response. A count of closed connections tells, since nothing else happens meanwhile.
   */
  private finished(closeLater: boolean): void {
    this.state = 'done';
    if (this.hub.closes !== this.closesBefore) this.connection?.finishedAndClosed();
    else this.connection?.finished(closeLater);
    this.body.discard();
  }

  /** Asked for once a request: what the proxies' headers say cannot change. */
  private get seenOrigin(): Origin {
    const { proxies } = this.hub.shared.policy;
    return (this.origin ??= originOf(this.peer, this.hub.secure, proxies, (name) => this.header(name)));
  }

  private get bodyless(): boolean {
    return this.method === 'HEAD' || this.status === 204 || this.status === 304;
  }

  private mayCompress(): boolean {
    const { head } = this;
    if (this.status === 204 || this.status === 304 || this.status === 206) return false;
    if (head.get('content-encoding') !== undefined || !compressible(head.get('content-type'))) return false;
    head.vary('Accept-Encoding');
    return acceptsGzip(this.header('accept-encoding'));
  }

  /**
   * Completes the response. Not at once when that may close the connection: uWebSockets.js would go on to hand out
   * the chunks it has at hand, from memory that is gone.
   */
  private send(write: () => void): void {
    if (this.spare === undefined || !(this.closeAfter || this.header('connection') !== '')) {
      cork(this, write);
      return;
    }
    if (this.state === 'open') this.state = 'busy';
    setImmediate(() => {
      if (!this.gone) cork(this, write);
    });
  }

  private watch(running: Promise<void>): void {
    running.then(
      () => {
        if (!this.responded) this.handlerFailed(new Error('The handler gave no response'));
      },
      (error: unknown) => {
        this.handlerFailed(error);
      },
    );
  }

  private handlerFailed(error: unknown): void {
    if (this.gone) return;
    this.hub.log.error(`${this.method} ${this.path} failed`, error);
    if (this.state !== 'open') {
      // Half a response cannot be taken back: only a broken connection tells the client.
      if (this.state === 'streaming') this.connection?.closeSoon();
      return;
    }
    this.status = 500;
    this.setHeader('Content-Type', 'application/json; charset=utf-8');
    this.end('{"code":500,"message":"Internal server error","errors":[]}');
  }
}

function byteLength(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length;
}
