/** Content on its way into a file: what is known of it, and what is wanted of it. */
import type { PropertyMap } from '../../graph/index.js';
import type { ChecksumName } from './checksums.js';
import type { Place } from './place.js';

/** Content that is stored and durable, and not yet any file's. */
export interface Received extends Place {
  readonly size: number;
  /** Properties of the file: its checksums. */
  readonly checksums: PropertyMap;
  /** Properties of an image: what it is, by its content. Absent: it is none. */
  readonly facts?: PropertyMap;
  /** The first bytes. */
  readonly head: Buffer;
}

export interface ReceiveOptions {
  /** Bytes; more end with `FilesError` 413. */
  readonly limit: number;
  readonly checksums: readonly ChecksumName[];
  /** Storage to write to; absent: the one that counts for the file; of a new file, this machine's. */
  readonly store?: string;
  /** Where the file lies in the tree, for storages that keep it beside the content. */
  readonly path?: string;
  /** Properties of an image that are known already. */
  readonly facts?: PropertyMap;
}

/** What finds out what content is, once that is there (docs/design/media.md 2). */
export interface FactsPlace {
  /** Keys of what it may find. */
  keys: readonly string[];
  /**
   * What images with this content have; undefined, at once where its first bytes say so: it is no image. Never rejects: of what cannot be
   * read nothing is known.
   */
  of: ((place: Place, head: Buffer, size: number) => Promise<PropertyMap | undefined> | undefined) | undefined;
}

/** Content that was received, without checksums that are not wanted. */
export function onlyChecksums(received: Received, names: readonly ChecksumName[]): Received {
  const wanted = Object.entries(received.checksums).filter(([name]) => {
    return name === 'checksum' || (names as readonly string[]).includes(name);
  });
  return { ...received, checksums: Object.fromEntries(wanted) };
}
