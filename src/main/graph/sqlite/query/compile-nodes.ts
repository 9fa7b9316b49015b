/**
 * Node queries to SQL. A query is entered in one of these ways, the first that fits:
 *
 * - the relationships of a node that all are linked to, in the order of linking;
 * - a set of keys that an index gives (ids, relationships, an indexed value), filtered and sorted;
 * - what a rule of access allows, in the order of creation;
 * - the set of it, when that is little of the whole;
 * - the property index in the order of the first sort key, filtered, read only as far as the page goes;
 * - the property index at one value, in the order of creation;
 * - all nodes of the types in the order of creation.
 */
import type { NodeQuery, SortKey } from '../../query.js';
import { union, visibleBranches, visibleSources } from './access-sources.js';
import {
  type Candidates,
  candidates,
  hasValue,
  indexedKeys,
  isLocal,
  keysIn,
  LOOKED_THROUGH,
  matchesOfPart,
  onIndex,
} from './candidates.js';
import { partOf } from './part-of-text.js';
import type { Catalog } from './catalog.js';
import {
  SHORT_COUNT,
  SMALL_SET,
  FEW_LINKS,
  LARGE_SET,
  gathersSooner,
  walksLinked,
  walksSooner,
  type Entry,
  type Visible,
} from './entry.js';
import { firstLink, type Hub, isLinked, linkedKeys } from './hub.js';
import { N, NodeWays, PK } from './node-ways.js';
import {
  type Branch,
  countDistinct,
  countRows,
  type Cut,
  keysAmong,
  orderedKeys,
  type Plan,
  whereSql,
  type Planned,
} from './plan.js';
import { condition } from './predicates.js';
import { alive, FALSE_SQL, join, raw, type Sql, sql } from '../connection/sql.js';
import { nodeColumns } from '../connection/records.js';

/** The order of linking, whatever its name. */
const LINKING: readonly SortKey[] = [{ key: '' }];

class NodeCompiler extends NodeWays implements Plan {
  readonly byKey: boolean;
  readonly worst: number;
  readonly eager: boolean;
  readonly keyset: boolean;
  readonly few: boolean;
  readonly sort: readonly SortKey[];
  readonly filtered: boolean;
  readonly dependsOn: readonly number[] | undefined;
  readonly #entry: Entry;
  readonly #visible: Visible | undefined;
  /** Statements that were made of it: who asks again gets the same. */
  readonly #made = new Map<string, Planned>();

  constructor(query: NodeQuery, catalog: Catalog) {
    super(query, catalog);
    this.filtered = this.conjuncts.length > 0 || this.hub !== undefined;
    this.dependsOn = this.#dependencies();
    this.#visible = this.#visibleSet();
    this.#entry = this.#choose(true);
    this.member = undefined;
    this.byKey = this.unsorted && this.#entry.linked !== true;
    this.worst = this.#entry.worst;
    this.eager = !this.#entry.ordered;
    this.keyset = this.byKey && !this.#entry.set;
    this.few = this.#entry.few === true;
    this.sort = this.#entry.linked === true ? LINKING : this.wanted;
  }

  strict(): Plan {
    if (!this.relies && this.hub?.isNow !== true) return this;
    return compileNodes(this.query, {
      ...this.catalog,
      flagged: () => undefined,
      farTypes: () => undefined,
      parts: () => undefined,
      later: true,
    });
  }

  rows(cut: Cut): Sql {
    if (cut.among !== undefined) return this.#members(cut.among);
    const branches = this.#cut(cut);
    return rowsOf(orderedKeys(branches, this.wanted, cut, this.#entry.once));
  }

  keys(cut: Cut): Planned {
    const { offset, limit, after, slice, among } = cut;
    if (after !== undefined || slice !== undefined || among !== undefined) return this.#keys(cut);
    const name = `${String(offset)} ${String(limit)}`;
    const made = this.#made.get(name) ?? this.#keys(cut);
    this.#made.set(name, made);
    return made;
  }

  #keys(cut: Cut): Planned {
    const keys = orderedKeys(this.#cut(cut), this.wanted, cut, this.#entry.once);
    return { ...keys, steps: steps(this.#entry, cut.limit < 0 ? Infinity : cut.offset + cut.limit, this.total) };
  }

  count(limit: number): Planned {
    const name = `count ${String(limit)}`;
    const made = this.#made.get(name) ?? this.#count(limit);
    this.#made.set(name, made);
    return made;
  }

  #count(limit: number): Planned {
    // Order does not matter here, so an indexed value is a better way in than the index of a sort key.
    const entry = this.#choose(false);
    const { branches, once, repeats } = entry;
    this.member = undefined;
    const count = repeats === true ? countDistinct(branches, limit) : countRows(branches, limit, once);
    // There may be fewer by far: that they take long is not known.
    return { ...count, steps: limit >= 0 && limit <= SHORT_COUNT ? steps(entry, limit) : undefined };
  }

  /** Still matching rows among `keys`; no index but that of the keys is used. */
  #members(keys: readonly number[] | Sql): Sql {
    const where = [
      sql`n0.pk IN (${keysAmong(keys)})`,
      ...this.typeFilter('+n0.type'),
      ...this.residual(),
      ...this.#fromFilter(),
    ];
    return sql`SELECT ${raw(nodeColumns('n0'))} FROM ${N}${whereSql(where)}`;
  }

  #cut(cut: Cut): readonly Branch[] {
    const bounds: ((pk: Sql) => Sql)[] = [];
    const { after, slice } = cut;
    if (after !== undefined) bounds.push((pk) => sql`${pk}>${after}`);
    if (slice !== undefined) {
      // Slices of the key space are read by type or from the table itself, whatever else would be the way in.
      const where = [sql`n0.pk>${slice.above}`, sql`n0.pk<=${slice.upTo}`];
      // One without known bounds may be long.
      if (typeof slice.above !== 'number') where.push(alive(PK));
      where.push(...this.typeFilter('n0.type'), ...this.residual(), ...this.#fromFilter());
      const inLinks = this.hub !== undefined && this.#entry.linked === true;
      return [{ from: N, where, pk: PK, sort: inLinks ? [firstLink(this.hub, 'n0.pk')] : this.sortValues() }];
    }
    if (bounds.length === 0) return this.#entry.branches;
    return this.#entry.branches.map((branch) => ({
      ...branch,
      where: [...branch.where, ...bounds.map((bound) => bound(branch.pk))],
    }));
  }

  #choose(ordered: boolean): Entry {
    const { catalog } = this;
    if (this.types?.length === 0) {
      return { branches: [{ from: N, where: [FALSE_SQL], pk: PK, sort: this.sortValues() }], worst: 0, ordered: true };
    }
    const found = this.conjuncts
      .flatMap((term) => {
        const set = candidates(term, this.types, catalog);
        return set === undefined ? [] : { ...set, term };
      })
      .sort((a, b) => a.rank - b.rank);
    const best = found[0];
    if (found.some(({ now }) => now === true)) this.relies = true;
    const hub = this.hub;
    if (hub !== undefined) {
      const linked = this.#byHub(hub, ordered, best);
      if (linked !== undefined) return linked;
      this.member = isLinked(hub, 'n0.pk');
    }
    if (best !== undefined && best.rank <= 1) {
      return this.bySets(found.filter(({ rank }) => rank <= 1).map(({ select }) => select));
    }
    const visible = this.#byVisible(ordered, best?.select);
    if (visible !== undefined) return visible;
    const sorted = ordered ? this.bySort() : undefined;
    if (sorted !== undefined) {
      const onSortKey = this.conjuncts.some(
        (term) => 'key' in term && term.key === this.wanted[0]?.key && onIndex(PK, term) !== undefined,
      );
      if (best === undefined || onSortKey) return sorted;
      if (best.rank === LOOKED_THROUGH) return this.#isFrequent() ? sorted : this.bySets([best.select]);
      const matches = catalog.probe(best.select, LARGE_SET + 1);
      if (gathersSooner(this.query, matches, this.total)) return this.bySets([best.select]);
      // A larger set takes longer to make than what it spares; an index is asked for each node then.
      const { term, select } = best;
      if (matches <= LARGE_SET) return this.bySort({ term, member: sql`p.node IN (${select})`, matches }) ?? sorted;
      const member = hasValue(term, this.types, catalog);
      return member === undefined ? sorted : (this.bySort({ term, member }) ?? sorted);
    }
    const named =
      ordered && this.unsorted && (best?.now === true || best?.rank === LOOKED_THROUGH) ? this.byPart() : undefined;
    if (named !== undefined) return named;
    // What memory names is fewer than what an index is looked through for.
    if (best?.now !== true && (this.unsorted || !ordered)) {
      const direct = this.byValue(ordered);
      if (direct !== undefined) return direct;
    }
    if (best !== undefined) return this.bySets([best.select]);
    return this.byType();
  }

  /** By what is linked to the hub; undefined: by something else, of which each is asked whether it is linked. */
  #byHub(hub: Hub, ordered: boolean, best: Candidates | undefined): Entry | undefined {
    const { catalog } = this;
    const isNarrower =
      best !== undefined && (best.rank === 0 || catalog.probe(best.select, hub.degree + 1) < hub.degree);
    if (isNarrower && best.rank <= 1) return undefined;
    if (ordered && !this.unsorted) {
      // A page is found sooner by walking the index of the sort key where many are linked.
      if (!isNarrower && this.hasSortIndex() && walksLinked(this.query, hub.degree, this.total)) return undefined;
    } else if (!isNarrower && !(ordered && hub.isAtMost(FEW_LINKS))) return this.byLinks(hub, ordered);
    const sets = [linkedKeys(hub)];
    if (isNarrower) sets.push(best.select);
    return this.bySets(sets);
  }

  /** A part of a text that memory says to be in many. */
  #isFrequent(): boolean {
    const isFrequent = this.conjuncts.some((term) => matchesOfPart(term, this.types, this.catalog, 1) !== undefined);
    if (isFrequent) this.relies = true;
    return isFrequent;
  }

  /** Of one part of a text alone, which memory can count. */
  get countedPart(): Plan['countedPart'] {
    const [term, more] = this.conjuncts;
    const { types, rule, hub } = this;
    if (term === undefined || more !== undefined || rule !== undefined || hub !== undefined || types === undefined)
      return undefined;
    const part = partOf(term);
    const key = part !== undefined && 'key' in term ? indexedKeys(types, term.key, this.catalog) : undefined;
    if (part === undefined || key === undefined || this.catalog.parts === undefined) return undefined;
    const among = (keys: readonly number[]): Sql =>
      countRows(
        [
          {
            from: N,
            where: [sql`n0.pk IN (${keysIn(keys)})`, ...this.typeFilter('+n0.type'), ...this.residual()],
            pk: PK,
            sort: [],
          },
        ],
        -1,
      );
    return { types, key, part, among };
  }

  #dependencies(): readonly number[] | undefined {
    const local = this.conjuncts.every(isLocal) && this.rule?.propagation === undefined;
    if (!local || this.types === undefined) return undefined;
    if (this.hub === undefined) return this.query.from === undefined ? this.types : undefined;
    return this.hub.dependsOn === undefined ? undefined : [...new Set([...this.types, ...this.hub.dependsOn])];
  }

  #visibleSet(): Visible | undefined {
    const rule = this.rule;
    const types = this.types;
    if (rule === undefined || this.hub !== undefined || types?.length === 0) return undefined;
    const sources = visibleSources(rule, types, this.catalog);
    return { rule, sources, count: this.#howMany(sources, SMALL_SET) };
  }

  /** Counted up to one more than `few`. */
  #howMany(sources: readonly Sql[], few: number): number {
    if (this.#visible?.count === Infinity) return Infinity;
    const all = sql`SELECT * FROM (${sources.length === 0 ? union(sources) : join(sources, ' UNION ALL ')})`;
    const depends = this.rule?.propagation === undefined ? this.types : undefined;
    return this.catalog.probe(all, few + 1, depends);
  }

  /** What is visible, the way in when nothing narrows it further. */
  #byVisible(ordered: boolean, narrower: Sql | undefined): Entry | undefined {
    if (this.#visible === undefined) return undefined;
    const { rule, sources } = this.#visible;
    const few = this.#visible.count <= SMALL_SET;
    const rest = this.conjuncts.map((term) => condition(this.scope, term));
    const inOrder = (this.unsorted || !ordered) && this.types !== undefined;
    const merged = inOrder ? visibleBranches(rule, this.types, this.catalog, rest) : undefined;
    const count = few || merged !== undefined ? this.#visible.count : this.#howMany(sources, LARGE_SET);
    if (merged === undefined && count > LARGE_SET) return undefined;
    if (narrower !== undefined && this.catalog.probe(narrower, Math.min(count, LARGE_SET) + 1) <= count) {
      return undefined;
    }
    if (merged !== undefined) return { branches: merged, worst: 0, ordered: true, once: true, few };
    if (!few && ordered && walksSooner(this.query, count, this.total)) return undefined;
    const sort = this.sortValues();
    const alone = rest.length === 0 && sort.length === 0;
    const set = sql`(${union(sources)}) v`;
    const from = alone ? set : sql`${set} CROSS JOIN node n0 ON n0.pk=v.pk`;
    const branches = [{ from, where: [alive(raw('v.pk')), ...rest], pk: raw('v.pk'), sort }];
    return { branches, worst: count, ordered: this.unsorted, set: true, few: true };
  }

  #fromFilter(): Sql[] {
    if (this.hub === undefined) return [];
    return [sql`n0.pk IN (${linkedKeys(this.hub)})`, ...this.stepFits()];
  }
}

/** For so many matches, of an index with so many entries (absent: it is not known). */
function steps({ entries }: Entry, matches: number, total = Infinity): number | undefined {
  return entries === undefined ? undefined : Math.min(total, entries * matches);
}

/** Whole rows for selected keys, in the order of the select: SQLite runs it as the outer loop. */
function rowsOf(keys: Sql): Sql {
  return sql`SELECT ${raw(nodeColumns('n'))} FROM (${keys}) q CROSS JOIN node n ON n.pk=q.pk`;
}

export function compileNodes(query: NodeQuery, catalog: Catalog): Plan {
  return new NodeCompiler(query, catalog);
}
