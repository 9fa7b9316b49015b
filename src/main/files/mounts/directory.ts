/** A directory of the disk while it is mounted (docs/interface/files.md 9.4): when it is looked through, and what is watched. */
import { watch, type FSWatcher } from 'node:fs';
import type { GraphNode } from '../../graph/index.js';
import { logger } from '../../../shared/log.js';
import { ALLOW_ALL, SYSTEM } from '../../schema/index.js';
import type { FilesContext } from '../context.js';
import type { Mounting } from './mounting.js';
import { described } from './counts.js';
import { Scan } from './scan.js';
import type { Mount } from './mount.js';
import type { ToDisk } from './to-disk.js';
import { byItself } from '../writing.js';

const log = logger('files.mounts');

/** Milliseconds without further events before a directory is looked at. */
const QUIET = 2000;
/** Directories watched; more are left to the looks at set times. */
const MOST_WATCHED = 100_000;
const LONGEST = 2_000_000_000;

export class MountedDirectory implements Mounting {
  readonly #end = new AbortController();
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #dirty = new Set<string>();
  #quiet: NodeJS.Timeout | undefined;
  #next: NodeJS.Timeout | undefined;
  /** Looks at one directory come one after the other. */
  #work: Promise<void> = Promise.resolve();

  constructor(
    private readonly context: FilesContext,
    private readonly toDisk: ToDisk,
    private readonly mount: Mount,
    /** What of the folder it goes by, as text. */
    readonly settings: string,
    private readonly folder: GraphNode,
  ) {}

  get root(): string {
    return this.mount.root;
  }

  get target(): string {
    return this.mount.storage.target;
  }

  begin(): void {
    const { mountLastScanned, mountScanInterval } = this.folder.properties;
    const interval = Number(mountScanInterval ?? 0) * 1000;
    const due = interval > 0 ? Number(mountLastScanned ?? 0) + interval - Date.now() : 0;
    log.info(`${this.mount.storage.target} is mounted at folder ${this.mount.root}`);
    // Without an interval, a start is the only time at which changes meanwhile are seen; watching begins with a look, too.
    if (due <= 0 || this.#watches) this.#add(() => this.#everything());
    else this.#later(due);
  }

  /** Resolves when nothing is looked at any more. */
  async stop(): Promise<void> {
    this.#end.abort();
    clearTimeout(this.#quiet);
    clearTimeout(this.#next);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    await this.#work;
  }

  get #watches(): boolean {
    return this.folder.properties['mountWatchContents'] === true;
  }

  #add(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error: unknown) => {
      if (!this.#end.signal.aborted) log.error(`${this.mount.storage.target} could not be looked through`, error);
    });
  }

  #later(milliseconds: number): void {
    if (this.#end.signal.aborted) return;
    this.#next = setTimeout(
      () => {
        this.#add(() => this.#everything());
      },
      Math.min(milliseconds, LONGEST),
    );
    this.#next.unref();
  }

  async #everything(): Promise<void> {
    const { storage, root } = this.mount;
    const { schemas } = this.context;
    if (this.#end.signal.aborted) return;
    try {
      // What a crash has left half done.
      for await (const { file } of storage.list()) this.toDisk.settle(file);
      await this.toDisk.idle();
      const counts = await new Scan(this.context, this.toDisk, this.mount, {
        signal: this.#end.signal,
        entering: (folder, path) => {
          this.#watch(folder, path);
        },
      }).run();
      await schemas.write(SYSTEM, ALLOW_ALL, byItself('mounted directory', this.context), async ({ tx }) => {
        if ((await tx.node(root)) !== undefined) await tx.updateNode(root, { mountLastScanned: Date.now() });
      });
      log.info(`looked through ${storage.target}: ${described(counts)}`);
    } finally {
      const interval = Number(this.folder.properties['mountScanInterval'] ?? 0);
      if (interval > 0) this.#later(interval * 1000);
    }
  }

  #watch(folder: string, path: string): void {
    if (!this.#watches || this.#watchers.has(folder) || this.#watchers.size >= MOST_WATCHED) return;
    try {
      const watcher = watch(path, { persistent: false }, () => {
        this.#changed(folder);
      });
      watcher.on('error', () => {
        watcher.close();
        this.#watchers.delete(folder);
      });
      this.#watchers.set(folder, watcher);
    } catch (error) {
      if (this.#watchers.size > 0) log.warn(`${path} cannot be watched`, error);
    }
  }

  #changed(folder: string): void {
    this.#dirty.add(folder);
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => {
      const folders = [...this.#dirty];
      this.#dirty.clear();
      this.#add(() => this.#some(folders));
    }, QUIET);
    this.#quiet.unref();
  }

  async #some(folders: readonly string[]): Promise<void> {
    for (const only of folders) {
      if (this.#end.signal.aborted) return;
      const counts = await new Scan(this.context, this.toDisk, this.mount, {
        signal: this.#end.signal,
        only,
        entering: (folder, path) => {
          this.#watch(folder, path);
        },
      }).run();
      if (counts.added + counts.changed + counts.removed > 0)
        log.debug(`in ${this.mount.storage.target}: ${described(counts)}`);
    }
  }
}
