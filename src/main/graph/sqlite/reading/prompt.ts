/** What is told at once: what is committed, on the loop and without a promise (`PromptReads`). */
import type { AccessRule } from '../../access.js';
import type { PromptReads } from '../../graph.js';
import type { CountResult, NodeQuery } from '../../query.js';
import type { GraphNode } from '../../types.js';
import { type Keys, walkName } from '../caches/walk-cache.js';
import { AT_ONCE, isPage } from './lists.js';
import { permittedNow } from './permitted.js';
import type { Store } from './store.js';

/** What was found of a query; it holds as long as nothing is committed that it depends on. */
interface Found {
  readonly mark: number;
  readonly types: readonly number[];
  readonly keys: Keys;
  count: CountResult | undefined;
}

export class Prompt implements PromptReads {
  /** By the query itself: who asks the same again does so with the same object. */
  readonly #found = new WeakMap<NodeQuery, Found>();

  constructor(private readonly store: Store) {}

  node(id: string): GraphNode | null | undefined {
    const { store } = this;
    if (store.unclear || store.coming(id, undefined) !== undefined) return undefined;
    const found = store.nodeOrRow(id, undefined);
    // A row that is so large deserves a turn of its own.
    if (Array.isArray(found)) return undefined;
    return found === undefined ? null : found.node;
  }

  permits(node: GraphNode, rule: AccessRule): boolean | undefined {
    return permittedNow(this.store, node, rule);
  }

  page(query: NodeQuery): readonly GraphNode[] | undefined {
    const found = this.#of(query);
    return found === undefined ? undefined : this.store.nodesByKey(found.keys, AT_ONCE);
  }

  count(query: NodeQuery, limit: number): CountResult | undefined {
    const found = this.#of(query);
    if (found === undefined) return undefined;
    return (found.count ??= this.#counted(query, limit));
  }

  /** What is known of a query whose keys some transaction has found before. */
  #of(query: NodeQuery): Found | undefined {
    const { store } = this;
    if (store.unclear) return undefined;
    const known = this.#found.get(query);
    if (known !== undefined && known.mark === store.walks.mark(known.types)) return known;
    const { offset = 0, limit = -1, types } = query;
    // A type without a number has no nodes yet: whoever waits for its first one has to look for the number again.
    if (types === undefined || query.from !== undefined || types.some((type) => store.names.idOf(type) === undefined))
      return undefined;
    const plan = store.compile(query, undefined);
    const { dependsOn } = plan;
    if (dependsOn === undefined || !(plan.few || isPage(plan, { offset, limit }))) return undefined;
    const walk = store.walks.first(walkName(plan.keys({ offset: 0, limit: -1 })), plan.few ? Infinity : offset + limit);
    if (walk?.suffices !== true) return undefined;
    const keys = walk.keys.slice(offset, limit < 0 ? undefined : offset + limit);
    const found = { mark: store.walks.mark(dependsOn), types: dependsOn, keys, count: undefined };
    this.#found.set(query, found);
    return found;
  }

  #counted(query: NodeQuery, limit: number): CountResult | undefined {
    const { store } = this;
    let count = store.counted(query, undefined);
    if (count === undefined) {
      const plan = store.compile(query, undefined);
      if (plan.few) {
        const all = store.walks.first(walkName(plan.keys({ offset: 0, limit: -1 })), Infinity);
        count = all?.suffices === true ? all.keys.length : undefined;
      } else count = store.walks.get(walkName(plan.count(limit + 1)))?.[0];
    }
    if (count === undefined) return undefined;
    return { count: Math.min(count, limit), exact: count <= limit };
  }
}
