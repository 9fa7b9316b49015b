/**
 * Who listens, and rounds that tell them what was committed (docs/design/live.md, docs/interface/live.md). Events of scripts go past
 * the rounds, to the streams that are open now.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangeNotice, Graph } from '../graph/index.js';
import { HttpError } from '../http/index.js';
import { askerNow, type Asker } from '../request/index.js';
import type { Actor, SchemaService } from '../schema/index.js';
import { AccessError, type Security } from '../security/index.js';
import { logger } from '../../shared/log.js';
import { TimeSlice } from '../../shared/time-slice.js';
import { Audience, type KnownBudget } from './audience.js';
import { ownEvent, Told, type LiveEvent } from './frames.js';
import { History } from './history.js';
import { type LiveStream } from './stream.js';
import { Touched, type Round } from './touched.js';
import type { Watched } from './watched.js';

const log = logger('live');

/** Milliseconds between signs of life, after which it is also looked at who listens. */
const BEAT = 10_000;
/** Milliseconds that an audience is kept for those who come back. */
const KEPT_EMPTY = 60_000;
/** Addresses that the streams of one user, or of nobody, may have together: each is asked about with every round. */
const MOST_OF_USER = 1000;
/** Milliseconds of a round that nobody minds, how many times as long as the others took the next one waits, and for how many milliseconds at most. */
const SHORT = 2;
const RESTS = 3;
const LONGEST_PAUSE = 250;
/** Milliseconds that a commit is waited for that a client was told of by another instance. */
const PATIENCE = 2000;

export interface LiveParts {
  readonly graph: Graph;
  readonly schemas: SchemaService;
  readonly security: Security;
  /** Somebody may listen (`httpservice.servlets`). */
  readonly isActive: boolean;
  /** Ids that subscriptions may know, together and each; see `Audience`. */
  readonly known: { readonly most: number; readonly each: number };
}

/** A stream with all that it listens to. */
interface Listener {
  readonly stream: LiveStream;
  readonly audiences: readonly Audience[];
  /** Who listens, looked at anew; rejects when they may not any more. */
  readonly again: () => Promise<Actor>;
}

/** Who gets an event: users and members of groups by their ids, administrators, or all of a kind. Other instances are told of it as text. */
export type Recipients =
  | { readonly ids: readonly string[]; readonly administrators?: boolean }
  | { readonly authenticated: boolean; readonly anonymous: boolean };

export class Live {
  readonly #listeners = new Map<LiveStream, Listener>();
  readonly #audiences = new Map<string, Audience>();
  readonly #touched = new Touched();
  readonly #history: History;
  readonly #budget: KnownBudget;
  readonly #beat: NodeJS.Timeout;
  #running: Promise<void> | undefined;
  #generation: number;
  #stopped = false;

  constructor(private readonly parts: LiveParts) {
    this.#budget = { used: 0, ...parts.known };
    this.#generation = parts.security.generation;
    this.#history = new History(parts.graph.commitNumber);
    if (parts.isActive) this.#follow();
    this.#beat = setInterval(() => {
      void this.#heartbeat();
    }, BEAT);
    this.#beat.unref();
  }

  #follow(): void {
    this.parts.graph.messages?.hear((text) => {
      const [name, data, recipients] = JSON.parse(text) as [string, string, Recipients];
      this.#send(name, data, recipients);
    });
    this.parts.graph.caches.keep({
      name: 'live.audiences',
      dependsOn: ['all types'],
      // What they know is brought up to date by rounds, not forgotten.
      isState: true,
      concerns: () => true,
      changed: ({ number, changes }, commit) => {
        if (commit?.origin.isSilent === true) return;
        this.#history.add(number, changes);
        if (this.#audiences.size === 0) return;
        this.#touched.add(number, changes);
        this.#run();
      },
    });
  }

  /** Somebody may hear what is sent, here or at another instance. */
  get isHeard(): boolean {
    const { isActive, graph } = this.parts;
    return isActive && (this.#listeners.size > 0 || graph.messages !== undefined);
  }

  /** Streams that are open. */
  get count(): number {
    return this.#listeners.size;
  }

  /**
   * Has a stream listen to what is `watched`. `lastId`: the last that it has got before, when it comes back. Events that come meanwhile
   * wait. `open` answers nothing when its client is gone. Throws what reading throws.
   */
  async listen(
    open: () => LiveStream | undefined,
    asker: Asker,
    watched: readonly Watched[],
    again: () => Promise<Actor>,
    lastId: number | undefined,
  ): Promise<void> {
    const audiences: Audience[] = [];
    const isReached = lastId === undefined || (await this.#reached(lastId));
    // Behind the round that is on its way, and what waits for the next one: a stream's first number is that of the last commit that all others were told of.
    await this.#alone(async () => {
      if (!this.#touched.isEmpty) await this.#round(this.#touched.take());
      const number = this.parts.graph.commitNumber;
      const changes = lastId === undefined ? undefined : this.#since(lastId);
      let missed: readonly LiveEvent[] | undefined = isReached ? [] : undefined;
      for (const one of watched) {
        const { audience, isNew } = await this.#audience(one, asker, number, audiences);
        audiences.push(audience);
        if (lastId === undefined || missed === undefined) continue;
        const since = isNew ? undefined : audience.since(lastId);
        const found = since ?? (changes === undefined ? undefined : await audience.missed(changes, asker));
        missed = found === undefined ? undefined : [...missed, ...found];
      }
      if (this.#stopped) return;
      const stream = open();
      if (stream === undefined) return;
      for (const audience of audiences) {
        audience.streams.add(stream);
        audience.emptySince = undefined;
      }
      this.#listeners.set(stream, { stream, audiences, again });
      if (watched.length === 0) return;
      const ready = ownEvent('ready', JSON.stringify({ commit: number }));
      const before = lastId === undefined ? [] : (missed ?? [ownEvent('reload', '{}')]);
      stream.write(new Told([...before, ready], number), Infinity);
    });
  }

  /** Whether this instance has heard of that commit, or hears of it right now. */
  async #reached(number: number): Promise<boolean> {
    const { graph } = this.parts;
    if (number <= graph.commitNumber) return true;
    // Without other instances nobody has told of it.
    if (graph.membership === undefined) return false;
    return graph.reached(number, { timeout: PATIENCE }).then(
      () => true,
      () => false,
    );
  }

  /** What was committed behind a number, as far as it is known here and what users may read has stayed the same. */
  #since(number: number): readonly ChangeNotice[] | undefined {
    const changes = this.#history.since(number);
    return changes?.some((change) => this.parts.security.decidesRights(change)) === true ? undefined : changes;
  }

  /** A stream has ended. */
  left(stream: LiveStream): void {
    for (const audience of this.#listeners.get(stream)?.audiences ?? []) {
      audience.streams.delete(stream);
      if (audience.streams.size === 0) audience.emptySince = performance.now();
    }
    this.#listeners.delete(stream);
  }

  /** Sends an event at once, by way of the database to streams of other instances; how many streams of this one got it. */
  send(name: string, data: string, recipients: Recipients): number {
    this.parts.graph.messages?.send(JSON.stringify([name, data, recipients]));
    return this.#send(name, data, recipients);
  }

  #send(name: string, data: string, recipients: Recipients): number {
    const told = new Told([{ name, data, isOwn: false }]);
    let count = 0;
    for (const stream of this.#listeners.keys()) {
      const { id, groups, isAdmin } = stream.actor;
      const gets =
        'ids' in recipients
          ? (recipients.administrators === true && isAdmin) ||
            recipients.ids.some((one) => one === id || groups.includes(one))
          : id === undefined
            ? recipients.anonymous
            : recipients.authenticated;
      if (!gets) continue;
      stream.write(told);
      count++;
    }
    return count;
  }

  /** Ends all streams: their clients come back by themselves, to who serves then. */
  stop(): void {
    this.#stopped = true;
    clearInterval(this.#beat);
    this.endStreams();
  }

  /** Ends those that are open now, as when their clients have to find another door. */
  endStreams(): void {
    for (const stream of [...this.#listeners.keys()]) stream.end('going');
  }

  async #audience(
    watched: Watched,
    asker: Asker,
    number: number,
    taken: readonly Audience[],
  ): Promise<{ readonly audience: Audience; readonly isNew: boolean }> {
    const key = `${asker.actor.id ?? ''}\n${watched.address}`;
    const known = this.#audiences.get(key);
    if (known !== undefined) return { audience: known, isNew: false };
    this.#makeRoom(asker.actor.id, taken);
    const audience = new Audience(watched, asker.actor, this.#budget);
    // Before it reads: what is committed meanwhile belongs to its first round.
    this.#audiences.set(key, audience);
    audience.emptySince = performance.now();
    try {
      await audience.begin(asker, number);
    } catch (error) {
      this.#remove(key, audience);
      throw error;
    }
    return { audience, isNew: true };
  }

  /** One that is kept for who may come back gives way. Throws `HttpError` 503 when all that a user may have are listened to. */
  #makeRoom(userId: string | undefined, taken: readonly Audience[]): void {
    const own = [...this.#audiences].filter(([, { actor }]) => actor.id === userId);
    if (own.length < MOST_OF_USER) return;
    const empty = own.find(([, one]) => one.streams.size === 0 && !taken.includes(one));
    if (empty === undefined)
      throw new HttpError(503, 'Too many different subscriptions of this user are open.', { 'Retry-After': '60' });
    this.#remove(...empty);
  }

  #remove(key: string, audience: Audience): void {
    audience.forget();
    this.#audiences.delete(key);
  }

  /** Runs `work` behind what is being done. */
  #alone(work: () => Promise<void>): Promise<void> {
    const before = this.#running ?? Promise.resolve();
    const next = before.then(work);
    const settled = next.catch(() => undefined);
    this.#running = settled;
    void settled.then(() => {
      if (this.#running !== settled) return;
      this.#running = undefined;
      this.#run();
    });
    return next;
  }

  #run(): void {
    if (this.#running !== undefined || this.#touched.isEmpty || this.#stopped) return;
    void this.#alone(async () => {
      const since = performance.now();
      await this.#round(this.#touched.take());
      // However many listen, others have most of the time; what is committed meanwhile is one round.
      const took = performance.now() - since;
      if (took > SHORT) await sleep(Math.min(took * RESTS, LONGEST_PAUSE));
    });
  }

  async #round(round: Round): Promise<void> {
    await this.parts.graph.reached(round.number);
    if (this.parts.security.generation !== this.#generation) await this.#lookAgain();
    const told = new Map<Audience, Told>();
    for (const [key, audience] of [...this.#audiences]) {
      const events = await this.#tell(key, audience, round);
      if (events.length > 0) told.set(audience, new Told(events, round.number));
    }
    if (told.size === 0) return;
    const slice = new TimeSlice();
    for (const { stream, audiences } of [...this.#listeners.values()]) {
      const own = audiences.flatMap((audience) => told.get(audience) ?? []);
      const [first, ...more] = own;
      // Most have one address: all of them share its bytes.
      if (first !== undefined)
        stream.write(
          more.length === 0
            ? first
            : new Told(
                own.flatMap(({ events }) => events),
                round.number,
              ),
        );
      if (slice.due) await slice.pause();
    }
  }

  /** Events for an audience; one that may not listen any more is let go. */
  async #tell(key: string, audience: Audience, round: Round): Promise<readonly LiveEvent[]> {
    try {
      const asker = await this.#askerOf(audience);
      if (asker !== undefined) return await audience.round(round, asker);
    } catch (error) {
      if (!(error instanceof AccessError))
        log.warn(`${audience.watched.address} is not followed any more: ${String(error)}`);
    }
    for (const stream of [...audience.streams]) stream.end('refused');
    this.#remove(key, audience);
    return [];
  }

  /** Undefined: the user is gone or blocked. Throws `AccessError` when the permission is. */
  async #askerOf({ watched, actor }: Audience): Promise<Asker | undefined> {
    const { security, schemas } = this.parts;
    const asker = await askerNow(security, actor);
    if (asker !== undefined)
      await security.resourceAccess.check(asker.actor, watched.signature(schemas.schema), 'GET', watched.path);
    return asker;
  }

  /** Looks at all who listen: those whose login has ended are let go. */
  async #lookAgain(): Promise<void> {
    this.#generation = this.parts.security.generation;
    for (const { stream, again } of [...this.#listeners.values()]) {
      try {
        const actor = await again();
        // Audiences are by user: one that is another now comes back as that one.
        if (actor.id !== stream.actor.id) stream.end('refused');
        else stream.actor = actor;
      } catch (error) {
        if (!(error instanceof AccessError)) log.warn('a stream has ended', error);
        stream.end('refused');
      }
    }
  }

  async #heartbeat(): Promise<void> {
    await this.#alone(() => this.#lookAgain());
    const slice = new TimeSlice();
    for (const stream of [...this.#listeners.keys()]) {
      stream.beat();
      if (slice.due) await slice.pause();
    }
    const now = performance.now();
    for (const [key, audience] of [...this.#audiences]) {
      const { emptySince } = audience;
      if (emptySince !== undefined && now - emptySince > KEPT_EMPTY) this.#remove(key, audience);
    }
  }
}
