/**
 * A ZIP file of the tree whose entries are files of the tree: content is read out of the archive when it is asked for, and
 * nothing is ever written to it.
 */
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import yauzl from 'yauzl';
import { DEEPEST_TREE } from '../../schema/index.js';
import { TimeSlice } from '../../../shared/time-slice.js';
import { FilesError } from '../errors.js';
import { entryName, isAbsolute, isSymbolicLink, pathOfEntry } from '../zip/container/entry-names.js';
import { RandomAccess } from '../zip/container/random-access.js';
import { missing, type StorageProvider } from './definition.js';
import {
  FILE_ID,
  type ByteRange,
  type ContentId,
  type ContentWriter,
  type Storage,
  type StoredContent,
} from './storage.js';
import type { ArchiveFile } from './archive-file.js';

/** Entries of an archive that can be mounted. */
const MOST_ENTRIES = 100_000;
/** Deflate makes nothing more than so many times smaller; whatever claims more is made to do harm. */
const MOST_SHRUNK = 1040;

/** An entry as the tree gets to know it. */
export interface ArchiveEntry {
  /** Names of its path. */
  readonly names: readonly string[];
  readonly isFolder: boolean;
  readonly size: number;
  readonly crc32: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
  /** Key of its content. */
  readonly key: string;
}

interface Index {
  readonly version: string;
  readonly zip: yauzl.ZipFile;
  readonly byKey: ReadonlyMap<string, yauzl.Entry>;
  readonly entries: readonly ArchiveEntry[];
}

export class ArchiveStorage implements Storage {
  readonly readOnly = true;
  #index: Promise<Index> | undefined;

  constructor(
    readonly name: string,
    /** Id of the file. */
    readonly archive: string,
    private readonly open: (file: string) => Promise<ArchiveFile>,
  ) {}

  async write(): Promise<ContentWriter> {
    throw new FilesError(409, 'The folder shows an archive, which cannot be written to.');
  }

  async *read(id: ContentId, { from, to }: ByteRange, signal?: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    if (from >= to) return;
    const { zip, byKey } = await this.#look();
    const entry = byKey.get(id.key);
    if (entry === undefined)
      throw new FilesError(500, `The archive with the content of file ${id.file} is another one now.`);
    const stored = entry.compressionMethod === 0;
    const stream = await opened(zip, entry, stored ? { start: from, end: to } : {});
    const whole = from === 0 && to === entry.uncompressedSize;
    let at = stored ? from : 0;
    let sum = 0;
    try {
      for await (const piece of stream as AsyncIterable<Buffer>) {
        signal?.throwIfAborted();
        if (whole) sum = crc32(piece, sum);
        const wanted = piece.subarray(Math.max(0, from - at), Math.max(0, to - at));
        at += piece.length;
        // Before the last piece leaves: an answer that breaks off tells more than one that is wrong.
        if (whole && at >= to && sum !== entry.crc32) throw refused('an entry has another checksum than it tells of');
        if (wanted.length > 0) yield wanted;
        if (at >= to) break;
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw broken(error);
    } finally {
      stream.destroy();
    }
    if (at < to) throw refused('an entry is shorter than it tells');
  }

  /** It is read only. */
  async remove(): Promise<void> {}

  async *list(): AsyncGenerator<StoredContent, void, undefined> {}

  /** What is in the archive as it is now. Throws `FilesError` 422 for one that is broken or made to do harm. */
  async entries(): Promise<readonly ArchiveEntry[]> {
    return (await this.#look()).entries;
  }

  /** Tells the archive as it is now from what it was. */
  async version(): Promise<string> {
    return (await this.open(this.archive)).version;
  }

  async #look(): Promise<Index> {
    const file = await this.open(this.archive);
    const known = await this.#index?.catch(() => undefined);
    if (known?.version === file.version) return known;
    const index = (this.#index = indexOf(file));
    return index;
  }
}

async function indexOf(file: ArchiveFile): Promise<Index> {
  let zip: yauzl.ZipFile;
  const found: yauzl.Entry[] = [];
  const slice = new TimeSlice();
  try {
    const options = { autoClose: false, decodeStrings: false, validateEntrySizes: true };
    zip = await yauzl.fromRandomAccessReaderPromise(new RandomAccess(file), file.size, options);
    if (zip.entryCount > MOST_ENTRIES) throw refused(`it has more than ${String(MOST_ENTRIES)} entries`);
    for await (const entry of zip.eachEntry()) {
      if (found.push(entry) > MOST_ENTRIES) throw refused(`it has more than ${String(MOST_ENTRIES)} entries`);
      if (slice.due) await slice.pause();
    }
  } catch (error) {
    throw broken(error);
  }
  await harmless(found, slice);
  const byKey = new Map<string, yauzl.Entry>();
  const entries: ArchiveEntry[] = [];
  for (const entry of found) {
    if (slice.due) await slice.pause();
    const name = entryName(entry);
    const names = namesOf(name);
    const isFolder = name.endsWith('/');
    if (isSymbolicLink(entry) || (!isFolder && !entry.canDecodeFileData())) continue;
    const key = `z${entry.relativeOffsetOfLocalHeader.toString(36)}`;
    if (!isFolder) byKey.set(key, entry);
    entries.push({
      names,
      isFolder,
      size: entry.uncompressedSize,
      crc32: entry.crc32,
      modified: entry.getLastModDate().getTime(),
      key,
    });
  }
  return { version: file.version, zip, byKey, entries };
}

function namesOf(name: string): string[] {
  if (isAbsolute(name)) throw refused('it has a path that leads out of it');
  const names = pathOfEntry(name);
  if (names.length > DEEPEST_TREE) throw refused('it has a path that is too long');
  return names;
}

/** Entries that share bytes, or grow beyond what is possible, make gigabytes of a few kilobytes. */
async function harmless(entries: readonly yauzl.Entry[], slice: TimeSlice): Promise<void> {
  // Numbers alone are sorted in a few milliseconds, whoever chose their order.
  const starts = Float64Array.from(entries, (entry) => entry.relativeOffsetOfLocalHeader).sort();
  const ends = new Map<number, number>();
  for (const { relativeOffsetOfLocalHeader: start, compressedSize, uncompressedSize } of entries) {
    if (slice.due) await slice.pause();
    if (uncompressedSize > (compressedSize + 64) * MOST_SHRUNK) throw refused('an entry is larger than it can be');
    if (ends.has(start)) throw refused('its entries share their bytes');
    ends.set(start, start + compressedSize);
  }
  for (const [i, start] of starts.entries()) {
    if ((ends.get(start) ?? start) > (starts[i + 1] ?? Infinity)) throw refused('its entries share their bytes');
  }
}

function refused(why: string): FilesError {
  return new FilesError(422, `The archive cannot be used: ${why}.`);
}

function broken(error: unknown): Error {
  if (error instanceof FilesError) return error;
  return refused(error instanceof Error ? error.message : 'it cannot be read');
}

async function opened(zip: yauzl.ZipFile, entry: yauzl.Entry, options: yauzl.ZipFileOptions): Promise<Readable> {
  try {
    return await zip.openReadStreamPromise(entry, options);
  } catch (error) {
    throw broken(error);
  }
}

export const archiveProvider: StorageProvider = {
  problems: (entries) => {
    const archive = entries.get('archive') ?? '';
    if (archive === '') return missing(entries, ['archive']);
    return FILE_ID.test(archive) ? [] : [{ entry: 'archive', token: 'must_match', detail: 'needs the id of a file' }];
  },
  create: ({ id, entries }, { openFile }) => new ArchiveStorage(id, entries.get('archive') ?? '', openFile),
};
