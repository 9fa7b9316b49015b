import { logger } from '../../shared/log.js';
import { HttpBudgets, type BudgetLimits } from './budget.js';
import type { Handler } from './exchange.js';
import { NodeTransport } from './node/node-transport.js';
import { HttpPolicy, type HttpPolicyOptions } from './policy.js';
import { Intake } from './request/intake.js';
import { SecurePort, type TlsOptions } from './tls/secure-port.js';
import { ConnectionCount } from './transport/connection-count.js';
import { AddressCounts, type ServerShared } from './transport/transport.js';
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
  /** Largest request head in bytes; the first server of a process decides. */
  maxHeaderSize: number;
  /** What request bodies may take of the memory (`httpservice.bodies.*`); absent: no limit. */
  bodies?: BudgetLimits;
  /** What answers that wait for their readers may take of the memory (`httpservice.answers.*`); absent: no limit. */
  answers?: BudgetLimits;
  /** Compress responses that are worth it (`httpservice.gzip.enabled`). */
  gzip: boolean;
  /** Paths at which a client may ask for a WebSocket; elsewhere that wish is passed over. */
  webSockets?: readonly string[];
  /** Serve HTTPS on a port of its own too. */
  tls?: TlsOptions;
}

export interface HttpServer {
  readonly port: number;
  /** Port of HTTPS; undefined without it. */
  readonly securePort: number | undefined;
  /** Requests whose response is not complete. */
  readonly activeRequests: number;
  /** What holds from the next response on. */
  reconfigure(policy: HttpPolicyOptions): void;
  /** Reads the certificate again, as when its files change; what is wrong with the new one is logged. */
  reloadCertificate(): Promise<void>;
  /** Takes no more connections, lets running requests end for at most `graceMs`, then closes the rest. */
  close(graceMs: number): Promise<void>;
  /** What requests keep in memory. */
  readonly budgets: HttpBudgets;
}

const UNLIMITED: BudgetLimits = { total: 0, perAddress: 0 };

/** Starts to listen. Throws `ListenError`, and `CertificateError` when HTTPS is wanted and cannot be had. */
export async function startHttpServer(options: HttpServerOptions, handler: Handler): Promise<HttpServer> {
  const budgets = new HttpBudgets({ bodies: options.bodies ?? UNLIMITED, answers: options.answers ?? UNLIMITED });
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
    addresses: new AddressCounts(options.maxConnectionsPerAddress),
    connections: options.connections ?? new ConnectionCount(0),
  };
  const transport = options.transport === 'node' ? new NodeTransport(shared) : new UwsTransport(shared);
  const plain = await transport.listen(options.host, options.port);
  let secure: SecurePort | undefined;
  if (options.tls !== undefined) {
    try {
      secure = await SecurePort.open(transport, shared.log, options.host, options.tls);
    } catch (error) {
      await plain.close(0);
      throw error;
    }
  }
  let closed: Promise<void> | undefined;

  return {
    port: plain.port,
    budgets,
    securePort: secure?.port,
    get activeRequests() {
      return plain.activeRequests + (secure?.activeRequests ?? 0);
    },
    reconfigure(policy) {
      shared.policy = new HttpPolicy(policy);
    },
    async reloadCertificate() {
      await secure?.reload();
    },
    close(graceMs) {
      closed ??= Promise.all([plain.close(graceMs), secure?.close(graceMs)]).then(() => undefined);
      return closed;
    },
  };
}
