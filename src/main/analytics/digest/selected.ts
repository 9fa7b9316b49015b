/** Which events are taken, beside what the query of the graph says. */
import type { JavaPattern } from '../../../shared/java-pattern.js';
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
    this.#correlated = correlation === undefined ? undefined : new Correlated(correlation);
  }

  /** An event that others are compared with. */
  refer(event: LoggedEvent): void {
    this.#correlated?.add(event);
  }

  /** How many queries come before that of the events. */
  get before(): number {
    return this.#correlated === undefined ? 0 : 1;
  }

  takes(event: LoggedEvent): boolean {
    const { message } = event;
    for (const filter of this.#filters) {
      this.check();
      if (message === undefined || !filter.matches(message)) return false;
    }
    return this.#correlated?.takes(event) !== false;
  }
}
