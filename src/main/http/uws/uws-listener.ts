import { promisify } from 'node:util';
import { isMainThread } from 'node:worker_threads';
import { readRequestHead, refusedHead } from '../request/request-head.js';
import { Hub } from '../transport/hub.js';
import type { Listener, ServerShared } from '../transport/transport.js';
import { Turns } from './turns.js';
import { MOST_BEHIND, MOST_RECEIVED, SILENCE } from '../websocket/messages.js';
import { UwsExchange, type SocketData } from './uws-exchange.js';
import {
  closeListenSocket,
  listenOn,
  type HttpRequest,
  type HttpResponse,
  type us_listen_socket,
  type TemplatedApp,
  type us_socket_context_t,
  type UwsLibrary,
  type WebSocketBehavior,
} from './uws.js';
import type { UwsHub } from './uws-hub.js';

const METHODS = new Map<string, string>();
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

/** One app of uWebSockets.js with its listen socket and the connections that came through it. */
export class UwsListener implements Listener {
  private readonly uwsHub: UwsHub;
  private readonly hub: Hub;
  private socket: us_listen_socket | undefined;
  private listening = false;
  private closed = false;
  private port_ = -1;
  /** Connections that came so far, and that are open. */
  private accepted = 0;
  private open = 0;

  constructor(
    private readonly library: UwsLibrary,
    private readonly app: TemplatedApp,
    secure: boolean,
    private readonly shared: ServerShared,
  ) {
    this.hub = new Hub(shared, secure, false, () => {
      // Nobody comes any more, and nobody is left: a listener whose certificate was renewed.
      if (this.listening && this.socket === undefined && this.open === 0) this.end();
    });
    this.uwsHub = { hub: this.hub, turns: new Turns() };
    app.filter((res, count) => {
      if (Number(count) < 0) {
        this.connectionOver();
        return;
      }
      this.open++;
      this.accepted++;
      // The one call from the library in which a connection may be closed: nothing of it has been read. This comes back here, with -1.
      if (!shared.connections.admit()) res.close();
    });
    for (const method of ['get', 'post', 'put', 'patch', 'del', 'options', 'head', 'any'] as const)
      app[method]('/*', this.route);
    for (const path of shared.options.webSockets) app.ws(path, this.webSockets());
    // A thread whose loop still has sockets of the library takes the whole process with it.
    if (!isMainThread) process.once('exit', this.onExit);
  }

  /** False when the port is taken or the address not ours; the listener is of no use then. */
  async listen(host: string, port: number, mode: 'alone' | 'shared'): Promise<boolean> {
    const socket = await listenOn(this.library, this.app, host, port, mode);
    if (socket === false) {
      this.end();
      return false;
    }
    this.socket = socket;
    this.listening = true;
    this.port_ = this.library.us_socket_local_port(socket);
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
      const before = this.accepted;
      await nextTurn();
      // The first turn may have looked at its sockets before.
      if (turn > 0 && this.accepted === before) break;
    }
    this.retire();
  }

  async close(graceMs: number): Promise<void> {
    if (this.closed) return;
    this.retire();
    await this.hub.drain(graceMs);
    this.end();
  }

  private connectionOver(): void {
    this.open--;
    this.shared.connections.release();
  }

  /** Takes no more connections; those it has go on. */
  private retire(): void {
    if (this.socket === undefined) return;
    closeListenSocket(this.library, this.socket);
    this.socket = undefined;
  }

  private end(): void {
    if (this.closed) return;
    this.closed = true;
    process.off('exit', this.onExit);
    this.hub.stop();
    this.app.close();
  }

  /** What asks for a WebSocket comes as any other request; the library passes what lacks a key of the right length to the others. */
  private webSockets(): WebSocketBehavior<SocketData> {
    return {
      maxPayloadLength: MOST_RECEIVED,
      // Messages wait here: what waits there are answers to pings, which are dropped with more.
      maxBackpressure: 2 * MOST_BEHIND,
      idleTimeout: SILENCE / 1000,
      upgrade: this.route,
      open: (socket) => {
        socket.getUserData().exchange.opened(socket);
      },
      message: (socket) => {
        socket.getUserData().exchange.unwanted();
      },
      ping: (socket) => {
        if (socket.getBufferedAmount() > MOST_BEHIND) socket.getUserData().exchange.flooded();
      },
      drain: (socket) => {
        socket.getUserData().exchange.drained();
      },
      close: (socket) => {
        // The filter is not told of those.
        this.connectionOver();
        socket.getUserData().exchange.closed();
      },
    };
  }

  private readonly onExit = (): void => {
    this.end();
  };

  private readonly route = (res: HttpResponse, req: HttpRequest, context?: us_socket_context_t): void => {
    headers = [];
    headSize = 0;
    req.forEach(collectHeader);
    const method = upperMethod(req.getCaseSensitiveMethod());
    const path = req.getUrl();
    // Undefined when there is no `?`, whatever the typings say.
    const query = req.getQuery() || '';
    // The library looks at the size only of heads that arrive in several pieces.
    const tooLarge = headSize + path.length + query.length > this.shared.options.maxHeaderSize;
    const head = tooLarge
      ? refusedHead(431, 'The request head is too large.')
      : readRequestHead(method, query === '' ? path : `${path}?${query}`, headers);
    new UwsExchange(this.uwsHub, res, method, path, query, headers, head, context);
  };
}
