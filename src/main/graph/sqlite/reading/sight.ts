/** What a transaction sees: of an older state, of what is committed, or of its own writes. What all its reads share. */
import type { ReadTransaction } from '../../graph.js';
import type { Query } from '../../query.js';
import { graphError } from '../connection/connection.js';
import { nextTurn } from '../connection/pace.js';
import type { Plan } from '../query/plan.js';
import type { PendingView } from '../writing/merged.js';
import type { ReadContext } from './read-context.js';
import type { ScanLimits } from '../scans/scans.js';
import type { Store } from './store.js';
import type { View } from './stored-nodes.js';

export abstract class Sight {
  constructor(
    protected readonly store: Store,
    protected readonly context: ReadContext,
  ) {}

  /** Reads of what is committed, for a transaction that adds what it has written itself. */
  protected abstract committed(context: ReadContext): ReadTransaction;

  /** What is to be read; asked anew after each turn of the loop. */
  protected get view(): View {
    return this.context.unit ?? this.context.pin;
  }

  /** What a unit sees while something is written elsewhere. */
  protected pending(): PendingView | undefined {
    const { store, context } = this;
    const { unit } = context;
    if (unit === undefined || !store.commit.apart) return undefined;
    const { deadline, signal } = context;
    const committed = this.committed({
      deadline,
      signal,
      renewed: () => context.renewed(),
      check: () => {
        context.check();
      },
    });
    return { layers: store.commit.layers(unit), committed, keyOf: (id) => store.keyOf(id, undefined) };
  }

  /** To be awaited, when it is something, before the unit uses the writer's connection. */
  protected shown(): Promise<void> | undefined {
    const { unit } = this.context;
    return unit === undefined ? undefined : this.store.commit.shown(unit);
  }

  /** For a part of a stream. */
  protected limits(): ScanLimits {
    const { context } = this;
    const { signal, asker } = context;
    return { deadline: context.renewed(), signal, asker, scanned: () => context.scanned?.() };
  }

  protected compile(query: Query): Plan {
    try {
      return this.store.compile(query, this.view);
    } catch (error) {
      throw graphError(error);
    }
  }

  protected async turn(): Promise<void> {
    await nextTurn();
    this.context.check();
  }
}
