/** QR codes for logins, drawn on a thread: the library takes long to load, and nobody needs it often. */
import type { BarcodeJob } from '../../../workers/documents/barcode.js';
import type { Outcome } from '../../../workers/outcome.js';
import { missingPackage } from '../../../shared/optional-package.js';
import { shortWork } from '../../../shared/work/index.js';

const WIDTH = 200;
/** Milliseconds. */
const LONGEST = 10_000;

/** PNG of a QR code without a margin, 200 pixels wide, as URL-safe Base64 for a header. Throws `MissingPackageError` and `WorkError`. */
export async function qrData(text: string): Promise<string> {
  const job: BarcodeJob = {
    symbology: 'qrcode',
    text,
    width: WIDTH,
    height: WIDTH,
    margin: 0,
    errorCorrection: 'M',
  };
  let outcome: Outcome<Uint8Array>;
  try {
    outcome = await shortWork().run(job, { file: 'documents/barcode', what: 'a QR code', time: LONGEST });
  } catch (error) {
    throw missingPackage(error) ?? error;
  }
  if ('problem' in outcome) throw new Error(`the QR code cannot be drawn: ${outcome.problem}`);
  return Buffer.from(outcome.value).toString('base64url');
}
