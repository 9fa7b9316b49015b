/** Reads ZIP archives that are files of the tree, wherever their content lies. */
import { crc32 } from 'node:zlib';
import yauzl from 'yauzl';
import type { GraphNode } from '../../graph/index.js';
import { TimeSlice } from '../../../shared/time-slice.js';
import type { Contents } from '../content/content.js';
import { sizeOf } from '../content/place.js';
import { FilesError } from '../errors.js';
import { entryName, isSymbolicLink, pathOfEntry } from './container/entry-names.js';
import { RandomAccess, type ArchiveBytes } from './container/random-access.js';

const STRONG_ENCRYPTION = 0x40;

export interface ArchivedEntry {
  /** Names from the top of the archive; checked, so that none of them leads elsewhere. */
  readonly path: readonly string[];
  readonly isFolder: boolean;
  readonly size: number;
  readonly packed: number;
  /** Its bytes, checked. */
  readonly read: () => AsyncIterable<Buffer>;
}

/** An archive that is being read. Throws `FilesError` 422 for what is broken, encrypted, or leads elsewhere. */
export class OpenArchive {
  private constructor(
    private readonly zip: yauzl.ZipFile,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** Runs `work` with the archive, which is closed in the end. */
  static with<T>(
    contents: Contents,
    node: GraphNode,
    signal: AbortSignal | undefined,
    work: (archive: OpenArchive) => Promise<T>,
  ): Promise<T> {
    return OpenArchive.of({ size: sizeOf(node), read: (range) => contents.read(node, range, signal) }, signal, work);
  }

  /** The same for bytes that lie elsewhere. */
  static async of<T>(
    bytes: ArchiveBytes,
    signal: AbortSignal | undefined,
    work: (archive: OpenArchive) => Promise<T>,
  ): Promise<T> {
    const reader = new RandomAccess(bytes);
    const options = { autoClose: false, decodeStrings: false, validateEntrySizes: true };
    const zip = await described(yauzl.fromRandomAccessReaderPromise(reader, bytes.size, options));
    try {
      return await work(new OpenArchive(zip, signal));
    } finally {
      zip.close();
    }
  }

  /** The entries in the archive's order, once; they can be read as long as it is open. */
  async *entries(): AsyncGenerator<ArchivedEntry, void, undefined> {
    const entries = this.zip.eachEntry();
    const slice = new TimeSlice();
    try {
      for (;;) {
        const next: IteratorResult<yauzl.Entry, unknown> = await described(entries.next());
        if (next.done === true) return;
        this.signal?.throwIfAborted();
        if (slice.due) await slice.pause();
        const entry = entryOf(this.zip, next.value);
        if (entry !== undefined) yield entry;
      }
    } finally {
      await entries.return?.();
    }
  }
}

/** Undefined for what is neither file nor folder. */
function entryOf(zip: yauzl.ZipFile, entry: yauzl.Entry): ArchivedEntry | undefined {
  const name = entryName(entry);
  if (entry.isEncrypted() || (entry.generalPurposeBitFlag & STRONG_ENCRYPTION) !== 0) {
    throw new FilesError(422, `The archive is encrypted ("${name}").`);
  }
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
    throw new FilesError(
      422,
      `"${name}" is compressed by a method that is not supported (${String(entry.compressionMethod)}).`,
    );
  }
  const path = pathOfEntry(name);
  if (isSymbolicLink(entry) || path.length === 0) return undefined;
  return {
    path,
    isFolder: name.endsWith('/'),
    size: entry.uncompressedSize,
    packed: entry.compressedSize,
    read: () => bytesOf(zip, entry, name),
  };
}

async function* bytesOf(zip: yauzl.ZipFile, entry: yauzl.Entry, name: string): AsyncGenerator<Buffer, void, undefined> {
  let sum = 0;
  const stream = await described(zip.openReadStreamPromise(entry));
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      sum = crc32(chunk, sum);
      yield chunk;
    }
  } catch (error) {
    throw broken(error);
  } finally {
    stream.destroy();
  }
  if (sum !== entry.crc32) throw new FilesError(422, `The archive is broken: "${name}" has another checksum.`);
}

async function described<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    throw broken(error);
  }
}

/** Errors of the format; those of storages stay as they are. */
function broken(error: unknown): Error {
  if (error instanceof FilesError || !(error instanceof Error)) return error as Error;
  if (/encryption/.test(error.message)) return new FilesError(422, 'The archive is encrypted.');
  return new FilesError(422, `The archive is broken: ${error.message.slice(0, 300)}`);
}
