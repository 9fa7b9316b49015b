import { createServer, ServerResponse, type IncomingMessage, type Server, type ServerOptions } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { ListenError } from '../errors.js';
import { readRequestHead, refusedHead, type RequestHead } from '../request/request-head.js';
import { Hub } from '../transport/hub.js';
import type { Listener, ServerShared } from '../transport/transport.js';
import { NodeConnection, peerOf } from './node-connection.js';
import { NodeExchange } from './node-exchange.js';
import { incomingFor, loadWebSockets, type Upgrade } from './node-upgrade.js';
import { refusalText } from './refusal.js';
import { splitTarget, utf8 } from './target.js';
import type { TlsContext } from './tls-context.js';

const CHECK_MS = 1000;
const lowerNames = new Map<string, string>();

function lower(name: string): string {
  let known = lowerNames.get(name);
  if (known === undefined) {
    known = name.toLowerCase();
    if (lowerNames.size < 1000) lowerNames.set(name, known);
  }
  return known;
}

function keep(all: Set<Socket>, socket: Socket): void {
  if (socket.destroyed) return;
  all.add(socket);
  socket.once('close', () => {
    all.delete(socket);
  });
}

/** A server of node:http or node:https and its connections. */
export class NodeListener implements Listener {
  readonly hub: Hub;
  private readonly server: Server | SecureServer;
  private readonly connections = new WeakMap<Duplex, NodeConnection>();
  /** What was accepted; with TLS the connections below it. */
  private readonly accepted = new Set<Socket>();
  /** What speaks HTTP. */
  private readonly sockets = new Set<Socket>();
  private closed: Promise<void> | undefined;

  /** With `tls` it speaks HTTPS. */
  constructor(
    private readonly shared: ServerShared,
    tls?: TlsContext,
  ) {
    const { options } = shared;
    this.hub = new Hub(shared, tls !== undefined, true);
    const limits: ServerOptions = {
      maxHeaderSize: options.maxHeaderSize,
      insecureHTTPParser: false,
      // Missing ones are refused as all other heads are.
      requireHostHeader: false,
      headersTimeout: options.maxBodyTime,
      // Bodies have limits of their own: those that come fast enough may be long.
      requestTimeout: 0,
      keepAliveTimeout: options.idleTimeout,
      connectionsCheckingInterval: Math.max(20, Math.min(CHECK_MS, options.maxBodyTime / 4)),
      noDelay: true,
      IncomingMessage: incomingFor(options.webSockets),
    };
    const server = (this.server =
      tls === undefined
        ? createServer(limits)
        : createSecureServer({ ...limits, ...tls, handshakeTimeout: options.maxBodyTime }));
    // Beyond its own limit the library leaves headers out in silence.
    server.maxHeadersCount = 0;
    server.on('connection', this.onConnection);
    server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
      keep(this.sockets, socket);
    });
    for (const event of ['request', 'checkExpectation'] as const)
      server.on(event, (req: IncomingMessage, res: ServerResponse) => {
        this.serve(req, res);
      });
    server.on('upgrade', (req: IncomingMessage, socket: Socket, head: Buffer) => {
      void this.onUpgrade(req, socket, head);
    });
    server.on('connect', (_req, socket) => {
      socket.end(refusalText(400, 'This server is no proxy.'));
    });
    server.on('clientError', this.onClientError);
  }

  get port(): number {
    return (this.server.address() as AddressInfo | null)?.port ?? -1;
  }

  get activeRequests(): number {
    return this.hub.active;
  }

  /** `shared`: with others that share it (SO_REUSEPORT). Throws `ListenError`. */
  async listen(host: string, port: number, shared: boolean): Promise<void> {
    const { server } = this;
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        // Not in the typings of Node 20, which has it not (`sharingProblem`).
        const options = { host, port, exclusive: true, reusePort: shared };
        server.listen(options, () => {
          server.off('error', reject);
          resolve();
        });
      });
    } catch {
      this.hub.stop();
      throw new ListenError(host, port);
    }
    server.on('error', (error) => {
      this.shared.log.error('accepting connections failed', error);
    });
  }

  /** For connections from now on. */
  setContext(tls: TlsContext): void {
    if ('setSecureContext' in this.server) this.server.setSecureContext(tls);
  }

  close(graceMs: number): Promise<void> {
    this.closed ??= this.end(graceMs);
    return this.closed;
  }

  private async end(graceMs: number): Promise<void> {
    const { server } = this;
    const over = promisify(server.close.bind(server))();
    for (const socket of this.sockets) if (this.connections.get(socket)?.idle !== false) socket.destroy();
    await this.hub.drain(graceMs);
    this.hub.stop();
    for (const socket of this.accepted) socket.destroy();
    await over.catch(() => undefined);
  }

  private readonly onConnection = (socket: Socket): void => {
    const { addresses, connections } = this.shared;
    const address = peerOf(socket);
    socket.once('close', () => {
      connections.release();
    });
    if (!connections.admit() || this.hub.closing || !addresses.admit(address)) {
      socket.destroy();
      return;
    }
    keep(this.accepted, socket);
    socket.once('close', () => {
      addresses.release(address);
    });
  };

  /** A request that asks for a WebSocket; what it is answered else is the last answer of its connection, which is HTTP's no more. */
  private async onUpgrade(req: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    socket.on('error', () => undefined);
    if (!this.connectionOf(socket).idle) {
      // Behind a request that is not answered: no client that speaks this protocol does that.
      socket.destroy();
      return;
    }
    const server = await loadWebSockets();
    if (socket.destroyed) return;
    const res = new ServerResponse(req);
    res.shouldKeepAlive = false;
    res.assignSocket(socket);
    res.on('finish', () => {
      socket.destroySoon();
    });
    this.serve(req, res, { server, req, socket, head });
  }

  private serve(req: IncomingMessage, res: ServerResponse, upgrade?: Upgrade): void {
    const { rawHeaders, method = '' } = req;
    const headers: string[] = [];
    for (let i = 0; i < rawHeaders.length; i += 2) {
      headers.push(lower(rawHeaders[i] ?? ''), utf8(rawHeaders[i + 1] ?? ''));
    }
    let head: RequestHead = readRequestHead(method, req.url ?? '', headers, req.httpVersion === '1.0');
    let target = { path: '', query: '' };
    if (req.httpVersion !== '1.1' && req.httpVersion !== '1.0')
      head = refusedHead(505, 'Only HTTP/1.1 is spoken here.');
    if (head.status === 0) {
      const found = splitTarget(req.url ?? '', headers);
      if (found === undefined) head = refusedHead(400, 'The request target is none of this server.');
      else target = found;
    }
    if (upgrade !== undefined) head = { ...head, closes: true };
    const connection = this.connectionOf(req.socket);
    const { path, query } = target;
    connection.add(new NodeExchange(this.hub, connection, req, res, method, path, query, headers, head, upgrade));
  }

  private connectionOf(socket: Socket): NodeConnection {
    let connection = this.connections.get(socket);
    if (connection === undefined) {
      connection = new NodeConnection(socket, this.shared.connections.nextId());
      this.connections.set(socket, connection);
    }
    return connection;
  }

  /** What is no HTTP, too large, or too slow. */
  private readonly onClientError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    const next = this.connections.get(socket)?.breakBehind();
    if (next === 'finish') return;
    if (next === 'close' || !socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    if (error.code === 'HPE_HEADER_OVERFLOW') socket.end(refusalText(431, 'The request head is too large.'));
    else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') socket.end(refusalText(408, 'The request took too long.'));
    else if (error.code?.startsWith('HPE_') === true) socket.end(refusalText(400, 'The request is not valid HTTP.'));
    else socket.destroy();
  };
}
