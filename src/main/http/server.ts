import { logger } from '../../shared/log.js';
import { ListenError } from './errors.js';
import type { Handler } from './exchange.js';
import { Intake } from './intake.js';
import { Listener, type ListenerShared } from './listener.js';
import { HttpPolicy, type HttpPolicyOptions } from './policy.js';
import { SecurePort, type TlsOptions } from './secure-port.js';
import { loadUws } from './uws.js';

export interface HttpServerOptions extends HttpPolicyOptions {
  /** Address to listen on. */
  host: string;
  /** 0: any free port. */
  port: number;
  /** Milliseconds a client may take to send a request head, or a whole body that is read at once. */
  maxBodyTime: number;
  /** Milliseconds after which a connection without a request is closed. */
  idleTimeout: number;
  /** Further connections of one peer are closed at once; 0: no limit. */
  maxConnectionsPerAddress: number;
  /** Largest request head in bytes; the first server of a process decides. */
  maxHeaderSize: number;
  /** Compress responses that are worth it (`httpservice.gzip.enabled`). */
  gzip: boolean;
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
}

/** Starts to listen. Throws `ListenError`, and `CertificateError` when HTTPS is wanted and cannot be had. */
export async function startHttpServer(options: HttpServerOptions, handler: Handler): Promise<HttpServer> {
  const uws = loadUws(options.maxHeaderSize);
  const perAddress = new Map<string, number>();
  const shared: ListenerShared = {
    options,
    handler,
    log: logger('http'),
    policy: new HttpPolicy(options),
    intake: new Intake(),
    admit(address) {
      const open = perAddress.get(address) ?? 0;
      if (options.maxConnectionsPerAddress > 0 && open >= options.maxConnectionsPerAddress) return false;
      perAddress.set(address, open + 1);
      return true;
    },
    release(address) {
      const count = (perAddress.get(address) ?? 1) - 1;
      if (count > 0) perAddress.set(address, count);
      else perAddress.delete(address);
    },
  };
  const plain = new Listener(uws, uws.App(), false, shared);
  if (!(await plain.listen(options.host, options.port, 'alone'))) throw new ListenError(options.host, options.port);
  let secure: SecurePort | undefined;
  if (options.tls !== undefined) {
    try {
      secure = await SecurePort.open(uws, shared, options.host, options.tls);
    } catch (error) {
      await plain.close(0);
      throw error;
    }
  }
  let closed: Promise<void> | undefined;

  return {
    port: plain.port,
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
