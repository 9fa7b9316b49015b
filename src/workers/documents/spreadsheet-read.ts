/** Reads tables of XLSX files on a thread of its own (`scripting/functions/formats/spreadsheets.ts`). */
import { readSheet, SheetNotFoundError } from 'read-excel-file/node';
import yauzl from 'yauzl';
import { outcomeOf, type Outcome } from '../outcome.js';

export interface SpreadsheetReadJob {
  readonly bytes: Uint8Array;
  /** Its number from 0, or its name. */
  readonly sheet: number | string;
  /** Limits: rows, cells, characters of the answer, bytes of the file unpacked. */
  readonly mostRows: number;
  readonly mostCells: number;
  readonly longest: number;
  readonly mostUnpacked: number;
}

/** Rows in JSON, some a text, dates as `{"d": milliseconds}`; undefined: there is no such sheet. */
export type SheetRows = readonly string[] | undefined;

/** Cells in a text: the loop reads one at a time. */
const PIECE = 5000;
const MOST_PARTS = 5000;

export default function read(job: SpreadsheetReadJob): Promise<Outcome<SheetRows>> {
  return outcomeOf(async () => {
    const bytes = Buffer.from(job.bytes.buffer, job.bytes.byteOffset, job.bytes.length);
    await checkSize(bytes, job.mostUnpacked);
    let rows;
    try {
      rows = await readSheet(bytes, typeof job.sheet === 'number' ? job.sheet + 1 : job.sheet, { trim: false });
    } catch (error) {
      if (error instanceof SheetNotFoundError) return undefined;
      throw error;
    }
    if (rows.length > job.mostRows) throw new Error(`it has more than ${String(job.mostRows)} rows`);
    // Each row is as wide as the widest.
    const width = Math.max(1, rows[0]?.length ?? 0);
    if (rows.length * width > job.mostCells) throw new Error(`it has more than ${String(job.mostCells)} cells`);
    const pieces: string[] = [];
    const together = Math.max(1, Math.floor(PIECE / width));
    let length = 0;
    for (let at = 0; at < rows.length; at += together) {
      const packed = rows
        .slice(at, at + together)
        .map((row) => row.map((cell: unknown) => (cell instanceof Date ? { d: cell.getTime() } : cell)));
      const text = JSON.stringify(packed);
      length += text.length;
      if (length > job.longest) throw new Error(`it holds more than ${String(job.longest)} characters`);
      pieces.push(text);
    }
    return pieces;
  });
}

/** Unpacks everything once, piece by piece: what is packed says little about how large it gets. */
async function checkSize(bytes: Buffer, most: number): Promise<void> {
  const zip = await yauzl.fromBufferPromise(bytes, { autoClose: false, validateEntrySizes: true });
  let size = 0;
  let parts = 0;
  for await (const entry of zip.eachEntry()) {
    if (++parts > MOST_PARTS) throw new Error('it has too many parts');
    const stream = await zip.openReadStreamPromise(entry);
    for await (const piece of stream as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > most) throw new Error(`it is larger than ${String(most)} bytes when it is unpacked`);
    }
  }
}
