/**
 * Which links there are of nodes that a transaction has made itself: nobody else can have linked them, so that whoever asks for what a new node is
 * linked to needs no round trip, and what is gathered can go on being gathered.
 */
import type { Step } from '../../access.js';
import type { GraphRelationship } from '../../types.js';

/** New nodes that are told apart; of others the database is asked. */
const MOST = 100_000;

export class OwnLinks {
  /** Of each new node the steps that lead from it somewhere; undefined: none. */
  readonly #nodes = new Map<string, Set<string> | undefined>();

  /** A node was made. */
  made(id: string): void {
    if (this.#nodes.size < MOST) this.#nodes.set(id, undefined);
  }

  linked({ sourceId, targetId, relType }: GraphRelationship): void {
    this.#add(sourceId, nameOf({ relType, direction: 'out' }));
    this.#add(targetId, nameOf({ relType, direction: 'in' }));
  }

  /** Whether a step leads nowhere from a node; false: nobody knows without asking. */
  leadsNowhere(id: string, step: Pick<Step, 'relType' | 'direction'>): boolean {
    return this.#nodes.has(id) && this.#nodes.get(id)?.has(nameOf(step)) !== true;
  }

  gone(id: string): void {
    this.#nodes.delete(id);
  }

  clear(): void {
    this.#nodes.clear();
  }

  #add(id: string, name: string): void {
    if (!this.#nodes.has(id)) return;
    const names = this.#nodes.get(id);
    if (names === undefined) this.#nodes.set(id, new Set([name]));
    else names.add(name);
  }
}

function nameOf({ relType, direction }: Pick<Step, 'relType' | 'direction'>): string {
  return `${direction} ${relType}`;
}
