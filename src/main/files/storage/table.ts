/**
 * The storages in use: which one a file's new content goes to, by the configurations in the graph, and the one behind each
 * name that files keep of theirs.
 */
import type { Cache, ChangeKind, Graph, GraphNode, ReadTransaction } from '../../graph/index.js';
import { DEEPEST_TREE, folderOf, storageEntries, typesOf, upwards, type SchemaService } from '../../schema/index.js';
import { logger } from '../../../shared/log.js';
import { placeOfContent, sizeOf } from '../content/place.js';
import { FilesError } from '../errors.js';
import { ArchiveStorage } from './archive.js';
import type { ArchiveFile } from './archive-file.js';
import { isOfConfiguration, type StorageDefinition, type StorageLimits, type StorageParts } from './definition.js';
import type { MountedFile } from './local/mount.js';
import { problemsOf, providerOf } from './providers.js';
import type { Storage } from './storage.js';

const log = logger('files.storage');

const CONFIGURATION = 'StorageConfiguration';
const CONFIG_ENTRY = 'CONFIG_ENTRY';

/** Settings of storages. */
export interface StorageSettings extends Omit<StorageParts, 'mounts' | 'openFile'>, StorageLimits {
  readonly mounts: Omit<StorageParts['mounts'], 'fileAt'>;
}

/** Where in a mounted directory something lies. */
export interface MountedAt {
  /** Id of the folder that the directory is mounted at. */
  readonly root: string;
  readonly configuration: string;
  readonly names: readonly string[];
}

export interface MountOptions {
  /** `mountPlace` of folders that are not in the graph any more. */
  readonly gone?: ReadonlyMap<string, string>;
  /** `place`: where it is to be, once what happened in the tree has happened on the disk. */
  readonly key?: 'mountPlace' | 'place';
}

/** A storage as it was made; it goes on while its definition says the same. */
interface Made {
  readonly text: string;
  readonly storage: Storage;
}

export class Storages {
  /** By configuration. What is not here any more is made again when somebody asks. */
  #asked = new Map<string, Promise<Storage>>();
  /** Survives changes that concern others: a storage may hold content, or connections. */
  readonly #made = new Map<string, Made>();
  #any: Promise<boolean> | undefined;
  readonly #cache: Cache;
  private readonly parts: StorageParts;

  constructor(
    private readonly graph: Graph,
    private readonly schemas: SchemaService,
    private readonly settings: StorageSettings,
  ) {
    const fileAt = async (file: string): Promise<MountedFile | undefined> =>
      graph.read(async (tx) => {
        const node = await tx.node(file);
        if (node === undefined) return undefined;
        const found = [await this.mountOf(tx, node), await this.mountOf(tx, node, { key: 'place' })];
        return { key: placeOfContent(node).key, names: found.flatMap((at) => (at === undefined ? [] : [at.names])) };
      });
    const openFile = (file: string): Promise<ArchiveFile> => this.#openFile(file);
    this.parts = { ...settings, mounts: { ...settings.mounts, fileAt }, openFile };
    this.#cache = graph.caches.keep({
      name: 'files.storages',
      dependsOn: [CONFIGURATION, 'StorageConfigurationEntry', CONFIG_ENTRY, 'schema'],
      concerns: (kind) => this.#concerns(kind),
      changed: () => {
        this.#forget();
      },
    });
    // Other types may be configurations now.
    schemas.onChange(() => {
      this.#cache.outdated();
      this.#forget();
    });
  }

  /** The storage of this name, at once when it is this machine's. Throws `FilesError` for one that cannot be used. */
  get(name: string): Storage | Promise<Storage> {
    if (name === '') return this.parts.local;
    let storage = this.#asked.get(name);
    if (storage === undefined) {
      const asked = this.#asked;
      asked.set(name, (storage = this.#make(name)));
      // What failed is tried again: the graph may have been out of reach.
      storage.catch(() => asked.delete(name));
    }
    return storage;
  }

  /** Names of all storages that are configured, this machine's first. */
  async names(): Promise<string[]> {
    const configurations = await this.graph.read((tx) =>
      tx.find({ kind: 'nodes', trait: CONFIGURATION, ...typesOf(this.schemas.schema, CONFIGURATION) }),
    );
    return ['', ...configurations.map(({ id }) => id)];
  }

  /** Whether any storage is configured at all; without, everything lies on this machine. */
  anyConfigured(): Promise<boolean> {
    if (this.#any === undefined) {
      const any = this.#lookForAny();
      any.catch(() => {
        if (this.#any === any) this.#any = undefined;
      });
      this.#any = any;
    }
    return this.#any;
  }

  /**
   * Name of the storage for new content of a file, or of what is in a folder: its own configuration counts, else that of
   * the nearest folder above. Throws `FilesError` when that cannot be used; nothing goes elsewhere then.
   */
  async nameFor(tx: ReadTransaction, node: GraphNode | undefined): Promise<string> {
    if (node === undefined || !(await this.anyConfigured())) return '';
    return this.nameOf(await this.configurationOf(tx, node.id));
  }

  /** The same for content that is not any file's yet. */
  async nameOf(configuration: string | undefined): Promise<string> {
    if (configuration === undefined) return '';
    return (await this.get(configuration)) === this.parts.local ? '' : configuration;
  }

  /** Id of the configuration that counts for a file or folder. */
  async configurationOf(tx: ReadTransaction, id: string): Promise<string | undefined> {
    const reading = { tx, schema: this.schemas.schema };
    const chain = [id];
    for await (const folder of upwards(reading, await folderOf(reading, id))) chain.push(folder.id);
    return (await this.ownConfigurations(tx, chain)).find((one) => one !== undefined);
  }

  /**
   * The same for many files and folders: one question a level of the tree, whatever their number. `known` gets the answers for the
   * folders above them, for further calls within the same reading.
   */
  async configurationsOf(
    tx: ReadTransaction,
    ids: readonly string[],
    known = new Map<string, string | undefined>(),
  ): Promise<(string | undefined)[]> {
    const own = await this.ownConfigurations(tx, ids);
    const without = ids.filter((_, i) => own[i] === undefined);
    const step = { relType: 'CONTAINS', direction: 'in', ...typesOf(this.schemas.schema, 'Folder') } as const;
    const above = new Map<string, GraphNode | undefined>();
    const found = without.length === 0 ? [] : await tx.related(without, step, 1);
    for (const [i, id] of without.entries()) above.set(id, found[i]?.[0]);
    await this.#lookAtFolders(tx, [...above.values()], known);
    return ids.map((id, i) => own[i] ?? known.get(above.get(id)?.id ?? ''));
  }

  /** Makes `known` say what counts in these folders. */
  async #lookAtFolders(
    tx: ReadTransaction,
    folders: readonly (GraphNode | undefined)[],
    known: Map<string, string | undefined>,
  ): Promise<void> {
    /** The folder above each that was looked at and has no configuration itself. */
    const open = new Map<string, string | undefined>();
    let level = unique(folders);
    for (let depth = 0; depth < DEEPEST_TREE; depth++) {
      level = level.filter(({ id }) => !known.has(id) && !open.has(id));
      if (level.length === 0) break;
      const ids = level.map(({ id }) => id);
      const own = await this.ownConfigurations(tx, ids);
      const step = { relType: 'CONTAINS', direction: 'in', ...typesOf(this.schemas.schema, 'Folder') } as const;
      const above = (await tx.related(ids, step, 1)).map((found) => found[0]);
      for (const [i, { id, properties }] of level.entries()) {
        if (own[i] !== undefined) known.set(id, own[i]);
        else open.set(id, properties['hasParent'] === false ? undefined : above[i]?.id);
      }
      level = unique(above);
    }
    for (const id of open.keys()) {
      const way: string[] = [];
      let at: string | undefined = id;
      for (; at !== undefined && !known.has(at) && way.length < DEEPEST_TREE; at = open.get(at)) way.push(at);
      for (const one of way) known.set(one, at === undefined ? undefined : known.get(at));
    }
  }

  /** Ids of the configurations that these files and folders have themselves. */
  async ownConfigurations(tx: ReadTransaction, ids: readonly string[]): Promise<(string | undefined)[]> {
    const step = {
      relType: 'CONFIGURED_BY',
      direction: 'out',
      ...typesOf(this.schemas.schema, CONFIGURATION),
    } as const;
    return (await tx.related(ids, step, 1)).map((found) => found[0]?.id);
  }

  /** Where the disk has a file or folder of a mounted directory, or is to have it; undefined: nowhere. */
  async mountOf(
    tx: ReadTransaction,
    node: Pick<GraphNode, 'id' | 'properties'> | undefined,
    { gone, key = 'mountPlace' }: MountOptions = {},
  ): Promise<MountedAt | undefined> {
    const names: string[] = [];
    let place = node?.properties[key];
    while (typeof place === 'string' && names.length < DEEPEST_TREE) {
      const slash = place.indexOf('/');
      const root = place.slice(0, slash);
      names.unshift(place.slice(slash + 1));
      const [configuration] = await this.ownConfigurations(tx, [root]);
      if (configuration !== undefined) return { root, configuration, names };
      place = (await tx.node(root))?.properties[key] ?? gone?.get(root);
    }
    return undefined;
  }

  /** After the last use. */
  close(): void {
    for (const { storage } of this.#made.values()) storage.close?.();
    this.#made.clear();
  }

  async #make(id: string): Promise<Storage> {
    // Of now: what is made by an older one would take the place of what a newer one has made.
    const definition = await this.#cache.current(
      () => this.#definition(id),
      () => undefined,
    );
    // Entries in the order of their names: the graph's may change.
    const text = JSON.stringify([definition.provider, [...definition.entries].sort(([a], [b]) => (a < b ? -1 : 1))]);
    const known = this.#made.get(id);
    if (known?.text === text) return known.storage;
    const provider = providerOf(definition);
    const problem =
      provider === undefined
        ? `there is no provider ${definition.provider}`
        : problemsOf(definition, this.settings)[0]?.detail;
    if (provider === undefined || problem !== undefined) {
      log.error(`storage configuration ${id} cannot be used: ${problem ?? ''}`);
      throw new FilesError(500, `The storage that is configured here cannot be used: ${problem ?? ''}.`);
    }
    const storage = await provider.create(definition, this.parts);
    if (this.#made.get(id) !== known) {
      storage.close?.();
      return this.#make(id);
    }
    if (known !== undefined) known.storage.close?.();
    this.#made.set(id, { text, storage });
    return storage;
  }

  #definition(id: string): Promise<StorageDefinition> {
    const { schema } = this.schemas;
    return this.graph.read(async (tx) => {
      const node = await tx.node(id);
      if (node === undefined || !schema.typeOf(node).hasTrait(CONFIGURATION)) {
        throw new FilesError(500, 'The storage of this file is not configured any more.');
      }
      const { provider } = node.properties;
      const entries = await storageEntries(tx, schema, id);
      return { id, provider: typeof provider === 'string' ? provider : '', entries };
    });
  }

  async #openFile(file: string): Promise<ArchiveFile> {
    const node = await this.graph.read((tx) => tx.node(file));
    if (node === undefined || !this.schemas.schema.typeOf(node).hasTrait('File')) {
      throw new FilesError(422, `There is no file with UUID ${file} that could be an archive.`);
    }
    const place = placeOfContent(node);
    const storage = await this.get(place.store);
    // It might be its own.
    if (storage instanceof ArchiveStorage) throw new FilesError(422, 'An archive in an archive cannot be mounted.');
    const size = sizeOf(node);
    return {
      version: `${place.key}:${place.store}-${String(size)}`,
      size,
      read: (range, signal) => storage.read(place, range, signal),
    };
  }

  async #lookForAny(): Promise<boolean> {
    const found = await this.graph.read((tx) =>
      tx.find({ kind: 'nodes', trait: CONFIGURATION, ...typesOf(this.schemas.schema, CONFIGURATION), limit: 1 }),
    );
    return found.length > 0;
  }

  #concerns(change: ChangeKind): boolean {
    if (change.kind === 'relationship') return change.relType === CONFIG_ENTRY;
    // One that was a configuration before says so only by the change of its type.
    return change.key === 'type' || isOfConfiguration(this.schemas.schema, change);
  }

  #forget(): void {
    this.#asked = new Map();
    this.#any = undefined;
  }
}

function unique(nodes: readonly (GraphNode | undefined)[]): GraphNode[] {
  return [...new Map(nodes.filter((node) => node !== undefined).map((node) => [node.id, node])).values()];
}
