/** Takes away what is older than somebody wants to keep, in steps, on a thread that may wait. */
import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { LOG_KINDS } from './paths.js';
import { isFolderOfPieces } from './pieces.js';
import { LINE_END, timeOfLine } from './seek.js';

const BLOCK = 1024 * 1024;
/** Bytes in which the time of a line stands. */
const HEAD = 32;
/** Ending of a file that is being written in the place of another one. */
const UNFINISHED = '.new';

/** Goes through all files below a folder of the changelog; one step a file. Answers how many had something older than `before`. */
export function* sweep(folder: string, before: number): Generator<void, number> {
  let found = 0;
  for (const kind of LOG_KINDS) {
    for (const path of filesIn(join(folder, kind))) {
      try {
        if (sweepFile(path, before)) found++;
      } catch (error) {
        // Between two steps it may have been put aside, or was the copy of another one.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      }
      yield;
    }
  }
  return found;
}

function* filesIn(folder: string): IterableIterator<string> {
  let entries: ReturnType<typeof entriesOf>;
  try {
    entries = entriesOf(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) yield path;
    else {
      yield* filesIn(path);
      if (isFolderOfPieces(entry.name) && readdirSync(path).length === 0) rmdirSync(path);
    }
  }
}

function entriesOf(folder: string) {
  return readdirSync(folder, { withFileTypes: true });
}

/** Whether there was something to take away. */
function sweepFile(path: string, before: number): boolean {
  // A crash has left it.
  if (path.endsWith(UNFINISHED) || statSync(path).mtimeMs < before) {
    unlinkSync(path);
    return true;
  }
  const file = openSync(path, 'r');
  try {
    const begin = firstLine(file, before);
    if (begin === 0) return false;
    if (begin >= fstatSync(file).size) {
      unlinkSync(path);
      return true;
    }
    copyFrom(file, begin, path + UNFINISHED);
  } finally {
    closeSync(file);
  }
  renameSync(path + UNFINISHED, path);
  return true;
}

/** Where the first line begins that is not older than `before`, or is none of a changelog; the end of the file when there is none. */
function firstLine(file: number, before: number): number {
  const block = Buffer.allocUnsafe(BLOCK);
  let at = 0;
  for (;;) {
    const read = readSync(file, block, 0, BLOCK, at);
    if (read === 0) return at;
    const bytes = block.subarray(0, read);
    let start = 0;
    for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, start)) {
      const time = timeOfLine(bytes.toString('latin1', start, Math.min(end, start + HEAD)));
      if (time !== undefined && time >= before) return at + start;
      start = end + 1;
    }
    // What is left is the beginning of a line; one that fills a block is looked at by its head.
    if (start > 0) at += start;
    else {
      const time = timeOfLine(bytes.toString('latin1', 0, HEAD));
      if (time === undefined || time >= before || read < BLOCK) return at;
      at = nextLine(file, at + read);
    }
  }
}

function nextLine(file: number, from: number): number {
  const block = Buffer.allocUnsafe(BLOCK);
  for (let at = from; ;) {
    const read = readSync(file, block, 0, BLOCK, at);
    const end = block.subarray(0, read).indexOf(LINE_END);
    if (end >= 0) return at + end + 1;
    at += read;
    if (read === 0) return at;
  }
}

function copyFrom(file: number, begin: number, path: string): void {
  const block = Buffer.allocUnsafe(BLOCK);
  const copy = openSync(path, 'w', 0o640);
  try {
    for (let at = begin; ;) {
      const read = readSync(file, block, 0, BLOCK, at);
      if (read === 0) break;
      for (let done = 0; done < read;) done += writeSync(copy, block, done, read - done);
      at += read;
    }
    fsyncSync(copy);
  } finally {
    closeSync(copy);
  }
}
