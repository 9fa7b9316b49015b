import type { Waiting } from '../transport/hub.js';
import { AcceptedExchange } from '../transport/accepted-exchange.js';
import { byteLength, PIECEWISE_FROM } from '../transport/base-exchange.js';
import type { RequestHead } from '../request/request-head.js';
import { UNWANTED } from '../websocket/messages.js';
import { SizedStream } from '../response/response-stream.js';
import { addressText } from '../peer/address.js';
import { localAddressTowards } from '../peer/local-address.js';
import type { Turn } from './turns.js';
import type { HttpResponse, us_socket_context_t, WebSocket } from './uws.js';
import type { UwsHub } from './uws-hub.js';

/** Well below the 8 s after which the library's own timeout can strike. */
const KEEP_OPEN_MS = 3000;

/** What the library says of a message that the socket has taken. */
const SENT = 1;

/** The exchange whose response is being written: `cork` then needs no closure per request. */
let corked: UwsExchange | undefined;

function corkedWhole(): void {
  corked?.writeWhole();
}

function corkedPiece(): void {
  corked?.writePiece();
}

/** What the library keeps with a WebSocket. */
export interface SocketData {
  readonly exchange: UwsExchange;
}

/** Runs `write` so that what it sends leaves in one piece. */
function cork(exchange: UwsExchange, write: () => void): void {
  corked = exchange;
  try {
    exchange.res.cork(write);
  } finally {
    corked = undefined;
  }
}

/**
 * `Exchange` on uWebSockets.js. `res` is touched only between its route and its end or abort, and never ended or closed in a call
 * from the library: those note what has come (`arrived`, `aborted`, `writable`), and `turn` works on it.
 */
export class UwsExchange extends AcceptedExchange implements Turn, Waiting {
  /** The library does not tell connections apart. */
  readonly connectionId = 0;
  private peer: string | undefined;
  private queued = false;
  private begun = false;
  private writableAt = -1;
  private streamStarted = false;
  private streamOk = true;
  private streamEnds = false;
  private keptAt: number;
  /** Reading went on behind the end of the body. */
  private resumedLate = false;
  /** The address under which this counts as waiting for its client. */
  private countedAs: string | undefined;
  private readonly closesItself: boolean;
  /** Once it has become one, and until that is closed. */
  private socket: WebSocket<SocketData> | undefined;
  private isUnwanted = false;
  private isFlooded = false;

  constructor(
    private readonly uws: UwsHub,
    readonly res: HttpResponse,
    method: string,
    path: string,
    query: string,
    headers: readonly string[],
    found: RequestHead,
    /** With it the request can become a WebSocket. */
    private readonly socketContext?: us_socket_context_t,
  ) {
    super(uws.hub, method, path, query, headers, found);
    this.keptAt = uws.hub.now;
    this.closesItself = found.closes && this.header('connection').toLowerCase() === 'close';
    res.onAborted(() => {
      this.gone = true;
      this.later();
    });
    if (!this.body.complete) {
      res.onData((bytes, last) => {
        this.body.push(bytes, last);
        this.later();
      });
    }
    this.later();
  }

  /** Of a client that is gone, and was never asked for, it is empty. */
  get remoteAddress(): string {
    if (this.peer !== undefined) return this.peer;
    if (this.gone || this.state === 'done') return '';
    return (this.peer = addressText(this.res.getRemoteAddressAsText()));
  }

  localAddress(): Promise<string> {
    return localAddressTowards(this.remoteAddress, this.hub.shared.options.host);
  }

  turn(): void {
    this.queued = false;
    if (this.gone) {
      // What has begun neither nor ends: it was never there.
      this.onGone();
      return;
    }
    if (!this.begun) {
      this.begun = true;
      if (!this.body.complete) {
        this.wait();
        if (!this.count()) {
          this.closeAfter = true;
          this.refuse(503, 'Too many requests of your address are waiting.', { 'Retry-After': '5' });
        }
      }
      if (!this.responded) this.begin();
    }
    if (this.isFlooded) {
      this.breakOff();
      return;
    }
    if (this.isUnwanted) {
      this.socket?.end(UNWANTED.code, UNWANTED.reason);
      return;
    }
    this.body.deliver();
    if (this.body.complete && this.stream === undefined && !this.resumedLate) this.hub.waiting.delete(this);
    if (this.writableAt >= 0) {
      const offset = this.writableAt;
      this.writableAt = -1;
      this.progressAt = this.hub.now;
      if (!this.silent) this.stream?.onWritable(offset);
    }
  }

  override check(now: number): void {
    super.check(now);
    if (this.stream?.behind === true && !this.silent && !this.count()) this.breakOff();
    if (this.socket !== undefined) return;
    if (this.gone || this.state === 'done' || this.body.paused || now - this.keptAt < KEEP_OPEN_MS) return;
    // The library's own timeout knows nothing of the settings. In this order: to resume what is not paused stops it.
    this.keptAt = now;
    this.res.pause();
    this.res.resume();
  }

  pause(): void {
    if (!this.gone && this.state !== 'done') this.res.pause();
  }

  resume(): void {
    if (this.gone || this.state === 'done') return;
    this.res.resume();
    if (!this.body.complete) return;
    // Resuming starts the library's timeout, which the end of the body, already here, has stopped before.
    this.resumedLate = true;
    this.hub.waiting.add(this);
  }

  breakOff(): void {
    if (this.gone || this.state === 'done') return;
    if (this.socket === undefined) this.res.close();
    else this.socket.close();
  }

  /** From the library: it is a WebSocket now. */
  opened(socket: WebSocket<SocketData>): void {
    this.socket = socket;
  }

  /** From the library: the client has sent a message. */
  unwanted(): void {
    this.isUnwanted = true;
    this.later();
  }

  /** From the library: the client asks and does not read what it is answered. */
  flooded(): void {
    this.isFlooded = true;
    this.later();
  }

  /** From the library: the client has taken what waited. */
  drained(): void {
    this.writableAt = 0;
    this.later();
  }

  /** From the library: the WebSocket is closed. */
  closed(): void {
    this.socket = undefined;
    this.gone = true;
    this.later();
  }

  sendPing(): void {
    this.socket?.ping();
  }

  writeChunk(chunk: string | Uint8Array): boolean {
    this.progressAt = this.hub.now;
    if (this.status === 101) return this.socket === undefined || this.socket.send(utf8(chunk), false) === SENT;
    this.payload = chunk;
    cork(this, corkedPiece);
    this.payload = '';
    return this.streamOk;
  }

  writeSized(bytes: Uint8Array, length: number): { taken: boolean; complete: boolean } {
    const { res } = this;
    let taken = false;
    let complete = false;
    this.progressAt = this.hub.now;
    res.cork(() => {
      this.startStreamed();
      this.readNoFurther();
      [taken, complete] = res.tryEnd(bytes, length);
    });
    if (complete) this.finished();
    return { taken, complete };
  }

  protected get canUpgrade(): boolean {
    return this.socketContext !== undefined;
  }

  protected upgrade(): void {
    const { res, socketContext } = this;
    if (socketContext === undefined) return;
    // Nobody can ask the response for it afterwards.
    void this.remoteAddress;
    const head = headBytes(this.head.text(this.status, this.defaults));
    const key = this.header('sec-websocket-key');
    res.cork(() => {
      res.writeStatus(head);
      // Neither subprotocols nor compression.
      res.upgrade<SocketData>({ exchange: this }, key, '', '', socketContext);
    });
  }

  protected sendStreamEnd(): void {
    if (this.status === 101) {
      this.socket?.end(this.endsWith.code, this.endsWith.reason);
      return;
    }
    this.streamEnds = true;
    if (this.bodyless && this.closeAfter && !this.closesItself) this.closeWithHead();
    else cork(this, corkedPiece);
  }

  protected sendWhole(): void {
    this.state = 'busy';
    const { payload } = this;
    if (this.bodyless) {
      this.setBodylessLength();
      if (this.closeAfter && !this.closesItself) this.closeWithHead();
      else cork(this, corkedWhole);
      return;
    }
    this.head.take('content-length');
    if (payload.length < PIECEWISE_FROM) {
      cork(this, corkedWhole);
      return;
    }
    const stream = (this.stream = new SizedStream(this, byteLength(payload)));
    void stream.write(payload);
  }

  /** Inside `cork`. */
  writeWhole(): void {
    const { res, payload } = this;
    res.writeStatus(headBytes(this.head.text(this.status, this.defaults)));
    // A length given here would leave the response incomplete for ever.
    if (this.bodyless) res.endWithoutBody();
    // This says `Connection: close` as well.
    else res.end(utf8(payload), this.closeAfter);
    this.finished();
  }

  /** Inside `cork`. */
  writePiece(): void {
    const { res } = this;
    this.startStreamed();
    if (!this.streamEnds) {
      this.streamOk = res.write(utf8(this.payload));
      return;
    }
    this.readNoFurther();
    if (this.bodyless) res.endWithoutBody();
    else res.end();
    this.finished();
  }

  protected override over(): void {
    if (this.countedAs !== undefined) this.hub.shared.addresses.release(this.countedAs);
    super.over();
  }

  /** False when too many requests of the address wait for their client, which is what the library lets us count of connections. */
  private count(): boolean {
    if (this.countedAs !== undefined) return true;
    const { address } = this;
    if (!this.hub.shared.addresses.admit(address)) return false;
    this.countedAs = address;
    return true;
  }

  private later(): void {
    if (this.queued) return;
    this.queued = true;
    this.uws.turns.later(this);
  }

  private startStreamed(): void {
    if (this.streamStarted) return;
    this.streamStarted = true;
    this.head.take('content-length');
    const text = this.head.text(this.status, this.defaults);
    this.res.writeStatus(headBytes(this.closeAfter && !this.closesItself ? `${text}\r\nConnection: close` : text));
    if (this.bodyless) return;
    this.wait();
    // Nothing is written in this call: to have written nothing is success.
    this.res.onWritable((offset) => {
      this.writableAt = offset;
      this.later();
      return true;
    });
  }

  /**
   * The library can close a connection with its answer only when it is given all of it in one call; else it writes a header into the
   * body. What it does not read any more it cannot serve: it closes the connection 10 s after the answer, or the client does.
   */
  private readNoFurther(): void {
    if (this.closeAfter && !this.closesItself) this.res.pause();
  }

  /** The library cannot close after a response without a body: its head is written as one text, and the connection closed. */
  private closeWithHead(): void {
    const { res } = this;
    this.state = 'busy';
    res.cork(() => {
      const text = this.head.text(this.status, this.defaults);
      res.writeStatus(headBytes(`${text}\r\nDate: ${new Date().toUTCString()}\r\nConnection: close\r\n`));
    });
    setImmediate(() => {
      this.breakOff();
    });
  }
}

/** The library takes all bytes before it answers, so that one place does for all texts. */
const scratch = Buffer.allocUnsafeSlow(256 * 1024);
/** Bytes of a character of a text, at most. */
const BYTES = 3;

/** Newer binaries of the library write a text whose characters are all below U+0100 in Latin-1: texts go out as bytes of UTF-8. */
function utf8(body: string | Uint8Array): Uint8Array {
  if (typeof body !== 'string') return body;
  if (body.length * BYTES > scratch.length) return Buffer.from(body);
  return scratch.subarray(0, scratch.write(body));
}

/** The head that was looked at last: many answers have the same text for one. */
let ascii = '';

/** As `utf8`; nearly all heads are ASCII, which every binary writes as it is. */
function headBytes(head: string): string | Uint8Array {
  if (head === ascii) return head;
  if (/[\u0080-\uffff]/.test(head)) return Buffer.from(head);
  return (ascii = head);
}
