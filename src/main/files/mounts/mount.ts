import type { MountStorage } from '../storage/local/mount.js';

/** A directory that is mounted at a folder. */
export interface Mount {
  /** Id of the folder. */
  readonly root: string;
  readonly storage: MountStorage;
}
