/** The files of an export, read: a directory of the server, and nothing outside of it. */
import { readdir, realpath, type FileHandle } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { openRegular } from '../../files/index.js';
import {
  isJsonObject,
  JsonLimitError,
  JsonSyntaxError,
  parseJson,
  type JsonObject,
  type JsonValue,
} from '../../../shared/json/index.js';
import { DeploymentError } from '../common/errors.js';

const MB = 1024 * 1024;
/** Bytes of a file of HTML or a script, and of one of metadata. */
const MOST_TEXT = 64 * MB;
const MOST_JSON = 128 * MB;
/** Characters of one text in metadata. */
const LONGEST_TEXT = 32 * MB;
/** Bytes of all of them that one import reads: most of it is in memory at a time. */
const MOST_OF_ALL = 512 * MB;
/** Members and elements of one file of metadata. */
const MOST_VALUES = 5_000_000;
const MOST_OBJECTS = 500_000;
/** Entries of one folder. */
const MOST_ENTRIES = 200_000;
const PIECE = 256 * 1024;
/** Read behind the end that a file had when it was opened. */
const GROWN = 512;

export interface SourceEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

export class ExportSource {
  private constructor(
    private readonly root: string,
    private readonly budget = { left: MOST_OF_ALL },
  ) {}

  /** Of a directory that is there. Throws what the file system says. */
  static async at(directory: string): Promise<ExportSource> {
    return new ExportSource(await realpath(directory));
  }

  /** Of a directory without links on the way to it, as `placeOf` answers them. Throws `DeploymentError` when there are some now. */
  static async exactlyAt(directory: string): Promise<ExportSource> {
    if ((await realpath(directory)) !== directory)
      throw new DeploymentError('The source has become a link to somewhere else.');
    return new ExportSource(directory);
  }

  /** A folder of it as an export of its own; undefined: there is no such folder. Throws `DeploymentError`. */
  async within(folder: string): Promise<ExportSource | undefined> {
    const path = await this.#inside(folder);
    if (path === undefined || (await this.list(folder)) === undefined) return undefined;
    return new ExportSource(path, this.budget);
  }

  /** What is in a folder, by name; undefined: there is no such folder. Throws `DeploymentError`. */
  async list(folder = ''): Promise<readonly SourceEntry[] | undefined> {
    const path = await this.#inside(folder);
    if (path === undefined) return undefined;
    const found = await readdir(path, { withFileTypes: true }).catch(ifMissing);
    if (found === undefined) return undefined;
    if (found.length > MOST_ENTRIES)
      throw new DeploymentError(`${folder}: a folder of an export has at most ${String(MOST_ENTRIES)} entries.`);
    const entries = found
      .filter((one) => one.isFile() || one.isDirectory())
      .map((one) => ({ name: one.name, isFolder: one.isDirectory() }));
    return entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  /** The text of a file, with a mark of the byte order; undefined: there is none. Throws `DeploymentError`. */
  async text(path: string, most = MOST_TEXT): Promise<string | undefined> {
    const file = await this.open(path);
    if (file === undefined) return undefined;
    try {
      if (file.size > most) throw new DeploymentError(`${path}: the file is larger than ${String(most / MB)} MB.`);
      this.budget.left -= file.size;
      if (this.budget.left < 0)
        throw new DeploymentError(
          `${path}: all files of an export but contents have at most ${String(MOST_OF_ALL / MB)} MB.`,
        );
      const bytes = await file.handle.readFile();
      try {
        return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      } catch {
        throw new DeploymentError(`${path}: the file is no text in UTF-8.`);
      }
    } finally {
      await file.handle.close();
    }
  }

  /** What a file of JSON says; undefined: there is none. Throws `DeploymentError` for what is no JSON, with its place. */
  async json(path: string): Promise<JsonValue | undefined> {
    const text = await this.text(path, MOST_JSON);
    if (text === undefined) return undefined;
    try {
      return await parseJson(text, {
        distinctNames: true,
        maxText: LONGEST_TEXT,
        maxValues: MOST_VALUES,
        maxObjects: MOST_OBJECTS,
      });
    } catch (error) {
      if (!(error instanceof JsonSyntaxError) && !(error instanceof JsonLimitError)) throw error;
      throw new DeploymentError(`${path}: ${error.message}`, 'source', { cause: error });
    }
  }

  /** A list of objects. Throws `DeploymentError` for anything else. */
  async entries(path: string): Promise<JsonObject[] | undefined> {
    const value = await this.json(path);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) throw new DeploymentError(`${path}: a list is expected here.`);
    return value.map((one, at) => objectAt(one, `${path}[${String(at)}]`));
  }

  /** Objects by a key. Throws `DeploymentError` for anything else. */
  async objects(path: string): Promise<Map<string, JsonObject> | undefined> {
    const value = await this.json(path);
    if (value === undefined) return undefined;
    const all = objectAt(value, path);
    return new Map(Object.entries(all).map(([key, one]) => [key, objectAt(one, `${path}: ${key}`)]));
  }

  /** An open file that its caller closes; undefined: there is none. Throws `DeploymentError`. */
  async open(path: string): Promise<{ readonly handle: FileHandle; readonly size: number } | undefined> {
    const at = await this.#inside(path);
    if (at === undefined) return undefined;
    return openRegular(at, (opened) => this.#contains(opened)).catch(ifMissing);
  }

  /** What changes when a file does; undefined: there is none. Throws `DeploymentError`. */
  async state(path: string): Promise<string | undefined> {
    const file = await this.open(path);
    if (file === undefined) return undefined;
    try {
      const { ino, size, mtimeMs } = await file.handle.stat();
      return [ino, size, mtimeMs].join(' ');
    } finally {
      await file.handle.close();
    }
  }

  /** The bytes of a file. Throws `DeploymentError` when there is none. */
  async *bytes(path: string): AsyncGenerator<Buffer, void, undefined> {
    const file = await this.open(path);
    if (file === undefined) throw new DeploymentError(`${path}: the file is missing.`);
    try {
      for (let left = file.size; ;) {
        // Small files are many, and memory that nothing is in has to be given back as well. It may have grown.
        const size = Math.min(PIECE, Math.max(left, GROWN));
        const { buffer, bytesRead } = await file.handle.read(Buffer.allocUnsafe(size), 0, size, null);
        if (bytesRead === 0) return;
        left -= bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await file.handle.close();
    }
  }

  /** The path behind all links; undefined when there is nothing. Throws `DeploymentError` for what leads out. */
  async #inside(path: string): Promise<string | undefined> {
    const found = await realpath(join(this.root, path)).catch(ifMissing);
    if (found === undefined || this.#contains(found)) return found;
    throw new DeploymentError(`${path}: this leads out of the export.`);
  }

  #contains(path: string): boolean {
    return path === this.root || path.startsWith(this.root + sep);
  }
}

/** An object of JSON. Throws `DeploymentError` that names its place. */
export function objectAt(value: JsonValue | undefined, place: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new DeploymentError(`${place}: an object is expected here.`);
}

/** For file system calls on what need not be there. */
export function ifMissing(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENAMETOOLONG') return undefined;
  throw error;
}
