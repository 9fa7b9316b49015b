/**
 * A directory of the disk that is mounted into the tree (docs/interface/files.md 9.4): content lies under the names it has in the tree, where
 * others read and write it, too. New content waits in a hidden directory beside it until its commit has happened; then it
 * takes the place of what was there (`mounts/to-disk.ts`). So a crash leaves the old or the new here as well.
 */
import { constants } from 'node:fs';
import {
  access,
  lstat,
  mkdir,
  open,
  opendir,
  readlink,
  realpath,
  stat,
  unlink,
  type FileHandle,
} from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { logger } from '../../../../shared/log.js';
import { FilesError, storageError } from '../../errors.js';
import { LocalStorage } from './local.js';
import {
  FILE_ID,
  type ByteRange,
  type ContentId,
  type ContentWriter,
  type Storage,
  type StoredContent,
} from '../storage.js';

const log = logger('files.mounts');

/** Directory below the mounted one for content whose commit has not happened. */
export const INCOMING = '.svc-incoming';
/** Key of content that was written here, as opposed to found on the disk. */
const WRITTEN = /^[0-9a-f]{16}$/;
/** Attempts to find a file, and milliseconds between them. */
const ATTEMPTS = 3;
const PAUSE = 40;

/** A file below a mounted directory. */
export interface MountedFile {
  /** Of its content. */
  readonly key: string;
  /** Names from the directory to it: where the disk has it, and where it is about to go. */
  readonly names: readonly (readonly string[])[];
}

export interface MountParts {
  /** What the tree knows of a file; undefined: there is none. */
  readonly fileAt: (file: string) => Promise<MountedFile | undefined>;
  readonly followSymlinks: () => boolean;
}

/** One file of the disk: how it is read and written is the business of the storage of this machine. */
class FileAt extends LocalStorage {
  constructor(
    private readonly path: string,
    /** The mounted directory. */
    private readonly target: string,
  ) {
    super('');
  }
  override pathOf(): string {
    return this.path;
  }
  /** Whoever writes has made it. */
  protected override isThere(): boolean {
    return true;
  }
  /** Others write to the directory: what was looked at may be a link, or a pipe that nobody ends, by now. */
  override async opened(path: string): Promise<FileHandle> {
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const top = await realpath(this.target);
      const real = await readlink(`/proc/self/fd/${String(handle.fd)}`).catch(() => path);
      if (leadsOut(top, real)) throw outside();
      if (!(await handle.stat()).isFile()) throw new FilesError(500, 'What lies in the place of the file is no file.');
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }
}

/** A file of the disk that is found when it is read. */
class FoundFile extends FileAt {
  constructor(
    target: string,
    private readonly find: () => Promise<FileHandle>,
  ) {
    super(target, target);
  }
  override opened(): Promise<FileHandle> {
    return this.find();
  }
}

function leadsOut(top: string, real: string): boolean {
  const way = relative(top, real);
  return way === '..' || way.startsWith(`..${sep}`);
}

/** Whether a name can be that of an entry of a directory that is mounted. */
export function isEntryName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && name !== INCOMING && !/[/\0]/.test(name);
}

export class MountStorage implements Storage {
  constructor(
    readonly name: string,
    /** The directory. */
    readonly target: string,
    private readonly parts: MountParts,
  ) {}

  async write(id: ContentId): Promise<ContentWriter> {
    try {
      // Not the directory itself: it may be a disk that is not there at the moment.
      await mkdir(join(this.target, INCOMING), { mode: 0o700 }).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      });
    } catch (error) {
      log.error(`could not write to ${this.target}`, error);
      throw storageError(error, 'store the file');
    }
    return new FileAt(this.incomingOf(id), this.target).write(id);
  }

  async *read(
    id: ContentId,
    range: ByteRange,
    signal?: AbortSignal,
    reused?: boolean,
  ): AsyncGenerator<Buffer, void, undefined> {
    if (range.from >= range.to) return;
    yield* new FoundFile(this.target, () => this.#opened(id)).read(id, range, signal, reused);
  }

  /** The bytes of something in the directory. */
  bytesAt(path: string, size: number): AsyncIterable<Buffer> {
    return new FileAt(path, this.target).read({ file: 'found', key: '' }, { from: 0, to: size });
  }

  /** Only what waits: files of the directory go when the tree says so, by their names. */
  async remove(id: ContentId): Promise<void> {
    if (!WRITTEN.test(id.key)) return;
    await unlink(this.incomingOf(id)).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw storageError(error, 'remove the content');
    });
  }

  /** What waits to take its place. */
  async *list(): AsyncGenerator<StoredContent, void, undefined> {
    let entries;
    try {
      entries = await opendir(join(this.target, INCOMING));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw storageError(error, 'list the storage');
    }
    for await (const { name } of entries) {
      const [file = '', key = '', configuration, ...more] = name.split('.');
      // Another configuration may have the same directory: what waits for it is not ours to remove.
      if (configuration !== this.name || more.length > 0 || !FILE_ID.test(file) || !WRITTEN.test(key)) continue;
      const found = await stat(this.incomingOf({ file, key })).catch(() => undefined);
      if (found !== undefined) yield { file, key, modified: found.mtimeMs };
    }
  }

  /** Where content waits for its commit. */
  incomingOf({ file, key }: ContentId): string {
    if (!FILE_ID.test(file) || !WRITTEN.test(key)) {
      throw new FilesError(500, 'The file has no content in this directory.');
    }
    return join(this.target, INCOMING, `${file}.${key}.${this.name}`);
  }

  async isIncoming(id: ContentId): Promise<boolean> {
    if (!WRITTEN.test(id.key)) return false;
    return access(this.incomingOf(id), constants.F_OK).then(
      () => true,
      () => false,
    );
  }

  /**
   * The path of an entry, which need not exist; what is above it must. Throws `FilesError` when that leads out of the
   * mounted directory, or over a symbolic link that is not followed.
   */
  async entry(names: readonly string[]): Promise<string> {
    if (!names.every(isEntryName)) throw outside();
    const top = await realpath(this.target);
    if (names.length === 0) return top;
    const above = await realpath(join(top, ...names.slice(0, -1)));
    this.#mustBeInside(top, above, names.slice(0, -1));
    return join(above, names.at(-1) ?? '');
  }

  /** The same for the file or directory itself, where the entry is a symbolic link. */
  async inside(names: readonly string[]): Promise<string> {
    const path = await this.entry(names);
    if (!(await lstat(path)).isSymbolicLink()) return path;
    const real = await realpath(path);
    this.#mustBeInside(await realpath(this.target), real, names);
    return real;
  }

  #mustBeInside(top: string, real: string, names: readonly string[]): void {
    if (leadsOut(top, real)) throw outside();
    if (!this.parts.followSymlinks() && real !== join(top, ...names)) throw outside();
  }

  /** Between a look and the opening, what waits takes its place, and files and folders get other names. */
  async #opened(id: ContentId): Promise<FileHandle> {
    for (let attempt = 1; ; attempt++) {
      try {
        if (!(await this.isIncoming(id))) return await this.#openedByName(id);
        const path = this.incomingOf(id);
        return await new FileAt(path, this.target).opened(path);
      } catch (error) {
        if (attempt === ATTEMPTS) throw error;
        await sleep(PAUSE);
      }
    }
  }

  async #openedByName(id: ContentId): Promise<FileHandle> {
    const handle = await this.#openNow(id);
    try {
      // What lies there may be newer than what was asked for: it came after its commit.
      if ((await this.parts.fileAt(id.file))?.key === id.key) return handle;
      throw new FilesError(503, 'The content of the file has just been replaced; ask again.');
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async #openNow({ file }: ContentId): Promise<FileHandle> {
    const names = (await this.parts.fileAt(file))?.names.filter((one) => one.length > 0) ?? [];
    let missing: unknown;
    for (const one of names) {
      try {
        const path = await this.inside(one);
        return await new FileAt(path, this.target).opened(path);
      } catch (error) {
        if (error instanceof FilesError) throw error;
        log.debug(`the content of file ${file} cannot be reached: ${join(this.target, ...one)}: ${String(error)}`);
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw storageError(error, 'read the file');
        missing = error;
      }
    }
    if (missing === undefined) {
      throw new FilesError(500, `The directory with the content of file ${file} is not mounted any more.`);
    }
    log.warn(`the content of file ${file} is missing below ${this.target}`, missing);
    throw new FilesError(500, `The content of file ${file} is missing in its storage.`);
  }
}

function outside(): FilesError {
  return new FilesError(403, 'The path leads out of the mounted directory.');
}
