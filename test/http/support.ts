import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { beforeEach, describe } from 'vitest';
import {
  startHttpServer,
  type Handler,
  type HttpServer,
  type HttpServerOptions,
  type TransportName,
} from '../../src/main/http/index.js';
import { hasUws } from '../support/transports.js';
import { startRelayed } from './relayed.js';

/** What `withServer` and `start` begin, where a test does not say it. */
let current: TransportName = hasUws() ? 'uws' : 'node';

/**
 * Registers tests for every transport: all of them keep the same promises. `atOnce`: those of one run beside each other, for files whose
 * tests wait most of the time.
 */
export function onEachTransport(register: (transport: TransportName) => void, atOnce = false): void {
  for (const transport of ['uws', 'node'] as const) {
    const isHere = transport === 'node' || hasUws();
    describe.skipIf(!isHere)(`${transport}:`, { concurrent: atOnce }, () => {
      beforeEach(() => {
        current = transport;
      });
      register(transport);
    });
  }
}

/** A server on the transport of this test; with `SVC_TEST_RELAYED` its requests come through a front-end thread. */
export function start(options: Partial<HttpServerOptions>, handler: Handler): Promise<HttpServer> {
  const all = { ...OPTIONS, transport: current, ...options };
  return process.env['SVC_TEST_RELAYED'] === undefined ? startHttpServer(all, handler) : startRelayed(all, handler);
}

export const OPTIONS: HttpServerOptions = {
  host: '127.0.0.1',
  port: 0,
  maxBodyTime: 5000,
  idleTimeout: 30_000,
  maxConnectionsPerAddress: 1000,
  maxHeaderSize: 16 * 1024,
  gzip: true,
  responseHeaders: {},
};

/** Runs `use` against a server of its own. */
export async function withServer(
  handler: Handler,
  use: (url: string, server: HttpServer) => Promise<void>,
  options: Partial<HttpServerOptions> = {},
): Promise<void> {
  const server = await start(options, handler);
  try {
    await use(`http://127.0.0.1:${String(server.port)}`, server);
  } finally {
    await server.close(0);
  }
}

export interface RawConnection {
  readonly socket: net.Socket;
  /** Everything received up to now. */
  text(): string;
  /** Resolves when the other side has closed or reset the connection. */
  readonly closed: Promise<void>;
  send(text: string | Uint8Array): void;
  /** Waits until `pattern` was received. */
  until(pattern: string | RegExp, timeout?: number): Promise<string>;
}

/** A bare socket, for what no HTTP client would send; `secure`: with TLS. */
export async function connect(server: HttpServer, secure = false): Promise<RawConnection> {
  const socket = secure
    ? tls.connect({ port: server.securePort ?? 0, host: '127.0.0.1', rejectUnauthorized: false })
    : net.connect(server.port, '127.0.0.1');
  let received = '';
  socket.on('data', (data) => (received += data.toString('latin1')));
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => {
      resolve();
    });
  });
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once(secure ? 'secureConnect' : 'connect', resolve));
  return {
    socket,
    closed,
    text: () => received,
    send: (text) => {
      socket.write(text);
    },
    async until(pattern, timeout = 20_000) {
      const end = Date.now() + timeout;
      while (typeof pattern === 'string' ? !received.includes(pattern) : !pattern.test(received)) {
        if (Date.now() > end) throw new Error(`Not received: ${String(pattern)}; but: ${received.slice(0, 500)}`);
        await sleep(5);
      }
      return received;
    },
  };
}

/** Rejects when `promise` takes too long, on a busy machine too. */
export async function within<T>(promise: Promise<T>, ms = 20_000): Promise<T> {
  const late = Symbol();
  const result = await Promise.race([promise, sleep(ms, late, { ref: false })]);
  if (result === late) throw new Error(`Not within ${String(ms)} ms`);
  return result;
}
