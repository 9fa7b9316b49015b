/** The ways into a query of nodes as SQL, each with all that the query asks of a node; `compile-nodes.ts` chooses one. */
import { type AccessRule, narrowed } from '../../access.js';
import type { NodeQuery, Predicate, SortKey } from '../../query.js';
import { allowed, nodeFits } from './access-sql.js';
import { concreteTypes, conjuncts, indexedKeys, isToldByIndex, keysIn, matchesOfPart, onIndex } from './candidates.js';
import type { Catalog } from './catalog.js';
import { type Entry, LARGE_SET, SHORT_WALK, SMALL_SET } from './entry.js';
import { firstLink, hasType, type Hub, hubOf, linkedKeys, linksOf } from './hub.js';
import { condition, type Scope, value } from './predicates.js';
import { narrowedNow } from './visible-types.js';
import { alive, list, raw, type Sql, sql } from '../connection/sql.js';

/** The row of a node, and its key. */
export const N = raw('node n0');
export const PK = raw('n0.pk');
/** Nodes with a part of a text that are named at least and at most, and how many times as many where other conditions are left to ask. */
const [LEAST_NAMED, MOST_NAMED, REJECTED] = [128, 4096, 4];
/** More types than this are not merged but read in one go. */
const MAX_BRANCHES = 24;

export abstract class NodeWays {
  /** What of the rule of access is left to ask of a node; undefined: nothing. */
  protected readonly rule: AccessRule | undefined;
  /** Counters have told that the rule holds for nodes of some types, or memory which texts have a part. */
  protected relies: boolean;
  /** How the matches are sorted by the query; a plan may have another order where that says nothing. */
  protected readonly wanted: readonly SortKey[];
  protected readonly unsorted: boolean;
  /** Names of the types that the nodes may have; undefined: any. */
  protected readonly names: readonly string[] | undefined;
  /** Those of which there are any. */
  protected readonly types: readonly number[] | undefined;
  protected readonly conjuncts: readonly Predicate[];
  protected readonly scope: Scope;
  protected readonly total: number;
  protected readonly hub: Hub | undefined;
  /** Being linked to the hub, as a condition, while a way is chosen that enters by something else. */
  protected member: Sql | undefined;

  constructor(
    protected readonly query: NodeQuery,
    protected readonly catalog: Catalog,
  ) {
    this.wanted = query.sort ?? [];
    this.unsorted = this.wanted.length === 0;
    const terms = conjuncts(query.where);
    const hub = hubOf(query, terms, catalog, LARGE_SET);
    this.hub = hub ?? undefined;
    const types = query.types ?? query.from?.step.types;
    this.names = types;
    this.types = hub === null ? [] : concreteTypes(types, catalog);
    this.conjuncts =
      hub?.instead === undefined ? terms : [...hub.rest, ...terms.filter((term) => term !== hub.instead)];
    this.scope = { kind: 'nodes', alias: 'n0', depth: 0, catalog };
    this.total = (this.types ?? [-1]).reduce((sum, type) => sum + catalog.nodes(type), 0);
    const rule = narrowed(query.access, types);
    this.rule = narrowedNow(rule, types, catalog);
    this.relies = this.rule !== rule;
  }

  /** What else the link to the hub asks of the node. */
  protected stepFits(): Sql[] {
    const hub = this.hub;
    if (hub === undefined) return [];
    return [...nodeFits('n0', hub.fits, this.catalog), ...(hub.alone === undefined ? [] : [hub.alone('n0.pk')])];
  }

  /** That the node is allowed, its type and key standing in these columns. */
  private access(columns = { type: 'n0.type', pk: 'n0.pk' }): Sql[] {
    return this.rule === undefined ? [] : [allowed(columns, this.rule, this.catalog, this.names)];
  }

  protected typeFilter(column: string): Sql[] {
    return this.types === undefined ? [] : [sql`${raw(column)} IN (${list(this.types)})`];
  }

  protected residual(except?: Predicate): Sql[] {
    const terms = this.conjuncts.filter((term) => term !== except);
    return [...terms.map((term) => condition(this.scope, term)), ...this.membership(), ...this.access()];
  }

  private membership(): Sql[] {
    return this.member === undefined ? [] : [this.member, ...this.stepFits()];
  }

  protected sortValues(): Sql[] {
    return this.wanted.map((key) => value(this.scope, key.key));
  }

  /** The unary plus keeps the planner from entering by type instead. */
  protected bySets(sets: readonly Sql[]): Entry {
    const where = sets.map((set) => sql`n0.pk IN (${set})`);
    where.push(...this.typeFilter('+n0.type'), ...this.stepFits(), alive(PK), ...this.residual());
    return {
      branches: [{ from: N, where, pk: PK, sort: this.sortValues() }],
      worst: SMALL_SET,
      ordered: this.unsorted,
      set: true,
    };
  }

  /** By the index of the first sort key. `within`: a term, and how an index tells of an entry `p` whether its node may match, before the row is read. */
  protected bySort(within?: {
    readonly term: Predicate;
    readonly member: Sql;
    /** Nodes that are named by a set, which is made once. */
    readonly matches?: number | undefined;
  }): Entry | undefined {
    const first = this.wanted[0];
    const types = this.types;
    if (first === undefined || types === undefined || types.length > MAX_BRANCHES) return undefined;
    const key = indexedKeys(types, first.key, this.catalog);
    if (key === undefined) return undefined;
    const onKey: Sql[] = [];
    const rest: Sql[] = [];
    for (const term of this.conjuncts) {
      const compared = 'key' in term && term.key === first.key ? onIndex(raw('p.value'), term) : undefined;
      if (compared !== undefined) onKey.push(compared);
      else if (term !== within?.term || !isToldByIndex(term)) rest.push(condition(this.scope, term));
    }
    rest.push(...this.membership());
    const others = this.wanted.slice(1).map((other) => value(this.scope, other.key));
    const alone = rest.length === 0 && others.length === 0;
    rest.push(...this.access({ type: 'p.type', pk: 'p.node' }));
    // The guard against long work costs a third of such a query, and there is nothing to guard against.
    const { limit, offset } = this.query;
    const shortWalk =
      alone && within === undefined && rest.length === 0 && limit !== undefined && limit + (offset ?? 0) <= SHORT_WALK;
    const guard = shortWalk ? [] : [alive(raw('p.node'))];
    const member = within === undefined ? [] : [within.member];
    const branches = types.map((type) => ({
      from: alone ? raw('prop_index p') : raw('prop_index p CROSS JOIN node n0 ON n0.pk=p.node'),
      // The guard before what most entries fail at.
      where: [sql`p.type=${type}`, sql`p.key=${key}`, ...onKey, ...guard, ...member, ...rest],
      pk: raw('p.node'),
      sort: [raw('p.value'), ...others],
    }));
    const matches = alone && rest.length === 0 && types.length === 1 ? within?.matches : undefined;
    return {
      branches,
      worst: rest.length === 0 && within === undefined ? 0 : this.total,
      ordered: true,
      entries: matches === undefined ? undefined : this.total / Math.max(1, matches),
    };
  }

  protected byValue(ordered: boolean): Entry | undefined {
    const types = this.types;
    if (types === undefined || types.length > MAX_BRANCHES) return undefined;
    for (const term of this.conjuncts) {
      const isOne = (term.op === 'equals' && term.orNull !== true) || term.op === 'isNull';
      if (!('key' in term) || (ordered && !isOne)) continue;
      const key = indexedKeys(types, term.key, this.catalog);
      const compared = onIndex(raw('p.value'), term);
      if (key === undefined || compared === undefined) continue;
      const rest = this.residual(term);
      const sort = this.sortValues();
      const alone = rest.length === 0 && sort.length === 0;
      const branches = types.map((type) => ({
        from: alone ? raw('prop_index p') : raw('prop_index p CROSS JOIN node n0 ON n0.pk=p.node'),
        where: [sql`p.type=${type}`, sql`p.key=${key}`, compared, alive(raw('p.node')), ...rest],
        pk: raw('p.node'),
        sort,
      }));
      return { branches, worst: rest.length === 0 ? 0 : this.total, ordered: this.unsorted };
    }
    return undefined;
  }

  /**
   * The first nodes with a part of a text in the order of creation, as memory names them; behind those that it names, of which a page may want more, by walking. Undefined: no such
   * term, or nobody knows.
   */
  protected byPart(): Entry | undefined {
    const { limit, offset } = this.query;
    const alone = this.conjuncts.length === 1 && this.rule === undefined;
    const wanted =
      limit === undefined ? MOST_NAMED : 2 ** Math.ceil(Math.log2(Math.max(LEAST_NAMED, limit + (offset ?? 0))));
    const most = Math.min(MOST_NAMED, alone ? wanted : REJECTED * wanted);
    for (const term of this.conjuncts) {
      const found = matchesOfPart(term, this.types, this.catalog, most);
      if (found === undefined) continue;
      this.relies = true;
      const where = [...this.typeFilter('+n0.type'), alive(PK), ...this.residual()];
      const from = sql`(${keysIn(found.keys)}) v CROSS JOIN node n0 ON n0.pk=v.value`;
      const named = { from, where, pk: PK, sort: [] };
      if (found.upTo === Infinity) return { branches: [named], worst: found.keys.length, ordered: true };
      const behind = sql`n0.pk>${found.upTo}`;
      const walked = this.byType();
      return {
        ...walked,
        branches: [named, ...walked.branches.map((one) => ({ ...one, where: [behind, ...one.where] }))],
      };
    }
    return undefined;
  }

  protected byType(): Entry {
    const rest = this.residual();
    const sort = this.sortValues();
    const types = this.types;
    const worst = rest.length === 0 && this.unsorted ? 0 : this.total;
    if (types !== undefined && types.length <= MAX_BRANCHES && this.unsorted) {
      const branches = types.map((type) => ({
        from: N,
        where: [sql`n0.type=${type}`, alive(PK), ...rest],
        pk: PK,
        sort,
      }));
      return { branches, worst, ordered: true };
    }
    const where = [
      ...this.typeFilter(types !== undefined && types.length > MAX_BRANCHES ? '+n0.type' : 'n0.type'),
      alive(PK),
      ...rest,
    ];
    return { branches: [{ from: N, where, pk: PK, sort }], worst, ordered: this.unsorted };
  }

  /** In the order of linking, read no further than the page; to be counted, from the index of relationships alone where that tells enough. */
  protected byLinks(hub: Hub, ordered: boolean): Entry {
    const { catalog } = this;
    const types = this.types;
    const { later } = catalog;
    if (ordered && later && hub.isNow === true) return this.byLinksOfAny(hub);
    const far = `r.${hub.far}`;
    const { from, where, once } = linksOf(hub, later);
    const only = types?.length === 1 ? types[0] : undefined;
    // The type of a node stands in its row, or is known.
    const whole = this.conjuncts.length > 0 || this.#isLimited(hub) || (this.rule !== undefined && only === undefined);
    const terms: Sql[] = [...where];
    if (ordered) terms.push(once);
    if (hub.alone !== undefined) terms.push(hub.alone(far));
    if (whole) terms.push(...this.typeFilter('+n0.type'), ...nodeFits('n0', hub.fits, catalog), ...this.residual());
    else {
      const both = this.typesWithin(hub.fits.types);
      if (both !== undefined && !this.#leadsOnlyTo(both, hub)) terms.push(hasType(far, both));
      if (this.rule !== undefined) terms.push(allowed({ type: String(only), pk: far }, this.rule, catalog, this.names));
    }
    const branch = {
      from: whole ? sql`${from} CROSS JOIN node n0 ON n0.pk=${raw(far)}` : from,
      where: terms,
      pk: raw(far),
      sort: ordered ? [raw('r.pk')] : [],
    };
    const isAlone = !ordered && !whole && terms.length === where.length;
    return {
      branches: [branch],
      worst: whole ? hub.degree : 0,
      ordered: true,
      linked: true,
      repeats: !ordered,
      // Each is looked for among those before it.
      entries: isAlone ? 2 : undefined,
    };
  }

  /** Whether the link to the hub leaves out nodes for who asks. */
  #isLimited({ fits: { access, types = this.names } }: Hub): boolean {
    const rule = narrowed(access, types);
    if (narrowedNow(rule, types, this.catalog) !== undefined) return true;
    if (rule !== undefined) this.relies = true;
    return false;
  }

  /** Whether all that such a relationship leads to has one of these types, so that none is looked at. */
  #leadsOnlyTo(types: readonly number[], { relType, far }: Hub): boolean {
    const { catalog } = this;
    const known = catalog.farTypes(relType, far);
    if (known === undefined) return false;
    for (const type of known) {
      // Types of which there is no node any more stay on the list.
      if (!types.includes(type) && (catalog.later || catalog.nodes(type) > 0)) return false;
    }
    this.relies = true;
    return true;
  }

  /** In the same order, however many hubs there are by then. */
  private byLinksOfAny(hub: Hub): Entry {
    const set = this.bySets([linkedKeys(hub)]);
    const branches = set.branches.map((branch) => ({ ...branch, sort: [firstLink(hub, 'n0.pk')] }));
    return { ...set, branches, ordered: false, linked: true };
  }

  /** The types of the query among these; undefined: any. */
  private typesWithin(names: readonly string[] | undefined): readonly number[] | undefined {
    const types = this.types;
    if (names === undefined) return types;
    const ids = names.flatMap((name) => this.catalog.idOf(name) ?? []);
    return types === undefined ? ids : types.filter((type) => ids.includes(type));
  }

  protected hasSortIndex(): boolean {
    const first = this.wanted[0];
    return first !== undefined && indexedKeys(this.types, first.key, this.catalog) !== undefined;
  }
}
