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
import { type AccessRule, narrowed } from '../../access.js';
import type { NodeQuery, Predicate, SortKey } from '../../query.js';
import { union, visibleBranches, visibleSources } from './access-sources.js';
import { allowed, nodeFits } from './access-sql.js';
import { narrowedNow } from './visible-types.js';
import {
  type Candidates,
  candidates,
  concreteTypes,
  conjuncts,
  indexedKeys,
  isLocal,
  LOOKED_THROUGH,
} from './candidates.js';
import type { Catalog } from './catalog.js';
import {
  SHORT_WALK,
  SMALL_SET,
  FEW_LINKS,
  LARGE_SET,
  gathersSooner,
  walksLinked,
  walksSooner,
  type Entry,
  type Visible,
} from './entry.js';
import { hasType, type Hub, hubOf, isLinked, linkedKeys, linksOf } from './hub.js';
import { partCondition } from './part-of-text.js';
import { type Branch, countDistinct, countRows, type Cut, keysAmong, orderedKeys, type Plan } from './plan.js';
import { comparison, condition, type Scope, value } from './predicates.js';
import { alive, FALSE_SQL, join, list, raw, type Sql, sql } from '../connection/sql.js';

const N = raw('node n0');
const PK = raw('n0.pk');
/** More types than this are not merged but read in one go. */
const MAX_BRANCHES = 24;
class NodeCompiler implements Plan {
  readonly byKey: boolean;
  readonly worst: number;
  readonly eager: boolean;
  readonly keyset: boolean;
  readonly few: boolean;
  readonly filtered: boolean;
  readonly dependsOn: readonly number[] | undefined;
  readonly #rule: AccessRule | undefined;
  /** Counters have told that the rule holds for nodes of some types, or memory which texts have a part. */
  #relies: boolean;
  readonly #sort: readonly SortKey[];
  /** Names of the types that the nodes may have; undefined: any. */
  readonly #names: readonly string[] | undefined;
  /** Those of which there are any. */
  readonly #types: readonly number[] | undefined;
  readonly #conjuncts: readonly Predicate[];
  readonly #scope: Scope;
  readonly #entry: Entry;
  readonly #total: number;
  readonly #visible: Visible | undefined;
  readonly #unsorted: boolean;
  readonly #hub: Hub | undefined;
  /** Being linked to the hub, as a condition, while a way is chosen that enters by something else. */
  #member: Sql | undefined;

  constructor(
    private readonly query: NodeQuery,
    private readonly catalog: Catalog,
  ) {
    this.#sort = query.sort ?? [];
    this.#unsorted = this.#sort.length === 0;
    const terms = conjuncts(query.where);
    const hub = hubOf(query, terms, catalog, LARGE_SET);
    this.#hub = hub ?? undefined;
    const types = query.types ?? query.from?.step.types;
    this.#names = types;
    this.#types = hub === null ? [] : concreteTypes(types, catalog);
    this.#conjuncts =
      hub?.instead === undefined ? terms : [...hub.rest, ...terms.filter((term) => term !== hub.instead)];
    this.#scope = { kind: 'nodes', alias: 'n0', depth: 0, catalog };
    this.#total = (this.#types ?? [-1]).reduce((sum, type) => sum + catalog.nodes(type), 0);
    const rule = narrowed(query.access, types);
    this.#rule = narrowedNow(rule, types, catalog);
    this.#relies = this.#rule !== rule;
    this.filtered = this.#conjuncts.length > 0 || this.#hub !== undefined;
    this.dependsOn = this.#dependencies();
    this.#visible = this.#visibleSet();
    this.#entry = this.#choose(true);
    this.#member = undefined;
    this.byKey = this.#unsorted && this.#entry.linked !== true;
    this.worst = this.#entry.worst;
    this.eager = !this.#entry.ordered;
    this.keyset = this.byKey && !this.#entry.set;
    this.few = this.#entry.few === true;
  }

  strict(): Plan {
    if (!this.#relies) return this;
    return compileNodes(this.query, { ...this.catalog, flagged: () => undefined, parts: () => undefined });
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
    const { branches, once, repeats } = this.#choose(false);
    this.#member = undefined;
    return repeats === true ? countDistinct(branches, limit) : countRows(branches, limit, once);
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
    if (found.some(({ now }) => now === true)) this.#relies = true;
    const hub = this.#hub;
    if (hub !== undefined) {
      const linked = this.#byHub(hub, ordered, best);
      if (linked !== undefined) return linked;
    }
    if (best !== undefined && best.rank <= 1) {
      return this.#bySets(found.filter(({ rank }) => rank <= 1).map(({ select }) => select));
    }
    const visible = this.#byVisible(ordered, best?.select);
    if (visible !== undefined) return visible;
    const sorted = ordered ? this.#bySort() : undefined;
    if (sorted !== undefined) {
      const onSortKey = this.#conjuncts.some(
        (term) => 'key' in term && term.key === this.#sort[0]?.key && onIndex(PK, term) !== undefined,
      );
      if (best === undefined || onSortKey) return sorted;
      if (best.rank === LOOKED_THROUGH) return this.#bySets([best.select]);
      const matches = catalog.probe(best.select, LARGE_SET + 1);
      return gathersSooner(this.query, matches, this.#total) ? this.#bySets([best.select]) : sorted;
    }
    // What memory names is fewer than what an index is looked through for.
    if (best?.now !== true && (this.#unsorted || !ordered)) {
      const direct = this.#byValue(ordered);
      if (direct !== undefined) return direct;
    }
    if (best !== undefined) return this.#bySets([best.select]);
    return this.#byType();
  }

  /** By what is linked to the hub; undefined: by something else, of which each is asked whether it is linked. */
  #byHub(hub: Hub, ordered: boolean, best: Candidates | undefined): Entry | undefined {
    const { catalog } = this;
    this.#member = isLinked(hub, 'n0.pk');
    const isNarrower =
      best !== undefined && (best.rank === 0 || catalog.probe(best.select, hub.degree + 1) < hub.degree);
    if (isNarrower && best.rank <= 1) return undefined;
    const few = hub.degree <= FEW_LINKS;
    if (ordered && !this.#unsorted) {
      // A page is found sooner by walking the index of the sort key where many are linked.
      if (!isNarrower && this.#hasSortIndex() && walksLinked(this.query, hub.degree, this.#total)) return undefined;
    } else if (!isNarrower && !(ordered && few)) return this.#byLinks(hub, ordered);
    this.#member = undefined;
    const sets = [linkedKeys(hub)];
    if (isNarrower) sets.push(best.select);
    return this.#bySets(sets);
  }

  /** In the order of linking, read no further than the page; to be counted, from the index of relationships alone where that tells enough. */
  #byLinks(hub: Hub, ordered: boolean): Entry {
    const { catalog } = this;
    const types = this.#types;
    const far = `r.${hub.far}`;
    const { from, where, once } = linksOf(hub);
    const only = types?.length === 1 ? types[0] : undefined;
    // The type of a node stands in its row, or is known.
    const whole =
      this.#conjuncts.length > 0 || hub.fits.access !== undefined || (this.#rule !== undefined && only === undefined);
    const terms: Sql[] = [...where];
    if (ordered) terms.push(once);
    if (hub.alone !== undefined) terms.push(hub.alone(far));
    this.#member = undefined;
    if (whole) terms.push(...this.#typeFilter('+n0.type'), ...nodeFits('n0', hub.fits, catalog), ...this.#residual());
    else {
      const both = this.#typesWithin(hub.fits.types);
      if (both !== undefined) terms.push(hasType(far, both));
      if (this.#rule !== undefined)
        terms.push(allowed({ type: String(only), pk: far }, this.#rule, catalog, this.#names));
    }
    const branch = {
      from: whole ? sql`${from} CROSS JOIN node n0 ON n0.pk=${raw(far)}` : from,
      where: terms,
      pk: raw(far),
      sort: ordered ? [raw('r.pk')] : [],
    };
    return { branches: [branch], worst: whole ? hub.degree : 0, ordered: true, linked: true, repeats: !ordered };
  }

  /** The types of the query among these; undefined: any. */
  #typesWithin(names: readonly string[] | undefined): readonly number[] | undefined {
    const types = this.#types;
    if (names === undefined) return types;
    const ids = names.flatMap((name) => this.catalog.idOf(name) ?? []);
    return types === undefined ? ids : types.filter((type) => ids.includes(type));
  }

  #hasSortIndex(): boolean {
    const first = this.#sort[0];
    return first !== undefined && indexedKeys(this.#types, first.key, this.catalog) !== undefined;
  }

  #dependencies(): readonly number[] | undefined {
    const local = this.#conjuncts.every(isLocal) && this.#rule?.propagation === undefined;
    if (!local || this.#types === undefined) return undefined;
    if (this.#hub === undefined) return this.query.from === undefined ? this.#types : undefined;
    return this.#hub.dependsOn === undefined ? undefined : [...new Set([...this.#types, ...this.#hub.dependsOn])];
  }

  #visibleSet(): Visible | undefined {
    const rule = this.#rule;
    const types = this.#types;
    if (rule === undefined || this.#hub !== undefined || types?.length === 0) return undefined;
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
    const inOrder = (this.#unsorted || !ordered) && this.#types !== undefined;
    const merged = inOrder ? visibleBranches(rule, this.#types, this.catalog, rest) : undefined;
    const count = few || merged !== undefined ? this.#visible.count : this.#howMany(sources, LARGE_SET);
    if (merged === undefined && count > LARGE_SET) return undefined;
    if (narrower !== undefined && this.catalog.probe(narrower, Math.min(count, LARGE_SET) + 1) <= count) {
      return undefined;
    }
    if (merged !== undefined) return { branches: merged, worst: 0, ordered: true, once: true, few };
    if (!few && ordered && walksSooner(this.query, count, this.#total)) return undefined;
    const sort = this.#sortValues();
    const alone = rest.length === 0 && sort.length === 0;
    const set = sql`(${union(sources)}) v`;
    const from = alone ? set : sql`${set} CROSS JOIN node n0 ON n0.pk=v.pk`;
    const branches = [{ from, where: [alive(raw('v.pk')), ...rest], pk: raw('v.pk'), sort }];
    return { branches, worst: count, ordered: this.#unsorted, set: true, few: true };
  }

  #fromFilter(): Sql[] {
    if (this.#hub === undefined) return [];
    return [sql`n0.pk IN (${linkedKeys(this.#hub)})`, ...this.#stepFits()];
  }

  /** What else the link to the hub asks of the node. */
  #stepFits(): Sql[] {
    const hub = this.#hub;
    if (hub === undefined) return [];
    return [...nodeFits('n0', hub.fits, this.catalog), ...(hub.alone === undefined ? [] : [hub.alone('n0.pk')])];
  }

  /** That the node is allowed, its type and key standing in these columns. */
  #access(columns = { type: 'n0.type', pk: 'n0.pk' }): Sql[] {
    return this.#rule === undefined ? [] : [allowed(columns, this.#rule, this.catalog, this.#names)];
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
      ordered: this.#unsorted,
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
      const compared = 'key' in term && term.key === first.key ? onIndex(raw('p.value'), term) : undefined;
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

  #byValue(ordered: boolean): Entry | undefined {
    const types = this.#types;
    if (types === undefined || types.length > MAX_BRANCHES) return undefined;
    for (const term of this.#conjuncts) {
      const isOne = (term.op === 'equals' && term.orNull !== true) || term.op === 'isNull';
      if (!('key' in term) || (ordered && !isOne)) continue;
      const key = indexedKeys(types, term.key, this.catalog);
      const compared = onIndex(raw('p.value'), term);
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
      return { branches, worst: rest.length === 0 ? 0 : this.#total, ordered: this.#unsorted };
    }
    return undefined;
  }

  #byType(): Entry {
    const rest = this.#residual();
    const sort = this.#sortValues();
    const types = this.#types;
    const worst = rest.length === 0 && this.#unsorted ? 0 : this.#total;
    if (types !== undefined && types.length <= MAX_BRANCHES && this.#unsorted) {
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
    return { branches: [{ from: N, where, pk: PK, sort }], worst, ordered: this.#unsorted };
  }
}

/** A condition on the value of a property, where its index stands. */
function onIndex(column: Sql, term: Predicate): Sql | undefined {
  return comparison(column, term) ?? partCondition(column, term);
}

/** Whole rows for selected keys, in the order of the select: SQLite runs it as the outer loop. */
function rowsOf(keys: Sql): Sql {
  return sql`SELECT n.pk,n.id,n.type,n.props FROM (${keys}) q CROSS JOIN node n ON n.pk=q.pk`;
}

export function compileNodes(query: NodeQuery, catalog: Catalog): Plan {
  return new NodeCompiler(query, catalog);
}
