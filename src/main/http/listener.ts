import { promisify } from 'node:util';
import type { Logger } from '../../shared/log.js';
import { arm, Connection, peerOf, settle, type Hub, type SharedState } from './connection.js';
import type { Handler } from './exchange.js';
import type { HttpServerOptions } from './server.js';
import { UwsExchange } from './uws-exchange.js';
import {
  closeListenSocket,
  listenOn,
  type HttpRequest,
  type HttpResponse,
  type us_listen_socket,
  type TemplatedApp,
  type UwsLibrary,
} from './uws.js';

const METHODS = new Map<string, string>();
const SWEEP_MS = 500;
/** Well below the 8 s after which the native timeout can strike. */
const KEEP_OPEN_MS = 3000;
/** Long after the native timeout. */
const FORGET_MS = 30_000;
/** How many turns of the loop at most wait for a moment without new connections. */
const QUIET_TURNS = 1000;
const nextTurn = promisify(setImmediate);

let headers: string[] = [];
let headSize = 0;
/** One function for all requests. `: ` and the line end count as well. */
const collectHeader = (name: string, value: string): void => {
  headers.push(name, value);
  headSize += name.length + value.length + 4;
};

function upperMethod(sent: string): string {
  let upper = METHODS.get(sent);
  if (upper === undefined) {
    upper = sent.toUpperCase();
    if (METHODS.size < 100) METHODS.set(sent, upper);
  }
  return upper;
}

/** What all listeners of a server have in common. */
export interface ListenerShared extends SharedState {
  readonly options: HttpServerOptions;
  readonly handler: Handler;
  readonly log: Logger;
  /** Counts one more connection of an address; false when there are too many. */
  admit(address: string): boolean;
  release(address: string): void;
}

/** One app of uWebSockets.js with its listen socket and the connections that came through it. */
export class Listener {
  private readonly hub: Hub;
  private readonly timer: NodeJS.Timeout;
  private socket: us_listen_socket | undefined;
  private closed = false;
  private port_ = -1;

  constructor(
    private readonly uws: UwsLibrary,
    private readonly app: TemplatedApp,
    secure: boolean,
    shared: ListenerShared,
  ) {
    const { options } = shared;
    const hub: Hub = (this.hub = {
      handler: shared.handler,
      log: shared.log,
      gzip: options.gzip,
      secure,
      shared,
      now: Date.now(),
      closing: false,
      active: 0,
      accepted: 0,
      closes: 0,
      connections: new Set(),
      unarmed: [],
      pending: undefined,
      takeoverAt: 0,
      onRequestOver: undefined,
      release(address) {
        shared.release(address);
      },
    });
    serve(app, hub, shared);
    const sweep = (): void => {
      hub.now = Date.now();
      for (const connection of hub.connections) check(hub, connection, options);
      // Nobody comes any more, and nobody is left: a listener whose certificate was renewed.
      if (this.port_ >= 0 && this.socket === undefined && hub.connections.size === 0) this.end();
    };
    const step = Math.min(SWEEP_MS, Math.max(20, options.idleTimeout / 4, options.maxBodyTime / 4));
    this.timer = setInterval(sweep, step);
    this.timer.unref();
  }

  /** False when the port is taken or the address not ours; the listener is of no use then. */
  async listen(host: string, port: number, mode: 'alone' | 'shared'): Promise<boolean> {
    const socket = await listenOn(this.uws, this.app, host, port, mode);
    if (socket === false) {
      this.end();
      return false;
    }
    this.socket = socket;
    this.port_ = this.uws.us_socket_local_port(socket);
    return true;
  }

  get port(): number {
    return this.port_;
  }

  get activeRequests(): number {
    return this.hub.active;
  }

  /** All its connections are gone and it takes no more. */
  get over(): boolean {
    return this.closed;
  }

  /**
   * Takes no more connections, from the first moment nobody waits to be accepted: those who do are turned away when the
   * socket closes, and which listener of a shared port they wait for is the system's choice.
   */
  async retireWhenQuiet(): Promise<void> {
    for (let turn = 0; turn < QUIET_TURNS; turn++) {
      const before = this.hub.accepted;
      await nextTurn();
      // The first turn may have looked at its sockets before.
      if (turn > 0 && this.hub.accepted === before) break;
    }
    this.retire();
  }

  /** Takes no more connections; those it has go on. */
  retire(): void {
    if (this.socket === undefined) return;
    closeListenSocket(this.uws, this.socket);
    this.socket = undefined;
  }

  /** Takes no more connections, lets running requests end for at most `graceMs`, then closes the rest. */
  async close(graceMs: number): Promise<void> {
    const { hub } = this;
    if (this.closed) return;
    this.retire();
    hub.closing = true;
    for (const connection of hub.connections) {
      if (connection.exchange === undefined && !connection.lingering && knownAlive(hub, connection)) {
        connection.handle.close();
      } else if (connection.exchange !== undefined) connection.exchange.closeAfter = true;
    }
    if (hub.active > 0 && graceMs > 0) {
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, graceMs);
        hub.onRequestOver = () => {
          if (hub.active > 0) return;
          clearTimeout(late);
          // The last response may still be in a buffer here.
          setTimeout(resolve, 20);
        };
      });
    }
    this.end();
  }

  private end(): void {
    if (this.closed) return;
    this.closed = true;
    clearInterval(this.timer);
    this.app.close();
  }
}

/** Makes the app hand its connections and requests to the hub. */
function serve(app: TemplatedApp, hub: Hub, shared: ListenerShared): void {
  const { options } = shared;
  const settlePending = (): void => {
    settle(hub);
  };

  app.filter((res, count) => {
    if (Number(count) < 0) {
      hub.closes++;
      return;
    }
    settle(hub);
    hub.accepted++;
    const address = peerOf(res);
    if (hub.closing || !shared.admit(address)) {
      res.close();
      return;
    }
    new Connection(hub, res, address);
  });

  let spare: HttpResponse | undefined;
  let closesSeen = 0;
  const route = (res: HttpResponse, req: HttpRequest): void => {
    if (hub.closes !== closesSeen) {
      closesSeen = hub.closes;
      // A connection that was closed while its data was parsed: uWebSockets.js goes on with the request behind it.
      if (res.getRemoteAddressAsText().byteLength === 0) {
        res.close();
        return;
      }
    }
    if (hub.pending !== undefined) settle(hub);
    arm(hub);
    const first = spare;
    spare = undefined;
    headers = [];
    headSize = 0;
    req.forEach(collectHeader);
    let length = -1;
    let chunked = false;
    for (let i = 0; i < headers.length; i += 2) {
      const name = headers[i];
      if (name === 'transfer-encoding') chunked = true;
      else if (name === 'content-length') {
        // uWebSockets.js believes the first of several and would parse the rest as another request.
        if (length >= 0) {
          res.close();
          return;
        }
        length = Number(headers[i + 1]);
      }
    }
    const unsure = chunked || length === 0;
    if (unsure && first === undefined) {
      spare = res;
      req.setYield(true);
      return;
    }
    const exchange = new UwsExchange(
      hub,
      res,
      first,
      upperMethod(req.getCaseSensitiveMethod()),
      req.getUrl(),
      // Undefined when there is no `?`, whatever the typings say.
      req.getQuery() || '',
      headers,
      length,
      unsure ? peerOf(res) : '',
    );
    // uWebSockets.js looks at the size only of heads that arrive in several pieces.
    if (headSize + exchange.path.length + exchange.query.length > options.maxHeaderSize) exchange.refusal = 431;
    hub.pending = exchange;
    if (first !== undefined) {
      res.onAborted(() => {
        if (hub.pending === exchange) hub.pending = undefined;
        hub.release(exchange.remoteAddress);
        hub.takeoverAt = hub.now;
      });
      setImmediate(settlePending);
    }
  };
  for (const method of ['get', 'post', 'put', 'patch', 'del', 'options', 'head'] as const) app[method]('/*', route);
  app.any('/*', (res, req) => {
    if (spare === undefined) {
      route(res, req);
      // An unusual method with a chunked body: there is no second object to serve it safely.
      if (spare !== undefined) {
        spare = undefined;
        req.setYield(false);
        res.close();
      }
      return;
    }
    route(res, req);
  });
}

/** Not the one that a takeover left behind (see `Connection`), which must not be touched. */
function knownAlive(hub: Hub, connection: Connection): boolean {
  return connection.idleSince > hub.takeoverAt;
}

function check(hub: Hub, connection: Connection, options: HttpServerOptions): void {
  const { now } = hub;
  const { exchange } = connection;
  if (exchange !== undefined && exchange.waitingSince !== undefined) {
    // The client reads no further: a player that is paused, or nobody any more.
    if (now - exchange.waitingSince > options.idleTimeout) connection.handle.close();
    else if (now - connection.touchedAt > KEEP_OPEN_MS) connection.keepOpen(now);
    return;
  }
  if (exchange !== undefined) {
    if (!connection.receiving || exchange.responded) return;
    if (exchange.body.overdue(now, options.maxBodyTime)) exchange.onOverdue();
    else if (now - connection.touchedAt > KEEP_OPEN_MS) connection.keepOpen(now);
    return;
  }
  if (!knownAlive(hub, connection)) {
    if (now - connection.touchedAt > FORGET_MS) hub.connections.delete(connection);
    return;
  }
  const idle = now - connection.idleSince;
  if (
    connection.lingering
      ? connection.lingeredTooLong(now)
      : idle > (connection.used ? options.idleTimeout : Math.min(options.idleTimeout, options.maxBodyTime))
  ) {
    connection.handle.close();
  } else if (connection.used && !connection.lingering && now - connection.touchedAt > KEEP_OPEN_MS)
    connection.keepOpen(now);
}
