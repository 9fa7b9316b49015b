/**
 * Reads a write-ahead log as SQLite does, and goes on behind the frame where SQLite stops: what follows tells an end from damage.
 * Format: https://www.sqlite.org/fileformat2.html#walformat
 */
import { open, type FileHandle } from 'node:fs/promises';

const HEADER = 32;
const FRAME_HEAD = 24;
const MAGIC = 0x377f0682;
/** Bytes that are read together, about. */
const CHUNK = 1024 * 1024;
/** Where page 1 has the schema cookie. */
const COOKIE = 40;

/** What a log holds. Numbers of frames count from 1. */
export interface LogScan {
  /** Bytes of the file. */
  readonly size: number;
  /** Changes whenever the log starts over. */
  readonly salts: string;
  /** The last frame of the last transaction that can be read. */
  readonly committed: number;
  /** The frame at which reading stops; 0: all frames can be read. */
  readonly broken: number;
  /** Frames behind `broken` that end transactions of the same log, and are whole themselves: no log just ends like that. */
  readonly beyond: number;
  /** Schema cookie of the first frame, where it is a transaction that wrote page 1 alone, as ours are that start a log. */
  readonly firstCookie: number | undefined;
  /** Schema cookie of the last page 1. */
  readonly lastCookie: number | undefined;
}

/** The sums of the log's own checksum, gone on with over words in the byte order of the log. */
class Sum {
  a = 0;
  b = 0;

  constructor(private readonly littleEndian: boolean) {}

  add(bytes: Buffer, from: number, to: number): void {
    let { a, b } = this;
    if (this.littleEndian) {
      for (let at = from; at < to; at += 8) {
        a = (a + bytes.readInt32LE(at) + b) | 0;
        b = (b + bytes.readInt32LE(at + 4) + a) | 0;
      }
    } else {
      for (let at = from; at < to; at += 8) {
        a = (a + bytes.readInt32BE(at) + b) | 0;
        b = (b + bytes.readInt32BE(at + 4) + a) | 0;
      }
    }
    this.a = a;
    this.b = b;
  }

  /** Whether the sums are the stored ones, which always are big-endian. */
  is(bytes: Buffer, at: number): boolean {
    return this.a === bytes.readInt32BE(at) && this.b === bytes.readInt32BE(at + 4);
  }

  take(bytes: Buffer, at: number): void {
    this.a = bytes.readInt32BE(at);
    this.b = bytes.readInt32BE(at + 4);
  }
}

/** What is in the log `file`; undefined: there is none, or it is empty. Reads piece by piece; 500 MB take about a second. */
export async function scanLog(file: string): Promise<LogScan | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { size } = await handle.stat();
    return size === 0 ? undefined : await scan(handle, size);
  } finally {
    await handle.close();
  }
}

async function scan(handle: FileHandle, size: number): Promise<LogScan> {
  const head = Buffer.alloc(HEADER);
  await handle.read(head, 0, HEADER, 0);
  const magic = head.readUInt32BE(0);
  const sum = new Sum((magic & 1) === 0);
  sum.add(head, 0, FRAME_HEAD);
  const pageSize = head.readUInt32BE(8);
  const readable = (magic & ~1) >>> 0 === MAGIC && sum.is(head, FRAME_HEAD) && isPageSize(pageSize);
  const salts = head.toString('hex', 16, 24);
  // Of a log whose head is damaged the frames still tell that they belong together.
  const state = new Frames(sum, readable ? salts : undefined);
  const frame = FRAME_HEAD + (isPageSize(pageSize) ? pageSize : 4096);
  const count = Math.floor((size - HEADER) / frame);
  const together = Math.max(1, Math.floor(CHUNK / frame));
  const chunk = Buffer.allocUnsafeSlow(together * frame);
  for (let done = 0; done < count;) {
    const length = Math.min(together, count - done) * frame;
    const { bytesRead } = await handle.read(chunk, 0, length, HEADER + done * frame);
    const whole = Math.floor(bytesRead / frame);
    if (whole === 0) break;
    for (let i = 0; i < whole; i++) state.take(chunk, i * frame, (i + 1) * frame);
    done += whole;
  }
  return { size, salts, ...state.result() };
}

function isPageSize(size: number): boolean {
  return size >= 512 && size <= 65_536 && (size & (size - 1)) === 0;
}

/** Looks at one frame after the other. */
class Frames {
  private count = 0;
  private committed = 0;
  private broken = 0;
  private beyond = 0;
  private firstCookie: number | undefined;
  private lastCookie: number | undefined;
  /** Of transactions that are not ended yet. */
  private cookie: number | undefined;

  constructor(
    private readonly sum: Sum,
    private salts: string | undefined,
  ) {
    if (salts === undefined) this.broken = 1;
  }

  take(bytes: Buffer, from: number, to: number): void {
    const n = ++this.count;
    const page = bytes.readUInt32BE(from);
    const ends = bytes.readUInt32BE(from + 4) !== 0;
    const salts = bytes.toString('hex', from + 8, from + 16);
    this.sum.add(bytes, from, from + 8);
    this.sum.add(bytes, from + FRAME_HEAD, to);
    const whole = page !== 0 && this.sum.is(bytes, from + 16);
    // Each frame brings the sums that the next one goes on with: the chain can be taken up behind a broken one.
    this.sum.take(bytes, from + 16);
    if (this.broken > 0) {
      this.salts ??= salts;
      if (whole && ends && salts === this.salts) this.beyond++;
      return;
    }
    if (!whole || salts !== this.salts) {
      this.broken = n;
      return;
    }
    if (page === 1) {
      this.cookie = bytes.readUInt32BE(from + FRAME_HEAD + COOKIE);
      if (n === 1 && ends) this.firstCookie = this.cookie;
    }
    if (!ends) return;
    this.committed = n;
    this.lastCookie = this.cookie;
  }

  result(): Pick<LogScan, 'committed' | 'broken' | 'beyond' | 'firstCookie' | 'lastCookie'> {
    const { committed, broken, beyond, firstCookie, lastCookie } = this;
    return { committed, broken, beyond, firstCookie, lastCookie };
  }
}
