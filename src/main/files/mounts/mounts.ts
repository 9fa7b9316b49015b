/**
 * What is mounted into the tree: which directories and archives there are, by the configurations in the graph, and what
 * happens when one is mounted no more. Done by the coordinator.
 */
import { type Change, changesOf, type GraphNode } from '../../graph/index.js';
import { ALLOW_ALL, SYSTEM, typesOf } from '../../schema/index.js';
import { logger } from '../../../shared/log.js';
import type { FilesContext } from '../context.js';
import { ArchiveStorage } from '../storage/archive.js';
import { CONFIGURING, isOfConfiguration, mayConcernStorage } from '../storage/definition.js';
import { MountStorage } from '../storage/local/mount.js';
import { MountedArchive } from './archive.js';
import { MountedDirectory } from './directory.js';
import { leaveTree } from './found.js';
import type { Mounting } from './mounting.js';
import type { ToDisk } from './to-disk.js';
import { byItself } from '../writing.js';

const log = logger('files.mounts');

/** Settings of a folder that a mount goes by. */
const SETTINGS = ['mountWatchContents', 'mountScanInterval', 'mountTargetFileType', 'mountTargetFolderType'];

export class Mounts {
  readonly #mounted = new Map<string, Mounting>();
  /** Ids of files that are mounted as archives. */
  readonly #archives = new Set<string>();
  #signal: AbortSignal | undefined;
  #work: Promise<void> = Promise.resolve();
  #asked = false;

  constructor(
    private readonly context: FilesContext,
    private readonly toDisk: ToDisk,
  ) {
    const { graph } = context;
    graph.onCommit((changes) => {
      const { schema } = context.schemas;
      const some = changesOf(changes, (kind) => mayConcernStorage(schema, kind));
      if (some.some((change) => this.#concerns(change))) this.#look();
    });
    graph.watch({
      concerns: (change) => this.#concerns(change),
      changed: () => {
        this.#look();
      },
    });
  }

  begin(signal: AbortSignal): void {
    this.#signal = signal;
    signal.addEventListener('abort', () => {
      if (this.#signal !== signal) return;
      this.#signal = undefined;
      // Behind what is being compared: that mounts.
      this.#work = this.#work.then(() => this.#stopAll());
    });
    this.#look();
  }

  /** Resolves when nothing is looked at any more and the disk has what the tree has. */
  async stop(): Promise<void> {
    this.#signal = undefined;
    await (this.#work = this.#work.then(() => this.#stopAll()));
    await this.toDisk.idle();
  }

  async #stopAll(): Promise<void> {
    const all = [...this.#mounted.values()];
    this.#mounted.clear();
    await Promise.all(all.map((one) => one.stop()));
  }

  #concerns(change: Change): boolean {
    const { entity } = change;
    if (entity.kind === 'relationship') return CONFIGURING.has(entity.relType);
    if (change.verb === 'change' && SETTINGS.includes(change.key)) return true;
    if (change.verb === 'change' && change.key === 'contentKey' && this.#archives.has(entity.id)) return true;
    return isOfConfiguration(this.context.schemas.schema, entity);
  }

  /** Brings what is mounted in line with what is configured. */
  #look(): void {
    if (this.#signal === undefined || this.#asked) return;
    this.#asked = true;
    this.#work = this.#work.then(async () => {
      this.#asked = false;
      if (this.#signal === undefined) return;
      await this.#compare().catch((error: unknown) => {
        log.error('it could not be found out which directories are to be mounted', error);
      });
    });
  }

  async #compare(): Promise<void> {
    const wanted = await this.#configured();
    if (this.#signal === undefined) return;
    for (const [root, one] of this.#mounted) {
      const now = wanted.get(root);
      if (now?.settings === one.settings) continue;
      this.#mounted.delete(root);
      await one.stop();
      if (now?.target !== one.target) await this.#unmount(one);
    }
    for (const [root, one] of wanted) {
      // Another instance looks after them by now.
      if (this.#signal === undefined) return;
      if (this.#mounted.has(root)) continue;
      this.#mounted.set(root, one);
      one.begin();
    }
  }

  async #configured(): Promise<Map<string, Mounting>> {
    const { graph, storages, schemas } = this.context;
    const found = new Map<string, Mounting>();
    this.#archives.clear();
    if (!(await storages.anyConfigured())) return found;
    for (const id of await storages.names()) {
      const storage = await Promise.resolve(storages.get(id)).catch(() => undefined);
      if (!(storage instanceof MountStorage || storage instanceof ArchiveStorage)) continue;
      const step = { relType: 'CONFIGURED_BY', direction: 'in', ...typesOf(schemas.schema, 'Folder') } as const;
      const [folders = []] = await graph.read((tx) => tx.related([id], step));
      for (const folder of folders) {
        const mounting = await this.#mountingOf(storage, folder);
        if (mounting !== undefined) found.set(folder.id, mounting);
      }
    }
    return found;
  }

  async #mountingOf(storage: MountStorage | ArchiveStorage, folder: GraphNode): Promise<Mounting | undefined> {
    const settings = JSON.stringify([storage.name, ...SETTINGS.map((key) => folder.properties[key])]);
    if (storage instanceof MountStorage) {
      const mount = { root: folder.id, storage };
      return new MountedDirectory(this.context, this.toDisk, mount, `${settings} ${storage.target}`, folder);
    }
    this.#archives.add(storage.archive);
    try {
      const target = `${storage.archive} ${await storage.version()}`;
      return new MountedArchive(this.context, storage, folder, `${settings} ${target}`, target);
    } catch (error) {
      log.warn(`file ${storage.archive} cannot be mounted: ${error instanceof Error ? error.message : ''}`);
      return undefined;
    }
  }

  /** What was found there leaves the tree; where it was found it stays. */
  async #unmount({ root, target }: Mounting): Promise<void> {
    const { schemas } = this.context;
    const count = await leaveTree(this.context, root, this.toDisk);
    await schemas.write(SYSTEM, ALLOW_ALL, byItself('unmounting', this.context), async ({ tx }) => {
      if ((await tx.node(root)) !== undefined) await tx.updateNode(root, { mountLastScanned: null, mountTarget: null });
    });
    log.info(`${target} is not mounted any more: ${String(count)} files and folders left the tree`);
  }
}
