/** A storage as somebody has configured it, and what can be wrong with that. */
import type { ChangeKind, GraphEntity } from '../../graph/index.js';
import type { Schema, StorageProblem } from '../../schema/index.js';
import type { ArchiveFile } from './archive-file.js';
import type { MountParts } from './local/mount.js';
import type { Storage } from './storage.js';

/** A StorageConfiguration with its entries, decrypted. */
export interface StorageDefinition {
  /** Id of the configuration. */
  readonly id: string;
  readonly provider: string;
  /** Values by name; undefined: one that cannot be decrypted. */
  readonly entries: ReadonlyMap<string, string | undefined>;
}

/** Whether a node says which storages there are. */
export function isOfConfiguration(schema: Schema, node: Pick<GraphEntity, 'kind' | 'type'>): boolean {
  const type = schema.typeOf(node);
  return type.hasTrait('StorageConfiguration') || type.hasTrait('StorageConfigurationEntry');
}

/** Whether a change of this kind may concern content, where it lies, or which storages there are: a new object that is no file does not. */
export function mayConcernStorage(schema: Schema, kind: ChangeKind): boolean {
  if (kind.kind === 'relationship') return CONFIGURING.has(kind.relType ?? '');
  return kind.verb !== 'create' || schema.typeOf(kind).hasTrait('AbstractFile') || isOfConfiguration(schema, kind);
}

/** Relationships that say which storages there are, and for what. */
export const CONFIGURING: ReadonlySet<string> = new Set(['CONFIGURED_BY', 'CONFIG_ENTRY']);

/** What storages are made with. */
export interface StorageParts {
  /** The storage of this machine. */
  readonly local: Storage;
  /** Milliseconds that a storage elsewhere may be silent. */
  readonly timeout: () => number;
  readonly mounts: MountParts;
  /** The content of another file of the tree. Throws `FilesError` 422. */
  readonly openFile: (file: string) => Promise<ArchiveFile>;
}

/** Settings that configurations are checked against. */
export interface StorageLimits {
  /** Directories below which directories may be mounted. */
  readonly mountRoots: () => readonly string[];
}

/** One kind of storage. */
export interface StorageProvider {
  /** What is wrong with the entries. */
  problems(entries: StorageDefinition['entries'], limits: StorageLimits): StorageProblem[];
  /** Only for definitions without problems. */
  create(definition: StorageDefinition, parts: StorageParts): Storage | Promise<Storage>;
}

/** A problem with each of these entries that has no value. */
export function missing(entries: StorageDefinition['entries'], names: readonly string[]): StorageProblem[] {
  return names
    .filter((name) => !entries.has(name) || entries.get(name) === '')
    .map((entry) => ({ entry, token: 'must_not_be_empty', detail: `needs the entry ${entry}`, missing: true }));
}
