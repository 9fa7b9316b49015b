/**
 * Where the content of files lies. Content never changes once it is written: each state of a file has a key of its own,
 * and which of them counts is written in the graph. So a commit publishes new content, a crash leaves the old or the new,
 * and whatever the graph does not name is rubbish that a sweep removes.
 */

/** Ids of files, and keys of their contents, that may be part of a name elsewhere: both come from the database. */
export const FILE_ID = /^[0-9A-Za-z-]{4,64}$/;
export const CONTENT_KEY = /^[0-9a-z]{0,64}$/;

/** One state of a file's content. */
export interface ContentId {
  /** Id of the file. */
  readonly file: string;
  /** Which of the contents written for it; empty: one that was not written by this service. */
  readonly key: string;
}

/** New content on its way in. */
export interface ContentWriter {
  /** Resolves when more can be taken; the bytes must stay as they are until the writer has ended. */
  write(chunk: Buffer): Promise<void>;
  /** Resolves when everything written is durable. */
  finish(): Promise<void>;
  /** Removes what was written; harmless after an error, and when called again. */
  discard(): Promise<void>;
}

/** Bytes of a content, `to` exclusive. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** A stored content that a sweep looks at. */
export interface StoredContent extends ContentId {
  /** Milliseconds since 1970. */
  readonly modified: number;
}

/** What a storage may keep beside a content, for people who look into it. */
export interface ContentAbout {
  /** Path of the file when its content was written. */
  readonly path?: string;
}

/** One kind of place; a new kind is one file and one line in `storage/providers.ts`. Throws `FilesError`. */
export interface Storage {
  /** Tells places apart that are configured alike. */
  readonly name: string;
  /** Nothing can be written to it. */
  readonly readOnly?: true;
  write(id: ContentId, about?: ContentAbout): Promise<ContentWriter>;
  /**
   * The bytes in order, in pieces; reading ahead is the storage's business. With `reused` the memory of a piece may be used
   * again once the next is asked for.
   */
  read(id: ContentId, range: ByteRange, signal?: AbortSignal, reused?: boolean): AsyncIterable<Buffer>;
  /**
   * Takes a file of this machine that is complete and synced as content, without copying it; the file stays, too. False:
   * that cannot be done here.
   */
  adopt?(id: ContentId, path: string): Promise<boolean>;
  /** Where content lies as a file of this machine that never changes; absent where it does not. Throws `FilesError`. */
  pathOf?(id: ContentId): string;
  /** Nothing happens when it is gone already. */
  remove(id: ContentId): Promise<void>;
  /** Everything that lies there, in no order. */
  list(): AsyncIterable<StoredContent>;
  /**
   * Puts content aside, from where people can bring it back, and removes what was put aside before a time (milliseconds since 1970).
   * Absent where that is not cheap.
   */
  readonly trash?: { put(id: ContentId): Promise<void>; empty(before: number): Promise<void> };
  /** Removes what writes left behind that nobody goes on with and that began before `before`. */
  clear?(before: number): Promise<void>;
  /** Nobody asks for it any more; what is on its way still arrives. */
  close?(): void;
}
