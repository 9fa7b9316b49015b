/**
 * Where the files of an upload will most likely go, as far as the fields that have come so far tell: which storage their content
 * is put into, and which checksums are computed as it arrives. Whether the actor may is not asked.
 */
import type { GraphNode } from '../../graph/index.js';
import { namesTo, type Actor, type Reading } from '../../schema/index.js';
import type { ChecksumName } from '../content/checksums.js';
import type { FilesContext } from '../context.js';
import { idField, PARENTS, type Fields } from './upload-fields.js';
import { checksumsOf, likelyFolder } from './upload-target.js';

/** Where to store content, and what to call it there. */
export interface StoreOfUpload {
  readonly store: string;
  readonly path?: string;
}

interface Target {
  readonly checksums: readonly ChecksumName[];
  /** Name of the storage. Throws `FilesError` for one that cannot be used. */
  readonly store: () => string;
  /** Names of the folder and of those above it; empty for the storage of this machine, which keeps no paths. */
  readonly names: readonly string[];
}

/** Fields that it depends on. */
const ABOUT = [...PARENTS, 'uploadFolderPath', 'storageConfiguration'];

/** Looked up once for the same fields, however many files there are. */
export class LikelyTarget {
  #target: Promise<Target> | undefined;
  #of = '';

  constructor(
    private readonly context: FilesContext,
    private readonly actor: Actor,
    private readonly fields: Fields,
  ) {}

  /** The checksums that files will get. */
  async checksums(): Promise<readonly ChecksumName[]> {
    return (await this.#now()).checksums;
  }

  /** The storage for a file of this name. Throws `FilesError` when it cannot be used. */
  async store(filename: string): Promise<StoreOfUpload> {
    const { store, names } = await this.#now();
    const name = store();
    if (name === '') return { store: name };
    return { store: name, path: `/${[...names, this.fields.get('name') ?? filename].join('/')}` };
  }

  #now(): Promise<Target> {
    const of = JSON.stringify(ABOUT.map((name) => this.fields.get(name)));
    if (this.#target === undefined || this.#of !== of) {
      this.#of = of;
      this.#target = this.#look();
      // Who asks is told; nobody might ask before the request ends.
      this.#target.catch(() => undefined);
    }
    return this.#target;
  }

  async #look(): Promise<Target> {
    const { config, graph, schemas, storages } = this.context;
    const anyConfigured = await storages.anyConfigured();
    return graph.read(async (tx) => {
      const reading = { tx, schema: schemas.schema };
      const folder = await likelyFolder(reading, config, this.actor, this.fields);
      const checksums = await checksumsOf(reading, config, folder);
      if (!anyConfigured) return { checksums, store: () => '', names: [] };
      try {
        const store = await this.#storeIn(reading, folder);
        return { checksums, store: () => store, names: store === '' ? [] : await namesTo(reading, folder) };
      } catch (error) {
        const store = (): never => {
          throw error;
        };
        return { checksums, store, names: [] };
      }
    });
  }

  async #storeIn({ tx }: Reading, folder: GraphNode | undefined): Promise<string> {
    const { storages } = this.context;
    // Whether it may be linked, and is there, is seen when the file is created.
    const own = this.actor.isAdmin ? await idField(this.fields, 'storageConfiguration') : undefined;
    const counts = own !== undefined && (await tx.node(own)) !== undefined;
    return counts ? storages.nameOf(own) : storages.nameFor(tx, folder);
  }
}
