/** Emptying the database as one transaction of the writer's thread, and who hears of it (`Graph.clear`). */
import type { Origin } from '../../commits/commit.js';
import type { Cleared, Kept, Steps } from '../../graph.js';
import type { Watcher } from '../../commits/notice.js';
import type { Columns } from '../columns/columns.js';
import { EMPTY_COLUMNS } from '../columns/state.js';
import type { CounterDelta, CounterKind } from '../indexes/counters.js';
import type { TextIndexes } from '../indexes/text-indexes.js';
import type { WritingStore } from '../writing/writing-store.js';
import type { Committed } from '../writing/batch.js';
import { clearing } from './clearing.js';

/** Nodes and relationships that may be kept: some hundred MB. */
const MOST_KEPT = 200_000;

export class Emptying {
  readonly #watchers = new Set<Watcher>();
  /** What the one that is being committed comes to. */
  #current: { cleared: Cleared } | undefined;

  constructor(
    private readonly store: WritingStore,
    private readonly texts: TextIndexes,
    private readonly columns: Columns,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** There is no other process, as the directory is locked: they hear only of what nobody has listed. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => {
      this.#watchers.delete(watcher);
    };
  }

  async clear(kept: Kept, steps: Steps, origin: Origin | undefined): Promise<Cleared | undefined> {
    const { commit, names, writer } = this.store;
    steps.begin('emptying the tables');
    commit.room?.deleting();
    const outcome = await commit.run(
      (unit) => {
        // Without a thread it would hold up the loop, and what is kept is in memory meanwhile.
        if (!unit.inPieces || this.#keptBy(kept) > MOST_KEPT) return Promise.resolve(undefined);
        const current = { cleared: { nodes: 0, relationships: 0 } };
        this.#current = current;
        unit.isWhole = true;
        unit.begin();
        for (const [sql, params] of [...clearing(kept, names), ...this.texts.clearing(kept)]) writer.write(sql, params);
        for (const sql of EMPTY_COLUMNS) writer.write(sql, []);
        return Promise.resolve(current);
      },
      { timeout: 0, origin, large: true },
    );
    if (outcome === undefined) return undefined;
    const { nodes, relationships } = outcome.cleared;
    await steps.done(nodes + relationships);
    return outcome.cleared;
  }

  #keptBy({ nodes, relationships }: Kept): number {
    const { counters, names } = this.store;
    const sum = (kind: CounterKind, types: readonly string[]): number =>
      types.reduce((all, type) => all + counters.of(kind, names.idOf(type) ?? 0), 0);
    return sum('node', nodes) + sum('rel', relationships);
  }

  /** It is committed: what it has done to the numbers, before anybody asks for one. */
  counted({ delta }: Committed): void {
    delta.addAll(this.store.counters.difference(this.store.writer.connection));
    if (this.#current !== undefined)
      this.#current.cleared = { nodes: -sumOf(delta, 'node'), relationships: -sumOf(delta, 'rel') };
  }

  /** And all who keep something hear of it, before anybody writes. */
  tell(): void {
    this.texts.cleared();
    this.columns.cleared();
    for (const watcher of this.#watchers) {
      try {
        watcher.changed('everything')?.catch(this.onError);
      } catch (error) {
        this.onError(error);
      }
    }
  }
}

function sumOf(delta: CounterDelta, kind: CounterKind): number {
  let sum = 0;
  for (const n of delta[kind].values()) sum += n;
  return sum;
}
