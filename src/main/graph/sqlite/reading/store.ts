/** How queries are compiled and run: what the compiler may know, what is tried on the loop, what is kept of lists and counts. */
import type { Query } from '../../query.js';
import type { Catalog } from '../query/catalog.js';
import { countedNow } from '../query/visible-types.js';
import { compileNodes } from '../query/compile-nodes.js';
import { compileRelationships } from '../query/compile-relationships.js';
import { Connection, graphError, type Row } from '../connection/connection.js';
import { type CounterKind, flagCounter } from '../indexes/counters.js';
import { TooLong } from '../connection/functions.js';
import { tableOfKind } from '../connection/parts.js';
import { KnownPlans } from '../query/known-plans.js';
import type { Plan, Planned } from '../query/plan.js';
import type { Part } from '../substrings/substrings.js';
import { type ScanLimits, timedOut } from '../scans/scans.js';
import { Pin } from './snapshots.js';
import { nextTurn } from '../connection/pace.js';
import type { Sql } from '../connection/sql.js';
import { type Keys, walkName } from '../caches/walk-cache.js';

import { StoredNodes, type View } from './stored-nodes.js';

/** Sorting more rows than this without an index is not even tried on the loop. */
const HOPELESS = 4000;
/** Entries of indexes that are looked at in a millisecond, about (bench/notes.md). */
const ENTRIES = 8000;
/**
 * How many times the loop's budget a statement may take of which it is known that it takes little more: to break it off and begin anew in a worker
 * costs more than twice of what it takes.
 */
const NEARLY = 1.5;
/** And by how much more its time may be off. */
const OFF = 2;

/** Changes after which an estimate still holds. One that took too long is not made again soon. */
const slack = ([count = 0]: Keys): number => Math.min(count / 8, 1000);
/** Keys of a list that are looked for at once: who asks for a page asks for the next ones. */
const FIRST_KEYS = 128;
export class Store extends StoredNodes {
  readonly #plans = new KnownPlans();
  /** Lists that workers are making, and the mark when they began. */
  readonly #listings = new Map<string, { readonly mark: number; readonly keys: Promise<readonly number[]> }>();

  /** What compiled queries may rely on, as `view` sees it. */
  catalog(view: View): Catalog {
    const { names, index } = this;
    return {
      idOf: (name) => names.idOf(name),
      indexed: (type, key) =>
        view instanceof Pin && view.indexVersion !== index.version ? undefined : index.ready(type, key),
      nodes: (type) => this.#counted('node', type, view),
      relationships: (type) => this.#counted('rel', type, view),
      flagged: (type, key) =>
        view === undefined && this.unclear ? undefined : this.#counted('flag', flagCounter(type, key), view),
      farTypes: (relType, end) => names.far.of(relType, end),
      ...(view === undefined && !this.unclear
        ? {
            parts: (type: number, key: number, part: Part, most: number) => this.parts.find(type, key, part, most),
          }
        : {}),
      probe: (select, limit, types) => this.#probed(select, limit, view, types),
      later: view === undefined && this.unclear,
    };
  }

  /** Estimates are kept while no more has changed than can make little of a difference. */
  #probed(select: Sql, limit: number, view: View, types: readonly number[] | undefined): number {
    const text = `SELECT count(*) FROM (${select.text} LIMIT ${String(limit)})`;
    const counting = { text, params: select.params };
    const name = view === undefined ? walkName(counting) : undefined;
    const known = name === undefined ? undefined : this.walks.get(name, types === undefined ? undefined : slack)?.[0];
    if (known !== undefined) return known;
    const rows = this.attempt(view, counting, this.guard.budget > 0 ? this.guard.budget : Infinity);
    const count = rows === undefined ? Infinity : Number(rows[0]?.[0] ?? 0);
    if (name !== undefined) this.walks.put(name, [count], types);
    return count;
  }

  /**
   * The first keys of a plan in order, `enough` of them (Infinity: all) unless there are fewer, and whether they are of now: they may come from a
   * worker. What was found is kept, so that a page costs the same wherever it begins. Outside of transactions only.
   */
  async firstKeys(plan: Plan, enough: number, limits: ScanLimits): Promise<{ keys: Keys; current: boolean }> {
    const { walks } = this;
    const name = walkName(plan.keys({ offset: 0, limit: -1 }));
    const known = walks.first(name, enough);
    if (known?.suffices === true) return { keys: known.keys, current: true };
    // Where rows may be looked at in vain, no more of them are than somebody asks for, until somebody goes on.
    const more =
      known === undefined && plan.filtered ? enough : 2 ** Math.ceil(Math.log2(Math.max(enough, FIRST_KEYS)));
    const mark = walks.mark(plan.dependsOn);
    const { keys, isHere } = await this.#listed(name, mark, plan, more, limits);
    // A worker may have seen the commit that a thread has made and nobody here has heard of.
    const current = mark === walks.mark(plan.dependsOn) && (isHere || !this.commit.committing);
    if (current) walks.put(name, keys, plan.dependsOn, mark, more);
    return { keys, current };
  }

  /** Many who ask for a list while a worker makes it wait for the same one, unless it may be older than what they ask for. */
  async #listed(
    whole: string,
    mark: number,
    asked: Plan,
    upTo: number,
    limits: ScanLimits,
  ): Promise<{ readonly keys: readonly number[]; readonly isHere: boolean }> {
    let plan = asked;
    const cut = { offset: 0, limit: Number.isFinite(upTo) ? upTo : -1 };
    const name = `${String(cut.limit)} ${whole}`;
    const listing = this.#listings.get(name);
    if (listing?.mark === mark) {
      try {
        const keys = await listing.keys;
        limits.scanned?.();
        return { keys, isHere: false };
      } catch {
        // The other was cancelled or out of time; counters may tell something else by now.
        plan = asked.strict();
      }
    }
    const rows = plan.few || this.worthTrying(plan) ? this.attempt(undefined, plan.keys(cut)) : undefined;
    if (rows !== undefined) return { keys: rows.map(([key]) => Number(key)), isHere: true };
    const keys = this.scans.numbers(plan.strict().keys(cut), limits);
    const own = { mark, keys };
    this.#listings.set(name, own);
    try {
      return { keys: await keys, isHere: false };
    } finally {
      if (this.#listings.get(name) === own) this.#listings.delete(name);
    }
  }

  /** Number of matches of a plan, counted up to `limit`; kept where it is known what it depends on. Outside of transactions. */
  async counting(plan: Plan, limit: number, limits: ScanLimits, pin?: Pin): Promise<number> {
    const { walks } = this;
    const select = plan.count(limit);
    if (pin !== undefined) return Number((await this.bounded(pin, plan.strict().count(limit), limits))[0]?.[0] ?? 0);
    const { dependsOn } = plan;
    const name = dependsOn === undefined ? undefined : walkName(select);
    const known = name === undefined ? undefined : walks.get(name)?.[0];
    if (known !== undefined) return known;
    const mark = walks.mark(dependsOn);
    const counted = await this.#countedInMemory(plan, limit, mark, limits);
    const rows = counted === undefined ? this.attempt(undefined, select) : [[counted]];
    const count = rows === undefined ? await this.#countedApart(plan, limit, mark, limits) : Number(rows[0]?.[0] ?? 0);
    if (name !== undefined) walks.put(name, [count], dependsOn, mark);
    return count;
  }

  /** Counted by a worker, as the plan is where nothing that it relies on was changed meanwhile. */
  async #countedApart(plan: Plan, limit: number, mark: number, limits: ScanLimits): Promise<number> {
    const { dependsOn } = plan;
    if (dependsOn !== undefined && this.walks.mark(dependsOn) === mark && !this.commit.committing) {
      const [count = 0] = await this.scans.numbers(plan.count(limit), limits);
      if (this.walks.mark(dependsOn) === mark && !this.commit.committing) return count;
    }
    return (await this.scans.numbers(plan.strict().count(limit), limits))[0] ?? 0;
  }

  /** Matches of a part of a text, counted in turns of the loop; undefined: memory does not know, or something was written meanwhile. */
  async #countedInMemory(
    { countedPart, dependsOn }: Plan,
    limit: number,
    mark: number,
    limits: ScanLimits,
  ): Promise<number | undefined> {
    if (countedPart === undefined || dependsOn === undefined || this.unclear) return undefined;
    const { types, key, part, among } = countedPart;
    const most = limit < 0 ? Infinity : limit;
    let count = 0;
    for (const type of types) {
      const counting = this.parts.counting(type, key, part, most - count);
      if (counting === undefined) return undefined;
      let step = counting.steps.next();
      for (; step.done !== true; step = counting.steps.next()) {
        await nextTurn();
        if (this.walks.mark(dependsOn) === mark && !this.unclear) continue;
        // What is read now is newer than when this began.
        limits.scanned?.();
        return undefined;
      }
      count += step.value;
      if (counting.recent.length > 0 && count < most) {
        const rows = this.attempt(undefined, among(counting.recent));
        if (rows === undefined) return undefined;
        count += Number(rows[0]?.[0] ?? 0);
      }
      if (count >= most) return most;
    }
    return count;
  }

  /** -1: of all types. */
  #counted(kind: CounterKind, type: number, view: View): number {
    const count = type === -1 ? this.counters.total(kind) : this.counters.of(kind, type);
    if (view === undefined) return count;
    const since = view instanceof Pin;
    let more = 0;
    for (const { [kind]: delta } of since ? [view.delta] : [...this.commit.deltas(), view.delta]) {
      if (type !== -1) more += delta.get(type) ?? 0;
      else for (const by of delta.values()) more += by;
    }
    return since ? count - more : count + more;
  }

  compile(query: Query, view: View): Plan {
    if (query.kind === 'relationships') return compileRelationships(query, this.catalog(view));
    const make = (): Plan => compileNodes(query, this.catalog(view));
    if (view !== undefined || this.unclear) return make();
    return this.#plans.of(query, `${String(this.walks.mark(undefined))} ${String(this.index.version)}`, make);
  }

  /** The number of matches where the counters know it. */
  counted(query: Query, view: View): number | undefined {
    if (query.where !== undefined) return undefined;
    const kind = tableOfKind(query.kind);
    if (query.kind === 'nodes' ? query.from !== undefined : hasEnds(query)) return undefined;
    if (query.access !== undefined) {
      return query.kind === 'nodes' ? countedNow(query.access, query.types, this.catalog(view)) : undefined;
    }
    if (query.types === undefined) return this.#counted(kind, -1, view);
    let count = 0;
    for (const type of new Set(query.types)) {
      const id = this.names.idOf(type);
      if (id !== undefined) count += this.#counted(kind, id, view);
    }
    return count;
  }

  /** The first rows of a select whose rows end with properties, as `Connection.some`, within the loop's budget; undefined: it takes longer. */
  attemptSome(view: View, select: Sql, most: number): { readonly rows: Row[]; readonly cut: boolean } | undefined {
    const { budget } = this.guard;
    if (budget <= 0) return undefined;
    const connection = this.connection(view);
    this.guard.arm(budget);
    try {
      const from = connection instanceof Connection ? connection : connection.connection;
      return from.some(select.text, select.params, most);
    } catch (error) {
      if (error instanceof TooLong) return undefined;
      throw graphError(error);
    } finally {
      this.guard.disarm();
    }
  }

  /** Milliseconds that a select may take on the loop; 0: it takes longer anyway. */
  #budgetOf({ steps }: Planned): number {
    const { budget } = this.guard;
    if (steps === undefined || steps <= budget * ENTRIES) return budget;
    return steps <= budget * ENTRIES * NEARLY ? budget * NEARLY * OFF : 0;
  }

  /** Rows of a select within the loop's budget; undefined: it takes longer. */
  attempt(view: View, select: Planned, budget = this.#budgetOf(select)): Row[] | undefined {
    if (budget <= 0) return undefined;
    this.guard.arm(budget);
    try {
      return this.connection(view).all(select.text, select.params);
    } catch (error) {
      if (error instanceof TooLong) return undefined;
      throw graphError(error);
    } finally {
      this.guard.disarm();
    }
  }

  /**
   * Rows of a select that is small but for what deciding on access may take: at once, else in a worker. A write
   * transaction must see its own writes, so there it stays on the loop, within the limit of the transaction.
   */
  async bounded(view: View, select: Sql, limits: ScanLimits): Promise<Row[]> {
    const rows = this.attempt(view, select);
    if (rows !== undefined) return rows;
    const gathered: Row[] = [];
    if (view === undefined || view instanceof Pin) {
      await this.scans.rows(select, limits, (batch) => gathered.push(...batch));
      return gathered;
    }
    const late = this.attempt(view, select, limits.deadline - Date.now());
    if (late === undefined) throw timedOut();
    return late;
  }

  /** False when trying on the loop would only waste the budget. */
  worthTrying(plan: Plan): boolean {
    return !(plan.eager && plan.worst > HOPELESS);
  }
}

function hasEnds(query: Extract<Query, { kind: 'relationships' }>): boolean {
  const { sourceId, targetId, sourceTypes, targetTypes } = query;
  return sourceId !== undefined || targetId !== undefined || sourceTypes !== undefined || targetTypes !== undefined;
}
