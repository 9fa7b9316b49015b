/** Names in ZIP archives that somebody else made, and what they may be in the tree. */
import yauzl from 'yauzl';
import { FilesError } from '../../errors.js';

const SYMBOLIC_LINK = 0o120000;
const FILE_TYPE = 0o170000;
const UNIX = 3;

/** The name of an entry of an archive that was opened with `decodeStrings: false`. */
export function entryName(entry: yauzl.Entry): string {
  return yauzl
    .getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false)
    .replaceAll('\\', '/')
    .toWellFormed();
}

/** A symbolic link tells a path of the machine it was made on. */
export function isSymbolicLink(entry: yauzl.Entry): boolean {
  const mode = entry.versionMadeBy >> 8 === UNIX ? entry.externalFileAttributes >>> 16 : 0;
  return (mode & FILE_TYPE) === SYMBOLIC_LINK;
}

/** Whether a name is one from the root of some machine. */
export function isAbsolute(name: string): boolean {
  return /^(?:\/|[A-Za-z]:)/.test(name);
}

/**
 * The names on the way to an entry. Roots and dots mean nothing in the tree; a path upwards means no good: throws `FilesError`
 * 422.
 */
export function pathOfEntry(name: string): string[] {
  const names = name
    .replace(/^[A-Za-z]:/, '')
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  if (names.includes('..') || name.includes('\0')) {
    throw new FilesError(422, `The archive has a name that leads out of it: ${JSON.stringify(name.slice(0, 200))}.`);
  }
  return names;
}
