import { CertificateError } from '../errors.js';
import type { Certificate } from '../tls/certificate.js';
import type { Listener, SecureListener, ServerShared, Transport } from '../transport/transport.js';
import { NodeListener } from './node-listener.js';
import { tlsContext, type TlsContext } from './tls-context.js';

/** HTTP by node:http: keeps all settings, and its parser leaves nothing ambiguous. See docs/http.md for what it costs. */
export class NodeTransport implements Transport {
  constructor(private readonly shared: ServerShared) {}

  async listen(host: string, port: number): Promise<Listener> {
    const listener = new NodeListener(this.shared);
    await listener.listen(host, port);
    return listener;
  }

  async listenSecurely(host: string, port: number, certificate: Certificate, ciphers: string): Promise<SecureListener> {
    const listener = loaded(certificate, () => new NodeListener(this.shared, tlsContext(certificate, ciphers)));
    await listener.listen(host, port);
    return new SecureNodeListener(listener, (next) => tlsContext(next, ciphers));
  }
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
