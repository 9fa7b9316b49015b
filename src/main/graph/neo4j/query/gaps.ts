/**
 * Which types have no node that lacks a certain key. Nodes without a value are in no index, but come first in descending
 * order: without knowing that there are none, every page in that order looks at every node of the type.
 *
 * What is known stays true for nodes that were there when it was found out, until somebody takes a value away; then
 * that transaction counts `gaps` of the writers' lock up (writes.ts). Nodes made since are found by their place in the
 * order of creation. A page asks for both itself (segments.ts), so that what is known here may be old, but never wrong.
 * Only another client of the database that takes a value away is noticed late, within a minute.
 */
import { integer } from '../connection/codec.js';
import { COMMON, META, propertyName, quoted, SEQUENCE } from '../connection/names.js';
import type { Statement, Values } from '../connection/statement.js';

/** No node from before the position `since` lacks the key, as long as `gaps` is what the lock says. */
export interface Gapless {
  readonly since: bigint;
  readonly gaps: bigint;
}

interface Known {
  readonly type: string;
  readonly key: string;
  /** Undefined: not known yet, or there are such nodes. */
  gapless: Gapless | undefined;
  /** When it was looked at, and when all of it was, in milliseconds since 1970. */
  looked: number;
  lookedAtAll: number;
  looking: boolean;
}

/** Nodes made since are looked at once by this, not by every page. */
const STEP = 1000;
/** Everything is looked at again, because of other clients. */
const WHOLE = 60_000;
const MAX_KNOWN = 1000;

/** A Cypher expression for the position from which on nodes have to be looked at; `m` is the writers' lock. */
export function sinceExpression(gaps: string, since: string, least: string): string {
  return `CASE WHEN coalesce(m.gaps, 0) = ${gaps} THEN ${since} ELSE ${least} END`;
}

export class Gaps {
  readonly #known = new Map<string, Known>();

  constructor(
    private readonly run: (statement: Statement) => Promise<Values[]>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** What is known at this moment; finds out more in the background. */
  gapless(type: string, key: string): Gapless | undefined {
    const name = JSON.stringify([type, key]);
    let known = this.#known.get(name);
    if (known === undefined) {
      if (this.#known.size >= MAX_KNOWN) this.#known.clear();
      known = { type, key, gapless: undefined, looked: 0, lookedAtAll: 0, looking: false };
      this.#known.set(name, known);
    }
    const now = Date.now();
    const whole = now - known.lookedAtAll > WHOLE;
    if (!known.looking && (whole || (known.gapless !== undefined && now - known.looked > STEP))) {
      known.looking = true;
      this.#look(known, whole).catch(this.onError);
    }
    return known.gapless;
  }

  /** Other keys are indexed from now on. */
  forget(): void {
    this.#known.clear();
  }

  async #look(known: Known, whole: boolean): Promise<void> {
    const { type, key, gapless } = known;
    const before = whole ? undefined : gapless;
    const from = sinceExpression('$gaps', '$since', '$least');
    // The bound needs what the lock says: so that is read first, and what is committed later has a later position.
    const text =
      `MATCH (m:${META} {name: 'writer'}) WITH m.seq AS seq, coalesce(m.gaps, 0) AS gaps, ${from} AS since ` +
      `CALL { WITH since MATCH (n:${COMMON}) WHERE n.type = $type AND n.${SEQUENCE} >= since AND ` +
      `n.${quoted(propertyName(key))} IS NULL WITH n LIMIT 1 RETURN count(n) AS found } RETURN seq, gaps, found`;
    const params = {
      type,
      gaps: integer(before?.gaps ?? -1n),
      since: integer(before?.since ?? 0n),
      least: -Infinity,
    };
    try {
      const [row] = await this.run({ text, params });
      known.looked = Date.now();
      if (before === undefined || row?.[1] !== before.gaps) known.lookedAtAll = known.looked;
      const [since, gaps, found] = (row ?? []) as (bigint | undefined)[];
      known.gapless = since === undefined || gaps === undefined || found !== 0n ? undefined : { since, gaps };
    } finally {
      known.looking = false;
    }
  }
}
