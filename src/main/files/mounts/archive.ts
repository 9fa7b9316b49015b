/** Entries of an archive become files of the tree, below the folder that it is mounted at. */
import type { GraphNode } from '../../graph/index.js';
import { contentTypeOf } from '../../../shared/content-type.js';
import { logger } from '../../../shared/log.js';
import { ALLOW_ALL, childAt, placeOf, SYSTEM } from '../../schema/index.js';
import type { FilesContext } from '../context.js';
import type { ArchiveEntry, ArchiveStorage } from '../storage/archive.js';
import { createFound, leaveTree } from './found.js';
import type { Mounting } from './mounting.js';
import { byItself } from '../writing.js';

const log = logger('files.mounts');

/** Entries of one transaction. */
const BATCH = 200;
/** Milliseconds between two lines in the log. */
const REPORT = 10_000;

export class MountedArchive implements Mounting {
  readonly #end = new AbortController();
  #work: Promise<void> = Promise.resolve();
  /** Somebody made the archive who is no administrator: what is in it is marked as his. */
  #marks = false;

  constructor(
    private readonly context: FilesContext,
    private readonly storage: ArchiveStorage,
    private readonly folder: GraphNode,
    readonly settings: string,
    /** Which archive, as it is now. */
    readonly target: string,
  ) {}

  get root(): string {
    return this.folder.id;
  }

  begin(): void {
    // The tree has had this very archive before a restart.
    if (this.folder.properties['mountTarget'] === this.target) return;
    this.#work = this.#show().catch((error: unknown) => {
      if (this.#end.signal.aborted) return;
      const text = error instanceof Error ? error.message : String(error);
      log.error(`file ${this.storage.archive} cannot be mounted at folder ${this.root}: ${text}`);
    });
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#work;
  }

  async #show(): Promise<void> {
    const { graph, schemas } = this.context;
    const entries = await this.storage.entries();
    this.#marks = (await graph.read((tx) => tx.node(this.storage.archive)))?.properties['sandboxed'] === true;
    await leaveTree(this.context, this.root);
    const folders = new Map<string, string>([['', this.root]]);
    let files = 0;
    let reported = Date.now();
    for (let at = 0; at < entries.length; at += BATCH) {
      this.#end.signal.throwIfAborted();
      files += await this.#add(entries.slice(at, at + BATCH), folders);
      if (Date.now() - reported < REPORT) continue;
      reported = Date.now();
      log.info(`mounting file ${this.storage.archive}: ${String(at + BATCH)} of ${String(entries.length)} entries`);
    }
    await schemas.write(SYSTEM, ALLOW_ALL, byItself('mounted archive', this.context), async ({ tx }) => {
      if ((await tx.node(this.root)) === undefined) return;
      await tx.updateNode(this.root, { mountTarget: this.target, mountLastScanned: Date.now() });
    });
    log.info(`file ${this.storage.archive} is mounted at folder ${this.root}: ${String(files)} files`);
  }

  /** Returns how many files there are in the tree now. `folders`: ids of those that are there, by path. */
  async #add(entries: readonly ArchiveEntry[], folders: Map<string, string>): Promise<number> {
    const { schemas } = this.context;
    const { signal } = this.#end;
    const made = new Map<string, string>();
    const files = await schemas.write(
      SYSTEM,
      ALLOW_ALL,
      byItself('mounted archive', this.context),
      async (objects) => {
        const root = await objects.tx.node(this.root);
        if (root === undefined) return 0;
        let count = 0;
        for (const entry of entries) {
          const above = entry.isFolder ? entry.names : entry.names.slice(0, -1);
          let folder: string | undefined = this.root;
          let path = '';
          for (const name of above) {
            path += `/${name}`;
            folder = folders.get(path) ?? made.get(path) ?? (await make(folder, name));
            if (folder === undefined) break;
            made.set(path, folder);
          }
          const name = entry.names.at(-1);
          if (folder === undefined || entry.isFolder || name === undefined) continue;
          const { size, crc32, modified, key } = entry;
          const contentKey = `${key}:${this.storage.name}`;
          const mark = this.#marks ? { sandboxed: true } : {};
          const facts = { size, crc32, contentKey, fileModificationDate: modified, ...mark };
          if ((await put(folder, name, false, facts)) !== undefined) count++;
        }
        return count;

        async function make(folder: string, name: string): Promise<string | undefined> {
          const there = await childAt(objects.tx, objects.schema, folder, name);
          if (there === undefined) return put(folder, name, true, {});
          return objects.schema.typeOf(there).hasTrait('Folder') ? there.id : undefined;
        }

        /** Undefined: something of this name is there already. */
        async function put(
          folder: string,
          name: string,
          isFolder: boolean,
          facts: Record<string, string | number | boolean>,
        ): Promise<string | undefined> {
          if (!isFolder && (await childAt(objects.tx, objects.schema, folder, name)) !== undefined) return undefined;
          const place = placeOf(folder, name);
          const contentType = isFolder ? '' : (contentTypeOf(name) ?? 'application/octet-stream');
          const found = { name, isFolder, contentType, facts: { ...facts, place, mountPlace: place } };
          return (await createFound(objects, root as GraphNode, folder, found))?.id;
        }
      },
      { signal },
    );
    for (const [path, id] of made) folders.set(path, id);
    return files;
  }
}
