/**
 * What a user may see by propagation, asked once for all statements of a transaction. A statement that looks for rights far
 * away itself takes Neo4j long to plan, again for each list, count and type; this one is the same for all of them, and
 * with the ids in hand theirs are short. Who may see very much is looked at node by node instead.
 */
import type { AccessRule } from '../../access.js';
import { reachedFrom } from './propagation.js';
import type { KnownReach, Statement, Values } from '../connection/statement.js';

/** Ids sent with a statement at most. */
const MOST = 1000;
/** Milliseconds after which it is asked again whether there are still more. */
const STAYS = 60_000;

/** Rules that allow more than that, and until when they count as such. */
const many = new WeakMap<AccessRule, number>();

export class Reach implements KnownReach {
  readonly #known = new Map<AccessRule, readonly string[] | undefined>();
  readonly #wanted = new Set<AccessRule>();

  constructor(private readonly run: (statement: Statement) => Promise<readonly Values[]>) {}

  /** All nodes the rule allows otherwise than by their flags; undefined: not known, or too many. */
  idsOf(rule: AccessRule): readonly string[] | undefined {
    if (!this.#known.has(rule)) this.#wanted.add(rule);
    return this.#known.get(rule);
  }

  /** What `make` makes once everything it asks for is known. */
  async knowing<T>(make: () => T): Promise<T> {
    for (;;) {
      this.#wanted.clear();
      const made = make();
      if (this.#wanted.size === 0) return made;
      for (const rule of [...this.#wanted]) this.#known.set(rule, await this.#ask(rule));
    }
  }

  async #ask(rule: AccessRule): Promise<readonly string[] | undefined> {
    const { propagation } = rule;
    if (propagation === undefined || (many.get(rule) ?? 0) > Date.now()) return undefined;
    const rows = await this.run(reachedFrom({ ...rule, propagation }, MOST + 1));
    if (rows.length <= MOST) return rows.map(([id]) => String(id));
    many.set(rule, Date.now() + STAYS);
    return undefined;
  }
}
