import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CertificateError } from '../errors.js';
import type { Certificate } from '../tls/certificate.js';
import type { TemplatedApp, UwsLibrary } from './uws.js';

/**
 * An app that serves this certificate. uWebSockets.js takes file names only: what was checked is written, the key
 * sealed, into a folder that nobody else can read, and removed as soon as it is loaded. Throws `CertificateError`.
 */
export async function secureApp(uws: UwsLibrary, certificate: Certificate, ciphers: string): Promise<TemplatedApp> {
  let folder: string | undefined;
  try {
    folder = await mkdtemp(join(tmpdir(), 'svc-tls-'));
    const [chain, key] = [join(folder, 'chain.pem'), join(folder, 'key.pem')];
    await Promise.all([
      writeFile(chain, certificate.chain, { mode: 0o600 }),
      writeFile(key, certificate.key, { mode: 0o600 }),
    ]);
    return uws.SSLApp({
      cert_file_name: chain,
      key_file_name: key,
      passphrase: certificate.seal,
      ssl_ciphers: ciphers,
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CertificateError(`the certificate for ${certificate.subject} cannot be loaded: ${reason}`);
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}
