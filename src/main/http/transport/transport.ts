import type { Logger } from '../../../shared/log.js';
import type { HttpBudgets } from '../budget.js';
import type { Handler } from '../exchange.js';
import type { HttpPolicy } from '../policy.js';
import type { Intake } from '../request/intake.js';
import type { Certificate } from '../tls/certificate.js';
import type { AddressCounts } from './address-counts.js';
import type { ConnectionCount } from './connection-count.js';
import type { Relay } from './handing-over.js';

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
  /** The way to the main thread, in a front-end thread. */
  readonly relay?: Relay;
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

/**
 * Who else listens on a port: nobody; threads of this process that come later, so that it is seen first whether another server has it;
 * threads that were here before, which have seen that.
 */
export type Sharing = 'alone' | 'first' | 'further';

/** Where a port is, and who else has it. */
export interface Place {
  readonly host: string;
  readonly port: number;
  readonly sharing: Sharing;
}

/** A library that speaks HTTP (`application.http.transport`). */
export interface Transport {
  /** Throws `ListenError`. */
  listen(place: Place): Promise<Listener>;
  /** Throws `CertificateError`, `ListenError`. `ciphers`: OpenSSL's list for TLS 1.2. */
  listenSecurely(place: Place, certificate: Certificate, ciphers: string): Promise<SecureListener>;
}
