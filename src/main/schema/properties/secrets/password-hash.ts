import { createHash, timingSafeEqual } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';

/** Hashes computed at the same time: each takes a core, and requests need the others. */
const CONCURRENCY = 2;
const MAX_WAITING = 1000;

/** More passwords wait to be hashed than the machine can deal with; the caller should be told to come back later. */
export class PasswordQueueFullError extends Error {
  override readonly name = 'PasswordQueueFullError';
  readonly code = 'busy';
  constructor() {
    super('Too many passwords are being checked at the moment.');
  }
}

/** Runs tasks a few at a time, first come, first served, and refuses more than it can line up. */
export class BoundedQueue {
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(
    readonly concurrency: number,
    readonly maxWaiting: number,
  ) {}

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running < this.concurrency) this.#running++;
    else await this.#turn();
    try {
      return await task();
    } finally {
      const [next] = this.#waiting;
      if (next === undefined) this.#running--;
      else {
        // The place is handed on, so that nobody who comes now gets in between.
        this.#waiting.delete(next);
        next();
      }
    }
  }

  #turn(): Promise<void> {
    if (this.#waiting.size >= this.maxWaiting) throw new PasswordQueueFullError();
    return new Promise((resolve) => this.#waiting.add(resolve));
  }
}

const queue = new BoundedQueue(CONCURRENCY, MAX_WAITING);

/** Costs beyond these come from no hash of ours, but could take the machine down. */
const MAX_MEMORY_KIB = 262_144;
const MAX_PASSES = 16;
const MAX_LANES = 16;

/** Argon2id hash of a password in PHC form, which carries its salt. Throws `PasswordQueueFullError`. */
export function hashPassword(text: string): Promise<string> {
  return queue.run(() => hash(text));
}

/**
 * True when `stored` is the hash of `text`: one of ours, or the reference's `hex(SHA-512(hex(SHA-512(text)) + salt))`
 * with the `salt` stored beside it (docs/interface/security.md 4.1). Anything else that is stored is the hash of nothing. Throws
 * `PasswordQueueFullError`.
 */
export async function verifyPassword(stored: string, text: string, salt = ''): Promise<boolean> {
  if (isOldHash(stored)) return matchesOldHash(stored, text, salt);
  if (!isAffordable(stored)) return false;
  return queue.run(() => verify(stored, text).catch(() => false));
}

/** True for a hash that should be replaced by one of ours when the password is known. */
export function isOldHash(stored: string): boolean {
  return /^[0-9a-f]{128}$/i.test(stored);
}

function matchesOldHash(stored: string, text: string, salt: string): boolean {
  const inner = sha512(text);
  return timingSafeEqual(Buffer.from(salt === '' ? inner : sha512(inner + salt)), Buffer.from(stored.toLowerCase()));
}

function sha512(text: string): string {
  return createHash('sha512').update(text).digest('hex');
}

const PHC = /^\$argon2(?:id|i|d)\$v=\d+\$m=(\d{1,10}),t=(\d{1,10}),p=(\d{1,3})\$/;

function isAffordable(stored: string): boolean {
  const match = PHC.exec(stored);
  if (match === null) return false;
  return Number(match[1]) <= MAX_MEMORY_KIB && Number(match[2]) <= MAX_PASSES && Number(match[3]) <= MAX_LANES;
}
