/**
 * Makes what the tables of indexes say right again, whatever has become of them: entries that no node or relationship has go, those that
 * are missing come. Step by step beside the traffic; indexes are in use meanwhile.
 */
import { FLAG_KEYS, type FlagKey, OWNS, SECURITY } from '../../access.js';
import type { Steps } from '../../graph.js';
import type { Names } from '../connection/names.js';
import { list, raw, type Sql, sql } from '../connection/sql.js';
import { type SqlValue, TRUE } from '../connection/values.js';
import { valueExpression } from '../connection/stamps.js';
import type { GroupCommit } from '../writing/group-commit.js';
import type { Unit } from '../writing/unit.js';
import type { Writer } from '../writing/writer.js';
import { flagPrincipal } from './access-table.js';
import { type Counters, flagCounter } from './counters.js';
import { ALL_RIGHTS, RIGHT_BITS } from './rights.js';

/** Milliseconds of the event loop that a transaction takes, about. */
const STEP_TIME = 6;
/** Rows of a piece. */
const FIRST_SIZE = 500;
const LEAST_SIZE = 32;
const MOST_SIZE = 10_000;

/** An index on a key of the nodes of a type. */
interface Pair {
  readonly type: number;
  readonly key: number;
  readonly keyText: string;
}

/** Rows of a table that is kept in the order of these columns. */
interface Entries {
  /** Name and alias. */
  readonly table: string;
  readonly columns: readonly string[];
  readonly where: Sql;
  /** Whether a row is right. */
  readonly kept: Sql;
  /** Comes before all rows. */
  readonly start: readonly SqlValue[];
}

/** Does its work a piece at a time, each in a unit, and tells how many objects that were. */
type Pieces = Generator<number, void, Unit>;

export class IndexRepair {
  #size = FIRST_SIZE;

  constructor(
    private readonly writer: Writer,
    private readonly names: Names,
    private readonly commit: GroupCommit,
    private readonly counters: Counters,
  ) {}

  /** Indexes on keys of these types, and the flags of their nodes among the rights. */
  async values(pairs: readonly Pair[], types: readonly string[] | undefined, steps: Steps): Promise<void> {
    const wanted = types?.flatMap((type) => this.names.idOf(type) ?? []);
    const some = pairs.filter(({ type }) => wanted?.includes(type) ?? true);
    const all = wanted ?? this.counters.types('node');
    const nodes = (list: readonly number[]): number =>
      list.reduce((sum, type) => sum + this.counters.of('node', type), 0);
    steps.begin('indexes on properties', 2 * nodes(some.map(({ type }) => type)));
    await this.#work(this.#pairs(some), steps);
    steps.begin('visibility flags', FLAG_KEYS.length * nodes(all));
    await this.#work(this.#flags(all), steps);
  }

  /** Owners and grants, by the relationships that say them. */
  async rights(types: readonly string[] | undefined, steps: Steps): Promise<void> {
    const relTypes = [OWNS, SECURITY].flatMap((name) => this.names.idOf(name) ?? []);
    steps.begin('rights', this.counters.total('rel'));
    if (relTypes.length === 0) return;
    const wanted = types?.flatMap((type) => this.names.idOf(type) ?? []);
    const carries = sql`r.relType IN (${list(relTypes)})`;
    if (wanted === undefined || this.#carry(wanted, carries)) await this.#work(this.#grants(carries), steps);
  }

  #carry(types: readonly number[], carries: Sql): boolean {
    const { text, params } = sql`SELECT 1 FROM rel r WHERE r.type IN (${list(types)}) AND ${carries} LIMIT 1`;
    return this.writer.connection.get(text, params) !== undefined;
  }

  *#pairs(pairs: readonly Pair[]): Pieces {
    for (const pair of pairs) {
      const { type, key, keyText } = pair;
      const value = valueExpression('n', keyText);
      const isKept = (): boolean => this.#isReady(pair);
      yield* this.#remove(
        {
          table: 'prop_index AS e',
          columns: ['e.value', 'e.node'],
          where: sql`e.type=${type} AND e.key=${key}`,
          kept: sql`EXISTS (SELECT 1 FROM node n WHERE n.pk=e.node AND n.type=${type} AND e.value IS ${value})`,
          start: [-Infinity, -1],
        },
        isKept,
      );
      const add = sql`INSERT OR IGNORE INTO prop_index(type,key,value,node) SELECT n.type,${key},${value},n.pk FROM node n`;
      yield* this.#add('node', type, (some) => this.#run(sql`${add} WHERE n.type=${type} AND ${some}`), isKept);
    }
  }

  *#grants(carries: Sql): Pieces {
    yield* this.#remove({
      table: 'access_entry AS e',
      columns: ['e.principal', 'e.type', 'e.node'],
      where: sql`e.principal>0`,
      kept: sql`EXISTS (SELECT 1 FROM rel r CROSS JOIN node n ON n.pk=r.target
        WHERE r.target=e.node AND ${carries} AND r.source=e.principal AND n.type=e.type)`,
      start: [0, -1, -1],
    });
    const bits = raw(RIGHT_BITS.map((bit) => `max(w.rights&${String(bit)})`).join('|'));
    const owns = this.names.idOf(OWNS) ?? 0;
    yield* this.#add('rel', undefined, (some) => {
      // All between the same two nodes: together they say what one may do with the other.
      const ends = sql`SELECT DISTINCT r.source,r.target FROM (SELECT source,target,relType FROM rel n WHERE ${some}) r WHERE ${carries}`;
      const given = sql`SELECT r.source,r.target,svc_rights(iif(r.relType=${owns},${OWNS},${SECURITY}),r.props) AS rights
        FROM (${ends}) d CROSS JOIN rel r ON r.target=d.target AND ${carries} AND r.source=d.source`;
      this.#run(sql`INSERT OR REPLACE INTO access_entry(principal,type,node,rights,links)
        SELECT w.source,n.type,w.target,${bits},count(*) FROM (${given}) w CROSS JOIN node n ON n.pk=w.target GROUP BY w.source,w.target`);
    });
  }

  /** Entries of flags of the nodes of types, and their numbers. */
  *#flags(types: readonly number[]): Pieces {
    for (const key of FLAG_KEYS) for (const type of types) yield* this.#flag(key, type);
  }

  *#flag(key: FlagKey, type: number): Pieces {
    const principal = flagPrincipal(key);
    const isTrue = sql`${valueExpression('n', key)}=${TRUE}`;
    const count = (by: number, unit: Unit): void => {
      if (by !== 0) unit.delta.add('flag', flagCounter(type, key), by);
    };
    yield* this.#remove(
      {
        table: 'access_entry AS e',
        columns: ['e.node'],
        where: sql`e.principal=${principal} AND e.type=${type}`,
        kept: sql`EXISTS (SELECT 1 FROM node n WHERE n.pk=e.node AND n.type=${type} AND ${isTrue})`,
        start: [-1],
      },
      () => true,
      (removed, unit) => {
        count(-removed, unit);
      },
    );
    const add = sql`INSERT OR IGNORE INTO access_entry(principal,type,node,rights,links) SELECT ${principal},n.type,n.pk,${ALL_RIGHTS},1 FROM node n`;
    yield* this.#add('node', type, (some, unit) => {
      count(this.#run(sql`${add} WHERE n.type=${type} AND ${some} AND ${isTrue}`), unit);
    });
  }

  /** Goes through entries and removes what is wrong; ends when they are not to be kept any more. */
  *#remove(
    { table, columns, where, kept, start }: Entries,
    goesOn: () => boolean = () => true,
    removed: (count: number, unit: Unit) => void = () => undefined,
  ): Pieces {
    const key = columns.join(',');
    const bound = (operator: string, at: readonly SqlValue[]): Sql => ({
      text: `(${key})${operator}(${at.map(() => '?').join(',')})`,
      params: at,
    });
    let unit = yield 0;
    for (let from: readonly SqlValue[] | undefined = start; from !== undefined && goesOn();) {
      const above = bound('>', from);
      const size = this.#size;
      const order = `ORDER BY ${key} LIMIT 1 OFFSET ${String(size - 1)}`;
      const select = sql`SELECT ${raw(key)} FROM ${raw(table)} WHERE ${where} AND ${above} ${raw(order)}`;
      // With all digits of large numbers.
      from = this.writer.exact(select.text).get(...select.params);
      const upTo = from === undefined ? raw('1') : bound('<=', from);
      unit.begin();
      removed(this.#run(sql`DELETE FROM ${raw(table)} WHERE ${where} AND ${above} AND ${upTo} AND NOT ${kept}`), unit);
      unit = yield from === undefined ? 0 : size;
    }
  }

  /** Goes through the rows of nodes of a type, or of relationships: `add` gets the condition on those of a piece, as `n`. */
  *#add(
    table: 'node' | 'rel',
    type: number | undefined,
    add: (some: Sql, unit: Unit) => unknown,
    goesOn: () => boolean = () => true,
  ): Pieces {
    const where = type === undefined ? raw('n.pk>') : sql`n.type=${type} AND n.pk>`;
    let unit = yield 0;
    for (let after = 0; goesOn();) {
      const size = this.#size;
      // +0: see cutTo (sql.ts).
      const { text, params } =
        sql`SELECT max(pk),count(*) FROM (SELECT n.pk FROM ${raw(table)} n WHERE ${where}${after} ORDER BY n.pk LIMIT ${size}+0)`;
      const [last, count] = this.writer.get(text, params) ?? [];
      if (typeof last !== 'number') return;
      unit.begin();
      add(sql`n.pk>${after} AND n.pk<=${last}`, unit);
      after = last;
      unit = yield Number(count);
      if (Number(count) < size) return;
    }
  }

  #run({ text, params }: Sql): number {
    return this.writer.run(text, params);
  }

  /** Whether an index is complete, as recorded: it may have been given up meanwhile. */
  #isReady({ type, key }: Pair): boolean {
    return this.writer.get('SELECT state FROM index_state WHERE type=? AND key=?', [type, key])?.[0] === 'ready';
  }

  /** As many pieces in a transaction as there is time for; pieces are the smaller the longer one took. */
  async #work(pieces: Pieces, steps: Steps): Promise<void> {
    for (let isOver = false; !isOver;) {
      let objects = 0;
      isOver = await this.commit.run(
        (unit) => {
          const began = performance.now();
          for (let now = began; now - began < STEP_TIME;) {
            const piece = pieces.next(unit);
            if (piece.done === true) return Promise.resolve(true);
            objects += piece.value;
            const took = performance.now() - now;
            now += took;
            const factor = took > STEP_TIME ? 0.5 : took < STEP_TIME / 4 && piece.value === this.#size ? 1.5 : 1;
            this.#size = Math.max(LEAST_SIZE, Math.min(MOST_SIZE, Math.round(this.#size * factor)));
          }
          return Promise.resolve(false);
        },
        { timeout: 0, onLoop: true },
      );
      await steps.done(objects);
    }
  }
}
