/** Places in a file of the changelog by time, on a thread that may wait. */
import { readSync } from 'node:fs';

export const LINE_END = 10;
/** Bytes that are stepped over, and that are looked at after each step. */
const STEP = 1024 * 1024;
const LOOK = 64 * 1024;

/** When a line was written; undefined: it is none of a changelog. */
export function timeOfLine(line: string): number | undefined {
  const match = /^\{"time":(\d{1,16}),/.exec(line);
  return match === null ? undefined : Number(match[1]);
}

/**
 * The beginning of a line that is older than `time`, with few of them behind it; 0: there is none, or the file is small. From the end of the file, so
 * that what is young is found at once however large the file is. The lines are taken to be in the order of their times.
 */
export function lineBefore(file: number, size: number, time: number): number {
  const bytes = Buffer.allocUnsafe(LOOK);
  for (let at = size - STEP; at > 0; at -= STEP) {
    const read = readSync(file, bytes, 0, LOOK, at);
    const begin = bytes.subarray(0, read).indexOf(LINE_END) + 1;
    // Long lines: further on towards the beginning there are others.
    if (begin === 0) continue;
    const found = timeOfLine(bytes.toString('utf8', begin, Math.min(read, begin + 32)));
    if (found !== undefined && found < time) return at + begin;
  }
  return 0;
}
