/** Which events are taken, beside what the query of the graph says. */
import type { JavaPattern } from '../../../shared/java-pattern.js';
import type { ColumnBlock } from '../../../shared/digest.js';
import { Correlated } from './correlation.js';
import type { LoggedEvent } from './event.js';
import { expression } from './expressions.js';
import type { Selection } from './question.js';

export class Selected {
  readonly #filters: readonly JavaPattern[];
  readonly #correlated: Correlated | undefined;

  constructor(
    { filters, correlation }: Selection,
    private readonly check: () => void,
  ) {
    this.#filters = filters.map((source) => expression(source, 'filters'));
    this.#correlated = correlation === undefined ? undefined : new Correlated(correlation, check);
  }

  /** An event that others are compared with. */
  refer(event: LoggedEvent): void {
    this.#correlated?.add(event);
  }

  /** The same for many. */
  referColumns(block: ColumnBlock): void {
    this.#correlated?.addColumns(block);
  }

  /** 0 for events that their correlation leaves out; undefined: none is. Messages are not looked at. */
  correlated(block: ColumnBlock): Uint8Array | undefined {
    return this.#correlated?.takesOf(block) ?? block.taken;
  }

  /** How many queries come before that of the events. */
  get before(): number {
    return this.#correlated === undefined ? 0 : 1;
  }

  takes(event: LoggedEvent): boolean {
    return this.takesMessage(event.message) && this.#correlated?.takes(event) !== false;
  }

  /** Whether the filters take an event with this message. */
  takesMessage(message: string | undefined, check = this.check): boolean {
    for (const filter of this.#filters) {
      check();
      if (message === undefined || !filter.matches(message)) return false;
    }
    return true;
  }

  get hasFilters(): boolean {
    return this.#filters.length > 0;
  }
}
