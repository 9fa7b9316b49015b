/** Which rights among nodes that were there before a transaction may have changed; perhaps some too many. */
import type { AccessRule } from '../../access.js';
import type { GraphNode, GraphRelationship, PropertyMap } from '../../types.js';
import { carriesRights } from '../effects.js';
import type { Own } from './own-index.js';

export class WrittenRights {
  readonly #isFresh: (id: string) => boolean;
  /** A node came anew with the id of one that was there. */
  #replaces = false;
  /** Flags that were turned on or off. */
  readonly #flags = new Set<string>();
  /** Who was given, or has lost, what. */
  readonly #principals = new Set<string>();
  /** Types of relationships that were made, changed or taken away at nodes that were there before. */
  readonly #relTypes = new Set<string>();

  constructor(isFresh: (id: string) => boolean) {
    this.#isFresh = isFresh;
  }

  node({ before, now, fresh }: Own<GraphNode>): void {
    if (before === undefined || now === undefined) return;
    if (fresh) this.#replaces = true;
    this.#differing(before.properties, now.properties);
    this.#differing(now.properties, before.properties);
  }

  #differing(some: PropertyMap, others: PropertyMap): void {
    for (const key in some) if (some[key] === true && others[key] !== true) this.#flags.add(key);
  }

  relationship({ relType, sourceId, targetId }: GraphRelationship): void {
    const isOldTarget = !this.#isFresh(targetId);
    if (isOldTarget && carriesRights(relType)) this.#principals.add(sourceId);
    if (isOldTarget || !this.#isFresh(sourceId)) this.#relTypes.add(relType);
  }

  concern({ principals, keys, propagation }: AccessRule): boolean {
    if (this.#replaces || keys.some((key) => this.#flags.has(key))) return true;
    if (this.#principals.size > 0 && principals.some((id) => this.#principals.has(id))) return true;
    return propagation?.steps.some(({ relType }) => this.#relTypes.has(relType)) === true;
  }
}
