/** QR codes for logins, drawn on a thread: the library takes long to load, and nobody needs it often. */
import type { Piscina } from 'piscina';
import type { BarcodeJob } from '../../../workers/documents/barcode.js';
import type { Outcome } from '../../../workers/outcome.js';
import { missingPackage } from '../../../shared/optional-package.js';
import { workerFile } from '../../../shared/worker-path.js';
import { workerPool } from '../../../shared/worker-pool.js';

const WIDTH = 200;
let pool: Piscina | undefined;

/** PNG of a QR code without a margin, 200 pixels wide, as URL-safe Base64 for a header. Throws `MissingPackageError`. */
export async function qrData(text: string): Promise<string> {
  const job: BarcodeJob = {
    symbology: 'qrcode',
    text,
    width: WIDTH,
    height: WIDTH,
    margin: 0,
    errorCorrection: 'M',
  };
  pool ??= workerPool({ filename: workerFile('documents/barcode'), minThreads: 0, maxThreads: 1, idleTimeout: 10_000 });
  let outcome: Outcome<Uint8Array>;
  try {
    outcome = (await pool.run(job)) as Outcome<Uint8Array>;
  } catch (error) {
    throw missingPackage(error) ?? error;
  }
  if ('problem' in outcome) throw new Error(`the QR code cannot be drawn: ${outcome.problem}`);
  return Buffer.from(outcome.value).toString('base64url');
}
