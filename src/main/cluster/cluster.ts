/**
 * The instances that share a database, and the one among them that does what must be done once: the coordinator.
 * It holds a lease in the database that it renews with each heartbeat; when it dies the lease ends and another takes it.
 */
import type { Graph, MemberFacts, Membership } from '../graph/index.js';
import { logger } from '../../shared/log.js';

const log = logger('cluster');

/** Shares of the lease time: another takes over at most one heartbeat after the lease has ended. */
const LEASE = 0.7;
const HEARTBEAT = 0.2;
/** What members and notices leave behind is kept this long: whoever was away for less catches up by notices. */
const KEPT = 3_600_000;
const TIDY_INTERVAL = 60_000;

/** Work for the coordinator alone. The signal ends it when this instance is the coordinator no more. */
export type CoordinatorWork = (signal: AbortSignal) => void;

/** One instance as `/_cluster` shows it. */
export interface MemberState {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  readonly port: number;
  readonly version: string;
  readonly startedAt: string;
  readonly lastHeartbeat: string;
  /** Not silent for longer than the lease time. */
  readonly alive: boolean;
  readonly coordinator: boolean;
  /** The instance that answers. */
  readonly self: boolean;
}

export interface ClusterOptions {
  readonly facts: Omit<MemberFacts, 'port'>;
  /** `cluster.lease.time`, in milliseconds. */
  readonly leaseTime: number;
}

export class Cluster {
  readonly #membership: Membership | undefined;
  /** Where this instance listens; 0 until it does. */
  port = 0;
  /** With what ends each by itself. */
  readonly #works = new Map<CoordinatorWork, AbortController>();
  #term: AbortController | undefined;
  #ends: NodeJS.Timeout | undefined;
  #next: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();
  #reachable = true;
  #stopped = false;

  private constructor(
    graph: Graph,
    private readonly options: ClusterOptions,
  ) {
    this.#membership = graph.membership;
  }

  /** Joins; with a database of its own an instance is the coordinator at once and for ever. */
  static async start(graph: Graph, options: ClusterOptions): Promise<Cluster> {
    const cluster = new Cluster(graph, options);
    if (cluster.#membership === undefined) cluster.#term = new AbortController();
    else {
      await cluster.#beat();
      cluster.repeat(TIDY_INTERVAL, 'what members left behind could not be removed', () =>
        cluster.#membership?.tidy(KEPT),
      );
    }
    return cluster;
  }

  /** Whether other instances may use the same database. */
  get shared(): boolean {
    return this.#membership !== undefined;
  }

  get name(): string {
    return this.options.facts.name;
  }

  /** Whether this instance does now what must be done once. */
  get isCoordinator(): boolean {
    return this.#term !== undefined;
  }

  /** Has `work` called whenever this instance becomes the coordinator, now if it is. Returns what ends it for good. */
  onCoordinator(work: CoordinatorWork): () => void {
    const end = new AbortController();
    this.#works.set(work, end);
    if (this.#term !== undefined) this.#begin(work, AbortSignal.any([this.#term.signal, end.signal]));
    return () => {
      this.#works.delete(work);
      end.abort();
    };
  }

  /**
   * Has `work` done every `interval` milliseconds while this instance is the coordinator, once at a time. What goes wrong
   * is logged, beginning with `failure`, and tried again at the next turn.
   */
  repeat(interval: number, failure: string, work: () => void | Promise<unknown>): void {
    this.onCoordinator((signal) => {
      let running = false;
      const run = async (): Promise<void> => {
        if (running) return;
        running = true;
        try {
          await work();
        } catch (error) {
          log.warn(failure, error);
        }
        running = false;
      };
      const timer = setInterval(() => void run(), interval);
      timer.unref();
      signal.addEventListener('abort', () => {
        clearInterval(timer);
      });
    });
  }

  /** All members, this one included. Throws `GraphError` when the database is out of reach. */
  async members(): Promise<MemberState[]> {
    const { leaseTime } = this.options;
    const facts = this.#facts;
    const now = Date.now();
    const members = (await this.#membership?.members()) ?? [
      { ...facts, id: String(facts.pid), silentFor: 0, coordinator: true, self: true },
    ];
    return members.map((one) => ({
      id: one.id,
      name: one.name,
      host: one.host,
      pid: one.pid,
      port: one.port,
      version: one.version,
      startedAt: one.startedAt.toISOString(),
      lastHeartbeat: new Date(now - one.silentFor).toISOString(),
      alive: one.silentFor <= leaseTime,
      coordinator: one.coordinator,
      self: one.self,
    }));
  }

  /** Ends the coordinator's work and the heartbeat. The lease is given back when the graph is closed. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#next);
    this.#resign();
    await this.#beating;
  }

  get #facts(): MemberFacts {
    return { ...this.options.facts, port: this.port };
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#next = setTimeout(() => {
      this.#beating = this.#beat();
    }, this.options.leaseTime * HEARTBEAT);
    this.#next.unref();
  }

  async #beat(): Promise<void> {
    const lease = Math.round(this.options.leaseTime * LEASE);
    // By our own clock, from before the question was sent: our belief ends before the lease does.
    const sent = performance.now();
    try {
      const { ours, term } = (await this.#membership?.beat(this.#facts, lease)) ?? { ours: true, term: 1 };
      if (!this.#reachable) log.info('the database is back');
      this.#reachable = true;
      if (ours && !this.#stopped) this.#lead(term, lease - (performance.now() - sent));
      else this.#resign();
    } catch (error) {
      // Until its end the lease we have holds: nobody else can take it.
      if (this.#reachable) log.warn('the database cannot be reached; trying again with every heartbeat', error);
      this.#reachable = false;
    }
    this.#schedule();
  }

  #lead(term: number, milliseconds: number): void {
    clearTimeout(this.#ends);
    this.#ends = setTimeout(() => {
      log.warn('the coordinator lease ended before it could be renewed');
      this.#resign();
    }, milliseconds);
    this.#ends.unref();
    if (this.#term !== undefined) return;
    this.#term = new AbortController();
    log.info(`${this.name} is the coordinator (term ${String(term)})`);
    for (const [work, end] of this.#works) this.#begin(work, AbortSignal.any([this.#term.signal, end.signal]));
  }

  #begin(work: CoordinatorWork, signal: AbortSignal): void {
    try {
      work(signal);
    } catch (error) {
      log.error('work of the coordinator could not begin', error);
    }
  }

  #resign(): void {
    clearTimeout(this.#ends);
    this.#term?.abort();
    this.#term = undefined;
  }
}
