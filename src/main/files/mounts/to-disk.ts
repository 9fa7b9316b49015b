/**
 * What happens in the tree below a mounted directory happens on the disk, too, after the commit: new content takes its place,
 * files and folders are renamed, moved and removed. `mountPlace` says what the disk has, `place` what it is to have; so
 * whatever a crash, or the disk, has prevented is seen and done later.
 */
import { link, lstat, mkdir, rename, rmdir, unlink, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Change, changesOf, type GraphNode, type PropertyChanges } from '../../graph/index.js';
import { mayConcernStorage } from '../storage/definition.js';
import { ALLOW_ALL, SYSTEM, withTime } from '../../schema/index.js';
import { logger } from '../../../shared/log.js';
import { placeOfContent } from '../content/place.js';
import type { FilesContext } from '../context.js';
import { NO_LINKS } from '../storage/local/local.js';
import { INCOMING, MountStorage } from '../storage/local/mount.js';
import type { MountedAt } from '../storage/table.js';
import { isFolder, NOT_MOUNTED, seenNow } from './found.js';
import { byItself } from '../writing.js';

const log = logger('files.mounts');

/** Folders that are gone whose place is remembered for what was in them. */
const MOST_GONE = 10_000;

/** Something the disk is to be told. */
type Task = { readonly verb: 'settle'; readonly id: string } | { readonly verb: 'remove'; readonly node: GraphNode };

export class ToDisk {
  readonly #tasks: Task[] = [];
  #work: Promise<void> | undefined;
  /** `mountPlace` of folders that are gone. */
  readonly #gone = new Map<string, string>();
  /** Files and folders that leave the tree because they are not on the disk any more. */
  readonly #found = new Set<string>();

  constructor(private readonly context: FilesContext) {
    context.graph.onCommit((changes) => {
      const { schema } = context.schemas;
      for (const change of changesOf(changes, (kind) => mayConcernStorage(schema, kind))) this.#committed(change);
    });
  }

  /** Brings the disk in line with a file or folder. */
  settle(id: string): void {
    this.#add({ verb: 'settle', id });
  }

  /** That this leaves the tree is no reason to remove it from the disk. */
  leavesTree(id: string): void {
    this.#found.add(id);
  }

  /** It did not leave after all. */
  staysInTree(id: string): void {
    this.#found.delete(id);
  }

  /** Resolves when nothing waits. */
  async idle(): Promise<void> {
    while (this.#work !== undefined) await this.#work;
  }

  #committed(change: Change): void {
    const { entity } = change;
    if (entity.kind !== 'node') return;
    const { contentKey, mountPlace } = entity.properties;
    const isElsewhere = typeof contentKey === 'string' && contentKey.includes(':');
    if (change.verb === 'change') {
      const { key, value, previous } = change;
      // What was in the directory lies elsewhere now.
      if (key === 'mountPlace' && value === null && typeof previous === 'string') {
        this.#remove({ ...entity, properties: { ...entity.properties, mountPlace: previous } }, previous);
        // Perhaps it was the last one that kept its folder there.
        this.settle(previous.slice(0, previous.indexOf('/')));
      } else if (key === 'place' || (key === 'contentKey' && isElsewhere)) this.settle(entity.id);
    } else if (change.verb === 'create' && isElsewhere) this.settle(entity.id);
    else if (change.verb === 'delete' && typeof mountPlace === 'string') this.#remove(entity, mountPlace);
  }

  #remove(node: GraphNode, mountPlace: string): void {
    if (this.#found.delete(node.id)) return;
    if (isFolder(this.context, node)) {
      if (this.#gone.size >= MOST_GONE) this.#gone.clear();
      this.#gone.set(node.id, mountPlace);
    }
    this.#add({ verb: 'remove', node });
  }

  #add(task: Task): void {
    this.#tasks.push(task);
    if (this.#work !== undefined) return;
    this.#work = this.#run().finally(() => {
      this.#work = undefined;
      const next = this.#tasks.pop();
      if (next !== undefined) this.#add(next);
    });
  }

  async #run(): Promise<void> {
    // After the commit that this follows from has ended.
    await new Promise((resolve) => setImmediate(resolve));
    // What is in folders goes before them.
    const folders: GraphNode[] = [];
    for (let task = this.#tasks.shift(); task !== undefined; task = this.#tasks.shift()) {
      const id = task.verb === 'settle' ? task.id : task.node.id;
      try {
        if (!(await this.context.storages.anyConfigured())) continue;
        if (task.verb === 'settle') await this.#settle(id);
        else if (isFolder(this.context, task.node)) folders.push(task.node);
        else await this.#removeFile(task.node);
      } catch (error) {
        log.warn(`the disk could not be brought in line with ${id}; the next look at its directory tries again`, error);
      }
    }
    await this.#removeFolders(folders).catch((error: unknown) => {
      log.warn('directories of folders that are gone stay behind', error);
    });
  }

  /** The deepest first. */
  async #removeFolders(nodes: readonly GraphNode[]): Promise<void> {
    const { graph, storages } = this.context;
    const found = await graph.read((tx) =>
      Promise.all(nodes.map((node) => storages.mountOf(tx, node, { gone: this.#gone }))),
    );
    const at = found.filter((one) => one !== undefined).sort((a, b) => b.names.length - a.names.length);
    for (const one of at) {
      const mount = await storages.get(one.configuration);
      const path = mount instanceof MountStorage ? await mount.entry(one.names).catch(() => undefined) : undefined;
      if (path !== undefined) await removeEmpty(path);
    }
  }

  async #settle(id: string): Promise<void> {
    const { graph, storages } = this.context;
    const { node, configuration, own, was } = await graph.read(async (tx) => {
      const found = await tx.node(id);
      if (found === undefined) return {};
      const counts = await storages.configurationOf(tx, id);
      const [its] = await storages.ownConfigurations(tx, [id]);
      return { node: found, configuration: counts, own: its, was: await storages.mountOf(tx, found) };
    });
    // The folder that the directory is mounted at is not in the directory.
    if (node === undefined || own !== undefined) return;
    const storage = configuration === undefined ? undefined : await storages.get(configuration);
    const mount = storage instanceof MountStorage ? storage : undefined;
    const asFolder = isFolder(this.context, node);
    if (mount === undefined || configuration === undefined) {
      // The content of files is brought to where it belongs first.
      if (asFolder && was !== undefined) await this.#left(node);
      return;
    }
    if (asFolder) await this.#settleFolder(mount, node, was?.configuration === configuration ? was : undefined);
    else if (placeOfContent(node).store === configuration) await this.#settleFile(mount, node, was);
  }

  async #settleFolder(mount: MountStorage, node: GraphNode, was: MountedAt | undefined): Promise<void> {
    const { mountPlace, place } = node.properties;
    if (was !== undefined && mountPlace === place) return;
    const to = await this.#wanted(mount, node);
    if (to === undefined) return;
    if (was !== undefined) {
      const from = await mount.entry(was.names);
      if (await exists(to)) return this.#rename(node);
      await rename(from, to);
    } else if (!(await exists(to))) await mkdir(to);
    await this.#is(node);
  }

  async #settleFile(mount: MountStorage, node: GraphNode, was: MountedAt | undefined): Promise<void> {
    const { mountPlace, place, fileModificationDate } = node.properties;
    const content = placeOfContent(node);
    const waits = await mount.isIncoming(content);
    if (was !== undefined && mountPlace === place && !waits) return;
    const to = await this.#wanted(mount, node);
    if (to === undefined) return;
    if (was !== undefined && mountPlace !== place) {
      const from = await mount.entry(was.names);
      // Never over a file that nobody in the tree knows.
      if (!(await renamed(from, to))) return this.#rename(node);
    }
    if (waits) {
      const from = mount.incomingOf(content);
      // By its time, whoever looks through the directory sees that it is what the tree has.
      const time = Number(fileModificationDate ?? Date.now()) / 1000;
      await utimes(from, time, time);
      if (was !== undefined) await rename(from, to);
      else if (!(await renamed(from, to))) return this.#rename(node);
    }
    if (mountPlace !== place) await this.#is(node);
  }

  /** Where it is to be; undefined: what it lies in is not there yet, and will take care of it. */
  async #wanted(mount: MountStorage, { properties }: GraphNode): Promise<string | undefined> {
    const { graph, storages } = this.context;
    const place = String(properties['place']);
    const at = await graph.read((tx) => storages.mountOf(tx, { id: '', properties: { mountPlace: place } }));
    if (at === undefined || at.configuration !== mount.name) return undefined;
    return mount.entry(at.names);
  }

  /** The disk has it now where the tree has. */
  async #is(node: GraphNode): Promise<void> {
    const { schemas } = this.context;
    const place = node.properties['place'] ?? null;
    await schemas.write(SYSTEM, ALLOW_ALL, byItself('mounted directory', this.context), async ({ tx }) => {
      if ((await tx.node(node.id)) === undefined) return;
      const changes: PropertyChanges = { mountPlace: place, ...seenNow() };
      await tx.updateNode(node.id, changes);
    });
    if (!isFolder(this.context, node)) return;
    // What came with the folder, or came into it meanwhile.
    for (const child of await this.#childrenOf(node.id)) {
      if (child.properties['mountPlace'] === undefined) this.settle(child.id);
    }
  }

  async #childrenOf(folder: string): Promise<GraphNode[]> {
    const step = { relType: 'CONTAINS', direction: 'out' } as const;
    return this.context.graph.read(async (tx) => (await tx.related([folder], step))[0] ?? []);
  }

  /** The directory has another file of this name: both stay. */
  async #rename(node: GraphNode): Promise<void> {
    const { schemas } = this.context;
    const options = byItself('mounted directory', this.context);
    await schemas.write(SYSTEM, ALLOW_ALL, options, async (objects) => {
      const now = await objects.tx.node(node.id);
      if (now === undefined || now.properties['place'] !== node.properties['place']) return;
      const name = withTime(String(now.properties['name']), new Date(), options.uniquePaths ?? 'beforeextension');
      log.warn(`${node.id} is called ${name} now: its directory has another file of the name it had`);
      await objects.update(now, { name });
    });
  }

  /** A folder is in the directory no more; it goes from the disk once nothing is in it. */
  async #left(node: GraphNode): Promise<void> {
    const { schemas } = this.context;
    for (const child of await this.#childrenOf(node.id))
      if (isFolder(this.context, child)) await this.#settle(child.id);
    // What still has its content there is found by way of this folder.
    const isThere = ({ properties }: GraphNode): boolean =>
      properties['mountPlace']?.toString().startsWith(`${node.id}/`) ?? false;
    if ((await this.#childrenOf(node.id)).some(isThere)) return;
    await schemas.write(SYSTEM, ALLOW_ALL, byItself('mounted directory', this.context), ({ tx }) =>
      tx.updateNode(node.id, NOT_MOUNTED),
    );
  }

  /** A file. */
  async #removeFile(node: GraphNode): Promise<void> {
    const { graph, storages } = this.context;
    const at = await graph.read((tx) => storages.mountOf(tx, node, { gone: this.#gone }));
    const mount = at === undefined ? undefined : await storages.get(at.configuration);
    if (at === undefined || !(mount instanceof MountStorage)) return;
    const path = await mount.entry(at.names).catch(() => undefined);
    if (path === undefined) return;
    await unlink(path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    });
    // The last one of a folder that is gone takes its directory along.
    const folder = String(node.properties['mountPlace']).split('/')[0] ?? '';
    if (this.#gone.has(folder)) await removeEmpty(dirname(path));
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Gives a file another name; false: there is one of that name. */
async function renamed(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') {
      const [a, b] = await Promise.all([lstat(from), lstat(to)]);
      // A crash came between the two halves of a renaming.
      if (a.ino !== b.ino || a.dev !== b.dev) return false;
    } else if (NO_LINKS.has(code ?? '')) {
      // A file system without links.
      if (await exists(to)) return false;
      await rename(from, to);
      return true;
    } else throw error;
  }
  await unlink(from);
  return true;
}

async function removeEmpty(path: string): Promise<void> {
  if (path.endsWith(INCOMING)) return;
  await rmdir(path).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTEMPTY' && code !== 'ENOENT' && code !== 'EEXIST') throw error;
  });
}
