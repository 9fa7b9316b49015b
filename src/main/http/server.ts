import { logger } from '../../shared/log.js';
import { arm, Connection, peerOf, settle, type Hub } from './connection.js';
import type { Handler } from './exchange.js';
import { HttpPolicy, type HttpPolicyOptions } from './policy.js';
import { UwsExchange } from './uws-exchange.js';
import { listenAlone, loadUws, type HttpRequest, type HttpResponse } from './uws.js';

export interface HttpServerOptions extends HttpPolicyOptions {
  /** Address to listen on. */
  host: string;
  /** 0: any free port. */
  port: number;
  /** Milliseconds a client may take to send a request head, or a whole body that is read at once. */
  maxBodyTime: number;
  /** Milliseconds after which a connection without a request is closed. */
  idleTimeout: number;
  /** Further connections of one address are closed at once. */
  maxConnectionsPerAddress: number;
  /** Largest request head in bytes; the first server of a process decides. */
  maxHeaderSize: number;
  /** Compress responses that are worth it (`httpservice.gzip.enabled`). */
  gzip: boolean;
}

export interface HttpServer {
  readonly port: number;
  /** Requests whose response is not complete. */
  readonly activeRequests: number;
  /** What holds from the next response on. */
  reconfigure(policy: HttpPolicyOptions): void;
  /** Takes no more connections, lets running requests end for at most `graceMs`, then closes the rest. */
  close(graceMs: number): Promise<void>;
}

/** The port is taken, or the address is not one of this machine. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  readonly code = 'EADDRINUSE';
  constructor(
    readonly host: string,
    readonly port: number,
  ) {
    super(`Cannot listen on ${host}:${String(port)}: the port is in use or the address is not available`);
  }
}

const METHODS = new Map<string, string>();
const SWEEP_MS = 500;
/** Well below the 8 s after which the native timeout can strike. */
const KEEP_OPEN_MS = 3000;
/** Long after the native timeout. */
const FORGET_MS = 30_000;

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

/** Starts to listen. Throws `ListenError`. */
export async function startHttpServer(options: HttpServerOptions, handler: Handler): Promise<HttpServer> {
  const uws = loadUws(options.maxHeaderSize);
  const perAddress = new Map<string, number>();
  const hub: Hub = {
    handler,
    log: logger('http'),
    gzip: options.gzip,
    secure: false,
    shared: { policy: new HttpPolicy(options) },
    now: Date.now(),
    closing: false,
    active: 0,
    closes: 0,
    connections: new Set(),
    unarmed: [],
    pending: undefined,
    takeoverAt: 0,
    onRequestOver: undefined,
    release(address) {
      const count = (perAddress.get(address) ?? 1) - 1;
      if (count > 0) perAddress.set(address, count);
      else perAddress.delete(address);
    },
  };
  const settlePending = (): void => {
    settle(hub);
  };

  const app = uws.App();
  app.filter((res, count) => {
    if (Number(count) < 0) {
      hub.closes++;
      return;
    }
    settle(hub);
    const address = peerOf(res);
    const open = perAddress.get(address) ?? 0;
    if (open >= options.maxConnectionsPerAddress || hub.closing) {
      res.close();
      return;
    }
    perAddress.set(address, open + 1);
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

  const sweep = (): void => {
    hub.now = Date.now();
    for (const connection of hub.connections) check(hub, connection, options);
  };
  const timer = setInterval(sweep, Math.min(SWEEP_MS, Math.max(20, options.idleTimeout / 4, options.maxBodyTime / 4)));
  timer.unref();

  const listening = await listenAlone(uws, app, options.host, options.port);
  if (listening === false) {
    clearInterval(timer);
    throw new ListenError(options.host, options.port);
  }
  const port = uws.us_socket_local_port(listening);
  let closed: Promise<void> | undefined;

  return {
    port,
    get activeRequests() {
      return hub.active;
    },
    reconfigure(policy) {
      hub.shared.policy = new HttpPolicy(policy);
    },
    close(graceMs) {
      closed ??= (async () => {
        uws.us_listen_socket_close(listening);
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
        app.close();
        clearInterval(timer);
      })();
      return closed;
    },
  };
}

/** Not the one that a takeover left behind (see `Connection`), which must not be touched. */
function knownAlive(hub: Hub, connection: Connection): boolean {
  return connection.idleSince > hub.takeoverAt;
}

function check(hub: Hub, connection: Connection, options: HttpServerOptions): void {
  const { now } = hub;
  const { exchange } = connection;
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
