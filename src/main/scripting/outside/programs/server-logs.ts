/** The files that the log of the server is in, and their ends (docs/interface/operations.md 8.2). */
import { open, readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { TimeSlice } from '../../../../shared/time-slice.js';
import { logFileOf, type Config } from '../../../config/index.js';

/** Where packages for operating systems have it. */
const INSTALLED = '/var/log/svc.log';
const BLOCK = 64 * 1024;
/** Bytes of a log that are looked at. */
const MOST = 8 * 1024 * 1024;
const MOST_LINES = 100_000;
const LINE_END = 0x0a;

/** Paths of the log and of older ones beside it, sorted; compressed ones are left out. Empty when there are none. */
export async function serverLogs(config: Pick<Config, 'path'>): Promise<string[]> {
  const named = logFileOf(config);
  if (named !== undefined) return beside(named);
  const usual = await beside(resolve(config.path('base.path'), 'logs', 'server.log'), true);
  return usual.length > 0 ? usual : beside(INSTALLED);
}

async function beside(path: string, alone = false): Promise<string[]> {
  const name = basename(path);
  const isOne = (file: string): boolean => (alone ? file === name : file.startsWith(name) && !file.endsWith('.gz'));
  const entries = await readdir(dirname(path), { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && isOne(entry.name))
    .map((entry) => join(dirname(path), entry.name))
    .sort();
}

/** The last lines of a file, oldest first; of a very long end only the last part. Others run in between. */
export async function lastLines(path: string, count: number): Promise<string[]> {
  const most = Math.min(count, MOST_LINES);
  if (most <= 0) return [];
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const blocks: Buffer[] = [];
    let from = size;
    // The end of the last line is the end of no line before it.
    let ends = -1;
    while (from > 0 && size - from < MOST && ends < most) {
      const length = Math.min(BLOCK, from);
      from -= length;
      const block = Buffer.alloc(length);
      const { bytesRead } = await file.read(block, 0, length, from);
      // Somebody has cut it meanwhile.
      if (bytesRead < length) return [];
      for (const byte of block) if (byte === LINE_END) ends++;
      blocks.unshift(block);
    }
    const lines = await linesOf(blocks);
    // The first may have begun before.
    if (from > 0 && lines.length > 1) lines.shift();
    return lines.slice(-most);
  } finally {
    await file.close();
  }
}

async function linesOf(blocks: readonly Buffer[]): Promise<string[]> {
  const slice = new TimeSlice();
  const decoder = new StringDecoder('utf8');
  const lines: string[] = [];
  let last = '';
  for (const block of blocks) {
    const [first = '', ...others] = decoder.write(block).split('\n');
    last += first;
    for (const one of others) {
      lines.push(last);
      last = one;
    }
    if (slice.due) await slice.pause();
  }
  if (last !== '') lines.push(last);
  return lines;
}
