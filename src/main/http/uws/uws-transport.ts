import { ListenError } from '../errors.js';
import type { Certificate } from '../tls/certificate.js';
import type { Listener, Place, SecureListener, ServerShared, Transport } from '../transport/transport.js';
import { secureApp } from './secure-app.js';
import { UwsListener } from './uws-listener.js';
import { loadUws, type UwsLibrary } from './uws.js';

/** HTTP by uWebSockets.js: fast, and strict as far as its parser is. See docs/http.md for what it cannot keep. */
export class UwsTransport implements Transport {
  private readonly library: UwsLibrary;

  constructor(private readonly shared: ServerShared) {
    this.library = loadUws(shared.options.maxHeaderSize);
  }

  async listen(place: Place): Promise<Listener> {
    const { host, port, sharing } = place;
    if (sharing === 'alone') return this.open(host, port, 'alone');
    return this.open(host, await this.sharedPort(place), 'shared');
  }

  async listenSecurely(place: Place, certificate: Certificate, ciphers: string): Promise<SecureListener> {
    const { host } = place;
    // Renewals share the port.
    let taken = await this.sharedPort(place);
    const open = async (next: Certificate): Promise<UwsListener> => {
      const app = await secureApp(this.library, next, ciphers);
      const listener = new UwsListener(this.library, app, true, this.shared);
      if (!(await listener.listen(host, taken, 'shared'))) throw new ListenError(host, taken);
      taken = listener.port;
      return listener;
    };
    return new RenewedListeners(open, await open(certificate));
  }

  private async open(host: string, port: number, mode: 'alone' | 'shared'): Promise<Listener> {
    const listener = new UwsListener(this.library, this.library.App(), false, this.shared);
    if (!(await listener.listen(host, port, mode))) throw new ListenError(host, port);
    return listener;
  }

  /** A port to share. It would be shared with another server too: the first one sees that there is none. */
  private async sharedPort({ host, port, sharing }: Place): Promise<number> {
    if (sharing === 'further') return port;
    const probe = await this.open(host, port, 'alone');
    await probe.close(0);
    return probe.port;
  }
}

/**
 * A renewed certificate gets a listener of its own, which listens on the same port before the old one stops to; the
 * connections of the old one go on with the old certificate until their clients close them.
 */
class RenewedListeners implements SecureListener {
  private retired: UwsListener[] = [];

  constructor(
    private readonly open: (certificate: Certificate) => Promise<UwsListener>,
    private current: UwsListener,
  ) {}

  get port(): number {
    return this.current.port;
  }

  get activeRequests(): number {
    return this.retired.reduce((sum, listener) => sum + listener.activeRequests, this.current.activeRequests);
  }

  async renew(certificate: Certificate): Promise<void> {
    const next = await this.open(certificate);
    const old = this.current;
    this.current = next;
    this.retired = [...this.retired.filter((listener) => !listener.over), old];
    await old.retireWhenQuiet();
  }

  async close(graceMs: number): Promise<void> {
    await Promise.all([this.current, ...this.retired].map((listener) => listener.close(graceMs)));
  }
}
