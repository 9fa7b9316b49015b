/**
 * `StorageSyncService`: keeps mounted directories and the tree the same, and removes content that belongs to no file, on one
 * instance of all (docs/interface/files.md 9.4; contract, `configured.services`). Without it mounted directories are still read and written by
 * way of the tree, but nobody looks what others have changed in them.
 */
import type { Cluster } from '../cluster/index.js';
import type { Config } from '../config/index.js';
import type { Files } from '../files/index.js';
import { isConfigured } from './configured.js';

export class StorageSync {
  constructor(
    private readonly config: Config,
    private readonly files: Files,
  ) {}

  start(cluster: Cluster): void {
    if (isConfigured(this.config, 'StorageSyncService')) this.files.syncStorages(cluster);
  }
}
