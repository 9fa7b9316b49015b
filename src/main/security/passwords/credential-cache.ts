import { hash, randomBytes } from 'node:crypto';
import type { Actor } from '../../schema/index.js';

/**
 * Remembers for seconds which name and password were right, as a hash under a key that never leaves the process,
 * so that a client which sends its password with every request is checked with argon2 only now and then. An entry ends
 * with its time, or when `forget` is told that its user has changed.
 */
export class CredentialCache {
  private readonly key = randomBytes(32).toString('base64');
  private readonly entries = new Map<string, { readonly actor: Actor; readonly until: number }>();

  /** Grows with everything that was forgotten. */
  generation = 0;

  constructor(
    /** `security.credentialcache.seconds`; 0 turns it off. */
    private readonly seconds: number,
    private readonly capacity = 10_000,
  ) {}

  /** The key of a pair; lengths are part of it, so that no two pairs share one. */
  keyOf(name: string, password: string): string {
    return hash('sha256', `${this.key}${String(name.length)}:${name}${password}`, 'base64');
  }

  get(key: string): Actor | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.until > Date.now()) return entry.actor;
    this.entries.delete(key);
    return undefined;
  }

  set(key: string, actor: Actor): void {
    if (this.seconds <= 0) return;
    if (this.entries.size >= this.capacity) {
      const oldest = this.entries.keys().next();
      if (oldest.done !== true) this.entries.delete(oldest.value);
    }
    this.entries.set(key, { actor, until: Date.now() + this.seconds * 1000 });
  }

  /** Ends all entries of a user. */
  forget(userId: string): void {
    this.generation++;
    for (const [key, entry] of this.entries) if (entry.actor.id === userId) this.entries.delete(key);
  }

  /** True when nothing is remembered; lets commits skip the search. */
  get empty(): boolean {
    return this.entries.size === 0;
  }

  clear(): void {
    this.generation++;
    this.entries.clear();
  }
}
