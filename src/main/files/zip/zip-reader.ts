/** Reads ZIP archives that are files of the tree, wherever their content lies. */
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import yauzl from 'yauzl';
import type { GraphNode } from '../../graph/index.js';
import { TimeSlice } from '../../../shared/time-slice.js';
import { sizeOf, type Contents } from '../content.js';
import { FilesError } from '../errors.js';

/** Bytes read at once where little is asked for: the next question is most likely about what follows. */
const BLOCK = 64 * 1024;
const SYMBOLIC_LINK = 0o120000;
const FILE_TYPE = 0o170000;
const UNIX = 3;
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
  static async with<T>(
    contents: Contents,
    node: GraphNode,
    signal: AbortSignal | undefined,
    work: (archive: OpenArchive) => Promise<T>,
  ): Promise<T> {
    const reader = new ContentReader(contents, node, signal);
    const options = { autoClose: false, decodeStrings: false, validateEntrySizes: true };
    const zip = await described(yauzl.fromRandomAccessReaderPromise(reader, sizeOf(node), options));
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
  const name = nameOf(entry);
  if (entry.isEncrypted() || (entry.generalPurposeBitFlag & STRONG_ENCRYPTION) !== 0) {
    throw new FilesError(422, `The archive is encrypted ("${name}").`);
  }
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8) {
    throw new FilesError(422, `"${name}" is compressed by a method that is not supported (${String(entry.compressionMethod)}).`);
  }
  // A link tells a path of the machine it was made on.
  const mode = entry.versionMadeBy >> 8 === UNIX ? entry.externalFileAttributes >>> 16 : 0;
  const path = pathOf(name);
  if ((mode & FILE_TYPE) === SYMBOLIC_LINK || path.length === 0) return undefined;
  return {
    path,
    isFolder: name.endsWith('/'),
    size: entry.uncompressedSize,
    packed: entry.compressedSize,
    read: () => bytesOf(zip, entry, name),
  };
}

function nameOf(entry: yauzl.Entry): string {
  return yauzl
    .getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false)
    .replaceAll('\\', '/')
    .toWellFormed();
}

/** Names of a path in an archive. Roots and dots mean nothing in the tree; a path upwards means no good. */
function pathOf(name: string): string[] {
  const names = name.replace(/^[A-Za-z]:/, '').split('/').filter((part) => part !== '' && part !== '.');
  if (names.includes('..') || name.includes('\0')) {
    throw new FilesError(422, `The archive has a name that leads out of it: ${JSON.stringify(name.slice(0, 200))}.`);
  }
  return names;
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

/** Random access to content; small pieces come from the block that was read last. */
class ContentReader extends yauzl.RandomAccessReader {
  #start = 0;
  #block = Buffer.alloc(0);
  readonly #size: number;

  constructor(
    private readonly contents: Contents,
    private readonly node: GraphNode,
    private readonly signal: AbortSignal | undefined,
  ) {
    super();
    this.#size = sizeOf(node);
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const at = start - this.#start;
    // A copy: the block changes while it is being read.
    if (at >= 0 && end - this.#start <= this.#block.length) {
      return Readable.from([Buffer.from(this.#block.subarray(at, end - this.#start))]);
    }
    return Readable.from(this.contents.read(this.node, { from: start, to: end }, this.signal), { objectMode: false });
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.#fill(position, length).then(
      (block) => {
        block.copy(buffer, offset, 0, length);
        callback(null);
      },
      (error: unknown) => {
        callback(error as Error);
      },
    );
  }

  async #fill(position: number, length: number): Promise<Buffer> {
    const at = position - this.#start;
    if (at >= 0 && at + length <= this.#block.length) return this.#block.subarray(at);
    if (position + length > this.#size) throw new Error('it ends too early');
    const pieces: Buffer[] = [];
    const range = { from: position, to: Math.min(this.#size, position + Math.max(length, BLOCK)) };
    for await (const piece of this.contents.read(this.node, range, this.signal)) pieces.push(piece);
    const block = Buffer.concat(pieces);
    this.#start = position;
    this.#block = block;
    return block;
  }
}
