import { once } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';
import {
  startHttpServer,
  type Handler,
  type HttpServer,
  type HttpServerOptions,
  type ProcessCounts,
  type RateLimits,
} from '../../src/main/http/index.js';

/** What a thread holds. */
export interface Figures {
  readonly requests: number;
  readonly bodies: number;
  readonly answers: number;
}

export interface FrontThread {
  readonly port: number;
  readonly securePort: number | undefined;
  readonly worker: Worker;
  /** Resolves when it has ended. */
  readonly ended: Promise<unknown>;
  figures(): Promise<Figures>;
}

export interface ThreadOptions {
  readonly counts?: ProcessCounts;
  readonly thread?: number;
  readonly limits?: RateLimits;
  /** Connections of the process. */
  readonly most?: number;
  /** What it listens on; absent: ports of its own. */
  readonly ports?: { readonly port: number; readonly securePort?: number };
}

/** A front-end thread of this server, which hands over all that it is asked to `handler`. */
export async function startThread(
  main: HttpServer,
  options: HttpServerOptions,
  handler: Handler,
  { counts, ports, ...more }: ThreadOptions = {},
): Promise<FrontThread> {
  const { port1, port2 } = new MessageChannel();
  const { tls, ...given } = options;
  // What cannot cross: the thread makes its own of them.
  const plain = { ...given, connections: undefined, addresses: undefined, webSockets: options.webSockets ?? [] };
  const secure =
    tls === undefined ? {} : { tls: { port: ports?.securePort ?? 0, ciphers: tls.ciphers, given: main.certificate } };
  main.serveThread(port1, handler);
  const worker = new Worker(new URL('../support/relay-thread.mjs', import.meta.url), {
    workerData: {
      options: { ...plain, port: ports?.port ?? 0, ...secure },
      main: port2,
      thread: 1,
      ...more,
      ...(counts === undefined ? {} : { counts: counts.memory }),
    },
    transferList: [port2],
    stderr: false,
  });
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  const failed = new Promise<never>((_, reject) => worker.once('error', reject));
  failed.catch(() => undefined);
  const [listening] = (await Promise.race([once(worker, 'message'), failed])) as [
    { readonly port: number; readonly securePort?: number },
  ];
  return {
    port: listening.port,
    securePort: listening.securePort,
    worker,
    ended,
    async figures() {
      worker.postMessage('figures');
      const [figures] = (await once(worker, 'message')) as [Figures];
      return figures;
    },
  };
}

/** The thread's ports, for who connects to a server. */
export function portOf(main: HttpServer, { port, securePort }: FrontThread): HttpServer {
  return Object.create(main, { port: { value: port }, securePort: { value: securePort } }) as HttpServer;
}

/** A server whose requests all come through one front-end thread. */
export async function startRelayed(options: HttpServerOptions, handler: Handler): Promise<HttpServer> {
  const main = await startHttpServer(options, handler);
  const thread = await startThread(main, options, handler);
  return Object.create(main, {
    port: { value: thread.port, writable: true },
    securePort: { value: thread.securePort, writable: true },
    close: {
      value: async (graceMs: number): Promise<void> => {
        await main.close(graceMs);
        thread.worker.postMessage('leave');
        await thread.ended;
      },
    },
  }) as HttpServer;
}
