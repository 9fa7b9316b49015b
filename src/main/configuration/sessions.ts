/** Logins to the Configuration Interface. They are kept in memory: a restart ends them, and they mean nothing elsewhere. */
import { createHash, randomBytes } from 'node:crypto';

/** Milliseconds without a request after which one ends, and the longest. */
const IDLE = 30 * 60_000;
const LONGEST = 8 * 3_600_000;
const MOST = 100;

/** One login as it is shown. */
export interface SessionInfo {
  /** Not its secret. */
  readonly id: string;
  readonly since: string;
  readonly lastSeen: string;
  readonly address: string;
  readonly agent: string;
  /** The one that asks. */
  readonly own: boolean;
}

interface Session {
  readonly id: string;
  readonly since: number;
  readonly address: string;
  readonly agent: string;
  lastSeen: number;
}

/** Longest part of a browser's name that is kept. */
const AGENT = 200;

export class ConfigSessions {
  /** By the hash of the secret, so that a look into the memory of the process tells none. */
  readonly #sessions = new Map<string, Session>();
  /** Of whom what happens now is the doing; empty: of nobody who is logged in. */
  #acting = '';

  /** Begins one; its secret. Of too many the one that was seen longest ago ends. */
  begin(address: string, agent: string, now = Date.now()): string {
    this.#sweep(now);
    if (this.#sessions.size >= MOST) {
      const [oldest] = [...this.#sessions].sort(([, a], [, b]) => a.lastSeen - b.lastSeen);
      if (oldest !== undefined) this.#sessions.delete(oldest[0]);
    }
    const secret = randomBytes(24).toString('base64url');
    const session = {
      id: randomBytes(8).toString('hex'),
      since: now,
      lastSeen: now,
      address,
      agent: agent.slice(0, AGENT),
    };
    this.#sessions.set(hash(secret), session);
    return secret;
  }

  /** Whether the secret is that of a session; it counts as seen. */
  holds(secret: string, now = Date.now()): boolean {
    this.#sweep(now);
    const session = this.#sessions.get(hash(secret));
    if (session !== undefined) session.lastSeen = now;
    return session !== undefined;
  }

  end(secret: string): void {
    this.#sessions.delete(hash(secret));
  }

  /** Ends the one of this id; false: there is none. */
  endById(id: string): boolean {
    for (const [key, session] of this.#sessions) if (session.id === id) return this.#sessions.delete(key);
    return false;
  }

  /** Does something that ends before it returns, as the doing of the session with this secret. */
  actingAs(secret: string, work: () => void): void {
    this.#acting = hash(secret);
    try {
      work();
    } finally {
      this.#acting = '';
    }
  }

  /** The password has changed: all end but the one whose doing that is. */
  passwordChanged(): void {
    for (const key of [...this.#sessions.keys()]) if (key !== this.#acting) this.#sessions.delete(key);
  }

  list(secret: string, now = Date.now()): readonly SessionInfo[] {
    this.#sweep(now);
    const own = hash(secret);
    return [...this.#sessions].map(([key, { id, since, lastSeen, address, agent }]) => ({
      id,
      since: new Date(since).toISOString(),
      lastSeen: new Date(lastSeen).toISOString(),
      address,
      agent,
      own: key === own,
    }));
  }

  #sweep(now: number): void {
    for (const [key, { since, lastSeen }] of this.#sessions)
      if (now - lastSeen > IDLE || now - since > LONGEST) this.#sessions.delete(key);
  }
}

function hash(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}
