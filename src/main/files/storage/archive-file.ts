import type { ByteRange } from './storage.js';

/** The content of a file as far as archives need it. */
export interface ArchiveFile {
  /** Another one for other content. */
  readonly version: string;
  readonly size: number;
  read(range: ByteRange, signal?: AbortSignal): AsyncIterable<Buffer>;
}
