import type { Logger } from '../../shared/log.js';
import { addressText } from './address.js';
import type { Handler } from './exchange.js';
import type { Intake } from './intake.js';
import type { HttpPolicy } from './policy.js';
import type { HttpResponse } from './uws.js';
import type { UwsExchange } from './uws-exchange.js';

/** After an early response, so many bytes of the unread body are still taken before the connection is closed. */
export const DRAIN_BYTES = 1024 * 1024;
/** ... and for so many milliseconds. */
const DRAIN_TIME = 2000;
let connectionCount = 0;
const NOTHING = new ArrayBuffer(0);

/** What all listeners of one server share. */
export interface SharedState {
  policy: HttpPolicy;
  readonly intake: Intake;
}

/** What all connections of one listener share. */
export interface Hub {
  readonly handler: Handler;
  readonly log: Logger;
  readonly gzip: boolean;
  /** Requests come over TLS. */
  readonly secure: boolean;
  readonly shared: SharedState;
  /** Coarse clock in ms, moved on by the sweep, so that requests need not ask for the time. */
  now: number;
  closing: boolean;
  active: number;
  /** Connections that came so far. */
  accepted: number;
  /** Connections closed so far, counted while uWebSockets.js closes them. */
  closes: number;
  readonly connections: Set<Connection>;
  /** Connections whose data handler uWebSockets.js has dropped; armed again before the next request is parsed. */
  readonly unarmed: Connection[];
  /** A request whose head was parsed and whose connection is not known yet. */
  pending: UwsExchange | undefined;
  /** Clock at the last takeover, see `Connection`. */
  takeoverAt: number;
  /** A request is over. */
  onRequestOver: (() => void) | undefined;
  release(address: string): void;
}

/**
 * One TCP connection. uWebSockets.js knows no such object: it hands out a new response object for each request, and
 * tells of a closed connection without saying which. Here the object given to the `filter` at connect time is kept,
 * and two handlers registered through it lead back to the connection:
 *
 * - `onClosed`, called when the connection ends. uWS drops it with each completed response, so it is registered again
 *   inside the same cork, before the connection can close. It also empties the kept object, which makes later use
 *   throw instead of touching freed memory.
 * - `onData`, called right after the route handler (with an empty last chunk when there is no body). That call tells
 *   which connection the request just parsed (`hub.pending`) came from. uWS drops it with the last chunk.
 *
 * Only requests with a chunked body or `Content-Length: 0` may be parsed without `onData` following at once. They
 * bring a second response object (`UwsExchange.spare`); when something else happens first, they get a new
 * `Connection` around that one, and their response closes the connection. The old `Connection` is then
 * never called again; since nobody knows which one it is, no connection that has been idle since before the takeover
 * is touched by the sweep. uWS closes the real ones of these after 10 s, what remains is forgotten.
 */
export class Connection {
  readonly id = ++connectionCount;
  exchange: UwsExchange | undefined;
  /** Part of a request body is still to come. */
  receiving = false;
  closed = false;
  /** False until the first request. */
  used = false;
  /** Clock when it was last seen alive or its native timeout put off. */
  touchedAt: number;
  /** Clock since when it waits for a request, or for the rest of an unwanted body. */
  idleSince: number;
  private paused = false;
  private drained = 0;
  private closeWhenDrained = false;

  constructor(
    private readonly hub: Hub,
    readonly handle: HttpResponse,
    readonly address: string,
  ) {
    this.touchedAt = hub.now;
    this.idleSince = hub.now;
    handle.onAborted(this.onClosed);
    handle.onData(this.onData);
    hub.connections.add(this);
  }

  readonly onClosed = (): void => {
    const { hub } = this;
    this.forget();
    // Nothing came between its route and this call: what was left of its head or body was not HTTP.
    if (hub.pending !== undefined && hub.pending.spare === undefined) hub.pending = undefined;
    const exchange = this.exchange;
    if (exchange === undefined) return;
    this.exchange = undefined;
    exchange.onGone();
    this.over();
  };

  readonly onData = (bytes: ArrayBuffer, last: boolean): void => {
    const { hub } = this;
    if (this.receiving) {
      settle(hub);
      this.receiving = !last;
      if (this.exchange !== undefined) this.exchange.body.push(bytes, last);
      else this.drain(bytes.byteLength, last);
      return;
    }
    const exchange = hub.pending;
    hub.pending = undefined;
    if (exchange === undefined) {
      // Cannot happen; answering the wrong request would be worse than none.
      this.closeSoon();
      return;
    }
    if (exchange.spare !== undefined) this.handle.onAborted(this.onClosed);
    this.begin(exchange, bytes, last);
  };

  /** Hands the request to its handler. */
  begin(exchange: UwsExchange, bytes: ArrayBuffer, last: boolean): void {
    this.receiving = !last;
    this.used = true;
    this.exchange = exchange;
    this.hub.active++;
    exchange.begin(this, bytes, last);
  }

  /** The response is complete; called inside its cork. */
  finished(closeAfter: boolean): void {
    const { hub } = this;
    this.exchange = undefined;
    this.touchedAt = this.idleSince = hub.now;
    this.closeWhenDrained = closeAfter;
    this.handle.onAborted(this.onClosed);
    if (this.receiving) {
      this.drained = 0;
      this.handle.onData(this.onData);
      this.resume();
    } else {
      hub.unarmed.push(this);
    }
    this.over();
  }

  /** The response is complete and its connection went with it, unannounced. */
  finishedAndClosed(): void {
    this.exchange = undefined;
    this.forget();
    this.over();
  }

  /** Not within a call from uWebSockets.js, which would go on with data of a connection that is gone. */
  closeSoon(): void {
    setImmediate(() => {
      if (!this.closed) this.handle.close();
    });
  }

  pause(): void {
    if (this.closed) return;
    this.paused = true;
    this.handle.pause();
  }

  resume(): void {
    if (this.closed || !this.paused) return;
    this.paused = false;
    this.read();
  }

  /** Puts off the native timeout, which knows nothing of the configured ones. */
  keepOpen(now: number): void {
    if (this.paused) return;
    this.touchedAt = now;
    this.read();
  }

  /** Waits for the client to close, or for the end of an unwanted body, or for too long. */
  get lingering(): boolean {
    return this.receiving || this.closeWhenDrained;
  }

  lingeredTooLong(now: number): boolean {
    return now - this.idleSince > DRAIN_TIME;
  }

  /**
   * Lets uWebSockets.js read and write on. Always from a paused state: its `resume` on a socket that is not paused
   * stops both instead.
   */
  private read(): void {
    this.handle.pause();
    this.handle.resume();
  }

  private drain(size: number, last: boolean): void {
    this.drained += size;
    if (last ? this.closeWhenDrained : this.drained > DRAIN_BYTES) this.closeSoon();
    else if (last) {
      this.touchedAt = this.idleSince = this.hub.now;
      this.hub.unarmed.push(this);
    }
  }

  private forget(): void {
    this.closed = true;
    this.hub.connections.delete(this);
    this.hub.release(this.address);
  }

  private over(): void {
    this.hub.active--;
    this.hub.onRequestOver?.();
  }
}

/** Makes all connections ready to recognise their next request. To be called before a request is parsed further. */
export function arm(hub: Hub): void {
  const { unarmed } = hub;
  for (let connection = unarmed.pop(); connection !== undefined; connection = unarmed.pop()) {
    if (!connection.closed) connection.handle.onData(connection.onData);
  }
}

/** Finds a connection for a parsed request that was not followed by its data at once, see `Connection`. */
export function settle(hub: Hub): void {
  const exchange = hub.pending;
  if (exchange === undefined) return;
  hub.pending = undefined;
  if (exchange.spare === undefined) {
    // Cannot happen: requests of this kind are followed by their data or by the end of their connection.
    exchange.res.close();
    return;
  }
  hub.takeoverAt = hub.now;
  const connection = new Connection(hub, exchange.spare, exchange.remoteAddress);
  exchange.closeAfter = true;
  if (exchange.contentLength === 0) connection.begin(exchange, NOTHING, true);
  else connection.begin(exchange, NOTHING, false);
}

/** The text of the address at the other end of a response object. */
export function peerOf(res: HttpResponse): string {
  return addressText(res.getRemoteAddressAsText());
}
