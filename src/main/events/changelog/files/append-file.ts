/** Lines at the end of a file, whole or not at all, on a thread that may wait. */
import { closeSync, constants, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { olderFile, olderFiles } from './pieces.js';
import { LINE_END, lineBefore, timeOfLine } from './seek.js';

/** Who else may read the changelog is said by its folder. */
const MODE = 0o640;
const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND;

/** What appending has done besides. */
export interface Appended {
  /** Folders that have to be synced with the file, as something is new in them. */
  readonly folders: readonly string[];
  /** Bytes of the file. */
  readonly size: number;
}

/**
 * Appends a text that ends a line. When the disk refuses, what of it was written is taken off again, and the error thrown. `size`: the one with
 * which the file is known to end with a whole line; with any other that is looked at.
 */
export function appendText(path: string, text: string, size?: number): Appended {
  const [file, made] = open(path);
  try {
    const { size: before } = fstatSync(file);
    // Another program's line may lack its end: it is not to swallow ours.
    const isOpen = before !== size && before > 0 && !endsLine(file, before);
    const bytes = Buffer.from(isOpen ? `\n${text}` : text);
    let at = 0;
    try {
      while (at < bytes.length) at += writeSync(file, bytes, at, bytes.length - at);
    } catch (error) {
      ftruncateSync(file, before);
      throw error;
    }
    return { folders: before === 0 ? [...made, dirname(path)] : made, size: before + at };
  } finally {
    closeSync(file);
  }
}

function open(path: string): [file: number, made: readonly string[]] {
  try {
    return [openSync(path, FLAGS, MODE), []];
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  const folder = dirname(path);
  const first = mkdirSync(folder, { recursive: true });
  const made: string[] = [];
  // Each new folder is an entry of the one above it.
  if (first !== undefined)
    for (let one = folder; one.length >= dirname(first).length; one = dirname(one)) made.push(one);
  return [openSync(path, FLAGS, MODE), made];
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

function endsLine(file: number, size: number): boolean {
  const byte = Buffer.alloc(1);
  return readSync(file, byte, 0, 1, size - 1) === 1 && byte[0] === LINE_END;
}

/**
 * The whole lines at the end of a log that tell of `since` or later, oldest first, with their line ends. A line that a crash has cut off is taken
 * off. No file: none.
 */
export function linesSince(path: string, since: number): string[] {
  const older = olderFiles(path, '', since).map((name) => olderFile(path, name));
  return [...older, path].flatMap((one) => linesOfFile(one, since));
}

function linesOfFile(path: string, since: number): string[] {
  let file: number;
  try {
    file = openSync(path, 'r+');
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
  try {
    const { size } = fstatSync(file);
    const from = lineBefore(file, size, since);
    const bytes = Buffer.allocUnsafe(size - from);
    const length = readSync(file, bytes, 0, bytes.length, from);
    const end = bytes.subarray(0, length).lastIndexOf(LINE_END) + 1;
    if (end < length && isOurs(bytes.toString('utf8', end, length), since)) ftruncateSync(file, from + end);
    const lines = end === 0 ? [] : bytes.toString('utf8', 0, end).split(/(?<=\n)/);
    return lines.slice(lines.findLastIndex((line) => (timeOfLine(line) ?? 0) < since) + 1);
  } finally {
    closeSync(file);
  }
}

/** Whether a line without its end is what a crash has left of one of these, and no other program's. */
function isOurs(rest: string, since: number): boolean {
  // Where the machine went down there may be nothing but zeros.
  const text = rest.replace(/\0+$/, '');
  const time = timeOfLine(text);
  return time === undefined ? `{"time":${String(since)}`.startsWith(text.slice(0, 8)) : time >= since;
}
