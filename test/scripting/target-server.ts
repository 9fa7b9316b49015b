/** A server that scripts call in tests: answers by path, and remembers what it was sent. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Pair } from '../support/certificates.js';

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Latin-1. Empty on `/sink`, which keeps nothing. */
  body: string;
  size: number;
  sha256: string;
  /** The client ended the connection before the answer was complete. */
  gone: boolean;
}

type Route = (request: IncomingMessage, response: ServerResponse, seen: Seen) => void;

export class TargetServer {
  readonly seen: Seen[] = [];
  readonly routes = new Map<string, Route>();

  private constructor(
    private readonly server: Server,
    private readonly scheme: string,
  ) {}

  static async start(certificate?: Pair): Promise<TargetServer> {
    const server =
      certificate === undefined
        ? createServer()
        : createSecureServer({ cert: certificate.certificate, key: certificate.key });
    const own = new TargetServer(server, certificate === undefined ? 'http' : 'https');
    server.on('request', (request: IncomingMessage, response: ServerResponse) => own.handle(request, response));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    own.addRoutes();
    return own;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }
  url(path = '/', host = 'localhost'): string {
    return `${this.scheme}://${host}:${String(this.port)}${path}`;
  }
  get last(): Seen {
    const last = this.seen.at(-1);
    if (last === undefined) throw new Error('nothing was sent');
    return last;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private handle(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/';
    const seen: Seen = {
      ...{ method: request.method ?? '', path, headers: request.headers },
      ...{ body: '', size: 0, sha256: '', gone: false },
    };
    this.seen.push(seen);
    const hash = createHash('sha256');
    request.on('data', (chunk: Buffer) => {
      seen.size += chunk.length;
      hash.update(chunk);
      if (!path.startsWith('/sink')) seen.body += chunk.toString('latin1');
    });
    response.on('close', () => {
      seen.gone = !response.writableFinished;
    });
    request.on('end', () => {
      seen.sha256 = hash.digest('hex');
      const route = this.routes.get(path.split('?')[0] ?? '');
      if (route === undefined) response.writeHead(404).end('nothing here');
      else route(request, response, seen);
    });
  }

  private addRoutes(): void {
    const text = (body: string | Buffer, headers: Record<string, string> = {}, status = 200): Route => {
      return (_, response) => {
        response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', ...headers }).end(body);
      };
    };
    const to = (location: string, status: number): Route => text('', { Location: location }, status);
    const basic = `Basic ${Buffer.from('ann:söcret').toString('base64')}`;
    const add = (path: string, route: Route): unknown => this.routes.set(path, route);
    add('/', text('hällo'));
    add('/echo', (_, response, { method, headers, body }) => {
      response.writeHead(201, { 'Content-Type': 'application/json', 'X-Twice': ['a', 'b'] });
      response.end(JSON.stringify({ method, headers, body }));
    });
    add('/sink', text('taken'));
    add('/json', text('{"name": "Jürgen", "list": [1, 2]}', { 'Content-Type': 'application/json' }));
    add('/broken.json', text('{"name": ', { 'Content-Type': 'application/json' }));
    add('/latin', text(Buffer.from('caf\xe9', 'latin1'), { 'Content-Type': 'text/plain; charset=ISO-8859-1' }));
    add('/nameless', text(Buffer.from('caf\xe9', 'latin1'), { 'Content-Type': 'text/plain' }));
    add('/nameless8', text('café', { 'Content-Type': 'text/plain' }));
    add('/gzip', text(gzipSync('packed '.repeat(1000)), { 'Content-Encoding': 'gzip' }));
    add('/brotli', text(brotliCompressSync('packed '.repeat(1000)), { 'Content-Encoding': 'br' }));
    add('/nogzip', (_, response) => response.writeHead(204, { 'Content-Encoding': 'gzip' }).end());
    add('/badgzip', text(gzipSync('packed').fill(7, 10), { 'Content-Encoding': 'gzip' }));
    add('/bomb', text(gzipSync(Buffer.alloc(50 * 1024 * 1024)), { 'Content-Encoding': 'gzip' }));
    add('/bytes', text(Buffer.from([0, 255, 128, 10]), { 'Content-Type': 'application/octet-stream' }));
    add('/fail', text('sorry', {}, 500));
    for (const status of [301, 302, 303, 307, 308]) add(`/to-echo/${String(status)}`, to('/echo', status));
    add('/loop', to('/loop', 302));
    add('/to-file', to('file:///etc/passwd', 302));
    add('/private', (request, response) => {
      if (request.headers.authorization === basic) response.end('welcome');
      else response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end('who are you?');
    });
    add('/endless', (_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'.repeat(64 * 1024)), 5);
      response.on('close', () => clearInterval(timer));
    });
    add('/never', () => undefined);
    add('/stuck', (_, response) => {
      response.writeHead(200);
      response.write('beginning');
    });
    add('/cut', (_, response) => {
      response.writeHead(200, { 'Content-Length': '1000' });
      response.write('beginning');
      setTimeout(() => response.destroy(), 50);
    });
  }
}
