/**
 * How instances hear of each other's changes: a transaction that changes what others keep leaves a notice in the
 * database, with the next number, as part of itself. Numbers are given under the writers' lock, so notices appear in
 * the order of commits and without gaps. Every instance asks a few times a second for the last number, one look-up
 * of one node, and gets it with the lock before each of its own writes.
 */
import { FLAG_KEYS } from '../../access.js';
import { type ChangeNotice, noticed, type Notice, type Watcher } from '../../commits/notice.js';
import type { Change } from '../../types.js';
import { type Database, ignored } from '../connection/database.js';
import { META, NOTICE } from '../connection/names.js';
import type { Statement } from '../connection/statement.js';
import { LAST_MESSAGE } from './messages.js';
import { ASKED, ASKED_COLUMNS, type Asked, askedOf, type Neo4jStillness } from './stillness.js';

/** Between two looks, in milliseconds. A look takes the database about a tenth of a millisecond. */
const INTERVAL = 300;
/** The same while this instance answers nobody. */
const SHORT = 50;
/** Milliseconds a look may take. */
const PATIENCE = 5000;
/** Changes a notice names; one of a larger transaction says that anything may have changed. */
const MAX_NAMED = 500;
/** Notices read at once; who missed more looks at everything anew. */
const MAX_READ = 1000;

const LAST = `MATCH (m:${META} {name: 'writer'}) ${LAST_MESSAGE} ${ASKED} RETURN m.notice, m.commit, x.n, ${ASKED_COLUMNS}`;
const READ = `MATCH (x:${NOTICE}) WHERE x.n > $seen AND x.n <= $upTo RETURN x.n, x.entities, x.commit ORDER BY x.n`;
const WRITE =
  `MATCH (m:${META} {name: 'writer'}) SET m.notice = m.notice + 1 ` +
  `CREATE (:${NOTICE} {n: m.notice, commit: m.commit, instance: $instance, at: timestamp(), entities: $entities})`;

export interface NoticesContext {
  readonly database: Database;
  readonly instance: string;
  /** Brings what the engine itself keeps up to date; called before watchers are told. */
  refresh(deadline: number): Promise<void>;
  /** Runs work while no transaction of this instance writes. */
  alone(work: () => Promise<void>): Promise<void>;
  readonly onError: (error: unknown) => void;
  /** Hears of the number of the last commit of any instance; whether `look` has to be called for it. */
  isBehind(number: number): boolean;
  /** `tell` is called after the watchers were told of all up to `notice`, while no transaction of this instance writes. */
  look(): Promise<{ readonly notice: bigint; readonly tell: () => void } | undefined>;
  /** The number of the last message of any instance (messages.ts). */
  messages(last: number): Promise<void>;
  /** Watchers are about to be told of what has come up to this commit. */
  telling(number: number): void;
  /** Watchers are told of this next. */
  news(changes: Notice['changes']): void;
  /** Watchers have been told of all commits up to this one. */
  told(number: number): void;
  /** Hears what others ask for. */
  readonly stillness: Pick<Neo4jStillness, 'isStill' | 'looked'>;
}

export class Notices {
  readonly #watchers = new Set<Watcher>();
  #seen = 0n;
  /** What the engine itself keeps is as new as this notice. */
  #refreshed = 0n;
  #catching: Promise<void> = Promise.resolve();
  #telling: Promise<void> | undefined;
  /** What the last look ran into, so that it is said once. */
  #failure = '';
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(private readonly context: NoticesContext) {}

  /** Begins to look; `seen` is the number of the last notice that is of no interest any more. */
  start(seen: bigint): void {
    this.seen(seen);
    this.#later();
  }

  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => {
      this.#watchers.delete(watcher);
    };
  }

  /**
   * The statement that tells others of these changes, to be run last in their transaction; undefined: no need. `always`:
   * something that every engine keeps has changed, whoever watches. `everything`: nobody knows what has changed.
   */
  of(changes: readonly Change[], always: boolean, everything = false): Statement | undefined {
    if (everything) return { text: WRITE, params: { instance: this.context.instance, entities: null } };
    const named = new Set<string>();
    for (const change of changes) {
      if (named.size > MAX_NAMED || this.#watchers.size === 0) break;
      for (const watcher of this.#watchers) {
        if (!watcher.concerns(change)) continue;
        named.add(written(noticed(change)));
        break;
      }
    }
    if (named.size === 0 && !always) return undefined;
    const entities = named.size > MAX_NAMED ? null : [...named];
    return { text: WRITE, params: { instance: this.context.instance, entities } };
  }

  /** Our own transaction with this notice is committed, and what it tells is known here. */
  seen(notice: bigint): void {
    this.#seen = notice;
    this.#refreshed = notice;
  }

  /**
   * Tells the watchers of all notices up to this one. A notice of our own that comes this way is of a commit whose answer
   * was lost: it is news here too. `locked`: the number was read under the writers' lock, so that a smaller one than
   * before means another database in its place.
   */
  catchUp(upTo: bigint, deadline: number, locked = false): Promise<void> {
    // One after the other: a write that was given up may have left one behind.
    const mine = this.#catching.then(() => this.#catchUp(upTo, deadline, locked));
    this.#catching = mine.catch(ignored);
    return mine;
  }

  async #catchUp(upTo: bigint, deadline: number, locked: boolean): Promise<void> {
    const replaced = locked && upTo < this.#seen;
    if (upTo > this.#refreshed || replaced) {
      await this.context.refresh(deadline);
      this.#refreshed = upTo;
    }
    // Whoever comes to watch later read what he keeps after we began: he must hear of everything since.
    if ((upTo <= this.#seen && !replaced) || this.#watchers.size === 0) return;
    const entities = replaced ? 'everything' : await this.#read(upTo, deadline);
    this.context.news(entities);
    const telling = this.#tell(entities);
    const settled = telling.catch(ignored).then(() => {
      if (this.#telling === settled) this.#telling = undefined;
    });
    this.#telling = settled;
    await telling;
    this.#seen = upTo;
  }

  async #tell(changes: Notice['changes']): Promise<void> {
    for (const watcher of this.#watchers) await watcher.changed(changes);
  }

  /** Resolves when watchers have been told what they are being told; undefined: they have. */
  get telling(): Promise<void> | undefined {
    return this.#telling;
  }

  async #read(upTo: bigint, deadline: number): Promise<Notice['changes']> {
    if (upTo - this.#seen > MAX_READ) return 'everything';
    const statement = { text: READ, params: { seen: this.#seen, upTo } };
    // As a write, to be led to where the notices were written; what is read from here on is not older.
    const rows = await this.context.database.run(statement, { deadline }, true);
    // Old notices are removed: with one missing nobody knows what was in it.
    const whole = BigInt(rows.length) === upTo - this.#seen && rows.every(([, named]) => Array.isArray(named));
    if (!whole) return 'everything';
    this.context.telling(rows.reduce((last, [, , commit]) => Math.max(last, Number(commit ?? 0)), 0));
    const changes = rows.flatMap(([, named]) => (named as string[]).map(readBack));
    return changes.every((one) => one !== undefined) ? changes : 'everything';
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #later(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(
      () => {
        this.#looking = this.#look().finally(() => {
          this.#later();
        });
      },
      this.context.stillness.isStill ? SHORT : INTERVAL,
    );
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const last = await this.#last();
    if (last === undefined) return;
    const { notice, commit, asked } = last;
    // A message that is lost is no reason to hear of commits later.
    await this.context.messages(last.message).catch(this.context.onError);
    const behind = this.context.isBehind(commit);
    try {
      if (behind || notice > this.#seen || notice > this.#refreshed) {
        const news = behind ? await this.context.look() : undefined;
        await this.context.alone(async () => {
          await this.catchUp(news?.notice ?? notice, Date.now() + PATIENCE);
          news?.tell();
        });
      }
      this.#failure = '';
      this.context.told(commit);
      this.context.stillness.looked(asked, commit);
    } catch (error) {
      const failure = String(error);
      if (failure !== this.#failure && !this.#stopped) this.context.onError(error);
      this.#failure = failure;
    }
  }

  /** undefined: the database is out of reach, which requests say anyway. */
  async #last(): Promise<
    | {
        readonly notice: bigint;
        readonly commit: number;
        readonly message: number;
        readonly asked: Asked | undefined;
      }
    | undefined
  > {
    try {
      const [row] = await this.context.database.run(
        { text: LAST, params: {} },
        { deadline: Date.now() + PATIENCE },
        true,
      );
      if (row === undefined) return undefined;
      const [notice, commit, message, ...asked] = row;
      return {
        notice: notice as bigint,
        commit: Number(commit ?? 0),
        message: Number(message ?? 0),
        asked: askedOf(asked),
      };
    } catch {
      return undefined;
    }
  }
}

/** One text a change: of a relationship the type in the database stands where that of a node does. */
function written({
  kind,
  id,
  type,
  verb,
  key,
  previousType,
  flags,
  relType,
  sourceId,
  targetId,
}: ChangeNotice): string {
  const more = kind === 'node' ? [verb, key, previousType, flags?.join(' ')] : [verb, key, type, sourceId, targetId];
  return JSON.stringify([kind, id, relType ?? type, ...more]);
}

/** Undefined: an instance of another version wrote it, which says less. */
function readBack(text: string): ChangeNotice | undefined {
  const parts = JSON.parse(text) as (string | null)[];
  // Of a node its flags stand where the source of a relationship does.
  const [kind, id, stored, verb, key, more, sourceId, targetId] = parts.map((part) => part ?? undefined);
  if (id === undefined || stored === undefined || verb === undefined) return undefined;
  const common = { verb: verb as ChangeNotice['verb'], id, key };
  if (kind === 'node') {
    const flags = sourceId === undefined ? undefined : FLAG_KEYS.filter((flag) => sourceId.split(' ').includes(flag));
    return { ...common, kind, type: stored, previousType: more, flags };
  }
  return { ...common, kind: 'relationship', type: more ?? stored, relType: stored, sourceId, targetId };
}
