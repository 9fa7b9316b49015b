import type { OcrSettings } from './ocr.js';
import type { TextSink } from './sink.js';
import type { Source } from './source.js';

/** What documents within a document may take together. */
export interface Budget {
  /** Bytes that may still be unpacked. */
  unpacked: number;
  /** Files within files that may still be looked at. */
  entries: number;
  /** Pages and images that may still be recognised. */
  recognised: number;
}

export interface Reading {
  readonly sink: TextSink;
  readonly budget: Budget;
  /** Undefined: nothing is recognised. */
  readonly ocr: OcrSettings | undefined;
  /** Reads a document that lies in this one; what is wrong with it alone is passed over. Throws `Enough`. */
  readonly within: (source: Source) => Promise<void>;
}

/** A format of documents: one file, and a line in `table.ts`. */
export interface Format {
  readonly name: string;
  /** Whether it is one, by its first bytes; name and content type only where bytes cannot tell. */
  is(source: Source): boolean;
  /** Hands its text to the sink. Throws `Enough`, and errors whose message says what is wrong with the document. */
  read(source: Source, reading: Reading): Promise<void>;
}
