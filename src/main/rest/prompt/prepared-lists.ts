import type { AccessRule, NodeQuery } from '../../graph/index.js';
import type { Page } from '../query/query.js';
import { KeptByKey } from './kept-by-key.js';

/** Queries of those who do not see all, at most: each user has his own of each list, and the graph keeps what it has found with them. */
const MOST = 10_000;

/** A list that is asked for in one way. */
export interface PreparedList {
  readonly page: Page;
  readonly query: NodeQuery;
  readonly offset: number;
  readonly limit: number;
  /** As far as is counted. */
  readonly most: number;
}

/** Lists as clients ask for them, and their queries by who asks. */
export class PreparedLists {
  #lists = new KeptByKey<PreparedList | null>();
  #queries = new WeakMap<AccessRule, Map<PreparedList, NodeQuery>>();
  #count = 0;

  /** Null: it is none that can be answered at once; undefined: it was not asked for, or was forgotten. */
  get(key: string): PreparedList | null | undefined {
    return this.#lists.get(key);
  }

  set(key: string, list: PreparedList | null): void {
    this.#lists.set(key, list);
  }

  /** The query of those who have this rule, the same object each time as long as it is kept. */
  queryOf(list: PreparedList, rule: AccessRule, make: () => NodeQuery): NodeQuery {
    let queries = this.#queries.get(rule);
    const known = queries?.get(list);
    if (known !== undefined) return known;
    if (this.#count >= MOST) {
      this.#queries = new WeakMap();
      this.#count = 0;
      queries = undefined;
    }
    if (queries === undefined) this.#queries.set(rule, (queries = new Map<PreparedList, NodeQuery>()));
    const query = make();
    queries.set(list, query);
    this.#count++;
    return query;
  }
}
