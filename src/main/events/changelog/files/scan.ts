/** The entries of a file that are wanted, a portion at a time, on a thread that may wait: memory does not depend on the size of the file. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { matches, isWithin, type LogEntry, type LogFilters } from './filters.js';
import { olderFile, olderFiles } from './pieces.js';
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

/** Where a portion has ended: behind files that were put aside up to this name, at this byte of the one that follows. */
export interface Place {
  readonly after: string;
  readonly at: number;
}

export interface ScanJob {
  /** Absolute: the file of the log that grows. */
  readonly path: string;
  /** Absent: the first portion. */
  readonly from?: Place;
  readonly filters: LogFilters;
}

export interface Portion {
  /** JSON of entries, oldest first. */
  readonly lines: readonly string[];
  /** Where to go on; absent: that was all. */
  readonly next?: Place;
  /** There is no such log. */
  readonly missing?: true;
}

export function scan({ path, from, filters }: ScanJob): Portion {
  const since = (filters.timeFrom ?? 0) - TOLERANCE;
  const [name] = olderFiles(path, from?.after, since);
  const after = from?.after ?? '';
  let file: number;
  try {
    file = openSync(name === undefined ? path : olderFile(path, name), 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    // It was put aside just now, and another one not begun.
    return from === undefined && olderFiles(path).length === 0 ? { lines: [], missing: true } : { lines: [] };
  }
  try {
    const begin = from?.at ?? (filters.timeFrom === undefined ? 0 : lineBefore(file, fstatSync(file).size, since));
    const { lines, at } = portion(file, begin, filters);
    if (at !== undefined) return { lines, next: { after, at } };
    return name === undefined ? { lines } : { lines, next: { after: name, at: 0 } };
  } finally {
    closeSync(file);
  }
}

/** `at`: where to go on; absent: the file has ended. */
function portion(file: number, begin: number, filters: LogFilters): { readonly lines: string[]; readonly at?: number } {
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
      if (lines.length >= MOST_LINES || length >= MOST_LENGTH) return { lines, at: at + start };
    }
    at += start;
    bytes = bytes.subarray(start);
    if (bytes.length > LONGEST) {
      at += bytes.length;
      bytes = Buffer.alloc(0);
    }
    if (at - begin >= MOST_BYTES) return { lines, at };
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
