/**
 * `StorageSyncService`: keeps mounted directories and the tree the same, and removes content that belongs to no file, on one
 * instance of all (docs/interface/files.md 9.4; contract, `configured.services`). Without it mounted directories are still read and written by
 * way of the tree, but nobody looks what others have changed in them.
 */
import type { Cluster } from '../cluster/index.js';
import type { Files } from '../files/index.js';
import type { Running } from './service.js';

export class StorageSync implements Running {
  #end: (() => void) | undefined;

  constructor(
    private readonly files: Files,
    private readonly cluster: Cluster,
  ) {}

  start(): void {
    this.#end = this.files.syncStorages(this.cluster);
  }

  stop(): void {
    this.#end?.();
  }
}
