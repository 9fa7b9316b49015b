import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHead } from '../request/request-head.js';
import { SizedStream } from '../response/response-stream.js';
import { AcceptedExchange } from '../transport/accepted-exchange.js';
import { byteLength, PIECEWISE_FROM } from '../transport/base-exchange.js';
import type { Hub } from '../transport/hub.js';
import type { NodeConnection } from './node-connection.js';
import { NodeSocket, type Upgrade } from './node-upgrade.js';

const NOTHING = Buffer.alloc(0);
/** Of a large answer so much is given to the socket at once, so that it is seen whether its reader goes on. */
const PIECE = 256 * 1024;

/** `Exchange` on node:http. */
export class NodeExchange extends AcceptedExchange {
  private streamStarted = false;
  /** Bytes of a response of known length that the socket was given. */
  private sent = 0;
  private ended = false;
  /** Once it has become one. */
  private socket: NodeSocket | undefined;
  /** Its handler was called. */
  begun = false;

  constructor(
    hub: Hub,
    private readonly connection: NodeConnection,
    private readonly req: IncomingMessage,
    private readonly res: ServerResponse,
    method: string,
    path: string,
    query: string,
    headers: readonly string[],
    found: RequestHead,
    /** With it the request can become a WebSocket. */
    private readonly upgrading?: Upgrade,
  ) {
    super(hub, method, path, query, headers, found);
    res.on('finish', () => {
      if (!this.gone) this.finished();
    });
    res.on('drain', this.onDrain);
    if (this.body.complete) return;
    req.on('data', (bytes: Buffer) => {
      this.body.push(bytes, false);
      this.body.deliver();
    });
    req.on('end', () => {
      this.body.push(NOTHING, true);
      this.body.deliver();
    });
    req.on('error', () => undefined);
  }

  get remoteAddress(): string {
    return this.connection.address;
  }

  localAddress(): Promise<string> {
    return Promise.resolve(this.connection.localAddress);
  }

  get connectionId(): number {
    return this.connection.id;
  }

  /** Its turn on its connection. */
  start(): void {
    if (this.gone) return;
    this.begun = true;
    if (!this.body.complete) this.wait();
    this.begin();
  }

  /** The connection is closed. */
  abort(): void {
    if (this.gone || this.state === 'done') return;
    this.gone = true;
    this.onGone();
  }

  override check(now: number): void {
    super.check(now);
    if (this.ended && now - this.progressAt > this.hub.shared.options.readTimeout) this.breakOff();
    if (this.socket?.isSilent === true) this.breakOff();
  }

  pause(): void {
    this.req.pause();
  }

  resume(): void {
    this.req.resume();
  }

  breakOff(): void {
    this.connection.destroy();
  }

  writeChunk(chunk: string | Uint8Array): boolean {
    if (this.socket !== undefined) {
      this.progressAt = this.hub.now;
      return this.socket.send(chunk);
    }
    this.startStreamed();
    this.progressAt = this.hub.now;
    return this.res.write(chunk);
  }

  writeSized(bytes: Uint8Array, length: number): { taken: boolean; complete: boolean } {
    this.startStreamed(length);
    this.progressAt = this.hub.now;
    for (let at = 0; at < bytes.length; at += PIECE) {
      const piece = bytes.subarray(at, at + PIECE);
      this.sent += piece.length;
      if (this.sent === length) {
        this.finish(piece);
        return { taken: true, complete: true };
      }
      if (!this.res.write(piece)) return { taken: false, complete: false };
    }
    return { taken: true, complete: false };
  }

  protected get canUpgrade(): boolean {
    return this.upgrading !== undefined;
  }

  protected upgrade(): void {
    if (this.upgrading === undefined) return;
    const { socket } = this.upgrading;
    this.res.detachSocket(socket);
    socket.on('drain', this.onDrain);
    this.socket = new NodeSocket(this.upgrading, this.head.pairs(this.defaults), () => this.hub.now);
  }

  sendPing(): void {
    this.socket?.ping();
  }

  protected sendStreamEnd(): void {
    if (this.socket !== undefined) {
      this.socket.end(this.endsWith);
      return;
    }
    this.startStreamed();
    this.finish();
  }

  protected sendWhole(): void {
    this.state = 'busy';
    const { payload } = this;
    if (this.bodyless) {
      this.setBodylessLength();
      this.writeHead();
      this.finish();
      return;
    }
    this.head.take('content-length');
    const length = byteLength(payload);
    if (length >= PIECEWISE_FROM) {
      const stream = (this.stream = new SizedStream(this, length));
      void stream.write(payload);
      return;
    }
    this.writeHead(length);
    this.finish(payload);
  }

  protected override over(): void {
    super.over();
    this.connection.over(this);
  }

  private startStreamed(length?: number): void {
    if (this.streamStarted) return;
    this.streamStarted = true;
    this.head.take('content-length');
    this.writeHead(length);
    this.wait();
  }

  /** What the response is sent with; the library adds the rest of the framing. */
  private writeHead(length?: number): void {
    const pairs = this.head.pairs(this.defaults);
    if (length !== undefined) pairs.push('Content-Length', String(length));
    if (this.closeAfter) pairs.push('Connection', 'close');
    this.res.writeHead(this.status, pairs);
  }

  private finish(last: string | Uint8Array = ''): void {
    this.ended = true;
    this.wait();
    if (last.length === 0) this.res.end();
    else this.res.end(last);
  }

  private readonly onDrain = (): void => {
    this.progressAt = this.hub.now;
    if (!this.silent && !this.ended) this.stream?.onWritable(this.sent);
  };
}
