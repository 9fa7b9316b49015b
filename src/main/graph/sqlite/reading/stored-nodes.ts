/** What reads and writes share: connections, and nodes by id and key, kept in memory. */
import { GraphError } from '../../errors.js';
import type { CacheFacts } from '../../commits/caches.js';
import { KeptNode } from '../../kept-node.js';
import type { EntityOf, Query } from '../../query.js';
import type { GraphNode, GraphRelationship } from '../../types.js';
import { type Connection, graphError, type Row, sizeOfRow } from '../connection/connection.js';
import type { Writer } from '../writing/writer.js';
import type { Counters } from '../indexes/counters.js';
import type { LoopGuard } from '../connection/loop-guard.js';
import type { Names } from '../connection/names.js';
import { boundId, NODE_AT, nodeColumns, nodeColumnsOfKnown, REL_AT } from '../connection/records.js';
import { unpack } from '../connection/stamps.js';
import { Decisions } from '../caches/decisions.js';
import { NodeCache } from '../caches/node-cache.js';
import type { CachedNode } from '../caches/cached-node.js';
import { Pace, wholeTurn } from '../connection/pace.js';
import type { Scans } from '../scans/scans.js';
import { changedTypes } from './changed-types.js';
import { Pin } from './snapshots.js';
import type { IndexedProperties, KeptStates, QueriedColumns, SearchedTexts, Uncommitted } from './sources.js';
import { Substrings } from '../substrings/substrings.js';
import type { Unit } from '../writing/unit.js';
import { type Keys, WalkCache } from '../caches/walk-cache.js';
import type { Committed } from '../writing/batch.js';

/** Keys by id kept; when there are more all are dropped. */
const MAX_KEYS = 10_000;
/** Nodes written by one commit whose keys are looked up here; those of more are, by a thread. */
const LOOKED_UP = 100;
const NODE_BY_KEY = `SELECT ${nodeColumns('n')} FROM node n WHERE n.pk=?`;
const END_BY_ID = 'SELECT pk,type FROM node WHERE id=?';
const KEY_BY_ID = 'SELECT pk FROM node WHERE id=?';
const NODE_BY_ID = `SELECT ${nodeColumnsOfKnown('n')} FROM node n WHERE n.id=?`;

/** What is kept of the database; all of it is told in `committed`, or made anew by the commit itself. */
export const KEEPS: readonly CacheFacts[] = [
  { name: 'graph.nodes', dependsOn: ['every node, by its id'] },
  { name: 'graph.keys', dependsOn: ['every node, by its id'] },
  { name: 'graph.walks', dependsOn: ['nodes of the types asked for', 'rights on them', 'relationships asked for'] },
  { name: 'graph.parts', dependsOn: ['texts of indexed properties, of nodes of a type'] },
  { name: 'graph.decisions', dependsOn: ['rights on a node, by its row'] },
  { name: 'graph.counters', dependsOn: ['the number of entities of each type'] },
  { name: 'graph.names', dependsOn: ['names of types and keys, which only grow'] },
];
/** What a commit has written, as far as what is kept goes by it. */
type Written = Pick<Committed, 'touched' | 'entries' | 'isWhole' | 'latest'>;
/** Whose reads: of a transaction that writes, of one that sees an older state, of one that sees what is committed. */
export type View = Unit | Pin | undefined;

export class StoredNodes {
  readonly cache: NodeCache;
  readonly walks = new WalkCache();
  readonly decisions = new Decisions();
  readonly parts: Substrings;
  /** Keys by id of nodes that are asked for by key alone, as committed: principals. */
  readonly #keys = new Map<string, number>();
  /** What was read last, as committed: whoever may see it is asked by its key next, and it need not be in the cache. */
  #last: CachedNode | undefined;
  readonly pace = new Pace();
  /** Set by the engine once they exist: they need the store themselves. */
  index!: IndexedProperties;
  texts!: SearchedTexts;
  columns!: QueriedColumns;
  commit!: Uncommitted;
  snapshots!: KeptStates;

  constructor(
    readonly writer: Writer,
    readonly reader: Connection,
    readonly guard: LoopGuard,
    readonly names: Names,
    readonly counters: Counters,
    readonly scans: Scans,
    /** Characters of nodes in memory; absent: as the cache says. */
    cached?: number,
  ) {
    this.cache = new NodeCache(cached);
    this.parts = new Substrings({
      pack: (work) => scans.pack(work),
      count: (type) => counters.of('node', type),
      textOf: names.textOf,
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

  /** True while what is read may be of a commit that nobody has heard of: a thread makes it, and the state before it is not pinned. */
  get unclear(): boolean {
    return this.commit.committing && this.snapshots.ahead === undefined;
  }

  /** The same for rows that no uncommitted batch has touched: they are as committed, wherever they are read. */
  untouched(view: View): Connection | Writer {
    return this.connection(this.commit.apart || view instanceof Pin ? undefined : view);
  }

  /** Whether what is committed, and caches tell, may be something else than what `view` sees. */
  protected touched(id: string, view: View): boolean {
    if (view === undefined) return this.unclear;
    return view instanceof Pin ? view.isWhole || view.touched.has(id) : this.commit.touches(id);
  }

  /** What a unit sees of a node that was recorded and is not committed; null: it is gone, undefined: it was not recorded. */
  #pending(id: string, view: View): CachedNode | null | undefined {
    return view === undefined || view instanceof Pin ? undefined : this.commit.pendingNode(view, id);
  }

  /** After a commit, before anybody hears of it: forgets what is no longer true. */
  committed(batch: Committed): void {
    this.took(batch, changedTypes(batch, this.names));
  }

  /** The same where it is known how much has changed of which types. */
  took(batch: Written, byType: ReadonlyMap<number, number>): void {
    const { touched, entries } = batch;
    this.#last = undefined;
    if (batch.isWhole) this.forget();
    const before = this.#keysBefore(batch);
    for (const id of touched) {
      this.#keys.delete(id);
      this.cache.renew(id, () => batch.latest(id));
    }
    this.walks.committed(byType);
    this.#written(batch, byType, before);
    this.decisions.committed(entries);
  }

  /** Keys of nodes that a commit may have deleted, as far as they are known. */
  #keysBefore({ touched }: Written): ReadonlyMap<string, number> | undefined {
    if (!this.parts.any) return undefined;
    const keys = new Map<string, number>();
    for (const id of touched) {
      const key = this.cache.get(id)?.pk ?? this.#keys.get(id);
      if (key !== undefined) keys.set(id, key);
    }
    return keys;
  }

  /** Which nodes may have other texts now. */
  #written(batch: Written, byType: ReadonlyMap<number, number>, before: ReadonlyMap<string, number> | undefined): void {
    const concerned = [...byType.keys()].filter((type) => this.parts.has(type));
    if (before === undefined || concerned.length === 0) return;
    const keys: number[] = [];
    const unknown: string[] = [];
    for (const id of batch.touched) {
      const key = batch.latest(id)?.pk ?? before.get(id);
      if (key === undefined) unknown.push(id);
      else keys.push(key);
    }
    let gone = unknown.length > LOOKED_UP;
    if (!gone) {
      for (const id of unknown) {
        const key = this.keyOf(id, undefined);
        if (key === undefined) gone = true;
        else keys.push(key);
      }
      unknown.length = 0;
    }
    for (const type of concerned) this.parts.written(type, keys, unknown, gone);
  }

  /** Forgets all that the tables say as well. */
  forget(): void {
    this.#last = undefined;
    this.#keys.clear();
    this.cache.clear();
    this.walks.clear();
    this.parts.clear();
    this.decisions.clear();
  }

  /** The key of the row of a node. */
  keyOf(id: string, view: View): number | undefined {
    const own = this.#pending(id, view);
    if (own !== undefined) return own?.pk;
    const touched = this.touched(id, view);
    const known = touched ? undefined : this.#knownKey(id);
    if (known !== undefined) return known;
    const key = (touched ? this.connection(view) : this.untouched(view)).get(KEY_BY_ID, [boundId(id)])?.[0];
    if (key === undefined) return undefined;
    if (!touched) {
      if (this.#keys.size >= MAX_KEYS) this.#keys.clear();
      this.#keys.set(id, Number(key));
    }
    return Number(key);
  }

  #knownKey(id: string): number | undefined {
    if (this.#last?.node.id === id) return this.#last.pk;
    return this.cache.get(id)?.pk ?? this.#keys.get(id);
  }

  /** The key of a node and its type, without what else there is of it: nothing is decoded, or kept. */
  endOf(id: string, view: View): { readonly pk: number; readonly type: string } | undefined {
    const own = this.#pending(id, view);
    if (own === null) return undefined;
    const touched = this.touched(id, view);
    const known = own ?? (touched ? undefined : this.cache.get(id));
    if (known !== undefined) return { pk: known.pk, type: known.node.type };
    const row = (touched ? this.connection(view) : this.untouched(view)).get(END_BY_ID, [boundId(id)]);
    return row === undefined ? undefined : { pk: Number(row[0]), type: this.names.textOf(Number(row[1])) };
  }

  /** A node and its key, from the cache or the table. */
  node(id: string, view: View): CachedNode | undefined {
    const found = this.nodeOrRow(id, view);
    return Array.isArray(found) ? this.entry(found) : found;
  }

  /** A large node that another reader is waiting for. Outside of transactions that may have changed it only. */
  coming(id: string, view: View): Promise<GraphNode> | undefined {
    return this.touched(id, view) || this.#pending(id, view) !== undefined ? undefined : this.cache.large.coming(id);
  }

  /** The node of a row that deserves turns of its own, for all who ask for it meanwhile. */
  decodeLarge(id: string, row: Row, view: View): Promise<GraphNode> {
    const decode = async (): Promise<CachedNode> => {
      await wholeTurn();
      const entry = this.entry(row);
      await wholeTurn();
      return entry;
    };
    if (this.touched(id, view)) return decode().then((entry) => entry.node);
    return this.cache.large.share(id, decode);
  }

  /** The same, but the row of a node whose decoding deserves a turn of its own; `decodeLarge` then does it. */
  nodeOrRow(id: string, view: View): CachedNode | Row | undefined {
    const own = this.#pending(id, view);
    if (own !== undefined) return own ?? undefined;
    const mayBeTouched = this.touched(id, view);
    if (!mayBeTouched) {
      const cached = this.cache.get(id);
      if (cached !== undefined) return cached;
    }
    const row = (mayBeTouched ? this.connection(view) : this.untouched(view)).get(NODE_BY_ID, [boundId(id)]);
    if (row === undefined) return undefined;
    row[1] = id;
    if (this.pace.handled(sizeOfRow(row))) return row;
    const entry = this.entry(row);
    // An untouched row is as committed, whichever connection read it.
    if (!mayBeTouched) {
      this.cache.offer(entry);
      this.#last = entry;
    }
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
        const row = this.#rowOf(pk, connection);
        if (row === undefined) continue;
        // What is too large is decoded by whoever reads it in parts.
        if (size + sizeOfRow(row) > most) return undefined;
        entry = this.entry(row);
        this.cache.put(entry);
      }
      found.push(entry.node);
      size += entry.size;
      if (size > most) return undefined;
    }
    return found;
  }

  #rowOf(pk: number, connection: Connection | Writer): Row | undefined {
    try {
      return connection.get(NODE_BY_KEY, [pk]);
    } catch (error) {
      throw graphError(error);
    }
  }

  /** From a row of `nodeColumns`. */
  entry(row: Row): CachedNode {
    const size = sizeOfRow(row);
    this.pace.handled(size);
    return { pk: Number(row[0]), node: this.#decode(row), size, used: false, at: -1 };
  }

  #decode(row: Row): GraphNode {
    return new KeptNode(String(row[1]), this.names.textOf(Number(row[2])), unpack(row, NODE_AT, this.names.textOf));
  }

  /** From a row of `nodeColumns`. `current`: read on this thread just now, so the cache shows the same. */
  nodeOf(row: Row, view: View, current: boolean): GraphNode {
    const id = String(row[1]);
    if (current && !this.touched(id, view)) {
      const cached = this.cache.get(id);
      if (cached !== undefined) return cached.node;
    }
    return this.#decode(row);
  }

  /** From a row of `REL_COLUMNS`. */
  relationshipOf(row: Row): GraphRelationship {
    return {
      kind: 'relationship',
      id: String(row[1]),
      type: this.names.textOf(Number(row[2])),
      relType: this.names.textOf(Number(row[3])),
      sourceId: String(row[4]),
      targetId: String(row[5]),
      properties: unpack(row, REL_AT, this.names.textOf),
    };
  }

  entityOf<Q extends Query>(query: Q, row: Row, view: View, current: boolean): EntityOf<Q> {
    const entity = query.kind === 'nodes' ? this.nodeOf(row, view, current) : this.relationshipOf(row);
    return entity as EntityOf<Q>;
  }
}

export function closed(): GraphError {
  return new GraphError('closed', 'The graph is closed.');
}
