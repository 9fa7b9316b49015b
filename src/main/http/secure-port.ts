import type { ListenerShared } from './listener.js';
import { Listener } from './listener.js';
import { readCertificate, secureApp, stateOf, type Certificate, type CertificateSource } from './certificate.js';
import { CertificateError, ListenError } from './errors.js';
import type { UwsLibrary } from './uws.js';

export interface TlsOptions {
  /** 0: any free port. */
  readonly port: number;
  /** Asked at each reload, so that changed settings hold. */
  readonly source: () => CertificateSource;
  /** OpenSSL's list of the cipher suites of TLS 1.2; see `tlsCiphers`. */
  readonly ciphers: string;
  /** Milliseconds between looks at the files. */
  readonly watchEvery?: number;
}

const WATCH_MS = 1000;
const WARN_BEFORE_MS = 14 * 24 * 3600 * 1000;

/**
 * The HTTPS port. A renewed certificate gets a listener of its own, which listens on the same port before the old one
 * stops to; the connections of the old one go on with the old certificate until their clients close them.
 */
export class SecurePort {
  private retired: Listener[] = [];
  private timer: NodeJS.Timeout | undefined;
  private closed = false;
  private reloading: Promise<void> = Promise.resolve();
  /** State of the files that were last read. */
  private read = '';
  /** State of the files at the last look. */
  private seen = '';

  private constructor(
    private readonly uws: UwsLibrary,
    private readonly shared: ListenerShared,
    private readonly host: string,
    private readonly options: TlsOptions,
    private current: Listener,
    private chain: string,
  ) {}

  /** Throws `CertificateError` or `ListenError`. */
  static async open(uws: UwsLibrary, shared: ListenerShared, host: string, options: TlsOptions): Promise<SecurePort> {
    const source = options.source();
    const state = await stateOf(source);
    const certificate = await readCertificate(source);
    // Sharing the port, as reloads need it, would share it with another server too: first see that there is none.
    const probe = new Listener(uws, uws.App(), false, shared);
    if (!(await probe.listen(host, options.port, 'alone'))) throw new ListenError(host, options.port);
    const { port } = probe;
    await probe.close(0);
    const listener = await listenWith(uws, shared, host, port, certificate, options.ciphers);
    const opened = new SecurePort(uws, shared, host, options, listener, certificate.chain);
    opened.read = opened.seen = state;
    opened.tell('serving the certificate of', certificate);
    opened.watch();
    return opened;
  }

  get port(): number {
    return this.current.port;
  }

  get activeRequests(): number {
    return this.retired.reduce((sum, listener) => sum + listener.activeRequests, this.current.activeRequests);
  }

  /** Serves the certificate as it is now. Never rejects: a certificate that cannot be used changes nothing. */
  reload(): Promise<void> {
    this.reloading = this.reloading.then(() => this.renew());
    return this.reloading;
  }

  async close(graceMs: number): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    await this.reloading;
    await Promise.all([this.current, ...this.retired].map((listener) => listener.close(graceMs)));
  }

  private async renew(): Promise<void> {
    if (this.closed) return;
    const { uws, shared, host, options, port } = this;
    try {
      const source = options.source();
      this.read = await stateOf(source);
      const certificate = await readCertificate(source);
      if (certificate.chain === this.chain) return;
      const next = await listenWith(uws, shared, host, port, certificate, options.ciphers);
      const old = this.current;
      this.current = next;
      this.chain = certificate.chain;
      this.retired = [...this.retired.filter((listener) => !listener.over), old];
      await old.retireWhenQuiet();
      this.tell('serving the renewed certificate of', certificate);
    } catch (error) {
      const reason = error instanceof CertificateError || error instanceof ListenError ? error.message : String(error);
      shared.log.error(`kept the old certificate: ${reason}`);
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
    const { log } = this.shared;
    const until = new Date(validTo).toISOString();
    log.info(`${what} ${subject}, valid until ${until}`);
    if (validTo - Date.now() < WARN_BEFORE_MS) log.warn(`the certificate of ${subject} expires on ${until}`);
  }
}

async function listenWith(
  uws: UwsLibrary,
  shared: ListenerShared,
  host: string,
  port: number,
  certificate: Certificate,
  ciphers: string,
): Promise<Listener> {
  const listener = new Listener(uws, await secureApp(uws, certificate, ciphers), true, shared);
  if (!(await listener.listen(host, port, 'shared'))) throw new ListenError(host, port);
  return listener;
}
