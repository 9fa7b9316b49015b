/** The files of the server that an import takes, one after the other, however many there are. */
import { lstat, opendir } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { FilesError } from '../../errors.js';
import { globMatcher, literalName } from './glob.js';
import type { ImportRoots } from '../../server-folders/roots.js';

/** A file of the server and where it goes; or what is wrong with it. */
export interface Found {
  readonly path: string;
  /** Names of the folders below the target. */
  readonly folders: readonly string[];
  readonly name: string;
  readonly problem?: string;
}

/** Where files come from. */
export interface Source {
  readonly folder: string;
  readonly matches: (name: string) => boolean;
  /** The only name that matches, when the source is no pattern. */
  readonly name: string | undefined;
}

const DEEPEST = 200;

/** What the parameter `source` means: a path whose last name may be a pattern. Throws `FilesError` 403 and 422. */
export async function sourceOf(text: string, base: string, roots: ImportRoots): Promise<Source> {
  if (text.includes('\0')) throw new FilesError(422, 'The source has a character that no path has.');
  const path = text.length > 1 ? text.replace(/\/+$/, '') : text;
  const name = basename(path);
  if (name === '' || name === '.' || name === '..') throw new FilesError(422, 'The source must end with a name.');
  const folder = isAbsolute(path) ? dirname(path) : resolve(base, dirname(path));
  const literal = literalName(name);
  const looked = literal === undefined ? folder : join(folder, literal);
  let allowed;
  try {
    allowed = await roots.resolve(looked);
  } catch (error) {
    // What is outside of the roots is not told from what is not there.
    if (!['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) throw notReadable(looked, error);
    allowed = undefined;
    const parent = await roots.resolve(dirname(looked)).catch(() => undefined);
    if (parent !== undefined) throw new FilesError(422, `The source ${looked} does not exist.`);
  }
  if (allowed === undefined) {
    throw new FilesError(
      403,
      `Files are not imported from ${looked}: it is in none of the folders of application.filesystem.import.roots.`,
    );
  }
  if (literal !== undefined)
    return { folder: dirname(allowed), matches: (one) => one === literal, name: basename(allowed) };
  if (!(await lstat(allowed)).isDirectory()) throw new FilesError(422, `The source folder ${folder} is no folder.`);
  return { folder: allowed, matches: globMatcher(name), name: undefined };
}

function notReadable(path: string, error: unknown): FilesError {
  return new FilesError(422, `The source ${path} cannot be read: ${codeOf(error)}.`);
}

/** What the file system says is wrong. */
export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

/** All files of a source, in no order. */
export async function* filesOf(source: Source, roots: ImportRoots): AsyncGenerator<Found, void, undefined> {
  if (source.name !== undefined) yield* at(join(source.folder, source.name), source.name, [], new Set(), roots);
  else {
    for await (const { name } of await opendir(source.folder)) {
      if (source.matches(name)) yield* at(join(source.folder, name), name, [], new Set(), roots);
    }
  }
}

/** `above`: folders that lead here, behind all links: a link to one of them goes round in circles. */
async function* at(
  path: string,
  name: string,
  folders: readonly string[],
  above: ReadonlySet<string>,
  roots: ImportRoots,
): AsyncGenerator<Found, void, undefined> {
  const found = { path, folders, name };
  try {
    const real = await roots.resolve(path);
    if (real === undefined) {
      yield { ...found, problem: 'it leads out of the folders that files are imported from' };
      return;
    }
    const facts = await lstat(real);
    if (facts.isFile()) yield { ...found, path: real };
    else if (!facts.isDirectory()) yield { ...found, problem: 'it is neither a file nor a folder' };
    else if (above.has(real)) yield { ...found, problem: 'its link goes round in circles' };
    else if (folders.length >= DEEPEST) yield { ...found, problem: 'it lies too deep' };
    else {
      for await (const entry of await opendir(real)) {
        yield* at(join(real, entry.name), entry.name, [...folders, name], new Set([...above, real]), roots);
      }
    }
  } catch (error) {
    yield { ...found, problem: `it cannot be read: ${codeOf(error)}` };
  }
}
