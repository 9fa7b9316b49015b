/**
 * Writes ZIP archives as streams: files one after the other, their pieces deflated beside each other and ahead of what is
 * being sent. How much is ahead is bounded, whatever the files are.
 */
import { crc32 } from 'node:zlib';
import { TimeSlice } from '../../../../shared/time-slice.js';
import { FilesError } from '../../errors.js';
import { tail, type Deflater } from './deflater.js';
import { OVERHEAD, sealer, type Sealer, type ZipEncryption } from './encryption.js';
import {
  DEFLATED,
  descriptor,
  Directory,
  localHeader,
  passwordCheck,
  STORED,
  type Heading,
  type Sums,
} from './format.js';
import { Line } from './line.js';
import { inPieces } from './pieces.js';

/** A file or folder on its way into an archive. */
export interface ZipEntry {
  /** Path with slashes; that of a folder ends with one. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly modified: number;
  readonly size: number;
  /** CRC-32 of its bytes, when it is known. */
  readonly crc?: number;
  /** Deflating it would be in vain. */
  readonly packed: boolean;
  /** Its bytes, exactly `size`; what throws `EntryGone` before the first is left out. Undefined: it is a folder. */
  readonly read?: () => AsyncIterable<Buffer>;
}

/** The content of a file is not there any more. */
export class EntryGone extends Error {
  /** `now`: what takes its place in the archive. */
  constructor(readonly now?: ZipEntry) {
    super('The content of a file has gone');
  }
}

/** Bytes deflated at once; the pieces of one file are deflated beside each other. */
const PIECE = 256 * 1024;
const MOST_NAME = 0xffff;
/** Parts smaller than this leave together, at least so many bytes at once. */
const SMALL = 16 * 1024;
const LEAST = 64 * 1024;
const EMPTY = new Uint8Array(0);

/** What leaves in order. */
type Step = { readonly holds: number } & (
  | { readonly kind: 'whole'; readonly heading: Heading; readonly content: Promise<Content> }
  | { readonly kind: 'begin'; readonly heading: Heading; readonly sums?: Sums }
  | { readonly kind: 'piece'; readonly bytes: Promise<Uint8Array> }
  | { readonly kind: 'end'; readonly crc: number; readonly size: number }
);

interface Content {
  readonly method: typeof STORED | typeof DEFLATED;
  readonly bytes: Uint8Array;
  readonly crc: number;
  readonly size: number;
}

/**
 * The bytes of an archive, its files encrypted when `encryption` says how. Whoever stops reading has to return the generator, which
 * frees everything.
 */
export async function* zip(
  entries: AsyncIterable<ZipEntry>,
  deflater: Deflater,
  encryption?: ZipEncryption,
): AsyncGenerator<Uint8Array, void> {
  const line = new Line<Step>();
  const producing = produce(entries, deflater, line).then(
    () => {
      line.end();
    },
    (error: unknown) => {
      line.end(error);
    },
  );
  const directory = new Directory();
  const out = new Gathered();
  let offset = 0;
  let open: Open | undefined;
  let packed = 0;
  const slice = new TimeSlice();
  try {
    for (let step = await line.first(); step !== undefined; step = await line.first()) {
      const parts: Uint8Array[] = [];
      // Encrypting is work on the loop.
      if (encryption !== undefined && slice.due) await slice.pause();
      if (step.kind === 'whole') {
        const { method, bytes, crc, size } = await step.content;
        const sealed = size === 0 ? undefined : encryption;
        const heading = withSeal({ ...step.heading, method }, sealed);
        const stored = sealed === undefined ? [bytes] : await sealedWhole(sealed, heading, bytes, crc);
        const sums = { crc, size, packed: stored.reduce((sum, { length }) => sum + length, 0) };
        parts.push(localHeader(heading, sums), ...stored);
        directory.add(heading, sums, offset, false);
      } else if (step.kind === 'begin') {
        const { sums: plain } = step;
        const heading = withSeal(step.heading, encryption);
        const seal = encryption && (await sealer(encryption, passwordCheck(heading, plain)));
        const sums = plain && encryption ? { ...plain, packed: plain.packed + OVERHEAD[encryption.kind] } : plain;
        open = { heading, sums, start: offset, seal };
        parts.push(localHeader(heading, sums), seal?.head ?? EMPTY);
        packed = seal?.head.length ?? 0;
      } else if (step.kind === 'piece') {
        const plain = await step.bytes;
        const bytes = open?.seal?.seal(plain) ?? plain;
        packed += bytes.length;
        parts.push(bytes);
      } else if (open !== undefined) {
        const tag = open.seal?.end() ?? EMPTY;
        packed += tag.length;
        const sums = { crc: step.crc, size: step.size, packed };
        parts.push(tag);
        if (open.sums === undefined) parts.push(descriptor(open.heading, sums));
        directory.add(open.heading, sums, open.start, open.sums === undefined);
      }
      for (const part of parts) {
        offset += part.length;
        if (part.length < SMALL) out.push(part);
        else {
          if (out.length > 0) yield out.taken();
          yield part;
        }
        if (out.length >= LEAST) yield out.taken();
      }
      line.left();
    }
    for (const part of directory.end(offset)) {
      if (part.length >= SMALL && out.length > 0) yield out.taken();
      if (part.length >= SMALL) yield part;
      else out.push(part);
    }
    yield out.taken();
  } finally {
    line.stop();
    await producing;
  }
}

/** A file whose pieces are leaving. */
interface Open {
  readonly heading: Heading;
  readonly sums: Sums | undefined;
  readonly start: number;
  readonly seal: Sealer | undefined;
}

function withSeal(heading: Heading, encryption: ZipEncryption | undefined): Heading {
  return encryption === undefined ? heading : { ...heading, sealed: encryption.kind };
}

async function sealedWhole(
  encryption: ZipEncryption,
  heading: Heading,
  bytes: Uint8Array,
  crc: number,
): Promise<readonly Uint8Array[]> {
  const seal = await sealer(encryption, passwordCheck(heading, { crc }));
  return [seal.head, seal.seal(bytes), seal.end()];
}

/** Small parts that leave together. */
class Gathered {
  #parts: Uint8Array[] = [];
  length = 0;

  push(part: Uint8Array): void {
    this.#parts.push(part);
    this.length += part.length;
  }

  taken(): Uint8Array {
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    this.length = 0;
    return bytes;
  }
}

async function produce(entries: AsyncIterable<ZipEntry>, deflater: Deflater, line: Line<Step>): Promise<void> {
  const slice = new TimeSlice();
  for await (const entry of entries) {
    // Thousands of small files are work without waiting.
    if (slice.due) await slice.pause();
    let next: ZipEntry | undefined = entry;
    while (next !== undefined) {
      try {
        if (!(await add(next, deflater, line))) return;
        next = undefined;
      } catch (error) {
        if (!(error instanceof EntryGone)) throw error;
        next = error.now;
      }
    }
  }
}

/** False: nobody takes any more. */
async function add(entry: ZipEntry, deflater: Deflater, line: Line<Step>): Promise<boolean> {
  const name = Buffer.from(entry.name.toWellFormed());
  if (name.length > MOST_NAME) throw new FilesError(422, 'A path is too long for a ZIP archive.');
  const { read, size, modified } = entry;
  const heading: Heading = {
    name,
    modified,
    method: entry.packed ? STORED : DEFLATED,
    isFolder: read === undefined,
    expected: size,
  };
  if (read === undefined || size === 0) return line.add({ holds: 0, ...whole(heading, NOTHING) });
  const pieces = inPieces(read(), PIECE, size);
  try {
    return await (size <= PIECE ? addSmall : addLarge)({ entry, heading, pieces, deflater, line });
  } finally {
    await pieces.return();
  }
}

const NOTHING = Promise.resolve<Content>({ method: STORED, bytes: EMPTY, crc: 0, size: 0 });

function whole(
  heading: Heading,
  content: Promise<Content>,
): Pick<Step & { kind: 'whole' }, 'kind' | 'heading' | 'content'> {
  // It may fail before its turn comes.
  content.catch(() => undefined);
  return { kind: 'whole', heading, content };
}

interface Adding {
  readonly entry: ZipEntry;
  readonly heading: Heading;
  readonly pieces: AsyncGenerator<Buffer, void>;
  readonly deflater: Deflater;
  readonly line: Line<Step>;
}

/** A file of one piece: its header tells all, so that it can be read without the directory. */
async function addSmall({ entry, heading, pieces, deflater, line }: Adding): Promise<boolean> {
  const { value: bytes } = await pieces.next();
  if (bytes === undefined) return true;
  const stored: Content = { method: STORED, bytes, crc: crc32(bytes), size: bytes.length };
  const content = entry.packed
    ? Promise.resolve(stored)
    : deflater
        .deflate(bytes, undefined, true)
        .then((less): Content => (less.length < bytes.length ? { ...stored, method: DEFLATED, bytes: less } : stored));
  return line.add({ holds: bytes.length, ...whole(heading, content) });
}

/** A file whose pieces are on their way beside each other. */
async function addLarge({ entry, heading, pieces, deflater, line }: Adding): Promise<boolean> {
  const { size, packed } = entry;
  let crc = 0;
  let seen = 0;
  let before: Buffer | undefined;
  for await (const bytes of pieces) {
    if (seen === 0) {
      const sums = packed && entry.crc !== undefined ? { crc: entry.crc, size, packed: size } : undefined;
      if (!(await line.add({ holds: 0, kind: 'begin', heading, ...(sums === undefined ? {} : { sums }) })))
        return false;
    }
    seen += bytes.length;
    crc = crc32(bytes, crc);
    const made = packed ? Promise.resolve<Uint8Array>(bytes) : deflater.deflate(bytes, before, seen === size);
    made.catch(() => undefined);
    before = tail(bytes);
    if (!(await line.add({ holds: bytes.length, kind: 'piece', bytes: made }))) return false;
  }
  return line.add({ holds: 0, kind: 'end', crc, size });
}
