/** What settings ask of passwords, storages and names of files that are written. */

/** `security.passwordpolicy.complexity.*` */
export interface PasswordComplexity {
  readonly minLength: number;
  readonly upperCase: boolean;
  readonly lowerCase: boolean;
  readonly digits: boolean;
  readonly nonAlphanumeric: boolean;
}

export interface PasswordPolicy {
  /** Undefined: any password will do. */
  readonly complexity: PasswordComplexity | undefined;
  /** Sessions and refresh tokens end when the password changes. */
  readonly clearSessions: boolean;
}

/** What is wrong with an entry of a configuration. */
export interface StorageProblem {
  /** Name of the entry. */
  readonly entry: string;
  readonly token: string;
  readonly detail: string;
  /** The entry is not there (yet): no matter while nothing uses the configuration. */
  readonly missing?: boolean;
}

/** The kinds of storage there are; the files room knows them. */
export interface StoragePolicy {
  readonly providers: readonly string[];
  problems(provider: string, entries: ReadonlyMap<string, string | undefined>): readonly StorageProblem[];
}

/** Where the time goes that makes a name unlike another (`application.filesystem.unique.insertionposition`). */
export type InsertionPosition = 'beforeextension' | 'start' | 'end';
