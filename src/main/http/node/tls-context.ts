import { NO_TLS12 } from '../tls/tls-ciphers.js';
import type { Certificate } from '../tls/certificate.js';

/** What node:tls is told of a certificate. */
export interface TlsContext {
  readonly cert: string;
  readonly key: string;
  readonly passphrase: string;
  readonly ciphers?: string;
  readonly honorCipherOrder: boolean;
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
}

const TLS13 = 'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256';

/** `ciphers`: OpenSSL's list for TLS 1.2, as `tlsCiphers` makes it. */
export function tlsContext(certificate: Certificate, ciphers: string): TlsContext {
  const base = { cert: certificate.chain, key: certificate.key, passphrase: certificate.seal, honorCipherOrder: true };
  if (ciphers === NO_TLS12) return { ...base, minVersion: 'TLSv1.3' };
  return { ...base, ciphers: `${TLS13}:${ciphers}`, minVersion: 'TLSv1.2' };
}
