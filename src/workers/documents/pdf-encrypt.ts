/** Encrypts PDF documents on a thread of its own (`scripting/functions/files/pdf.ts`). */
import { inflateSync } from 'node:zlib';
import { PDFDocument } from '@cantoo/pdf-lib';
import { outcomeOf, type Outcome } from '../outcome.js';

export interface PdfEncryptJob {
  readonly bytes: Uint8Array;
  /** Opens the document, and permits everything. */
  readonly password: string;
  /** Bytes that its packed parts may unpack to, together. */
  readonly mostUnpacked: number;
}

export default function encrypt({ bytes, password, mostUnpacked }: PdfEncryptJob): Promise<Outcome<Uint8Array>> {
  return outcomeOf(async () => {
    checkUnpacked(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), mostUnpacked);
    const document = await PDFDocument.load(bytes, { updateMetadata: false });
    document.encrypt({ userPassword: password, ownerPassword: password });
    return document.save();
  });
}

/** The library unpacks parts outside of the memory that a thread is bound to: a few megabytes may become gigabytes. */
function checkUnpacked(bytes: Buffer, most: number): void {
  let left = most;
  for (let at = bytes.indexOf('stream'); at >= 0; at = bytes.indexOf('stream', at + 6)) {
    const start = at + 6 + (bytes[at + 6] === 13 ? 2 : 1);
    try {
      left -= inflateSync(bytes.subarray(start), { maxOutputLength: Math.max(1, left) }).length;
    } catch (error) {
      // Anything else is not packed, or the library says what is wrong with it.
      if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') continue;
      throw new Error(`it is larger than ${String(most)} bytes when it is unpacked`, { cause: error });
    }
  }
}
