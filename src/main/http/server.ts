import type { MessagePort } from 'node:worker_threads';
import { logger } from '../../shared/log.js';
import { HttpBudgets, type BudgetLimits } from './budget.js';
import type { ProcessCounts } from './counts/process-counts.js';
import type { Handler } from './exchange.js';
import { NodeTransport } from './node/node-transport.js';
import { HttpPolicy, type HttpPolicyOptions } from './policy.js';
import { RelayClient } from './relay/relay-client.js';
import { RelayServer } from './relay/relay-server.js';
import type { Order } from './relay/messages.js';
import { Intake } from './request/intake.js';
import type { Certificate } from './tls/certificate.js';
import { SecurePort, type TlsOptions } from './tls/secure-port.js';
import { ConnectionCount } from './transport/connection-count.js';
import { AddressCounts } from './transport/address-counts.js';
import type { ServerShared } from './transport/transport.js';
import { UwsTransport } from './uws/uws-transport.js';

/** The library that speaks HTTP (`application.http.transport`); docs/http.md says what each of them keeps. */
export type TransportName = 'uws' | 'node';

export interface HttpServerOptions extends HttpPolicyOptions {
  /** Default `uws`. */
  transport?: TransportName;
  /** Address to listen on. */
  host: string;
  /** 0: any free port. */
  port: number;
  /** Milliseconds a client may take to send a request head, or a whole body that is read at once. */
  maxBodyTime: number;
  /** Milliseconds after which a connection without a request is closed. */
  idleTimeout: number;
  /** Milliseconds without anything taken by its reader after which an answer is broken off; default: `idleTimeout`. */
  readTimeout?: number;
  /** Further connections of one peer are closed at once, with `uws` further ones that wait for it; 0: no limit. */
  maxConnectionsPerAddress: number;
  /** What counts open connections, of other servers of the process too; absent: no limit. */
  connections?: ConnectionCount;
  /** What counts for `maxConnectionsPerAddress` in all threads of the process; absent: this server alone. */
  addresses?: AddressCounts;
  /** Largest request head in bytes; the first server of a process decides. */
  maxHeaderSize: number;
  /** What request bodies may take of the memory (`httpservice.bodies.*`); absent: no limit. */
  bodies?: BudgetLimits;
  /** What answers that wait for their readers may take of the memory (`httpservice.answers.*`); absent: no limit. */
  answers?: BudgetLimits;
  /** What bodies and answers of all threads take counts for those limits; absent: of this server alone. */
  counts?: ProcessCounts;
  /** Compress responses that are worth it (`httpservice.gzip.enabled`). */
  gzip: boolean;
  /** Paths at which a client may ask for a WebSocket; elsewhere that wish is passed over. */
  webSockets?: readonly string[];
  /** Serve HTTPS on a port of its own too. */
  tls?: TlsOptions;
  /** Front-end threads are to listen on the same ports (`serveThread`): nobody else may have them. See `sharingProblem`. */
  shared?: boolean;
  /**
   * In a front-end thread: the way to the main thread (docs/design/threads.md). It listens on ports that the main thread's server has, in
   * `tls` is given the certificate which that serves, and it does what that is told: `reconfigure`, renewed certificates, `close`.
   */
  mainThread?: MessagePort;
}

export interface HttpServer {
  readonly port: number;
  /** Port of HTTPS; undefined without it. */
  readonly securePort: number | undefined;
  /** Requests whose response is not complete. */
  readonly activeRequests: number;
  /** What holds from the next response on, in front-end threads as soon as it resolves. */
  reconfigure(policy: HttpPolicyOptions): Promise<void>;
  /** Answers what a front-end thread hands over by this port, until the port is closed: that breaks off what is not answered. */
  serveThread(port: MessagePort, handler: Handler): void;
  /** What HTTPS serves now, for `TlsOptions.given` of a front-end thread. */
  readonly certificate: Certificate | undefined;
  /** Reads the certificate again, as when its files change; what is wrong with the new one is logged. */
  reloadCertificate(): Promise<void>;
  /** Takes no more connections, in front-end threads neither, lets running requests end for at most `graceMs`, then closes the rest. */
  close(graceMs: number): Promise<void>;
  /** What requests keep in memory. */
  readonly budgets: HttpBudgets;
}

const UNLIMITED: BudgetLimits = { total: 0, perAddress: 0 };

/** Starts to listen. Throws `ListenError`, and `CertificateError` when HTTPS is wanted and cannot be had. */
export async function startHttpServer(options: HttpServerOptions, handler: Handler): Promise<HttpServer> {
  const limits = { bodies: options.bodies ?? UNLIMITED, answers: options.answers ?? UNLIMITED };
  const budgets = new HttpBudgets(limits, options.counts);
  const { host, mainThread } = options;
  let listens: (server: HttpServer) => void = () => undefined;
  const listening = new Promise<HttpServer>((resolve) => (listens = resolve));
  const client = mainThread === undefined ? undefined : new RelayClient(mainThread, obey);
  const shared: ServerShared = {
    options: {
      ...options,
      readTimeout: options.readTimeout ?? options.idleTimeout,
      webSockets: new Set(options.webSockets ?? []),
    },
    handler,
    log: logger('http'),
    policy: new HttpPolicy(options),
    intake: new Intake(),
    budgets,
    addresses: options.addresses ?? new AddressCounts(options.maxConnectionsPerAddress),
    connections: options.connections ?? new ConnectionCount(0),
    ...(client === undefined ? {} : { relay: client }),
  };
  const transport = options.transport === 'node' ? new NodeTransport(shared) : new UwsTransport(shared);
  const sharing = mainThread !== undefined ? 'further' : options.shared === true ? 'first' : 'alone';
  let policy = policyOf(options);
  let relay: RelayServer | undefined;
  const toThreads = async (order: Order): Promise<void> => relay?.tell(order);
  const plain = await transport.listen({ host, port: options.port, sharing }).catch((error: unknown) => {
    client?.close();
    throw error;
  });
  let secure: SecurePort | undefined;
  if (options.tls !== undefined) {
    try {
      secure = await SecurePort.open(transport, shared.log, host, options.tls, sharing, (certificate) =>
        toThreads({ kind: 'certificate', certificate }),
      );
    } catch (error) {
      await plain.close(0);
      client?.close();
      throw error;
    }
  }
  let closed: Promise<void> | undefined;

  async function obey(order: Order): Promise<void> {
    // It may come before this server listens.
    const server = await listening;
    if (order.kind === 'policy') await server.reconfigure(order.policy);
    else if (order.kind === 'certificate') await secure?.take(order.certificate);
    else await server.close(order.graceMs);
  }

  const server: HttpServer = {
    port: plain.port,
    budgets,
    securePort: secure?.port,
    get certificate() {
      return secure?.certificate;
    },
    get activeRequests() {
      return plain.activeRequests + (secure?.activeRequests ?? 0) + (relay?.activeRequests ?? 0);
    },
    reconfigure(changed) {
      policy = policyOf(changed);
      shared.policy = new HttpPolicy(changed);
      return toThreads({ kind: 'policy', policy });
    },
    async reloadCertificate() {
      await secure?.reload();
    },
    serveThread(port, answers) {
      relay ??= new RelayServer(shared);
      const certificate = secure?.certificate;
      // What has changed since the thread was started.
      relay.add(port, answers, [
        { kind: 'policy', policy },
        ...(certificate === undefined ? [] : [{ kind: 'certificate', certificate } as const]),
      ]);
    },
    close(graceMs) {
      closed ??= Promise.all([plain.close(graceMs), secure?.close(graceMs), relay?.close(graceMs)]).then(
        () => undefined,
      );
      return closed;
    },
  };
  listens(server);
  return server;
}

/** As it crosses to threads. */
function policyOf({ responseHeaders, hstsMaxAge, cookies, trustedProxies }: HttpPolicyOptions): HttpPolicyOptions {
  return {
    responseHeaders,
    ...(hstsMaxAge === undefined ? {} : { hstsMaxAge }),
    ...(cookies === undefined ? {} : { cookies }),
    ...(trustedProxies === undefined ? {} : { trustedProxies }),
  };
}
