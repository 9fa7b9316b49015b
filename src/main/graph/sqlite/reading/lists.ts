/** Lists, pages, streams and counts of queries. Short work is done at once, long work in a worker or in slices. */
import type { Made, Making } from '../../making.js';
import type { Digest, DigestedQuery } from '../../../../shared/digest.js';
import { GraphError } from '../../errors.js';
import type { CountResult, EntityOf, NodeQuery, Query } from '../../query.js';
import { graphError, type Row, sizeOfRow } from '../connection/connection.js';
import type { Cut, Plan } from '../query/plan.js';
import { tableOfKind } from '../connection/parts.js';
import { madeOf } from './making.js';
import { type ScanLimits } from '../scans/scans.js';
import { nextTurn } from '../connection/pace.js';
import { scanInSlices } from './slices.js';
import { raw, type Sql, sql } from '../connection/sql.js';
import type { View } from './stored-nodes.js';
import type { Keys } from '../caches/walk-cache.js';
import { countIn, findIn } from '../writing/merged.js';
import { Sight } from './sight.js';

const BATCH = 256;
/** Characters of properties that are read before they are handed on: what is larger is read in parts, however few they are. */
export const AT_ONCE = 1_000_000;
/** Keys in front of a page are kept up to this many. */
const MAX_FIRST = 1 << 18;

/** A page whose keys, with those before it, are kept for those who ask for the next one, or the same. */
export function isPage({ dependsOn }: Plan, { offset, limit }: Cut): boolean {
  return dependsOn !== undefined && limit >= 0 && limit <= BATCH && offset + limit <= MAX_FIRST;
}

/** Ends a scan that has given enough. */
class Enough extends Error {}

export abstract class Lists extends Sight {
  async find<Q extends Query>(query: Q): Promise<EntityOf<Q>[]> {
    return (await this.#found(query, Infinity)) ?? [];
  }

  async page<Q extends Query>(query: Q): Promise<EntityOf<Q>[] | undefined> {
    return this.#found(query, this.context.unit === undefined ? AT_ONCE : Infinity);
  }

  /** All matches; undefined: they have more than `most` characters, which only reads outside of units look at. */
  async #found<Q extends Query>(query: Q, most: number): Promise<EntityOf<Q>[] | undefined> {
    this.context.check();
    const pending = this.pending();
    if (pending !== undefined) {
      const found = await findIn(pending, query);
      this.context.check();
      if (found !== undefined) return found;
      await this.shown();
    }
    const { store, context } = this;
    const { unit } = context;
    const view = this.view;
    const cut = { offset: query.offset ?? 0, limit: query.limit ?? -1 };
    if (cut.limit === 0) return [];
    const plan = this.compile(query);
    if (view === undefined && !store.unclear && query.kind === 'nodes' && (plan.few || isPage(plan, cut))) {
      const enough = plan.few ? Infinity : cut.offset + cut.limit;
      const { keys, current } = await store.firstKeys(plan, enough, context);
      const page = keys.slice(cut.offset, cut.limit < 0 ? undefined : cut.offset + cut.limit);
      // Keys that are not of now are of no use: what has changed since would be missing in the page, or show what is hidden.
      if (!current || this.view !== undefined || store.unclear) return this.#fromWorker(query, plan, cut, most);
      if (page.length <= BATCH) {
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
    if (unit === undefined) return this.#fromWorker(query, plan, cut, most);
    await this.shown();
    const entities: EntityOf<Q>[] = [];
    for await (const batch of this.#byKeys(query, plan, await this.#keys(query, plan))) entities.push(...batch);
    return entities;
  }

  /** Whole rows in one statement, of one state. Undefined: they have more than `most` characters. */
  async #fromWorker<Q extends Query>(query: Q, plan: Plan, cut: Cut, most: number): Promise<EntityOf<Q>[] | undefined> {
    const found: EntityOf<Q>[] = [];
    // As they come: to make 250,000 of them at once holds up the loop for 200 ms.
    const isCut = await this.#scan(plan.strict().rows(cut), this.context, most, (row) =>
      found.push(this.store.entityOf(query, row, undefined, false)),
    );
    return isCut ? undefined : found;
  }

  async *stream<Q extends Query>(query: Q): AsyncGenerator<EntityOf<Q>[]> {
    this.context.check();
    await this.shown();
    const plan = this.compile(query);
    if (query.limit === 0) return;
    if (plan.byKey && plan.keyset && this.context.unit === undefined) yield* this.#byKeyset(query);
    else yield* this.#byKeys(query, plan, await this.#keys(query, plan));
  }

  made(query: Query, making: Making): AsyncIterable<Made> | undefined {
    this.context.check();
    const { offset = 0, limit } = query;
    const isWhole = offset === 0 && limit === undefined && this.context.unit === undefined;
    const plan = this.compile(query);
    if (!isWhole || !plan.byKey || !plan.keyset) return undefined;
    return madeOf(this.store, this.context, () => this.compile(query), query.kind, making);
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
      const plan = this.compile(query);
      const view = this.view;
      const tried = long ? undefined : store.attemptSome(view, plan.rows(cut), AT_ONCE);
      const current = tried !== undefined;
      if (tried === undefined) long = true;
      const { rows, cut: isCut } = tried ?? (await this.#scanned(plan.strict().rows(cut), this.limits(), AT_ONCE));
      offset = 0;
      left -= rows.length;
      after = Number(rows[rows.length - 1]?.[0] ?? 0);
      for (let at = 0; at < rows.length; at += BATCH) {
        // Consumers that never wait would otherwise keep the loop to themselves.
        await nextTurn();
        const isNow = current && at === 0 && this.view === view;
        yield rows.slice(at, at + BATCH).map((row) => store.entityOf(query, row, view, isNow));
      }
      if (!isCut && rows.length < size) return;
    }
  }

  /** Rows that a worker reads, until they have more than `most` characters of properties; whether there may be more. */
  async #scanned(select: Sql, limits: ScanLimits, most: number): Promise<{ rows: Row[]; cut: boolean }> {
    const rows: Row[] = [];
    const cut = await this.#scan(select, limits, most, (row) => rows.push(row));
    return { rows, cut };
  }

  /** The same, row by row; whether there may be more. */
  async #scan(select: Sql, limits: ScanLimits, most: number, take: (row: Row) => void): Promise<boolean> {
    let size = 0;
    try {
      await this.store.scans.rows(select, limits, (batch) => {
        for (const row of batch) {
          take(row);
          size += sizeOfRow(row);
          if (size > most) throw new Enough();
        }
      });
    } catch (error) {
      if (!(error instanceof Enough)) throw error;
      // The worker may have seen what was committed since.
      limits.scanned?.();
      return true;
    }
    return false;
  }

  /** Keys of the page of a query, in order. */
  async #keys(query: Query, plan: Plan): Promise<number[]> {
    const { store, context } = this;
    const { unit } = context;
    const cut = { offset: query.offset ?? 0, limit: query.limit ?? -1 };
    const select = plan.keys(cut);
    const rows = store.worthTrying(plan) ? store.attempt(this.view, select) : undefined;
    if (rows !== undefined) return rows.map((row) => Number(row[0]));
    if (unit === undefined) return store.scans.numbers(plan.strict().keys(cut), this.limits());
    const table = tableOfKind(query.kind);
    const enough = plan.byKey && cut.limit >= 0 ? cut.offset + cut.limit : Infinity;
    const strict = plan.strict();
    const keys = await scanInSlices(store, unit, strict, table, strict.sort, context.deadline, enough);
    return keys.slice(cut.offset, cut.limit < 0 ? undefined : cut.offset + cut.limit);
  }

  /** Rows for keys, those that still match, in the order of the keys. */
  async *#byKeys<Q extends Query>(query: Q, compiled: Plan, keys: Keys): AsyncGenerator<EntityOf<Q>[]> {
    const { store, context } = this;
    const plan = compiled.strict();
    // What is large is seldom alone: from there on sizes are asked for before anything is read.
    let isLarge = false;
    for (let at = 0; at < keys.length;) {
      if (at > 0) await this.turn();
      context.check();
      const view = this.view;
      const connection = store.connection(view);
      let among: readonly number[] = [...keys.slice(at, at + BATCH)];
      if (isLarge) among = this.#portion(among, tableOfKind(query.kind), view);
      const { text, params } = plan.rows({ offset: 0, limit: -1, among });
      const byKey = new Map<number, Row>();
      try {
        if (isLarge) for (const row of connection.all(text, params)) byKey.set(Number(row[0]), row);
        else {
          const { rows, cut } = connection.some(text, params, AT_ONCE);
          if (cut && rows.length < among.length) {
            isLarge = true;
            continue;
          }
          for (const row of rows) byKey.set(Number(row[0]), row);
        }
      } catch (error) {
        throw graphError(error);
      }
      at += among.length;
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

  async digest(
    queries: readonly DigestedQuery<NodeQuery>[],
    digest: Digest,
    take: (text: string) => Promise<void> | undefined,
  ): Promise<void> {
    this.context.check();
    if (this.context.unit !== undefined) throw new GraphError('invalid_query', 'Writers cannot make digests.');
    // All in one transaction of the thread, so of one state.
    const selects = queries.map(({ query, only, columns }) => {
      const plan = this.compile(query).strict();
      const cut = { offset: query.offset ?? 0, limit: query.limit ?? -1 };
      return {
        select: only === undefined ? plan.rows(cut) : plan.keys(cut),
        only,
        columns: columns === true ? this.store.columns.query(query, (one) => this.compile(one).strict()) : undefined,
      };
    });
    await this.store.scans.digest(selects, digest, this.limits(), take);
  }

  async count(query: Query, limit?: number): Promise<CountResult> {
    this.context.check();
    const { store, context } = this;
    const { unit } = context;
    const most = limit ?? Infinity;
    const view = this.view;
    const known = store.counted(query, view);
    if (known !== undefined) return { count: Math.min(known, most), exact: known <= most };
    const pending = this.pending();
    if (pending !== undefined) {
      const counted = await countIn(pending, query, limit);
      context.check();
      if (counted !== undefined) return counted;
      await this.shown();
    }
    const plan = this.compile(query);
    if (plan.few && view === undefined) {
      const { length } = (await store.firstKeys(plan, Infinity, context)).keys;
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
}
