/** WebSockets on node:http, by the package `ws`, which is loaded with the first client that asks for one. */
import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket, WebSocketServer } from 'ws';
import { MOST_BEHIND, MOST_RECEIVED, SILENCE, UNWANTED, type Closing } from '../websocket/messages.js';
import { wishesWebSocket } from '../websocket/wish.js';

let library: Promise<Pick<WebSocketServer, 'handleUpgrade'>> | undefined;
/** Headers of the answer that is being written: the library calls back before it returns. */
let lines: string[] = [];

/** The library, made ready once. */
export function loadWebSockets(): Promise<Pick<WebSocketServer, 'handleUpgrade'>> {
  library ??= import('ws').then(({ WebSocketServer }) => {
    const server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: MOST_RECEIVED,
      // They are answered as long as their client reads.
      autoPong: false,
      handleProtocols: () => false,
    });
    server.on('headers', (headers: string[]) => {
      headers.push(...lines);
    });
    return server;
  });
  return library;
}

/**
 * Requests of a listener. node:http takes a request from HTTP as soon as its head asks for another protocol and somebody listens for that: only those
 * that can become WebSockets are to be taken. Others, like those that offer HTTP/2, go on as any other.
 */
export function incomingFor(paths: ReadonlySet<string>): typeof IncomingMessage {
  return class extends IncomingMessage {
    private asks?: boolean;

    get upgrade(): boolean {
      if (this.asks !== true || this.method === 'CONNECT') return this.asks === true;
      const { url = '' } = this;
      const at = url.indexOf('?');
      const header = (name: string): string => String(this.headers[name] ?? '');
      return paths.has(at < 0 ? url : url.slice(0, at)) && wishesWebSocket(this.method ?? '', header);
    }

    set upgrade(asks: boolean) {
      this.asks = asks;
    }
  };
}

/** A request that was taken from HTTP. */
export interface Upgrade {
  readonly server: Pick<WebSocketServer, 'handleUpgrade'>;
  readonly req: IncomingMessage;
  readonly socket: Socket;
  /** What came behind the head. */
  readonly head: Buffer;
}

/** A WebSocket of the library. */
export class NodeSocket {
  #socket: WebSocket | undefined;
  #heardAt: number;

  /** `headers`: names and values in turn. Without a `WebSocket` in it, when the client is gone already. */
  constructor(
    private readonly upgrade: Upgrade,
    headers: readonly string[],
    private readonly now: () => number,
  ) {
    const { server, req, socket, head } = upgrade;
    this.#heardAt = now();
    lines = [];
    for (let i = 0; i < headers.length; i += 2) lines.push(`${headers[i] ?? ''}: ${headers[i + 1] ?? ''}`);
    server.handleUpgrade(req, socket, head, (opened) => {
      this.#socket = opened;
      this.#follow(opened);
    });
  }

  #follow(opened: WebSocket): void {
    const heard = (): void => {
      this.#heardAt = this.now();
    };
    opened.on('message', () => {
      this.end(UNWANTED);
    });
    opened.on('pong', heard);
    opened.on('ping', (data: Buffer) => {
      heard();
      if (opened.bufferedAmount > MOST_BEHIND) opened.terminate();
      else opened.pong(data);
    });
    // What breaks the rules of the protocol: the library ends it.
    opened.on('error', () => undefined);
  }

  /** False when the client is behind. */
  send(message: string | Uint8Array): boolean {
    this.#socket?.send(message, { binary: false });
    return !this.upgrade.socket.writableNeedDrain;
  }

  ping(): void {
    this.#socket?.ping();
  }

  end({ code, reason }: Closing): void {
    this.#socket?.close(code, reason);
  }

  get isSilent(): boolean {
    return this.now() - this.#heardAt > SILENCE;
  }
}
