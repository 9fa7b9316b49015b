import { CertificateError } from '../errors.js';
import type { Certificate } from '../tls/certificate.js';
import type { Listener, Place, SecureListener, ServerShared, Transport } from '../transport/transport.js';
import { NodeListener } from './node-listener.js';
import { tlsContext, type TlsContext } from './tls-context.js';

/** HTTP by node:http: keeps all settings, and its parser leaves nothing ambiguous. See docs/http.md for what it costs. */
export class NodeTransport implements Transport {
  constructor(private readonly shared: ServerShared) {}

  listen(place: Place): Promise<Listener> {
    return listening(place, () => new NodeListener(this.shared));
  }

  async listenSecurely(place: Place, certificate: Certificate, ciphers: string): Promise<SecureListener> {
    const listener = await listening(place, () =>
      loaded(certificate, () => new NodeListener(this.shared, tlsContext(certificate, ciphers))),
    );
    return new SecureNodeListener(listener, (next) => tlsContext(next, ciphers));
  }
}

/** Sharing a port means sharing it with anybody: the first one sees that nobody has it. */
async function listening({ host, port, sharing }: Place, create: () => NodeListener): Promise<NodeListener> {
  let taken = port;
  if (sharing === 'first') {
    const probe = create();
    await probe.listen(host, port, false);
    taken = probe.port;
    await probe.close(0);
  }
  const listener = create();
  await listener.listen(host, taken, sharing !== 'alone');
  return listener;
}

class SecureNodeListener implements SecureListener {
  constructor(
    private readonly listener: NodeListener,
    private readonly context: (certificate: Certificate) => TlsContext,
  ) {}

  get port(): number {
    return this.listener.port;
  }

  get activeRequests(): number {
    return this.listener.activeRequests;
  }

  renew(certificate: Certificate): Promise<void> {
    loaded(certificate, () => {
      this.listener.setContext(this.context(certificate));
    });
    return Promise.resolve();
  }

  close(graceMs: number): Promise<void> {
    return this.listener.close(graceMs);
  }
}

function loaded<T>(certificate: Certificate, load: () => T): T {
  try {
    return load();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CertificateError(`the certificate for ${certificate.subject} cannot be loaded: ${reason}`);
  }
}
