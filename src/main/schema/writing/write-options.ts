import type { Door, Origin } from '../../graph/index.js';
import type { PasswordPolicy, StoragePolicy, InsertionPosition } from './policies.js';
import type { Actor } from '../model/actor.js';
import type { InputContents } from './contents.js';
import type { WriteSwitches } from './switches.js';

/** What becomes of keys that a type does not know. */
export type UnknownKeys = 'accept' | 'accept_warn' | 'ignore' | 'ignore_warn' | 'reject' | 'reject_warn';

/** Settings and request headers that change how objects are written. */
export interface WriteOptions {
  /** Through which door the writes come, for those who hear of their commit. */
  readonly door: Door;
  /** What for, as in `Origin`. */
  readonly reason?: string | undefined;
  /** `jsonrestservlet.unknowninput.validation.mode` */
  readonly unknownKeys: UnknownKeys;
  /** `application.uuid.allowedformats` as a pattern. */
  readonly idPattern: RegExp;
  /** `application.uuid.createcompact` */
  readonly compactIds: boolean;
  /** `application.email.validation.regex` */
  readonly emailPattern: RegExp;
  /** `security.passwordpolicy.*`; absent for what the service itself writes. */
  readonly passwords?: PasswordPolicy;
  /** Header `Svc-Force-Merge-Of-Nested-Properties`: add to collections instead of replacing them. */
  readonly mergeNested?: boolean;
  /** What files and folders are called that would have the name of another (docs/interface/files.md 2); absent: that is no matter. */
  readonly uniquePaths?: InsertionPosition;
  /** Bytes that the name of a file or folder may have, in UTF-8 (`application.filesystem.names.maxbytes`); absent: 255. */
  readonly longestFileName?: number;
  /** `application.filesystem.enabled`: every user has a folder. */
  readonly homeDirectories?: boolean;
  /** Content of files that was stored for the inputs of this transaction. */
  readonly contents?: Pick<InputContents, 'get'>;
  /** What storages may be configured; absent: that is not checked. */
  readonly storages?: StoragePolicy;
  /** `security.administration.byusers`: others than administrators write what runs or counts with others' rights. */
  readonly usersDecide?: boolean;
  /** What scripts turn off; absent: nothing. */
  readonly switches?: WriteSwitches;
  /** Header `Svc-Cascading-Delete: disabled`. */
  readonly noCascade?: boolean;
}

/** Who sets off what is written so; what the service does by itself it does with everybody's rights, and for nobody. */
export function originOf({ door, reason, switches }: WriteOptions, actor: Actor | undefined): Origin {
  const known = { door, reason, ...(switches?.notifies === false ? { isSilent: true } : {}) };
  if (door === 'system' || actor?.id === undefined) return known;
  return { ...known, userId: actor.id, userName: actor.name };
}
