/**
 * What the table of access said about single nodes, kept until something is committed that says otherwise: readers ask for
 * the same objects again and again. Measured: a fifth of the time of a GET of one object by an ordinary user.
 *
 * It holds what was committed, so only reads outside of write transactions may ask and tell. What a rule's principals may do
 * with a node is in the entries of the node alone, and each commit names the nodes whose entries it wrote. Whoever goes, as
 * principal or as node, takes his entries with him.
 */
import type { AccessRule } from '../../access.js';

/** Nodes kept; when there are more all are dropped. */
const MAX_NODES = 50_000;
/** Rules kept a node: users who ask for it in turns. */
const MAX_RULES = 8;

interface Known {
  /** The type that was asked about: nodes can get another. */
  readonly type: number;
  /** Twice the number of a rule, one more when it allows the node. */
  readonly answers: number[];
}

export class Decisions {
  readonly #nodes = new Map<number, Known>();
  /** Rules are values that never change; who asks has the same one until his rights change. */
  readonly #numbers = new WeakMap<AccessRule, number>();
  #next = 0;

  get(rule: AccessRule, type: number, node: number): boolean | undefined {
    const known = this.#nodes.get(node);
    const number = this.#numbers.get(rule);
    if (known?.type !== type || number === undefined) return undefined;
    if (known.answers.includes(2 * number + 1)) return true;
    return known.answers.includes(2 * number) ? false : undefined;
  }

  put(rule: AccessRule, type: number, node: number, allows: boolean): void {
    let number = this.#numbers.get(rule);
    if (number === undefined) this.#numbers.set(rule, (number = this.#next++));
    let known = this.#nodes.get(node);
    if (known?.type !== type) {
      if (this.#nodes.size >= MAX_NODES) this.#nodes.clear();
      this.#nodes.set(node, (known = { type, answers: [] }));
    }
    if (known.answers.length >= MAX_RULES) known.answers.length = 0;
    known.answers.push(2 * number + (allows ? 1 : 0));
  }

  clear(): void {
    this.#nodes.clear();
  }

  /** Types and nodes, in turns, whose entries may be others now. */
  committed(entries: readonly number[]): void {
    if (this.#nodes.size === 0) return;
    for (let i = 1; i < entries.length; i += 2) this.#nodes.delete(entries[i] ?? 0);
  }
}
