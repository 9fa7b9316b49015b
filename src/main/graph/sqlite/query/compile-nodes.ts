/**
 * Node queries to SQL. A query is entered in one of these ways, the first that fits:
 *
 * - a set of keys that an index gives (ids, relationships, an indexed value), filtered and sorted;
 * - what a rule of access allows, in the order of creation;
 * - the set of it, when that is little of the whole;
 * - the property index in the order of the first sort key, filtered, read only as far as the page goes;
 * - the property index at one value, in the order of creation;
 * - all nodes of the types in the order of creation.
 */
import { type AccessRule, narrowed } from '../../access.js';
import type { NodeQuery, Predicate, SortKey } from '../../query.js';
import { union, visibleBranches, visibleSources } from './access-sources.js';
import { allowed, nodeFits } from './access-sql.js';
import { narrowedNow } from './visible-types.js';
import { candidates, concreteTypes, conjuncts, indexedKeys, isLocal } from './candidates.js';
import type { Catalog } from './catalog.js';
import { type Branch, countRows, type Cut, keysAmong, orderedKeys, type Plan } from './plan.js';
import { ends } from '../connection/parts.js';
import { comparison, condition, type Scope, value } from './predicates.js';
import { alive, FALSE_SQL, join, list, raw, type Sql, sql } from '../connection/sql.js';

const N = raw('node n0');
const PK = raw('n0.pk');
/** More types than this are not merged but read in one go. */
const MAX_BRANCHES = 24;
/** Entries of an index that a page may be away from its beginning and still count as a short walk. */
const SHORT_WALK = 4000;
/** A set of at most this many nodes is sorted rather than walking the index of the sort key. */
const SMALL_SET = 2000;
/** A visible set of more nodes than this is never made whole. */
const LARGE_SET = 10 * SMALL_SET;

interface Entry {
  readonly branches: readonly Branch[];
  readonly worst: number;
  /** The branches already deliver the order. */
  readonly ordered: boolean;
  /** Entered by a set of keys, which is made anew each time. */
  readonly set?: boolean;
  /** All keys are few enough to be kept. */
  readonly few?: boolean;
  /** Branches may have rows in common. */
  readonly once?: boolean;
}

/** What a rule allows, entered by the indexes that know it. */
interface Visible {
  readonly rule: AccessRule;
  readonly sources: readonly Sql[];
  /** Not less than their number. Infinity: too many to count. */
  readonly count: number;
}

class NodeCompiler implements Plan {
  readonly byKey: boolean;
  readonly worst: number;
  readonly eager: boolean;
  readonly keyset: boolean;
  readonly few: boolean;
  readonly filtered: boolean;
  readonly dependsOn: readonly number[] | undefined;
  readonly #rule: AccessRule | undefined;
  /** Counters have told that the rule holds for nodes of some types. */
  readonly #relies: boolean;
  readonly #sort: readonly SortKey[];
  readonly #types: readonly number[] | undefined;
  readonly #conjuncts: readonly Predicate[];
  readonly #scope: Scope;
  readonly #entry: Entry;
  readonly #total: number;
  readonly #visible: Visible | undefined;
  /** Being linked to `from`, as a condition, while a way is chosen that walks in order. */
  #member: Sql | undefined;

  constructor(
    private readonly query: NodeQuery,
    private readonly catalog: Catalog,
  ) {
    this.#sort = query.sort ?? [];
    this.byKey = this.#sort.length === 0;
    this.#types = concreteTypes(query.types, catalog);
    this.#conjuncts = conjuncts(query.where);
    this.#scope = { kind: 'nodes', alias: 'n0', depth: 0, catalog };
    this.#total = (this.#types ?? [-1]).reduce((sum, type) => sum + catalog.nodes(type), 0);
    const rule = narrowed(query.access, query.types);
    this.#rule = narrowedNow(rule, query.types, catalog);
    this.#relies = this.#rule !== rule;
    this.filtered = this.#conjuncts.length > 0 || query.from !== undefined;
    const local = query.from === undefined && this.#conjuncts.every(isLocal) && this.#rule?.propagation === undefined;
    this.dependsOn = local ? this.#types : undefined;
    this.#visible = this.#visibleSet();
    this.#member = this.#walkable() ? this.#linked() : undefined;
    this.#entry = this.#choose(true);
    this.#member = undefined;
    this.worst = this.#entry.worst;
    this.eager = !this.#entry.ordered;
    this.keyset = this.byKey && !this.#entry.set;
    this.few = this.#entry.few === true;
  }

  strict(): Plan {
    if (!this.#relies) return this;
    return compileNodes(this.query, { ...this.catalog, flagged: () => undefined });
  }

  rows(cut: Cut): Sql {
    if (cut.among !== undefined) return rowsOf(this.#members(cut.among));
    const branches = this.#cut(cut);
    return rowsOf(orderedKeys(branches, this.#sort, cut, this.#entry.once));
  }

  keys(cut: Cut): Sql {
    return orderedKeys(this.#cut(cut), this.#sort, cut, this.#entry.once);
  }

  count(limit: number): Sql {
    // Order does not matter here, so an indexed value is a better way in than the index of a sort key.
    const { branches, once } = this.#choose(false);
    return countRows(branches, limit, once);
  }

  /** Still matching rows among `keys`; no index but that of the keys is used. */
  #members(keys: readonly number[] | Sql): Sql {
    const where = [
      sql`n0.pk IN (${keysAmong(keys)})`,
      ...this.#typeFilter('+n0.type'),
      ...this.#residual(),
      ...this.#fromFilter(),
    ];
    return orderedKeys([{ from: N, where, pk: PK, sort: [] }], [], { offset: 0, limit: -1 });
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
      where.push(...this.#typeFilter('n0.type'), ...this.#residual(), ...this.#fromFilter());
      return [{ from: N, where, pk: PK, sort: this.#sortValues() }];
    }
    if (bounds.length === 0) return this.#entry.branches;
    return this.#entry.branches.map((branch) => ({
      ...branch,
      where: [...branch.where, ...bounds.map((bound) => bound(branch.pk))],
    }));
  }

  #choose(ordered: boolean): Entry {
    const { catalog } = this;
    if (this.#types?.length === 0) {
      return { branches: [{ from: N, where: [FALSE_SQL], pk: PK, sort: this.#sortValues() }], worst: 0, ordered: true };
    }
    const found = this.#conjuncts
      .map((term) => candidates(term, this.#types, catalog))
      .filter((one) => one !== undefined)
      .sort((a, b) => a.rank - b.rank);
    const best = found[0];
    const from = this.#member === undefined ? this.#fromSelect() : undefined;
    if (from !== undefined || (best !== undefined && best.rank <= 1)) {
      const sets = from === undefined ? [] : [from];
      for (const one of found) if (one.rank <= 1) sets.push(one.select);
      return this.#bySets(sets);
    }
    const visible = this.#byVisible(ordered, best?.select);
    if (visible !== undefined) return visible;
    const sorted = ordered ? this.#bySort() : undefined;
    if (sorted !== undefined) {
      const onSortKey = this.#conjuncts.some(
        (term) => 'key' in term && term.key === this.#sort[0]?.key && comparison(PK, term) !== undefined,
      );
      if (best === undefined || onSortKey) return sorted;
      return catalog.probe(best.select, SMALL_SET + 1) <= SMALL_SET ? this.#bySets([best.select]) : sorted;
    }
    if (this.byKey || !ordered) {
      const direct = this.#byValue();
      if (direct !== undefined) return direct;
    }
    if (best !== undefined) return this.#bySets([best.select]);
    return this.#byType();
  }

  #fromSelect(): Sql | undefined {
    const { from } = this.query;
    if (from === undefined) return undefined;
    const relType = this.catalog.idOf(from.step.relType);
    if (relType === undefined) return sql`SELECT 0 WHERE ${FALSE_SQL}`;
    const { near, far } = ends(from.step);
    return sql`SELECT ${raw(far)} FROM rel WHERE ${raw(near)} IN (SELECT pk FROM node WHERE id=${from.id}) AND relType=${relType} AND ${alive(raw('pk'))}`;
  }

  /**
   * Whether a page of what is linked to `from` is found sooner by walking the nodes in order and asking each whether
   * it is linked: so it is when most are, and sorting 100,000 of them for each page would be slow.
   */
  #walkable(): boolean {
    const { limit, offset } = this.query;
    const from = this.#fromSelect();
    if (from === undefined || limit === undefined || this.#types === undefined) return false;
    const wanted = (limit + (offset ?? 0)) * this.#total;
    const some = this.catalog.probe(from, SMALL_SET + 1);
    if (some <= SMALL_SET) return false;
    if (wanted / some <= 2 * SMALL_SET) return true;
    const many = this.catalog.probe(from, 10 * SMALL_SET);
    return wanted / many <= many;
  }

  #visibleSet(): Visible | undefined {
    const rule = this.#rule;
    const types = this.#types;
    if (rule === undefined || this.query.from !== undefined || types?.length === 0) return undefined;
    const sources = visibleSources(rule, types, this.catalog);
    return { rule, sources, count: this.#howMany(sources, SMALL_SET) };
  }

  /** Counted up to one more than `few`. */
  #howMany(sources: readonly Sql[], few: number): number {
    if (this.#visible?.count === Infinity) return Infinity;
    const all = sql`SELECT * FROM (${sources.length === 0 ? union(sources) : join(sources, ' UNION ALL ')})`;
    const depends = this.#rule?.propagation === undefined ? this.#types : undefined;
    return this.catalog.probe(all, few + 1, depends);
  }

  /** What is visible, the way in when nothing narrows it further. */
  #byVisible(ordered: boolean, narrower: Sql | undefined): Entry | undefined {
    if (this.#visible === undefined) return undefined;
    const { rule, sources } = this.#visible;
    const few = this.#visible.count <= SMALL_SET;
    const rest = this.#conjuncts.map((term) => condition(this.#scope, term));
    const inOrder = (this.byKey || !ordered) && this.#types !== undefined;
    const merged = inOrder ? visibleBranches(rule, this.#types, this.catalog, rest) : undefined;
    const count = few || merged !== undefined ? this.#visible.count : this.#howMany(sources, LARGE_SET);
    if (merged === undefined && count > LARGE_SET) return undefined;
    if (narrower !== undefined && this.catalog.probe(narrower, Math.min(count, LARGE_SET) + 1) <= count) {
      return undefined;
    }
    if (merged !== undefined) return { branches: merged, worst: 0, ordered: true, once: true, few };
    if (!few && ordered && this.#walksSooner(count)) return undefined;
    const sort = this.#sortValues();
    const alone = rest.length === 0 && sort.length === 0;
    const set = sql`(${union(sources)}) v`;
    const from = alone ? set : sql`${set} CROSS JOIN node n0 ON n0.pk=v.pk`;
    const branches = [{ from, where: [alive(raw('v.pk')), ...rest], pk: raw('v.pk'), sort }];
    return { branches, worst: count, ordered: this.byKey, set: true, few: true };
  }

  /**
   * Whether a page is found sooner by asking node after node than by finding and sorting so many: that takes as many steps
   * as the page is long and the set is rare.
   */
  #walksSooner(count: number): boolean {
    const { limit, offset } = this.query;
    return limit !== undefined && ((limit + (offset ?? 0)) * this.#total) / count < count;
  }

  #linked(): Sql | undefined {
    const { from } = this.query;
    const relType = from === undefined ? undefined : this.catalog.idOf(from.step.relType);
    if (from === undefined || relType === undefined) return undefined;
    const { near, far } = ends(from.step);
    const index = raw(far === 'target' ? 'rel_in' : 'rel_out');
    return sql`EXISTS (SELECT 1 FROM rel f INDEXED BY ${index} WHERE f.${raw(far)}=n0.pk AND f.relType=${relType} AND f.${raw(near)}=(SELECT pk FROM node WHERE id=${from.id}) AND ${alive(raw('f.pk'))})`;
  }

  #fromFilter(): Sql[] {
    const select = this.#fromSelect();
    return select === undefined ? [] : [sql`n0.pk IN (${select})`, ...this.#stepFits()];
  }

  /** What the step from `from` asks of the node. */
  #stepFits(): Sql[] {
    const { from } = this.query;
    return from === undefined ? [] : nodeFits('n0', from.step, this.catalog);
  }

  /** That the node is allowed, its type and key standing in these columns. */
  #access(columns = { type: 'n0.type', pk: 'n0.pk' }): Sql[] {
    return this.#rule === undefined ? [] : [allowed(columns, this.#rule, this.catalog, this.query.types)];
  }

  #typeFilter(column: string): Sql[] {
    return this.#types === undefined ? [] : [sql`${raw(column)} IN (${list(this.#types)})`];
  }

  #residual(except?: Predicate): Sql[] {
    const terms = this.#conjuncts.filter((term) => term !== except);
    return [...terms.map((term) => condition(this.#scope, term)), ...this.#membership(), ...this.#access()];
  }

  #membership(): Sql[] {
    return this.#member === undefined ? [] : [this.#member, ...this.#stepFits()];
  }

  #sortValues(): Sql[] {
    return this.#sort.map((key) => value(this.#scope, key.key));
  }

  /** The unary plus keeps the planner from entering by type instead. */
  #bySets(sets: readonly Sql[]): Entry {
    const where = sets.map((set) => sql`n0.pk IN (${set})`);
    where.push(...this.#typeFilter('+n0.type'), ...this.#stepFits(), alive(PK), ...this.#residual());
    return {
      branches: [{ from: N, where, pk: PK, sort: this.#sortValues() }],
      worst: SMALL_SET,
      ordered: this.byKey,
      set: true,
    };
  }

  #bySort(): Entry | undefined {
    const first = this.#sort[0];
    const types = this.#types;
    if (first === undefined || types === undefined || types.length > MAX_BRANCHES) return undefined;
    const key = indexedKeys(types, first.key, this.catalog);
    if (key === undefined) return undefined;
    const onKey: Sql[] = [];
    const rest: Sql[] = [];
    for (const term of this.#conjuncts) {
      const compared = 'key' in term && term.key === first.key ? comparison(raw('p.value'), term) : undefined;
      if (compared !== undefined) onKey.push(compared);
      else rest.push(condition(this.#scope, term));
    }
    rest.push(...this.#membership());
    const others = this.#sort.slice(1).map((other) => value(this.#scope, other.key));
    const alone = rest.length === 0 && others.length === 0;
    rest.push(...this.#access({ type: 'p.type', pk: 'p.node' }));
    // The guard against long work costs a third of such a query, and there is nothing to guard against.
    const { limit, offset } = this.query;
    const shortWalk = alone && rest.length === 0 && limit !== undefined && limit + (offset ?? 0) <= SHORT_WALK;
    const guard = shortWalk ? [] : [alive(raw('p.node'))];
    const branches = types.map((type) => ({
      from: alone ? raw('prop_index p') : raw('prop_index p CROSS JOIN node n0 ON n0.pk=p.node'),
      where: [sql`p.type=${type}`, sql`p.key=${key}`, ...onKey, ...guard, ...rest],
      pk: raw('p.node'),
      sort: [raw('p.value'), ...others],
    }));
    return { branches, worst: rest.length === 0 ? 0 : this.#total, ordered: true };
  }

  #byValue(): Entry | undefined {
    const types = this.#types;
    if (types === undefined || types.length > MAX_BRANCHES) return undefined;
    for (const term of this.#conjuncts) {
      if (term.op !== 'equals' && term.op !== 'isNull') continue;
      if (term.op === 'equals' && term.orNull === true) continue;
      const key = indexedKeys(types, term.key, this.catalog);
      const compared = comparison(raw('p.value'), term);
      if (key === undefined || compared === undefined) continue;
      const rest = this.#residual(term);
      const sort = this.#sortValues();
      const alone = rest.length === 0 && sort.length === 0;
      const branches = types.map((type) => ({
        from: alone ? raw('prop_index p') : raw('prop_index p CROSS JOIN node n0 ON n0.pk=p.node'),
        where: [sql`p.type=${type}`, sql`p.key=${key}`, compared, alive(raw('p.node')), ...rest],
        pk: raw('p.node'),
        sort,
      }));
      return { branches, worst: rest.length === 0 ? 0 : this.#total, ordered: this.byKey };
    }
    return undefined;
  }

  #byType(): Entry {
    const rest = this.#residual();
    const sort = this.#sortValues();
    const types = this.#types;
    const worst = rest.length === 0 && this.byKey ? 0 : this.#total;
    if (types !== undefined && types.length <= MAX_BRANCHES && this.byKey) {
      const branches = types.map((type) => ({
        from: N,
        where: [sql`n0.type=${type}`, alive(PK), ...rest],
        pk: PK,
        sort,
      }));
      return { branches, worst, ordered: true };
    }
    const where = [
      ...this.#typeFilter(types !== undefined && types.length > MAX_BRANCHES ? '+n0.type' : 'n0.type'),
      alive(PK),
      ...rest,
    ];
    return { branches: [{ from: N, where, pk: PK, sort }], worst, ordered: this.byKey };
  }
}

/** Whole rows for selected keys, in the order of the select: SQLite runs it as the outer loop. */
function rowsOf(keys: Sql): Sql {
  return sql`SELECT n.pk,n.id,n.type,n.props FROM (${keys}) q CROSS JOIN node n ON n.pk=q.pk`;
}

export function compileNodes(query: NodeQuery, catalog: Catalog): Plan {
  return new NodeCompiler(query, catalog);
}
