/**
 * Looks through a mounted directory and brings the tree in line with it: what is new comes in, what has changed is read
 * again, what is gone goes. It works beside everything else: each change is checked again inside its transaction.
 */
import { opendir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { GraphNode, PropertyChanges } from '../../graph/index.js';
import {
  ALLOW_ALL,
  childAt,
  DEEPEST_TREE,
  placeOf,
  SYSTEM,
  typesOf,
  type ObjectTransaction,
} from '../../schema/index.js';
import { logger } from '../../../shared/log.js';
import { CHECKSUM_NAMES, type ChecksumName } from '../content/checksums.js';
import { detectContentType, HEAD_BYTES } from '../content/content-type.js';
import { placeOfContent, sizeOf } from '../content/place.js';
import type { FilesContext } from '../context.js';
import { checksumsOf } from '../upload/upload-target.js';
import { isEntryName } from '../storage/local/mount.js';
import { described, type ScanCounts } from './counts.js';
import { createFound, isFolder, nameIn, seenNow } from './found.js';
import { Leaving } from './leaving.js';
import type { ToDisk } from './to-disk.js';
import { writeTogether, type Batching } from './together.js';
import { byItself } from '../writing.js';
import type { Mount } from './mount.js';

const log = logger('files.mounts');

/** Children of a folder read together. */
const PAGE = 1000;
/** Changes of one transaction. */
const BATCH = 50;
/** Milliseconds between two lines in the log. */
const REPORT = 10_000;
/** `lastSeenMounted` is written again when it is older: most looks find nothing new and write nothing. */
const SEEN = 86_400_000;

/** A directory still to be looked through. */
interface Directory {
  /** Id of its folder. */
  readonly folder: string;
  readonly names: readonly string[];
}

interface Entry {
  readonly name: string;
  readonly isDirectory: boolean;
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly modified: number;
  readonly path: string;
}

/** A file that the tree has, as the disk has it now. */
interface Refreshed {
  readonly node: GraphNode;
  readonly path: string;
  /** What its new content says; undefined: it was only seen. */
  readonly facts: PropertyChanges | undefined;
}

export interface ScanOptions {
  readonly signal: AbortSignal;
  /** Called for each directory before it is looked through. */
  readonly entering?: (folder: string, path: string) => void;
  /** Only this folder, and what is new in it. */
  readonly only?: string;
}

/** Looks through a mounted directory, or one below it. */
export class Scan {
  readonly counts: ScanCounts = { entries: 0, added: 0, changed: 0, removed: 0 };
  readonly #leaving: Leaving;
  readonly #seen = new Set<string>();
  /** Those that files get in the directory that is being looked through. */
  #checksums: readonly ChecksumName[] = [];
  #reported = Date.now();

  constructor(
    private readonly context: FilesContext,
    private readonly toDisk: ToDisk,
    private readonly mount: Mount,
    private readonly options: ScanOptions,
  ) {
    this.#leaving = new Leaving(context, toDisk, mount, this.counts, (items, how) => this.#inBatches(items, how));
  }

  async run(): Promise<ScanCounts> {
    const { only } = this.options;
    const begin = only === undefined ? { folder: this.mount.root, names: [] } : await this.#directory(only);
    const stack: Directory[] = begin === undefined ? [] : [begin];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      this.options.signal.throwIfAborted();
      await this.#look(next, stack);
    }
    return this.counts;
  }

  async #directory(folder: string): Promise<Directory | undefined> {
    if (folder === this.mount.root) return { folder, names: [] };
    const { graph, storages } = this.context;
    const at = await graph.read(async (tx) => storages.mountOf(tx, await tx.node(folder)));
    return at?.root === this.mount.root ? { folder, names: at.names } : undefined;
  }

  async #look({ folder, names }: Directory, stack: Directory[]): Promise<void> {
    const { storage } = this.mount;
    let path: string;
    try {
      path = await storage.inside(names);
      // A link that leads to a directory above would never end.
      const real = await realpath(path);
      if (this.#seen.has(real) || names.length > DEEPEST_TREE) return;
      this.#seen.add(real);
    } catch (error) {
      this.#unreadable(names, error);
      return;
    }
    this.options.entering?.(folder, path);
    const { config, graph, schemas } = this.context;
    this.#checksums = await graph.read(async (tx) =>
      checksumsOf({ tx, schema: schemas.schema }, config, await tx.node(folder)),
    );
    const known = await this.#known(folder);
    const found: Entry[] = [];
    try {
      for await (const { name } of await opendir(path)) {
        const entry = isEntryName(name) ? await this.#entry([...names, name]) : undefined;
        if (entry !== undefined) found.push(entry);
      }
    } catch (error) {
      this.#unreadable(names, error);
      return;
    }
    // A disk that is not there leaves an empty directory behind.
    if (names.length === 0 && found.length === 0 && known.size > 0) {
      log.warn(`${storage.target} is empty, and the tree has something in it: nothing is removed`);
      return;
    }
    const fresh: Entry[] = [];
    const refreshed: Refreshed[] = [];
    const folders: GraphNode[] = [];
    for (const entry of found) {
      this.options.signal.throwIfAborted();
      this.counts.entries++;
      const node = known.get(entry.name);
      known.delete(entry.name);
      if (node === undefined) fresh.push(entry);
      else if (!entry.isDirectory) refreshed.push(...(await this.#refreshed(node, [...names, entry.name], entry)));
      // One that was looked at alone has changed itself, not what is below.
      else if (this.options.only === undefined && isFolder(this.context, node)) folders.push(node);
      if (fresh.length >= BATCH) folders.push(...(await this.#add(folder, fresh.splice(0))));
      if (refreshed.length >= BATCH) await this.#refresh(refreshed.splice(0));
      this.#report();
    }
    folders.push(...(await this.#add(folder, fresh)));
    await this.#refresh(refreshed);
    await this.#leaving.remove([...known.values()], names);
    stack.push(...(await this.#below(folders, names)));
  }

  #unreadable(names: readonly string[], error: unknown): void {
    const { code } = error as NodeJS.ErrnoException;
    if (names.length > 0 && code === 'ENOENT') return;
    log.warn(`${join(this.mount.storage.target, ...names)} cannot be looked through`, error);
  }

  async #entry(names: readonly string[]): Promise<Entry | undefined> {
    try {
      const path = await this.mount.storage.inside(names);
      const facts = await stat(path);
      if (!facts.isFile() && !facts.isDirectory()) return undefined;
      const name = names.at(-1) ?? '';
      const modified = Math.floor(facts.mtimeMs);
      return { name, isDirectory: facts.isDirectory(), size: facts.size, modified, path };
    } catch (error) {
      // Gone meanwhile, a link that leads out, a name that is no text.
      log.debug(`${names.join('/')} is passed over: ${error instanceof Error ? error.message : ''}`);
      return undefined;
    }
  }

  /** What the tree has of this directory, by name; what is about to be renamed is left to that. */
  async #known(folder: string): Promise<Map<string, GraphNode>> {
    const { graph, schemas } = this.context;
    const types = typesOf(schemas.schema, 'AbstractFile');
    const from = { id: folder, step: { relType: 'CONTAINS', direction: 'out', ...types } } as const;
    const known = new Map<string, GraphNode>();
    for (let offset = 0; ; offset += PAGE) {
      const page = await graph.read((tx) =>
        tx.find({ kind: 'nodes', trait: 'AbstractFile', ...types, from, offset, limit: PAGE }),
      );
      for (const node of page) {
        const { mountPlace, place, contentKey } = node.properties;
        if (mountPlace === place && typeof mountPlace === 'string') {
          known.set(nameIn(mountPlace), node);
        } else if (mountPlace !== undefined || contentKey !== undefined || isFolder(this.context, node)) {
          this.toDisk.settle(node.id);
        }
      }
      if (page.length < PAGE) return known;
    }
  }

  /** These as directories to be looked through, those with a configuration of their own left out. */
  async #below(folders: readonly GraphNode[], names: readonly string[]): Promise<Directory[]> {
    if (folders.length === 0) return [];
    const { graph, storages } = this.context;
    const own = await graph.read((tx) =>
      storages.ownConfigurations(
        tx,
        folders.map(({ id }) => id),
      ),
    );
    return folders
      .filter((_, i) => own[i] === undefined)
      .map(({ id, properties }) => ({ folder: id, names: [...names, nameIn(properties['mountPlace'])] }));
  }

  /** What the bytes of a file say. */
  async #facts(entry: Entry): Promise<{ facts: PropertyChanges; head: Buffer }> {
    const { signal } = this.options;
    const head: Buffer[] = [];
    let size = 0;
    // Not by its id: it may have none yet.
    const bytes = this.mount.storage.bytesAt(entry.path, entry.size);
    const report = (): void => {
      this.#report();
    };
    const watched = async function* (): AsyncGenerator<Buffer> {
      for await (const piece of bytes) {
        signal.throwIfAborted();
        if (size < HEAD_BYTES) head.push(piece.subarray(0, HEAD_BYTES - size));
        size += piece.length;
        report();
        yield piece;
      }
    };
    const sums = await this.context.contents.sum(watched(), this.#checksums);
    // Another key for other content, so that nothing remembers the old.
    const key = `m${entry.modified.toString(36)}x${size.toString(36)}`;
    const facts = {
      // Checksums of what was there before say nothing about this.
      ...Object.fromEntries(CHECKSUM_NAMES.map((name) => [name, null])),
      ...sums,
      size,
      contentKey: `${key}:${this.mount.storage.name}`,
      fileModificationDate: entry.modified,
    };
    return { facts, head: Buffer.concat(head) };
  }

  /** What has become of a file that the tree has already; none: it is as it was. */
  async #refreshed(node: GraphNode, names: readonly string[], found: Entry): Promise<Refreshed[]> {
    const { lastSeenMounted } = node.properties;
    if (isSame(node, found) && Date.now() - Number(lastSeenMounted ?? 0) < SEEN) return [];
    // New content of the tree is on its way to the disk.
    if (await this.mount.storage.isIncoming(placeOfContent(node))) {
      this.toDisk.settle(node.id);
      return [];
    }
    // Or it has come there since the directory was looked at.
    const entry = await this.#entry(names);
    if (entry === undefined || entry.isDirectory) return [];
    if (isSame(node, entry)) return [{ node, path: entry.path, facts: undefined }];
    try {
      return [{ node, path: entry.path, facts: (await this.#facts(entry)).facts }];
    } catch (error) {
      this.options.signal.throwIfAborted();
      log.warn(`${entry.path} cannot be read, and stays in the tree as it was`, error);
      return [];
    }
  }

  #refresh(files: readonly Refreshed[]): Promise<void> {
    return this.#inBatches(files, {
      write: async (objects, { node, facts }) => {
        const now = await objects.tx.node(node.id);
        if (now === undefined || now.properties['contentKey'] !== node.properties['contentKey']) return;
        const { version } = now.properties;
        const counted = { version: (typeof version === 'number' ? version : 0) + 1 };
        const isImage = this.context.schemas.schema.typeOf(now).hasTrait('Image');
        const outdated = isImage ? this.context.contents.outdated(now) : {};
        const other = facts === undefined ? {} : { ...outdated, ...facts, ...counted };
        const changes: PropertyChanges = { ...other, ...seenNow() };
        if (facts !== undefined) objects.stamp(changes, false);
        await objects.tx.updateNode(node.id, changes);
      },
      written: (together) => {
        this.counts.changed += together.filter(({ facts }) => facts !== undefined).length;
      },
      failed: ({ path }, error) => {
        log.warn(`${path} could not be brought in line`, error);
      },
    });
  }

  #inBatches<T>(items: readonly T[], how: Batching<T>): Promise<void> {
    return writeTogether(items, (work) => this.#write(work), this.options.signal, how);
  }

  /** Returns the folders that are new in the tree. */
  async #add(folder: string, entries: readonly Entry[]): Promise<GraphNode[]> {
    if (entries.length === 0) return [];
    const made: { entry: Entry; facts: PropertyChanges; contentType: string }[] = [];
    for (const entry of entries) {
      try {
        if (entry.isDirectory) made.push({ entry, facts: {}, contentType: '' });
        else {
          const { facts, head } = await this.#facts(entry);
          made.push({ entry, facts, contentType: await detectContentType(entry.name, '', head) });
        }
      } catch (error) {
        this.options.signal.throwIfAborted();
        log.warn(`${entry.path} cannot be read and is left out`, error);
      }
    }
    const folders: GraphNode[] = [];
    await this.#write(async (objects) => {
      const root = await objects.tx.node(this.mount.root);
      if (root === undefined || (await objects.tx.node(folder)) === undefined) return;
      for (const { entry, facts, contentType } of made) {
        const place = placeOf(folder, entry.name);
        // Somebody has put it into the tree, and it comes to the disk from there.
        if ((await childAt(objects.tx, objects.schema, folder, entry.name)) !== undefined) continue;
        const { name, isDirectory: isFolder } = entry;
        const found = { name, isFolder, contentType, facts: { ...facts, place, mountPlace: place } };
        const node = await createFound(objects, root, folder, found);
        if (node !== undefined && isFolder) folders.push(node);
        this.counts.added++;
      }
    });
    return folders;
  }

  #write(work: (objects: ObjectTransaction) => Promise<void>): Promise<void> {
    const { schemas } = this.context;
    return schemas.write(SYSTEM, ALLOW_ALL, byItself('mounted directory', this.context), work, {
      signal: this.options.signal,
    });
  }

  #report(): void {
    if (Date.now() - this.#reported < REPORT || this.context.config.get('log.directorywatchservice.scanquietly'))
      return;
    this.#reported = Date.now();
    log.info(`looking through ${this.mount.storage.target}: ${described(this.counts)} so far`);
  }
}

/** Whether the disk has the content that the tree knows. */
function isSame(node: GraphNode, { size, modified }: Entry): boolean {
  return sizeOf(node) === size && Math.abs(Number(node.properties['fileModificationDate'] ?? 0) - modified) <= 1;
}
