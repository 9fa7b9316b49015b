/** The files of an export, written into a directory of the server. What is there already and the same stays as it is. */
import { createReadStream } from 'node:fs';
import { lstat, mkdir, open, readFile, readdir, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { DeploymentError } from '../common/errors.js';
import { ifMissing } from './source.js';

const UNUSABLE = /[\0/\\]/;

export class ExportTarget {
  readonly #folders = new Set<string>();

  constructor(readonly root: string) {}

  /** A folder, with all above it. Throws `DeploymentError` for one that a link leads out of the target. */
  async folder(path: string): Promise<void> {
    if (this.#folders.has(path)) return;
    try {
      await this.#mustBeInside(path);
      await mkdir(join(this.root, path), { recursive: true });
    } catch (error) {
      throw cannotWrite(path, error);
    }
    this.#folders.add(path);
  }

  /** Who may write into the target must not have the service write, or remove, anything elsewhere. */
  async #mustBeInside(path: string): Promise<void> {
    const at = join(this.root, path);
    const found = await realpath(at).catch(ifMissing);
    if (found !== undefined) {
      if (found !== at) throw new DeploymentError(`${path === '' ? 'The target' : path} is a link to somewhere else.`);
    } else if (path !== '') {
      // A link to what is not there is none that something could be made through.
      if ((await lstat(at).catch(ifMissing)) !== undefined)
        throw new DeploymentError(`${path} is no folder, or a link to somewhere else.`);
      await this.#mustBeInside(dirname(path) === '.' ? '' : dirname(path));
    }
  }

  /** A text file. One that says the same already is not touched. */
  async text(path: string, text: string): Promise<void> {
    await this.folder(dirname(path) === '.' ? '' : dirname(path));
    const at = join(this.root, path);
    const bytes = Buffer.from(text);
    const facts = await lstat(at).catch(ifMissing);
    if (facts?.isFile() === true && facts.size === bytes.length && (await readFile(at)).equals(bytes)) return;
    await this.bytes(path, [bytes]);
  }

  /** A file of any size: complete, or not there. */
  async bytes(path: string, pieces: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
    await this.folder(dirname(path) === '.' ? '' : dirname(path));
    const at = join(this.root, path);
    const beside = `${at.slice(0, at.length - fileName(at).length)}.${randomUUID()}.part`;
    try {
      const handle = await open(beside, 'wx');
      try {
        for await (const piece of pieces) await handle.write(piece);
      } finally {
        await handle.close();
      }
      await rename(beside, at);
    } catch (error) {
      await rm(beside, { force: true });
      throw cannotWrite(path, error);
    }
  }

  /** Removes a file, if it is there. */
  async remove(path: string): Promise<void> {
    await rm(join(this.root, path), { force: true });
  }

  /** The text of a file that is there already; undefined: there is none. */
  async there(path: string): Promise<string | undefined> {
    const facts = await lstat(join(this.root, path)).catch(ifMissing);
    if (facts?.isFile() !== true) return undefined;
    return readFile(join(this.root, path), 'utf8').catch(ifMissing);
  }

  /** The bytes of a file that is there already. */
  read(path: string): AsyncIterable<Buffer> {
    return createReadStream(join(this.root, path), { highWaterMark: 256 * 1024 });
  }

  /** The size of a file that is there; undefined: there is none. */
  async size(path: string): Promise<number | undefined> {
    const facts = await lstat(join(this.root, path)).catch(ifMissing);
    return facts?.isFile() === true ? facts.size : undefined;
  }

  /** Removes all below a folder that is not one of these paths (or a folder above one); the folder stays. */
  async keepOnly(folder: string, paths: Iterable<string>): Promise<void> {
    const kept = new Set<string>();
    for (const path of paths) {
      for (let at = path; at !== '' && at !== '.'; at = dirname(at)) kept.add(at);
    }
    await this.folder(folder);
    await this.#sweep(folder, kept);
    await this.folder(folder);
  }

  async #sweep(folder: string, kept: ReadonlySet<string>): Promise<void> {
    const entries = (await readdir(join(this.root, folder), { withFileTypes: true }).catch(ifMissing)) ?? [];
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (!kept.has(path)) {
        await rm(join(this.root, path), { recursive: true, force: true });
        this.#folders.clear();
      } else if (entry.isDirectory()) await this.#sweep(path, kept);
    }
  }
}

/** A name as a file of an export. Throws `DeploymentError` for what no file can be called. */
export function fileNamed(name: string, what: string): string {
  if (name !== '' && name !== '.' && name !== '..' && !UNUSABLE.test(name) && Buffer.byteLength(name) <= 255)
    return name;
  throw new DeploymentError(`${what} "${name.slice(0, 100)}" cannot be exported: no file can have this name.`);
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function cannotWrite(path: string, error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string') return error as Error;
  return new DeploymentError(`${path === '' ? 'The target' : path} cannot be written (${code}).`, 'source', {
    cause: error,
  });
}
