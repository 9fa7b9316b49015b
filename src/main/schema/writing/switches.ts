/** What scripts turn off while they write (docs/interface/script-runtime.md 1.4): bulk imports, and values that are not written otherwise. */
export class WriteSwitches {
  /** What relationships take along when an object is deleted goes with it. */
  cascades = true;
  /** Ids that administrators give to new objects have the format of the settings. */
  checksIds = true;
  /** Two nodes have one relationship of a many-to-many type at most. */
  refusesDuplicates = true;
  /** Who listens is told of the commit (docs/interface/live.md 6). */
  notifies = true;
  /** Of encrypted properties and of `encrypt`, in the place of that of the settings. */
  encryptionKey: string | undefined;
  private readonly unlocked = new Map<string, { readonly system: boolean }>();

  /** The next write of this entity may change read-only properties; `system`: those that the service keeps as well. */
  unlock(id: string, system: boolean): void {
    this.unlocked.set(id, { system: system || this.unlocked.get(id)?.system === true });
  }

  unlockedFor(id: string | undefined): { readonly system: boolean } | undefined {
    return id === undefined ? undefined : this.unlocked.get(id);
  }

  /** The write has happened. */
  lock(id: string): void {
    this.unlocked.delete(id);
  }
}
