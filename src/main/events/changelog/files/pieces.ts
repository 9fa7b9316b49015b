/**
 * Logs that have become long are in several files: the one that grows, and beside it a folder of older ones, each named for the time at which it was put
 * aside.
 */
import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FOLDER = '.d';
/** Digits of a name, so that names have the order of times. */
const DIGITS = 16;

export const isFolderOfPieces = (name: string): boolean => name.endsWith(FOLDER);

const nameOf = (time: number): string => String(Math.trunc(time)).padStart(DIGITS, '0');

/** Names of the older files of a log, oldest first, with nothing in them that is younger than their name; behind `after`, and from `since` on. */
export function olderFiles(path: string, after = '', since = 0): string[] {
  let names: string[];
  try {
    names = readdirSync(path + FOLDER);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return [];
  }
  const from = nameOf(Math.max(0, since));
  return names.filter((name) => /^\d{16}$/.test(name) && name > after && name >= from).sort();
}

export function olderFile(path: string, name: string): string {
  return join(path + FOLDER, name);
}

/** Puts the file that grows aside. Answers the folders that have to be synced with it. */
export function putAside(path: string, time: number): readonly string[] {
  mkdirSync(path + FOLDER, { recursive: true });
  const last = olderFiles(path).at(-1) ?? '';
  let name = nameOf(time);
  // Two at the same time, or a clock that was put back.
  if (name <= last) name = nameOf(Number(last) + 1);
  renameSync(path, olderFile(path, name));
  return [path + FOLDER, dirname(path)];
}
