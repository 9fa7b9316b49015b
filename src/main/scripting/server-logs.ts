/** The files that the log of the server is in, and their ends (operations.md 6). */
import { open, readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Config } from '../config/index.js';

/** Where packages for operating systems have it. */
const INSTALLED = '/var/log/svc.log';
const BLOCK = 256 * 1024;
/** Bytes of a log that are looked at. */
const MOST = 8 * 1024 * 1024;
const LINE_END = 0x0a;

/** The file that `LOG_FILE` of the environment names; undefined: the log is on standard output alone. */
export function logFileOf(config: Pick<Config, 'path'>, environment = process.env): string | undefined {
  const named = environment['LOG_FILE'] ?? '';
  return named === '' ? undefined : resolve(config.path('base.path'), named);
}

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

/** The last lines of a file, oldest first; of a very long end only the last part. */
export async function lastLines(path: string, count: number): Promise<string[]> {
  if (count <= 0) return [];
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const blocks: Buffer[] = [];
    let from = size;
    // The end of the last line is the end of no line before it.
    let ends = -1;
    while (from > 0 && size - from < MOST && ends < count) {
      const length = Math.min(BLOCK, from);
      from -= length;
      const block = Buffer.alloc(length);
      const { bytesRead } = await file.read(block, 0, length, from);
      // Somebody has cut it meanwhile.
      if (bytesRead < length) return [];
      for (const byte of block) if (byte === LINE_END) ends++;
      blocks.unshift(block);
    }
    const lines = Buffer.concat(blocks).toString('utf8').split('\n');
    if (lines.at(-1) === '') lines.pop();
    // The first may have begun before.
    if (from > 0 && lines.length > 1) lines.shift();
    return lines.slice(-count);
  } finally {
    await file.close();
  }
}
