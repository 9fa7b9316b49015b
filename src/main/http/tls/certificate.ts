import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { workerFile } from '../../../shared/worker-path.js';
import type { CertificateJob, CertificateMessage, CertificateSource } from '../../../workers/certificate.js';
import { CertificateError } from '../errors.js';

export type { CertificateSource } from '../../../workers/certificate.js';

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
