import type { Logger } from '../../../shared/log.js';
import { clientKey } from '../../../shared/network.js';
import type { HttpBudgets } from '../budget.js';
import type { Handler } from '../exchange.js';
import type { HttpPolicy } from '../policy.js';
import type { Intake } from '../request/intake.js';
import type { Certificate } from '../tls/certificate.js';
import type { ConnectionCount } from './connection-count.js';

/** What a transport is told of the settings; times in milliseconds. */
export interface TransportOptions {
  readonly maxBodyTime: number;
  readonly idleTimeout: number;
  /** Without anything taken by its reader for so long a connection is closed. */
  readonly readTimeout: number;
  /** 0: no limit. */
  readonly maxConnectionsPerAddress: number;
  readonly maxHeaderSize: number;
  /** What it listens on. */
  readonly host: string;
  readonly gzip: boolean;
  /** Paths that have WebSockets. */
  readonly webSockets: ReadonlySet<string>;
}

/** What all listeners of one server share. */
export interface ServerShared {
  readonly options: TransportOptions;
  readonly handler: Handler;
  readonly log: Logger;
  policy: HttpPolicy;
  readonly intake: Intake;
  readonly budgets: HttpBudgets;
  /** What counts for `maxConnectionsPerAddress`. */
  readonly addresses: AddressCounts;
  /** All that are open, those of other servers of the process too. */
  readonly connections: ConnectionCount;
}

/** A port that is listened on. */
export interface Listener {
  /** -1 before it listens. */
  readonly port: number;
  /** Requests whose response is not complete. */
  readonly activeRequests: number;
  /** Takes no more connections, lets running requests end for at most `graceMs`, then closes the rest. */
  close(graceMs: number): Promise<void>;
}

/** A port of HTTPS. */
export interface SecureListener extends Listener {
  /** Connections from now on get this certificate, those there are go on. Throws `CertificateError`, `ListenError`. */
  renew(certificate: Certificate): Promise<void>;
}

/** A library that speaks HTTP (`application.http.transport`). */
export interface Transport {
  /** Throws `ListenError`. */
  listen(host: string, port: number): Promise<Listener>;
  /** Throws `CertificateError`, `ListenError`. `ciphers`: OpenSSL's list for TLS 1.2. */
  listenSecurely(host: string, port: number, certificate: Certificate, ciphers: string): Promise<SecureListener>;
}

/** Counts what clients have open, by their address; clients with IPv6 by their /64, of which one has all addresses. */
export class AddressCounts {
  readonly #open = new Map<string, number>();

  /** 0: no limit. */
  constructor(private readonly most: number) {}

  /** One more; false when there are too many, and nothing is counted then. */
  admit(address: string): boolean {
    const client = clientKey(address);
    const open = this.#open.get(client) ?? 0;
    if (this.most > 0 && open >= this.most) return false;
    this.#open.set(client, open + 1);
    return true;
  }

  release(address: string): void {
    const client = clientKey(address);
    const left = (this.#open.get(client) ?? 1) - 1;
    if (left > 0) this.#open.set(client, left);
    else this.#open.delete(client);
  }
}
