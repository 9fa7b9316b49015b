/** How the instances that share a database know of each other, and what they tell each other. */

/** What an instance says of itself. */
export interface MemberFacts {
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  readonly port: number;
  readonly version: string;
  readonly startedAt: Date;
}

/** An instance as the others see it. */
export interface Member extends MemberFacts {
  /** Identifies this run of the instance. */
  readonly id: string;
  /** Milliseconds since its last heartbeat, by the clock of the database. */
  readonly silentFor: number;
  readonly coordinator: boolean;
  readonly self: boolean;
}

/** Who runs what must run once. */
export interface Lease {
  readonly ours: boolean;
  /** Grows with each new coordinator. */
  readonly term: number;
}

/** How the instances that share a database know of each other. Throws `GraphError`. */
export interface Membership {
  /** This instance lives; it becomes or stays the coordinator, for `lease` milliseconds, when there is no other. */
  beat(facts: MemberFacts, lease: number): Promise<Lease>;
  members(): Promise<Member[]>;
  /** Removes what instances that have been silent for so many milliseconds left behind. */
  tidy(silentFor: number): Promise<void>;
  /** Gives the lease back and is no member any more. */
  leave(): Promise<void>;
}

/**
 * Moments in which no instance answers anybody, for a commit that is to be seen as a whole by who reads one thing after the other.
 */
export interface Stillness {
  /**
   * Asks the others for it, from within the transaction that is about to be committed. Resolves when they are at rest, or take too long; they answer again when they
   * know of its commit. What it answers is called when that will not come, or has.
   */
  ask(): Promise<() => void>;
  /** How this instance comes to rest when another one asks: `begin` resolves when it is, and what it answers ends that. */
  follow(begin: () => Promise<() => void>): void;
}

/**
 * Texts that instances on one database tell each other, which belong to no transaction. Each other instance that lives hears a text at most once, within
 * a second as a rule; those of one instance in the order in which they were sent. One that is cut off from the database for a minute misses what was sent then.
 */
export interface Messages {
  /** Sends in the background. What cannot be sent, because too much waits or the database is out of reach, is lost, with a line in the log. */
  send(text: string): void;
  /** Has `listener` hear what others send from now on; there is one. */
  hear(listener: (text: string) => void): void;
}
