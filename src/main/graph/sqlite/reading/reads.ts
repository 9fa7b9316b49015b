/** The read half of a transaction. Short work is done at once, long work in a worker or in slices. */
import type { AccessRule, Step } from '../../access.js';
import type { ReadTransaction, TextMatch } from '../../graph.js';
import type { CountResult, EntityOf, Query } from '../../query.js';
import type { GraphNode, GraphRelationship } from '../../types.js';
import { graphError, type Row, sizeOfRow } from '../connection/connection.js';
import type { Cut, Plan } from '../query/plan.js';
import { nodeFits } from '../query/access-sql.js';
import { ends, tableOfKind } from '../connection/parts.js';
import { permitted } from './permitted.js';
import { type ScanLimits, timedOut } from './scans.js';
import { nextTurn } from '../connection/pace.js';
import { scanInSlices } from './slices.js';
import { alive, cutTo, join, raw, type Sql, sql, TRUE_SQL } from '../connection/sql.js';
import type { Store, View } from './store.js';
import type { Keys } from './walk-cache.js';
import { searchText } from './text-reads.js';
import type { TextQuery } from '../../text-query.js';
import { countIn, findIn, type PendingView } from '../writing/merged.js';
import type { Layers } from '../writing/pending.js';
import type { ReadContext } from './read-context.js';

const BATCH = 256;
/** Characters of properties that are read before they are handed on: what is larger is read in parts, however few they are. */
const AT_ONCE = 1_000_000;
/** Rows read from relationships before the loop gets a turn. */
const TURN = 1000;
/** Relationships whose far end is decided on in one statement. */
const WINDOW = 250;
const REL_COLUMNS = 'r.pk,r.id,r.type,r.relType,a.id,b.id,r.props';
const REL_BY_ID = `SELECT ${REL_COLUMNS} FROM rel r CROSS JOIN node a ON a.pk=r.source CROSS JOIN node b ON b.pk=r.target WHERE r.id=?`;

interface Link {
  readonly relationship: GraphRelationship;
  readonly node: GraphNode;
}

/** What `related` and `links` read. */
interface Walk<T> {
  readonly columns: string;
  readonly from: Sql;
  /** Alias of the node at the far end. */
  readonly far: string;
  readonly make: (row: Row, view: View) => T;
  /** The id of the relationship of a row. */
  readonly linkOf: (row: Row) => string;
  /** With the node as it is now. */
  readonly latest: (value: T, layers: Layers) => T;
  readonly made: (relationship: GraphRelationship, node: GraphNode) => T;
}

interface Walked<T> {
  readonly pk: number;
  readonly link: string;
  readonly value: T;
}

/** Keys in front of a page are kept up to this many. */
const MAX_FIRST = 1 << 18;

/** A page whose keys, with those before it, are kept for those who ask for the next one, or the same. */
function isPage({ dependsOn }: Plan, { offset, limit }: Cut): boolean {
  return dependsOn !== undefined && limit >= 0 && limit <= BATCH && offset + limit <= MAX_FIRST;
}

/** Ends a scan that has given enough. */
class Enough extends Error {}

export class Reads implements ReadTransaction {
  constructor(
    protected readonly store: Store,
    protected readonly context: ReadContext,
  ) {}

  /** What is to be read; asked anew after each turn of the loop. */
  get #view(): View {
    return this.context.unit ?? this.context.pin;
  }

  async node(id: string): Promise<GraphNode | undefined> {
    this.context.check();
    const view = this.#view;
    const coming = this.store.coming(id, view);
    if (coming !== undefined) return coming;
    const found = this.store.nodeOrRow(id, view);
    if (Array.isArray(found)) return this.store.decodeLarge(id, found, view);
    if (this.store.pace.due) await nextTurn();
    return found?.node;
  }

  async nodes(ids: readonly string[]): Promise<(GraphNode | undefined)[]> {
    this.context.check();
    const found: (GraphNode | undefined)[] = [];
    for (const id of ids) {
      found.push(this.store.node(id, this.#view)?.node);
      if (found.length % TURN === 0 || this.store.pace.due) await this.#turn();
    }
    return found;
  }

  async relationship(id: string): Promise<GraphRelationship | undefined> {
    this.context.check();
    const relationship = this.readRelationship(id)?.relationship;
    if (this.store.pace.due) await nextTurn();
    return relationship;
  }

  protected readRelationship(id: string): { pk: number; relationship: GraphRelationship } | undefined {
    const { unit } = this.context;
    const { commit } = this.store;
    const own = unit === undefined ? undefined : commit.layers(unit).link(id);
    if (own !== undefined) return own.now;
    const view = this.#view;
    const { store } = this;
    const row = (view === unit ? store.untouched(view) : store.connection(view)).get(REL_BY_ID, [id]);
    return row === undefined ? undefined : { pk: Number(row[0]), relationship: this.store.relationshipOf(row) };
  }

  /** What a unit sees while something is written elsewhere. */
  #pending(): PendingView | undefined {
    const { store, context } = this;
    const { unit } = context;
    if (unit === undefined || !store.commit.apart) return undefined;
    const { deadline, signal } = context;
    const committed = new Reads(store, {
      deadline,
      signal,
      renewed: () => context.renewed(),
      check: () => {
        context.check();
      },
    });
    return { layers: store.commit.layers(unit), committed, keyOf: (id) => store.keyOf(id, undefined) };
  }

  /** To be awaited, when it is something, before the unit uses the writer's connection. */
  protected shown(): Promise<void> | undefined {
    const { unit } = this.context;
    return unit === undefined ? undefined : this.store.commit.shown(unit);
  }

  async find<Q extends Query>(query: Q): Promise<EntityOf<Q>[]> {
    return (await this.#found(query, Infinity)) ?? [];
  }

  async page<Q extends Query>(query: Q): Promise<EntityOf<Q>[] | undefined> {
    return this.#found(query, this.context.unit === undefined ? AT_ONCE : Infinity);
  }

  /** All matches; undefined: they have more than `most` characters, which only reads outside of units look at. */
  async #found<Q extends Query>(query: Q, most: number): Promise<EntityOf<Q>[] | undefined> {
    this.context.check();
    const pending = this.#pending();
    if (pending !== undefined) {
      const found = await findIn(pending, query);
      this.context.check();
      if (found !== undefined) return found;
      await this.shown();
    }
    const { store, context } = this;
    const { unit } = context;
    const view = this.#view;
    const cut = { offset: query.offset ?? 0, limit: query.limit ?? -1 };
    if (cut.limit === 0) return [];
    const plan = this.#compile(query);
    if (view === undefined && query.kind === 'nodes' && (plan.few || isPage(plan, cut))) {
      const enough = plan.few ? Infinity : cut.offset + cut.limit;
      const { keys, current } = await store.firstKeys(plan, enough, context);
      const page = keys.slice(cut.offset, cut.limit < 0 ? undefined : cut.offset + cut.limit);
      if (current && this.#view === undefined && page.length <= BATCH) {
        const found = store.nodesByKey(page, most);
        if (store.pace.overdue) await nextTurn();
        return found as EntityOf<Q>[] | undefined;
      }
      if (most !== Infinity) return undefined;
      const found: EntityOf<Q>[] = [];
      for await (const batch of this.#byKeys(query, plan, page)) found.push(...batch);
      return found;
    }
    if (store.worthTrying(plan)) {
      const some =
        most === Infinity
          ? { rows: store.attempt(view, plan.rows(cut)), cut: false }
          : store.attemptSome(view, plan.rows(cut), most);
      if (some?.cut === true) return undefined;
      if (some?.rows !== undefined) {
        const found = some.rows.map((row) => store.entityOf(query, row, view, true));
        if (store.pace.overdue) await nextTurn();
        return found;
      }
    }
    const entities: EntityOf<Q>[] = [];
    if (unit === undefined) {
      const { rows, cut: isCut } = await this.#scanned(plan.strict().rows(cut), context, most);
      if (isCut) return undefined;
      for (const row of rows) entities.push(store.entityOf(query, row, undefined, false));
      return entities;
    }
    await this.shown();
    for await (const batch of this.#byKeys(query, plan, await this.#keys(query, plan))) entities.push(...batch);
    return entities;
  }

  async *stream<Q extends Query>(query: Q): AsyncGenerator<EntityOf<Q>[]> {
    this.context.check();
    await this.shown();
    const plan = this.#compile(query);
    if (query.limit === 0) return;
    if (plan.byKey && plan.keyset && this.context.unit === undefined) yield* this.#byKeyset(query);
    else yield* this.#byKeys(query, plan, await this.#keys(query, plan));
  }

  /** In the order of keys each batch goes on after the last key: nothing is held between two batches. */
  async *#byKeyset<Q extends Query>(query: Q): AsyncGenerator<EntityOf<Q>[]> {
    const { store, context } = this;
    let left = query.limit ?? Infinity;
    let offset = query.offset ?? 0;
    let after: number | undefined;
    let long = false;
    while (left > 0) {
      context.check();
      const size = Math.min(long ? BATCH * 8 : BATCH, left);
      const cut = { offset, limit: size, ...(after === undefined ? {} : { after }) };
      const plan = this.#compile(query);
      const view = this.#view;
      const tried = long ? undefined : store.attemptSome(view, plan.rows(cut), AT_ONCE);
      const current = tried !== undefined;
      if (tried === undefined) long = true;
      const { rows, cut: isCut } = tried ?? (await this.#scanned(plan.strict().rows(cut), this.#limits(), AT_ONCE));
      offset = 0;
      left -= rows.length;
      after = Number(rows[rows.length - 1]?.[0] ?? 0);
      for (let at = 0; at < rows.length; at += BATCH) {
        // Consumers that never wait would otherwise keep the loop to themselves.
        await nextTurn();
        const isNow = current && at === 0 && this.#view === view;
        yield rows.slice(at, at + BATCH).map((row) => store.entityOf(query, row, view, isNow));
      }
      if (!isCut && rows.length < size) return;
    }
  }

  /** Rows that a worker reads, until they have more than `most` characters of properties; whether there may be more. */
  async #scanned(select: Sql, limits: ScanLimits, most: number): Promise<{ rows: Row[]; cut: boolean }> {
    const rows: Row[] = [];
    let size = 0;
    try {
      await this.store.scans.rows(select, limits, (batch) => {
        for (const row of batch) {
          rows.push(row);
          size += sizeOfRow(row);
          if (size > most) throw new Enough();
        }
      });
    } catch (error) {
      if (!(error instanceof Enough)) throw error;
      // The worker may have seen what was committed since.
      limits.scanned?.();
      return { rows, cut: true };
    }
    return { rows, cut: false };
  }

  /** Keys of the page of a query, in order. */
  async #keys(query: Query, plan: Plan): Promise<number[]> {
    const { store, context } = this;
    const { unit } = context;
    const cut = { offset: query.offset ?? 0, limit: query.limit ?? -1 };
    const select = plan.keys(cut);
    const rows = store.worthTrying(plan) ? store.attempt(this.#view, select) : undefined;
    if (rows !== undefined) return rows.map((row) => Number(row[0]));
    if (unit === undefined) return store.scans.numbers(plan.strict().keys(cut), this.#limits());
    const table = tableOfKind(query.kind);
    const enough = plan.byKey && cut.limit >= 0 ? cut.offset + cut.limit : Infinity;
    const keys = await scanInSlices(store, unit, plan.strict(), table, query.sort ?? [], context.deadline, enough);
    return keys.slice(cut.offset, cut.limit < 0 ? undefined : cut.offset + cut.limit);
  }

  /** Rows for keys, those that still match, in the order of the keys. */
  async *#byKeys<Q extends Query>(query: Q, compiled: Plan, keys: Keys): AsyncGenerator<EntityOf<Q>[]> {
    const { store, context } = this;
    const plan = compiled.strict();
    for (let at = 0; at < keys.length;) {
      if (at > 0) await this.#turn();
      context.check();
      const view = this.#view;
      const among = this.#portion([...keys.slice(at, at + BATCH)], tableOfKind(query.kind), view);
      at += among.length;
      const { text, params } = plan.rows({ offset: 0, limit: -1, among });
      const byKey = new Map<number, Row>();
      try {
        for (const row of store.connection(view).all(text, params)) byKey.set(Number(row[0]), row);
      } catch (error) {
        throw graphError(error);
      }
      const batch: EntityOf<Q>[] = [];
      for (const key of among) {
        const row = byKey.get(key);
        if (row !== undefined) batch.push(store.entityOf(query, row, view, true));
      }
      if (batch.length > 0) yield batch;
    }
  }

  /** The first of these keys whose rows come to no more than is read at once; one at least. */
  #portion(keys: readonly number[], table: 'node' | 'rel', view: View): readonly number[] {
    const { text, params } =
      sql`SELECT pk,octet_length(props) FROM ${raw(table)} WHERE pk IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`;
    const sizes = new Map<number, number>();
    let left = AT_ONCE;
    for (const [pk, size] of this.store.connection(view).all(text, params)) {
      sizes.set(Number(pk), Number(size));
      left -= Number(size);
    }
    if (left >= 0) return keys;
    left = AT_ONCE;
    const end = keys.findIndex((key, i) => (left -= sizes.get(key) ?? 0) < 0 && i > 0);
    return end < 0 ? keys : keys.slice(0, end);
  }

  async count(query: Query, limit?: number): Promise<CountResult> {
    this.context.check();
    const { store, context } = this;
    const { unit } = context;
    const most = limit ?? Infinity;
    const view = this.#view;
    const known = store.counted(query, view);
    if (known !== undefined) return { count: Math.min(known, most), exact: known <= most };
    const pending = this.#pending();
    if (pending !== undefined) {
      const counted = await countIn(pending, query, limit);
      context.check();
      if (counted !== undefined) return counted;
      await this.shown();
    }
    const plan = this.#compile(query);
    if (plan.few && view === undefined) {
      const { length } = (await store.fewKeys(plan, context)).keys;
      return { count: Math.min(length, most), exact: length <= most };
    }
    const upTo = Number.isFinite(most) ? most + 1 : -1;
    let count: number;
    if (unit === undefined) count = await store.counting(plan, upTo, context, context.pin);
    else {
      const rows = store.attempt(unit, plan.count(upTo));
      if (rows === undefined) await this.shown();
      const table = tableOfKind(query.kind);
      count =
        rows === undefined
          ? (await scanInSlices(store, unit, plan.strict(), table, [], context.deadline, most + 1)).length
          : Number(rows[0]?.[0] ?? 0);
    }
    return { count: Math.min(count, most), exact: count <= most };
  }

  related(ids: readonly string[], step: Step, limit?: number): Promise<GraphNode[][]> {
    const { far } = ends(step);
    const from = sql`rel r CROSS JOIN node n ON n.pk=r.${raw(far)}`;
    const { store } = this;
    return this.#walkIn(ids, step, limit, {
      columns: 'r.pk,n.id,n.type,n.props,r.id',
      from,
      far: 'n',
      make: (row, view) => store.nodeOf(row, view, true),
      linkOf: (row) => String(row[4]),
      latest: (node, layers) => layers.node(node.id)?.now?.node ?? node,
      made: (_relationship, node) => node,
    });
  }

  links(ids: readonly string[], step: Step, limit?: number): Promise<Link[][]> {
    const near = step.direction === 'out' ? 'a' : 'b';
    const n = step.direction === 'out' ? 'b' : 'a';
    const from = sql`rel r CROSS JOIN node ${raw(near)} ON ${raw(near)}.pk=r.${raw(ends(step).near)} CROSS JOIN node ${raw(n)} ON ${raw(n)}.pk=r.${raw(ends(step).far)}`;
    const { store } = this;
    return this.#walkIn(ids, step, limit, {
      columns: `${REL_COLUMNS},${n}.type,${n}.props`,
      from,
      far: n,
      make: (row, view) => {
        const far = step.direction === 'out' ? row[5] : row[4];
        const node = store.nodeOf([0, far ?? '', row[7] ?? 0, row[8] ?? ''], view, true);
        return { relationship: store.relationshipOf(row), node };
      },
      linkOf: (row) => String(row[1]),
      latest: ({ relationship, node }, layers) => ({ relationship, node: layers.node(node.id)?.now?.node ?? node }),
      made: (relationship, node) => ({ relationship, node }),
    });
  }

  async relTypes(id: string, direction: Step['direction']): Promise<string[]> {
    this.context.check();
    const pending = this.#pending();
    if (pending !== undefined) {
      if (pending.layers.linksOf(id).size === 0) return pending.committed.relTypes(id, direction);
      await this.shown();
    }
    const { store } = this;
    const near = raw(ends({ direction }).near);
    const some = sql`${near}=(SELECT pk FROM node WHERE id=${id})`;
    // From each type to the next by the index: a node may have a million relationships.
    const next = sql`SELECT min(relType) FROM rel WHERE ${some} AND relType>t.v`;
    const { text, params } =
      sql`WITH RECURSIVE t(v) AS (SELECT min(relType) FROM rel WHERE ${some} UNION ALL SELECT (${next}) FROM t WHERE t.v IS NOT NULL) SELECT v FROM t WHERE v IS NOT NULL`;
    try {
      const rows = store.connection(this.#view).all(text, params);
      return rows.map(([type]) => store.names.textOf(Number(type)));
    } catch (error) {
      throw graphError(error);
    }
  }

  async search(index: string, query: TextQuery, page: { offset: number; limit: number }): Promise<TextMatch[]> {
    this.context.check();
    // Full-text indexes are searched as they are committed, here and in a worker.
    this.context.scanned?.();
    await this.shown();
    const { store, context } = this;
    return searchText({ store, unit: context.unit, limits: context }, index, query, page);
  }

  permitted(nodes: readonly GraphNode[], rule: AccessRule): Promise<boolean[]> {
    this.context.check();
    return permitted(this.store, this.context, nodes, rule);
  }

  /** The relationships of each node in the order of linking, as the unit sees them. */
  async #walkIn<T>(ids: readonly string[], step: Step, limit: number | undefined, walk: Walk<T>): Promise<T[][]> {
    this.context.check();
    const pending = this.#pending();
    if (pending === undefined) return this.#values(ids, step, limit, walk);
    const { layers } = pending;
    if (step.access !== undefined || (step.types !== undefined && layers.retypes)) {
      await this.shown();
      return this.#values(ids, step, limit, walk);
    }
    const lists: T[][] = [];
    for (const id of ids) {
      const written = layers.linksOf(id);
      const most = limit === undefined ? undefined : limit + written.size;
      const [found = []] = await this.#walk([id], step, most, walk, true);
      this.context.check();
      const list = found
        .filter(({ link }) => !written.has(link))
        .map(({ pk, value }) => ({ pk, value: walk.latest(value, layers) }));
      for (const { now } of written.values()) {
        const made = now === undefined ? undefined : this.#made(id, step, now.relationship);
        if (now !== undefined && made !== undefined)
          list.push({ pk: now.pk, value: walk.made(now.relationship, made) });
      }
      list.sort((a, b) => a.pk - b.pk);
      lists.push(list.slice(0, limit).map(({ value }) => value));
    }
    return lists;
  }

  /** The node that a relationship leads to from this one by this step. */
  #made(id: string, { relType, direction, types }: Step, relationship: GraphRelationship): GraphNode | undefined {
    const { sourceId, targetId } = relationship;
    const [near, far] = direction === 'out' ? [sourceId, targetId] : [targetId, sourceId];
    if (near !== id || relationship.relType !== relType) return undefined;
    const node = this.store.node(far, this.context.unit)?.node;
    return node === undefined || types?.includes(node.type) === false ? undefined : node;
  }

  async #values<T>(ids: readonly string[], step: Step, limit: number | undefined, walk: Walk<T>): Promise<T[][]> {
    const lists = await this.#walk(ids, step, limit, walk, false);
    return lists.map((list) => list.map(({ value }) => value));
  }

  /** Pages through the relationships of each node; the loop gets turns on the way. */
  async #walk<T>(
    ids: readonly string[],
    step: Step,
    limit: number | undefined,
    { columns, from, far, make, linkOf }: Walk<T>,
    /** As it is committed, whoever reads. */
    committed: boolean,
  ): Promise<Walked<T>[][]> {
    const { store, context } = this;
    const viewed = (): View => (committed ? undefined : this.#view);
    const relType = store.names.idOf(step.relType);
    const { near } = ends(step);
    const fits = join([TRUE_SQL, ...nodeFits(far, step, store.catalog(viewed()))], ' AND ');
    const results: Walked<T>[][] = [];
    let rowsSinceTurn = 0;
    for (const id of ids) {
      const found: Walked<T>[] = [];
      results.push(found);
      const most = limit ?? Infinity;
      for (let after = 0; relType !== undefined && found.length < most;) {
        const page = Math.min(TURN, most - found.length);
        // Of many relationships none may lead to what is asked for: looked at are so many at a time, whatever they give.
        const window = sql`SELECT pk FROM rel WHERE ${raw(near)}=(SELECT pk FROM node WHERE id=${id}) AND relType=${relType} AND pk>${after} ORDER BY pk${cutTo(WINDOW)}`;
        const within = step.access === undefined ? TRUE_SQL : sql`r.pk IN (${window}) AND ${alive(raw('r.pk'))}`;
        const select = sql`SELECT ${raw(columns)} FROM ${from} WHERE r.${raw(near)}=(SELECT pk FROM node WHERE id=${id}) AND r.relType=${relType} AND r.pk>${after} AND ${within} AND ${fits} ORDER BY r.pk${cutTo(page)}`;
        let rows: Row[];
        try {
          rows =
            step.access === undefined
              ? store.connection(viewed()).all(select.text, select.params)
              : await store.bounded(viewed(), select, context);
          for (const row of rows) found.push({ pk: Number(row[0]), link: linkOf(row), value: make(row, viewed()) });
          rowsSinceTurn += rows.length;
          if (rows.length === page) after = Number(rows[rows.length - 1]?.[0] ?? 0);
          else if (step.access === undefined) break;
          else {
            const { text, params } = sql`SELECT max(pk),count(*) FROM (${window})`;
            const [last, seen] = store.connection(viewed()).get(text, params) ?? [];
            if (Number(seen) < WINDOW) break;
            after = Number(last);
            rowsSinceTurn += WINDOW;
          }
        } catch (error) {
          throw graphError(error);
        }
        if (rowsSinceTurn >= TURN) {
          rowsSinceTurn = 0;
          await this.#turn();
          if (!committed) await this.shown();
          if (Date.now() > context.deadline) throw timedOut();
        }
      }
    }
    return results;
  }

  /** For a part of a stream. */
  #limits(): ScanLimits {
    const { context } = this;
    return { deadline: context.renewed(), signal: context.signal, scanned: () => context.scanned?.() };
  }

  #compile(query: Query): Plan {
    try {
      return this.store.compile(query, this.#view);
    } catch (error) {
      throw graphError(error);
    }
  }

  async #turn(): Promise<void> {
    await nextTurn();
    this.context.check();
  }
}
