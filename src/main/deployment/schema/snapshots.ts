/** Documents of the schema that the server keeps in a folder (`snapshot.path`), by name. */
import { constants } from 'node:fs';
import { link, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SchemaError } from '../../schema/index.js';

/** Nothing that leads elsewhere, on any file system. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const ENDING = '.json';
/** Bytes; larger ones are nothing that was saved here. */
const LARGEST = 256 * 1024 * 1024;

export interface Snapshot {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly created: Date;
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';

export class SchemaSnapshots {
  constructor(private readonly folder: string) {}

  /** In the order of names. */
  async list(): Promise<Snapshot[]> {
    const names = await readdir(this.folder).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    });
    const found: Snapshot[] = [];
    for (const file of names.sort()) {
      const name = file.slice(0, -ENDING.length);
      if (!file.endsWith(ENDING) || !NAME.test(name)) continue;
      // One may go meanwhile.
      const facts = await lstat(join(this.folder, file)).catch(() => undefined);
      if (facts?.isFile() === true) found.push({ name, size: facts.size, created: facts.mtime });
    }
    return found;
  }

  /** Keeps a text. Throws `SchemaError` (conflict) when there is one of the name, unless it may be replaced. */
  async save(name: string, text: string, replaces: boolean): Promise<void> {
    const path = this.#path(name);
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    // Whole or not at all, whatever happens meanwhile.
    const draft = join(this.folder, `.${name}.${String(process.pid)}.${String(performance.now())}`);
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
      if (replaces) await rename(draft, path);
      else await link(draft, path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      throw new SchemaError(`There is a snapshot ${name} already.`, [], 'conflict');
    } finally {
      await file.close();
      await rm(draft, { force: true });
    }
  }

  /** Its text. Throws `SchemaError` (not_found). */
  async read(name: string): Promise<string> {
    try {
      const file = await open(this.#path(name), constants.O_RDONLY | constants.O_NOFOLLOW);
      try {
        const facts = await file.stat();
        if (!facts.isFile() || facts.size > LARGEST) throw none(name);
        return await file.readFile('utf8');
      } finally {
        await file.close();
      }
    } catch (error) {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ELOOP') throw none(name);
      throw error;
    }
  }

  /** Throws `SchemaError` (not_found). */
  async remove(name: string): Promise<void> {
    try {
      await rm(this.#path(name));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') throw none(name);
      throw error;
    }
  }

  /** Removes all but the newest; the names of those that are gone. */
  async purge(keep: number): Promise<string[]> {
    const newestFirst = (await this.list()).sort((a, b) => b.created.getTime() - a.created.getTime());
    const gone = newestFirst.slice(keep).map(({ name }) => name);
    for (const name of gone) await rm(this.#path(name), { force: true });
    return gone.sort();
  }

  #path(name: string): string {
    if (NAME.test(name)) return join(this.folder, name + ENDING);
    throw new SchemaError(
      'The name of a snapshot begins with a letter or digit and has letters, digits, dots, _ and -, at most 100 in all.',
      [{ property: 'name', token: 'must_match', value: name.slice(0, 200), detail: NAME.source }],
    );
  }
}

function none(name: string): SchemaError {
  return new SchemaError(`There is no snapshot ${name}.`, [], 'not_found');
}
