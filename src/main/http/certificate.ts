import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { workerFile } from '../../shared/worker-path.js';
import type { CertificateJob, CertificateMessage, CertificateSource } from '../../workers/certificate.js';
import { CertificateError } from './errors.js';
import type { TemplatedApp, UwsLibrary } from './uws.js';

export type { CertificateSource } from '../../workers/certificate.js';

/** A certificate and key that belong together and are valid now. */
export interface Certificate {
  /** PEM, the server's own first. */
  readonly chain: string;
  /** PEM, sealed with `seal`. */
  readonly key: string;
  readonly seal: string;
  readonly subject: string;
  /** Milliseconds since 1970. */
  readonly validTo: number;
}

/** Reads and checks a certificate, on a thread of its own. Throws `CertificateError`. */
export async function readCertificate(source: CertificateSource): Promise<Certificate> {
  const seal = randomBytes(24).toString('base64url');
  const message = await ask({ source, seal });
  if ('problem' in message) throw new CertificateError(message.problem);
  return { ...message, seal };
}

function ask(job: CertificateJob): Promise<CertificateMessage> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(workerFile('certificate')), { workerData: job });
    worker.once('message', resolve);
    worker.once('error', (error) => {
      reject(new CertificateError(`the certificate could not be read: ${String(error)}`));
    });
    worker.once('exit', () => {
      reject(new CertificateError('the certificate could not be read: its thread ended'));
    });
  });
}

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

/** The files a certificate comes from. */
function filesOf(source: CertificateSource): string[] {
  return source.kind === 'pem' ? [source.certificate, ...(source.key === '' ? [] : [source.key])] : [source.path];
}

/** Changes with the files; symbolic links are followed, as those of renewed certificates change. */
export async function stateOf(source: CertificateSource): Promise<string> {
  const states = filesOf(source).map(async (file) => {
    try {
      const { mtimeMs, ctimeMs, size, ino } = await stat(file);
      return [file, mtimeMs, ctimeMs, size, ino].join(' ');
    } catch {
      return `${file} missing`;
    }
  });
  return (await Promise.all(states)).join('\n');
}
