/** What reads and writes share: connections, caches, the compiler's view of the database. */
import { kindsOf } from '../../change-kinds.js';
import { GraphError } from '../../errors.js';
import type { CacheFacts } from '../../caches.js';
import type { EntityOf, Query } from '../../query.js';
import type { GraphNode, GraphRelationship } from '../../types.js';
import { AccessTable } from '../indexes/access-table.js';
import type { Catalog } from '../query/catalog.js';
import { decodeProperties } from '../connection/codec.js';
import { countedNow } from '../query/visible-types.js';
import { compileNodes } from '../query/compile-nodes.js';
import { compileRelationships } from '../query/compile-relationships.js';
import { Connection, graphError, type Row } from '../connection/connection.js';
import type { Writer } from '../writing/writer.js';
import { type CounterKind, type Counters, flagCounter } from '../indexes/counters.js';
import { TooLong } from '../connection/functions.js';
import type { LoopGuard } from '../connection/loop-guard.js';
import type { GroupCommit } from '../writing/group-commit.js';
import type { Names } from '../connection/names.js';
import { Decisions } from './decisions.js';
import { NodeCache } from './node-cache.js';
import type { CachedNode } from './cached-node.js';
import { Pace, wholeTurn } from '../connection/pace.js';
import { tableOfKind } from '../connection/parts.js';
import type { Plan } from '../query/plan.js';
import type { PropertyIndex } from '../indexes/property-index.js';
import { type ScanLimits, type Scans, timedOut } from './scans.js';
import { Pin, type Snapshots } from './snapshots.js';
import type { Sql } from '../connection/sql.js';
import type { TextIndexes } from '../indexes/text-indexes.js';
import type { Unit } from '../writing/unit.js';
import { type Keys, WalkCache, walkName } from './walk-cache.js';
import type { Committed } from '../writing/batch.js';

/** Sorting more rows than this without an index is not even tried on the loop. */
const HOPELESS = 4000;

/** Changes after which an estimate still holds. One that took too long is not made again soon. */
const slack = ([count = 0]: Keys): number => Math.min(count / 8, 1000);
/** Keys of a list that are looked for at once: who asks for a page asks for the next ones. */
const FIRST_KEYS = 128;
/** Keys by id kept; when there are more all are dropped. */
const MAX_KEYS = 10_000;
const EMPTY = decodeProperties('{}');
const NODE_BY_KEY = 'SELECT pk,id,type,props FROM node WHERE pk=?';
const KEY_BY_ID = 'SELECT pk FROM node WHERE id=?';
const NODE_BY_ID = 'SELECT pk,id,type,props FROM node WHERE id=?';

/** What is kept of the database; all of it is told in `committed`, or made anew by the commit itself. */
export const KEEPS: readonly CacheFacts[] = [
  { name: 'graph.nodes', dependsOn: ['every node, by its id'] },
  { name: 'graph.keys', dependsOn: ['every node, by its id'] },
  { name: 'graph.walks', dependsOn: ['nodes of the types asked for', 'rights on them'] },
  { name: 'graph.decisions', dependsOn: ['rights on a node, by its row'] },
  { name: 'graph.counters', dependsOn: ['the number of entities of each type'] },
  { name: 'graph.names', dependsOn: ['names of types and keys, which only grow'] },
];
/** Whose reads: of a transaction that writes, of one that sees an older state, of one that sees what is committed. */
export type View = Unit | Pin | undefined;

export class Store {
  readonly cache = new NodeCache();
  readonly walks = new WalkCache();
  readonly decisions = new Decisions();
  /** Keys by id of nodes that are asked for by key alone, as committed: principals. */
  readonly #keys = new Map<string, number>();
  /** Lists that workers are making, and the mark when they began. */
  readonly #listings = new Map<string, { readonly mark: number; readonly keys: Promise<readonly number[]> }>();
  readonly pace = new Pace();
  /** The next rows get the numbers after these. */
  readonly lastRow = { node: 0, rel: 0 };
  readonly access: AccessTable;
  /** Set by the engine once they exist: they need the store themselves. */
  index!: PropertyIndex;
  texts!: TextIndexes;
  commit!: GroupCommit;
  snapshots!: Snapshots;

  constructor(
    readonly writer: Writer,
    readonly reader: Connection,
    readonly guard: LoopGuard,
    readonly names: Names,
    readonly counters: Counters,
    readonly scans: Scans,
  ) {
    this.access = new AccessTable(writer, names, (type, node) => {
      this.commit.wroteEntries(type, node);
    });
  }

  /**
   * The connection a read goes to. Without open writes the writer's shows what is committed, and its page cache is
   * warm: a separate connection loses its cache with every commit of another.
   */
  connection(view: View): Connection | Writer {
    if (view instanceof Pin) return view.connection;
    return view === undefined && this.commit.open ? (this.snapshots.ahead ?? this.reader) : this.writer;
  }

  /** The same for rows that no uncommitted batch has touched: they are as committed, wherever they are read. */
  untouched(view: View): Connection | Writer {
    return this.connection(this.commit.apart || view instanceof Pin ? undefined : view);
  }

  /** Whether what is committed, and caches tell, may be something else than what `view` sees. */
  #touched(id: string, view: View): boolean {
    return view !== undefined && (view instanceof Pin ? view.touched.has(id) : this.commit.touches(id));
  }

  /** What a unit sees of a node that was recorded and is not committed; null: it is gone, undefined: it was not recorded. */
  #pending(id: string, view: View): CachedNode | null | undefined {
    return view === undefined || view instanceof Pin ? undefined : this.commit.pendingNode(view, id);
  }

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
        view === undefined && this.commit.committing && this.snapshots.ahead === undefined
          ? undefined
          : this.#counted('flag', flagCounter(type, key), view),
      probe: (select, limit, types) => this.#probed(select, limit, view, types),
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
   * The first keys of a plan in order, `enough` of them unless there are fewer, and whether they are of now: they may come from a
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
    const keys = await this.#listed(name, mark, plan, more, limits);
    const current = mark === walks.mark(plan.dependsOn);
    if (current) walks.put(name, keys, plan.dependsOn, mark, more);
    return { keys, current };
  }

  /** All keys of a plan that has few, likewise. */
  fewKeys(plan: Plan, limits: ScanLimits): Promise<{ keys: Keys; current: boolean }> {
    return this.firstKeys(plan, Infinity, limits);
  }

  /** Many who ask for a list while a worker makes it wait for the same one, unless it may be older than what they ask for. */
  async #listed(whole: string, mark: number, plan: Plan, upTo: number, limits: ScanLimits): Promise<readonly number[]> {
    const cut = { offset: 0, limit: Number.isFinite(upTo) ? upTo : -1 };
    const name = `${String(cut.limit)} ${whole}`;
    const listing = this.#listings.get(name);
    if (listing?.mark === mark) {
      try {
        const keys = await listing.keys;
        limits.scanned?.();
        return keys;
      } catch {
        // The other was cancelled or out of time.
      }
    }
    const rows = plan.few || this.worthTrying(plan) ? this.attempt(undefined, plan.keys(cut)) : undefined;
    if (rows !== undefined) return rows.map(([key]) => Number(key));
    const keys = this.scans.numbers(plan.strict().keys(cut), limits);
    const own = { mark, keys };
    this.#listings.set(name, own);
    try {
      return await keys;
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
    const rows = this.attempt(undefined, select);
    const count =
      rows === undefined
        ? ((await this.scans.numbers(plan.strict().count(limit), limits))[0] ?? 0)
        : Number(rows[0]?.[0] ?? 0);
    if (name !== undefined) walks.put(name, [count], dependsOn, mark);
    return count;
  }

  /** After a commit, before anybody hears of it: forgets what is no longer true. */
  committed(batch: Committed): void {
    const { commits, touched, entries } = batch;
    for (const id of touched) {
      this.#keys.delete(id);
      this.cache.renew(id, () => batch.latest(id));
    }
    const byType = new Map<number, number>();
    const add = (type: number | undefined, count = 1): void => {
      if (type !== undefined) byType.set(type, (byType.get(type) ?? 0) + count);
    };
    for (let i = 0, from = 0; i < entries.length; i += 2) {
      // Those of one type mostly come one after the other.
      if (entries[i + 2] === entries[i]) continue;
      add(entries[i], (i - from) / 2 + 1);
      from = i + 2;
    }
    for (const { changes } of commits) {
      for (const { kind, count } of kindsOf(changes)) {
        if (kind.kind !== 'node') continue;
        add(this.names.idOf(kind.type), count);
        if (kind.previousType !== undefined) add(this.names.idOf(kind.previousType), count);
      }
    }
    this.walks.committed(byType);
    this.decisions.committed(entries);
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
    const catalog = this.catalog(view);
    return query.kind === 'nodes' ? compileNodes(query, catalog) : compileRelationships(query, catalog);
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

  /** Rows of a select within the loop's budget; undefined: it takes longer. */
  attempt(view: View, select: Sql, budget = this.guard.budget): Row[] | undefined {
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

  /** The key of the row of a node. */
  keyOf(id: string, view: View): number | undefined {
    const own = this.#pending(id, view);
    if (own !== undefined) return own?.pk;
    const touched = this.#touched(id, view);
    const known = touched ? undefined : (this.cache.get(id)?.pk ?? this.#keys.get(id));
    if (known !== undefined) return known;
    const key = (touched ? this.connection(view) : this.untouched(view)).get(KEY_BY_ID, [id])?.[0];
    if (key === undefined) return undefined;
    if (!touched) {
      if (this.#keys.size >= MAX_KEYS) this.#keys.clear();
      this.#keys.set(id, Number(key));
    }
    return Number(key);
  }

  /** False when trying on the loop would only waste the budget. */
  worthTrying(plan: Plan): boolean {
    return !(plan.eager && plan.worst > HOPELESS);
  }

  /** A node and its key, from the cache or the table. */
  node(id: string, view: View): CachedNode | undefined {
    const found = this.nodeOrRow(id, view);
    return Array.isArray(found) ? this.entry(found) : found;
  }

  /** A large node that another reader is waiting for. Outside of transactions that may have changed it only. */
  coming(id: string, view: View): Promise<GraphNode> | undefined {
    return this.#touched(id, view) || this.#pending(id, view) !== undefined ? undefined : this.cache.large.coming(id);
  }

  /** The node of a row that deserves turns of its own, for all who ask for it meanwhile. */
  decodeLarge(id: string, row: Row, view: View): Promise<GraphNode> {
    const decode = async (): Promise<CachedNode> => {
      await wholeTurn();
      const entry = this.entry(row);
      await wholeTurn();
      return entry;
    };
    if (this.#touched(id, view)) return decode().then((entry) => entry.node);
    return this.cache.large.share(id, decode);
  }

  /** The same, but the row of a node whose decoding deserves a turn of its own; `decodeLarge` then does it. */
  nodeOrRow(id: string, view: View): CachedNode | Row | undefined {
    const own = this.#pending(id, view);
    if (own !== undefined) return own ?? undefined;
    const mayBeTouched = this.#touched(id, view);
    if (!mayBeTouched) {
      const cached = this.cache.get(id);
      if (cached !== undefined) return cached;
    }
    const row = (mayBeTouched ? this.connection(view) : this.untouched(view)).get(NODE_BY_ID, [id]);
    if (row === undefined) return undefined;
    if (this.pace.handled(String(row[3]).length)) return row;
    const entry = this.entry(row);
    // An untouched row is as committed, whichever connection read it.
    if (!mayBeTouched) this.cache.put(entry);
    return entry;
  }

  /** Nodes as committed, from the cache as far as they are there; undefined: they have more than `most` characters. */
  nodesByKey(keys: Keys, most: number): GraphNode[] | undefined {
    const connection = this.connection(undefined);
    const found: GraphNode[] = [];
    let size = 0;
    for (const pk of keys) {
      let entry = this.cache.byKey(pk);
      if (entry === undefined) {
        const row = connection.get(NODE_BY_KEY, [pk]);
        if (row === undefined) continue;
        entry = this.entry(row);
        this.cache.put(entry);
      }
      found.push(entry.node);
      size += entry.size;
      if (size > most) return undefined;
    }
    return found;
  }

  /** From a row of (pk, id, type, props). */
  entry(row: Row): CachedNode {
    const text = String(row[3]);
    this.pace.handled(text.length);
    return { pk: Number(row[0]), node: this.#decode(row, text), size: text.length, used: false, at: -1 };
  }

  #decode(row: Row, text: string): GraphNode {
    return {
      kind: 'node',
      id: String(row[1]),
      type: this.names.textOf(Number(row[2])),
      properties: decodeProperties(text),
    };
  }

  /** From a row of (pk, id, type, props). `current`: read on this thread just now, so the cache shows the same. */
  nodeOf(row: Row, view: View, current: boolean): GraphNode {
    const id = String(row[1]);
    if (current && !this.#touched(id, view)) {
      const cached = this.cache.get(id);
      if (cached !== undefined) return cached.node;
    }
    return this.#decode(row, String(row[3]));
  }

  /** From a row of (pk, id, type, relType, source id, target id, props). */
  relationshipOf(row: Row): GraphRelationship {
    const props = row[6];
    return {
      kind: 'relationship',
      id: String(row[1]),
      type: this.names.textOf(Number(row[2])),
      relType: this.names.textOf(Number(row[3])),
      sourceId: String(row[4]),
      targetId: String(row[5]),
      properties: typeof props === 'string' ? decodeProperties(props) : EMPTY,
    };
  }

  entityOf<Q extends Query>(query: Q, row: Row, view: View, current: boolean): EntityOf<Q> {
    const entity = query.kind === 'nodes' ? this.nodeOf(row, view, current) : this.relationshipOf(row);
    return entity as EntityOf<Q>;
  }
}

function hasEnds(query: Extract<Query, { kind: 'relationships' }>): boolean {
  const { sourceId, targetId, sourceTypes, targetTypes } = query;
  return sourceId !== undefined || targetId !== undefined || sourceTypes !== undefined || targetTypes !== undefined;
}

export function closed(): GraphError {
  return new GraphError('closed', 'The graph is closed.');
}
