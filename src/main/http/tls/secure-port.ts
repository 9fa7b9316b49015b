import type { Logger } from '../../../shared/log.js';
import { CertificateError, ListenError } from '../errors.js';
import type { SecureListener, Sharing, Transport } from '../transport/transport.js';
import { readCertificate, stateOf, type Certificate, type CertificateSource } from './certificate.js';

export interface TlsOptions {
  /** 0: any free port. */
  readonly port: number;
  /** Asked at each reload, so that changed settings hold. */
  readonly source: () => CertificateSource;
  /** OpenSSL's list of the cipher suites of TLS 1.2; see `tlsCiphers`. */
  readonly ciphers: string;
  /** Milliseconds between looks at the files. */
  readonly watchEvery?: number;
  /** What is served in the place of what `source` says: others look at the files, and tell of renewed ones (`SecurePort.take`). */
  readonly given?: Certificate;
}

const WATCH_MS = 1000;
const WARN_BEFORE_MS = 14 * 24 * 3600 * 1000;

/** The HTTPS port, and a look at the files of its certificate from time to time. */
export class SecurePort {
  private timer: NodeJS.Timeout | undefined;
  private closed = false;
  private reloading: Promise<void> = Promise.resolve();
  /** State of the files that were last read. */
  private read = '';
  /** State of the files at the last look. */
  private seen = '';

  private constructor(
    private readonly listener: SecureListener,
    private readonly log: Logger,
    private readonly options: TlsOptions,
    private served: Certificate,
    private readonly renewed: (certificate: Certificate) => Promise<void>,
  ) {}

  /** `renewed` is told of each certificate that is served in the place of another. Throws `CertificateError` or `ListenError`. */
  static async open(
    transport: Transport,
    log: Logger,
    host: string,
    options: TlsOptions,
    sharing: Sharing = 'alone',
    renewed: (certificate: Certificate) => Promise<void> = () => Promise.resolve(),
  ): Promise<SecurePort> {
    const source = options.source();
    const { given } = options;
    const state = given === undefined ? await stateOf(source) : '';
    const certificate = given ?? (await readCertificate(source));
    const { port, ciphers } = options;
    const listener = await transport.listenSecurely({ host, port, sharing }, certificate, ciphers);
    const opened = new SecurePort(listener, log, options, certificate, renewed);
    if (given !== undefined) return opened;
    opened.read = opened.seen = state;
    opened.tell('serving the certificate of', certificate);
    opened.watch();
    return opened;
  }

  /** What is served now. */
  get certificate(): Certificate {
    return this.served;
  }

  /** Serves this one from now on. Throws `CertificateError`, `ListenError`. */
  async take(certificate: Certificate): Promise<void> {
    if (this.closed || certificate.chain === this.served.chain) return;
    await this.listener.renew(certificate);
    this.served = certificate;
    await this.renewed(certificate);
  }

  get port(): number {
    return this.listener.port;
  }

  get activeRequests(): number {
    return this.listener.activeRequests;
  }

  /** Serves the certificate as it is now. Never rejects: a certificate that cannot be used changes nothing. */
  reload(): Promise<void> {
    if (this.options.given !== undefined) return Promise.resolve();
    this.reloading = this.reloading.then(() => this.renew());
    return this.reloading;
  }

  async close(graceMs: number): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    await this.reloading;
    await this.listener.close(graceMs);
  }

  private async renew(): Promise<void> {
    if (this.closed) return;
    try {
      const source = this.options.source();
      this.read = await stateOf(source);
      const certificate = await readCertificate(source);
      if (certificate.chain === this.served.chain) return;
      await this.take(certificate);
      this.tell('serving the renewed certificate of', certificate);
    } catch (error) {
      const reason = error instanceof CertificateError || error instanceof ListenError ? error.message : String(error);
      this.log.error(`kept the old certificate: ${reason}`);
    }
  }

  private watch(): void {
    const look = async (): Promise<void> => {
      const state = await stateOf(this.options.source());
      const settled = state === this.seen;
      this.seen = state;
      // Certificate and key are written one after the other: only once they stay as they are.
      if (settled && state !== this.read) await this.reload();
    };
    let looking = false;
    this.timer = setInterval(() => {
      if (looking) return;
      looking = true;
      void look().finally(() => {
        looking = false;
      });
    }, this.options.watchEvery ?? WATCH_MS);
    this.timer.unref();
  }

  private tell(what: string, { subject, validTo }: Certificate): void {
    const { log } = this;
    const until = new Date(validTo).toISOString();
    log.info(`${what} ${subject}, valid until ${until}`);
    if (validTo - Date.now() < WARN_BEFORE_MS) log.warn(`the certificate of ${subject} expires on ${until}`);
  }
}
