/**
 * The kinds of storage that can be configured, by the names that existing clients use for them (docs/interface/files.md 9.2). A new kind
 * is one file and one line here.
 */
import type { Config } from '../../config/index.js';
import type { StoragePolicy, StorageProblem } from '../../schema/index.js';
import { directoriesIn } from '../server-folders/directory-list.js';
import { archiveProvider } from './archive.js';
import type { StorageDefinition, StorageLimits, StorageProvider } from './definition.js';
import { localProvider } from './local/local-provider.js';
import { memoryProvider } from './memory.js';
import { s3Provider } from './s3/s3.js';

const PREFIX = 'org.svc.storage.providers.';

const providers: ReadonlyMap<string, StorageProvider> = new Map([
  [`${PREFIX}archive.ZipArchiveStorageProvider`, archiveProvider],
  [`${PREFIX}local.LocalFSStorageProvider`, localProvider],
  [`${PREFIX}memory.InMemoryStorageProvider`, memoryProvider],
  [`${PREFIX}s3.GenericS3BucketStorageProvider`, s3Provider],
]);

/** The kind of storage that a configuration names; undefined: there is none. */
export function providerOf({ provider }: Pick<StorageDefinition, 'provider'>): StorageProvider | undefined {
  return providers.get(provider);
}

/** Settings that configurations are checked against. */
export function storageLimits(config: Config): StorageLimits {
  return {
    mountRoots: () => directoriesIn(config.get('application.filesystem.mount.roots')),
  };
}

/** What may be configured, as the rules of objects ask. */
export function storagePolicy(config: Config): StoragePolicy {
  const limits = storageLimits(config);
  return {
    providers: [...providers.keys()],
    problems: (provider, entries) => problemsOf({ provider, entries }, limits),
  };
}

/** What is wrong with a configuration whose provider there is. */
export function problemsOf(
  { provider, entries }: Pick<StorageDefinition, 'provider' | 'entries'>,
  limits: StorageLimits,
): StorageProblem[] {
  const unreadable = [...entries].filter(([, value]) => value === undefined);
  if (unreadable.length === 0) return providers.get(provider)?.problems(entries, limits) ?? [];
  return unreadable.map(([entry]) => ({
    entry,
    token: 'must_match',
    detail: `cannot decrypt the entry ${entry} with application.encryption.secret as it is now`,
  }));
}
