/**
 * The one list of what is kept of the graph in memory. Each cache says what it rests on, and hears of the commits that concern it,
 * of this instance and of others, with their number, before anybody is told that they are committed.
 */
import type { Commit } from './commit.js';
import { type ChangeKind, changesOf } from './change-kinds.js';
import { type ChangeNotice, type Notice, noticed, type Watcher } from './notice.js';
import type { Change, GraphEntity } from '../types.js';
import { logger } from '../../../shared/log.js';

const log = logger('graph.caches');
/** Kinds of changes that a line of the log names. */
const MOST_SHOWN = 10;

/** A cache as the list has it. */
export interface CacheFacts {
  /** `<room>.<what>` */
  readonly name: string;
  /** What makes it wrong: types, relationships, other caches of the list, `schema`, `settings`. */
  readonly dependsOn: readonly string[];
}

export interface CacheOptions extends CacheFacts {
  /** It is no copy that can be forgotten: whoever reads it has nothing else. */
  readonly isState?: boolean;
  /** Whether changes of this kind may make something in it wrong, on this instance or another. */
  concerns(kind: ChangeKind): boolean;
  /** Whether the change of this entity does, which is of a kind that may; absent: each. `targetId`: of a relationship. */
  concernsOne?(kind: ChangeKind, id: string, targetId: string | undefined): boolean;
  /**
   * Such changes were committed: to be forgotten at once. `changes` are those that concern it. `commit`: the whole commit where it is
   * one of this instance, with values. May be asked again when it rejects, which counts for commits of other instances alone.
   */
  changed(notice: Notice, commit: Commit | undefined): void | Promise<void>;
}

/** What a cache asks whether it may keep what it has read. */
export class Cache {
  #state = 0;
  #number = 0;

  /** Grows with all that makes something in it wrong: what was read at another state may be older. */
  get state(): number {
    return this.#state;
  }

  /** Number of the last commit that made something in it wrong. */
  get number(): number {
    return this.#number;
  }

  /** Something else than a commit has made it wrong, or one that is known already. */
  outdated(number = this.#number): void {
    this.#state++;
    this.#number = Math.max(this.#number, number);
  }

  /** What `work` finds; `keep` gets it, too, when nothing that the cache rests on has changed since `work` began. */
  async read<T>(work: () => Promise<T>, keep: (found: T) => void): Promise<T> {
    const state = this.#state;
    const found = await work();
    if (state === this.#state) keep(found);
    return found;
  }

  /** The same, begun anew until nothing has changed meanwhile: what `keep` gets is of now. */
  async current<T>(work: () => Promise<T>, keep: (found: T) => void): Promise<T> {
    for (;;) {
      const state = this.#state;
      const found = await work();
      if (state !== this.#state) continue;
      keep(found);
      return found;
    }
  }
}

/** What tells caches of commits: an engine. */
export interface CommitSource {
  onCommit(listener: (changes: readonly Change[], commit: Commit) => void): () => void;
  watch(watcher: Watcher): () => void;
  readonly commitNumber: number;
}

interface Kept {
  readonly options: CacheOptions;
  readonly cache: Cache;
}

export class Caches {
  readonly #facts = new Map<string, CacheFacts>();
  readonly #kept: Kept[] = [];

  constructor(private readonly source: CommitSource) {}

  /** All that are kept, in the order in which they were made. */
  get list(): readonly CacheFacts[] {
    return [...this.#facts.values()];
  }

  /** Puts a cache on the list that hears of nothing itself: it is keyed by what it depends on, or told by that. */
  add({ name, dependsOn }: CacheFacts): void {
    // A room may be made twice over one graph.
    if (!this.#facts.has(name)) log.debug(`${name} is kept until something changes of: ${dependsOn.join(', ')}`);
    this.#facts.set(name, { name, dependsOn });
  }

  /** The same for one that hears of commits, in the order in which caches were made. */
  keep(options: CacheOptions): Cache {
    this.add(options);
    const cache = new Cache();
    // Not before: other instances' commits wait for the first who wants to hear of them.
    if (this.#kept.push({ options, cache }) === 1) this.#listen();
    return cache;
  }

  /** Forgets all that is kept, as after a change of anything. */
  async flush(): Promise<void> {
    const number = this.source.commitNumber;
    const told = this.#kept.map(async ({ options, cache }) => {
      if (options.isState === true) return;
      cache.outdated(number);
      await options.changed({ number, changes: 'everything' }, undefined);
    });
    await Promise.all(told);
  }

  #listen(): void {
    this.source.onCommit((_, commit) => {
      this.#committed(commit);
    });
    this.source.watch({
      concerns: (change: Change) => {
        const one = noticed(change);
        return this.#kept.some(({ options }) => concernedBy(options, one));
      },
      changed: (changes) => {
        if (changes !== 'everything') return this.#tell(changes);
        // At once, as none of them may answer while the schema is read; and once more with the schema that it is.
        return this.flush().then(() => this.#tell(changes));
      },
    });
  }

  /** One after the other, as what one keeps rests on what another does; at once as far as none has to be waited for. */
  #tell(changes: Notice['changes']): void | Promise<void> {
    const number = this.source.commitNumber;
    let before: Promise<void> | undefined;
    for (const { options, cache } of [...this.#kept]) {
      const own = changes === 'everything' ? changes : changes.filter((one) => concernedBy(options, one));
      if (own.length === 0) continue;
      cache.outdated(number);
      const tell = (): void | Promise<void> => options.changed({ number, changes: own }, undefined);
      const taking = before === undefined ? tell() : before.then(tell);
      if (taking !== undefined) before = taking;
    }
    return before;
  }

  #committed(commit: Commit): void {
    const { number } = commit;
    if (log.enabled('DEBUG')) log.debug(described(commit));
    for (const { options, cache } of this.#kept) {
      const failed = (error: unknown): void => {
        log.error(`${options.name} could not be told of commit ${String(number)}`, error);
      };
      // One that fails must not keep the others from hearing.
      try {
        const own = changesOf(
          commit.changes,
          (kind) => options.concerns(kind),
          options.concernsOne === undefined ? undefined : (one, kind) => concernsEntity(options, kind, one.entity),
        );
        if (own.length === 0) continue;
        const changes = own.map(noticed);
        cache.outdated(number);
        options.changed({ number, changes }, commit)?.catch(failed);
      } catch (error) {
        failed(error);
      }
    }
  }
}

function concernedBy(options: CacheOptions, change: ChangeNotice): boolean {
  return options.concerns(change) && options.concernsOne?.(change, change.id, change.targetId) !== false;
}

function concernsEntity(options: CacheOptions, kind: ChangeKind, entity: GraphEntity): boolean {
  const targetId = entity.kind === 'relationship' ? entity.targetId : undefined;
  return options.concernsOne?.(kind, entity.id, targetId) !== false;
}

/** One line of the log about a commit: who, through which door, what for, and what kinds of things. */
function described({ number, origin, changes }: Commit): string {
  const types = [...new Set(changes.map(({ verb, entity }) => `${verb} ${entity.type}`))];
  const shown = types.slice(0, MOST_SHOWN).join(', ') + (types.length > MOST_SHOWN ? ', ...' : '');
  const { door, userName = 'nobody', reason = '' } = origin;
  return `commit ${String(number)} by ${userName} through ${door} (${reason}): ${String(changes.length)} changes: ${shown}`;
}
