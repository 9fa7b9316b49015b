/** What reads need of those who write (reading/sources.ts), where nobody writes: what the database says, as far as the state that is read. */
import type { ColumnDefinition } from '../../columns.js';
import type { NodeQuery } from '../../query.js';
import type { CachedNode } from '../caches/cached-node.js';
import { type ColumnQuery, columnQuery } from '../columns/column-query.js';
import type { Connection } from '../connection/connection.js';
import type { Names } from '../connection/names.js';
import type { CounterDelta } from '../indexes/counters.js';
import { storedIndexes, type TextIndex } from '../indexes/text-index-work.js';
import type { Plan } from '../query/plan.js';
import type { IndexedProperties, QueriedColumns, SearchedTexts, Uncommitted } from '../reading/sources.js';
import { Layers } from '../writing/pending.js';
import type { Writer } from '../writing/writer.js';

/** Nothing is written here. */
export class NothingUncommitted implements Uncommitted {
  readonly open = false;
  readonly apart = false;
  readonly committing = false;

  touches(): boolean {
    return false;
  }

  pendingNode(): CachedNode | null | undefined {
    return undefined;
  }

  layers(): Layers {
    return new Layers([]);
  }

  deltas(): CounterDelta[] {
    return [];
  }

  writesEntries(): boolean {
    return false;
  }

  shown(): Promise<void> | undefined {
    return undefined;
  }
}

/** The indexes on properties and texts that a state has. */
export class StateIndexes implements IndexedProperties, SearchedTexts {
  version = 0;
  /** By type and key. */
  readonly #ready = new Map<number, Map<string, number>>();
  #texts: readonly TextIndex[] = [];

  load(connection: Connection, names: Names): void {
    this.version++;
    this.#ready.clear();
    for (const [type, key] of connection.all("SELECT type, key FROM index_state WHERE state = 'ready'", [])) {
      let keys = this.#ready.get(Number(type));
      if (keys === undefined) this.#ready.set(Number(type), (keys = new Map<string, number>()));
      keys.set(names.textOf(Number(key)), Number(key));
    }
    this.#texts = storedIndexes(connection);
  }

  ready(type: number, key: string): number | undefined {
    return this.#ready.get(type)?.get(key);
  }

  byName(name: string): TextIndex | undefined {
    return this.#texts.find((one) => one.name === name && one.state !== 'dropping');
  }
}

/** Columns as the database has them; which segments there are, the thread that reads them looks up. */
export class StateColumns implements QueriedColumns {
  /** A definition whose columns were found to be damaged: they are made anew, with another number at their end. */
  #damaged: string | undefined;

  constructor(private readonly reader: Pick<Writer, 'get'>) {}

  query(query: NodeQuery, compile: (query: NodeQuery) => Plan): ColumnQuery | undefined {
    const state = this.#state();
    if (state === undefined || state === this.#damaged) return undefined;
    const [shape = '{}'] = state.split('\n');
    return columnQuery(query, JSON.parse(shape) as ColumnDefinition, compile);
  }

  damaged(): void {
    this.#damaged = this.#state();
  }

  /** What they are of, and how far they go. */
  #state(): string | undefined {
    const files = 'SELECT group_concat(file) FROM column_segment';
    const row = this.reader.get(
      `SELECT shape, (${files}) FROM column_state WHERE EXISTS(SELECT 1 FROM column_segment)`,
      [],
    );
    return row === undefined ? undefined : `${String(row[0])}\n${String(row[1])}`;
  }
}
