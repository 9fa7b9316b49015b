/** The entries of a file that are wanted, a portion at a time, on a thread that may wait: memory does not depend on the size of the file. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { matches, isWithin, type LogEntry, type LogFilters } from './filters.js';
import { LINE_END, lineBefore, timeOfLine } from './seek.js';

/** Bytes that are read at once. */
const BLOCK = 1024 * 1024;
/** After so many entries, characters of them, or bytes that were looked at, a portion is given back. */
const MOST_LINES = 2000;
const MOST_LENGTH = 4 * 1024 * 1024;
const MOST_BYTES = 64 * 1024 * 1024;
/** Bytes of a line from which on it is left out: nobody has written it as an entry. */
const LONGEST = 256 * 1024 * 1024;
/** Milliseconds for which clocks of machines may have been put back. */
const TOLERANCE = 3_600_000;
/** Characters that tell the time of a line. */
const TIME = 32;

export interface ScanJob {
  /** Absolute. */
  readonly path: string;
  /** Where the portion before has ended; absent: the first one. */
  readonly from?: number;
  readonly filters: LogFilters;
}

export interface Portion {
  /** JSON of entries, oldest first. */
  readonly lines: readonly string[];
  /** Where to go on; absent: that was all. */
  readonly next?: number;
  /** There is no such file. */
  readonly missing?: true;
}

export function scan({ path, from, filters }: ScanJob): Portion {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { lines: [], missing: true };
    throw error;
  }
  try {
    const { timeFrom } = filters;
    const begin = from ?? (timeFrom === undefined ? 0 : lineBefore(file, fstatSync(file).size, timeFrom - TOLERANCE));
    return portion(file, begin, filters);
  } finally {
    closeSync(file);
  }
}

function portion(file: number, begin: number, filters: LogFilters): Portion {
  const lines: string[] = [];
  let length = 0;
  // Whole lines are taken off its front; what is left is the beginning of one.
  let bytes: Buffer = Buffer.alloc(0);
  let at = begin;
  for (;;) {
    const block = Buffer.allocUnsafe(BLOCK);
    const read = readSync(file, block, 0, BLOCK, at + bytes.length);
    // A line without an end is being written, or was cut off.
    if (read === 0) return { lines };
    const parts = [bytes, block.subarray(0, read)];
    bytes = bytes.length === 0 ? block.subarray(0, read) : Buffer.concat(parts);
    let start = 0;
    for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, start)) {
      const time = timeOfLine(bytes.toString('latin1', start, Math.min(end, start + TIME)));
      if (time !== undefined) {
        if (time > (filters.timeTo ?? Infinity) + TOLERANCE) return { lines };
        const line = isWithin(time, filters) ? wanted(bytes.toString('utf8', start, end), filters) : undefined;
        if (line !== undefined) {
          lines.push(line);
          length += line.length;
        }
      }
      start = end + 1;
      if (lines.length >= MOST_LINES || length >= MOST_LENGTH) return { lines, next: at + start };
    }
    at += start;
    bytes = bytes.subarray(start);
    if (bytes.length > LONGEST) {
      at += bytes.length;
      bytes = Buffer.alloc(0);
    }
    if (at - begin >= MOST_BYTES) return { lines, next: at };
  }
}

/** A line whose entry is wanted; undefined: it is not, or no entry at all. */
function wanted(line: string, filters: LogFilters): string | undefined {
  try {
    return matches(JSON.parse(line) as LogEntry, filters) ? line : undefined;
  } catch {
    return undefined;
  }
}
