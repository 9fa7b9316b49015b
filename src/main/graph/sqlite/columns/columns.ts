/**
 * Keeps columns of some nodes beside the database (docs/design/analytics.md, Columns): decides when segments are made, and says in the database which
 * of them count. What of a segment has changed since is recorded by the transaction that changes it.
 */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Piscina } from 'piscina';
import { workerFile } from '../../../../shared/worker-path.js';
import { workerPool } from '../../../../shared/worker-pool.js';
import type { ColumnsJob, MadeColumns, MadeSegment } from '../../../../workers/graph/columns.js';
import type { ColumnDefinition, ColumnKeeper } from '../../columns.js';
import type { NodeQuery } from '../../query.js';
import type { Connection } from '../connection/connection.js';
import type { CounterDelta } from '../indexes/counters.js';
import type { Names } from '../connection/names.js';
import type { Plan } from '../query/plan.js';
import type { GroupCommit } from '../writing/group-commit.js';
import type { Unit } from '../writing/unit.js';
import type { Writer } from '../writing/writer.js';
import { type ColumnQuery, columnQuery } from './column-query.js';
import { MOST_ROWS } from './column-builder.js';
import { IS_LITTLE_ENDIAN } from './segment-file.js';
import { COLUMN_TABLES, MARK_STALE, SEGMENTS } from './state.js';

const ADD_SEGMENT = 'INSERT INTO column_segment(first,last,amount,isFull,file) VALUES (?,?,?,?,?)';

/** Of what is made; with another one it is made anew. */
const VERSION = 1;
/** Milliseconds between a change and what is made because of it: others may follow. */
const REST = 200;
/** Milliseconds after a failure. */
const REST_AFTER_FAILURE = 60_000;
/** Marks of stale rows before anybody asks where they are. */
const FEW_STALE = 256;
/** A segment is made anew when one of so many of its rows is stale. */
const STALE_PART = 20;
/** Of all segments: that many are read as nodes in a tenth of a second or two. */
const MOST_STALE = 50_000;
/** Milliseconds for which a thread may still be about to open a file that counts no more. */
const KEEP_FILES = 10_000;
/** Nodes that are counted on the loop, at most. */
const MOST_COUNTED = 100_000;

export interface ColumnsParts {
  readonly file: string;
  readonly folder: string;
  readonly cacheMegabytes: number;
  readonly writer: Writer;
  readonly reader: Connection;
  readonly names: Names;
  readonly commit: GroupCommit;
  /** The last row of nodes. */
  readonly lastRow: () => number;
  readonly onError: (error: unknown) => void;
}

export class Columns implements ColumnKeeper {
  #definition: ColumnDefinition | undefined;
  #types: ReadonlySet<string> = new Set();
  #from = Infinity;
  /** Changes of rows up to this are recorded. */
  #watched = 0;
  #upTo = 0;
  #segments: readonly MadeSegment[] = [];
  /** Nodes behind the segments, more or less. */
  #tail = 0;
  /** Marks since somebody has asked where they are. */
  #stale = 0;
  #isDamaged = false;
  /** How often the database was emptied: what a thread has read before is not there any more. */
  #emptied = 0;
  #setting: Promise<void> = Promise.resolve();
  #work: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #notBefore = 0;
  #pool: Piscina | undefined;
  readonly #removals = new Set<NodeJS.Timeout>();
  readonly #stopped = new Int32Array(new SharedArrayBuffer(4));

  constructor(private readonly parts: ColumnsParts) {}

  /** Before anything is written: what is covered by segments is recorded from the first change on. */
  load(): void {
    const { writer } = this.parts;
    const [shape, upTo, watched] = writer.get('SELECT shape,upto,watched FROM column_state', []) ?? [];
    if (typeof shape !== 'string') return;
    const { types } = JSON.parse(shape) as ColumnDefinition;
    this.#types = new Set(types);
    this.#upTo = Number(upTo);
    this.#watched = Number(watched);
    this.#segments = this.#recorded(writer);
    this.#stale = Number(writer.get('SELECT count(*) FROM column_stale', [])?.[0]);
  }

  /** Rows up to this have been given away, whether they are still there or not. */
  get lastRow(): number {
    return this.#watched;
  }

  #recorded(from: Connection | Writer): readonly MadeSegment[] {
    return from.all(SEGMENTS, []).map(([first, last, amount, isFull, file]) => ({
      first: Number(first),
      last: Number(last),
      amount: Number(amount),
      isFull: isFull === 1,
      file: String(file),
    }));
  }

  /** A node of this type was changed or deleted, as part of the transaction that runs. */
  changed(type: string, pk: number): void {
    if (pk > this.#watched || !this.#types.has(type)) return;
    this.parts.writer.write(MARK_STALE, [pk]);
    this.#stale++;
  }

  /** What of a query columns can answer; undefined: nothing. */
  query(query: NodeQuery, compile: (query: NodeQuery) => Plan): ColumnQuery | undefined {
    if (this.#definition === undefined || this.#segments.length === 0 || this.#isDamaged) return undefined;
    return columnQuery(query, this.#definition, compile);
  }

  async set(definition: ColumnDefinition | undefined, from: number): Promise<void> {
    this.#setting = this.#setting
      .catch(() => undefined)
      .then(async () => {
        await this.#end();
        const wanted = IS_LITTLE_ENDIAN ? definition : undefined;
        const shape = wanted === undefined ? undefined : JSON.stringify({ ...wanted, version: VERSION });
        const known = this.parts.reader.get('SELECT shape FROM column_state', [])?.[0];
        const isKnown = shape !== undefined && known === shape && !this.#isDamaged;
        const isWhole = isKnown && (await this.#tidy());
        if (!isWhole && (known !== undefined || shape !== undefined)) await this.#reset(shape);
        this.#definition = wanted;
        this.#types = new Set(wanted?.types ?? []);
        this.#from = from;
        this.#isDamaged = false;
        Atomics.store(this.#stopped, 0, 0);
        this.#tail = this.#countTail();
        this.#plan();
      });
    await this.#setting;
  }

  /** Removes files that do not count; whether all that count are there. */
  async #tidy(): Promise<boolean> {
    const { folder } = this.parts;
    const names = await readdir(folder).catch((): string[] => []);
    const counting = new Set(this.#segments.map(({ file }) => file));
    for (const name of names) if (!counting.has(name)) await rm(join(folder, name), { force: true });
    return [...counting].every((name) => names.includes(name));
  }

  /** Begins anew, with nothing. */
  async #reset(shape: string | undefined): Promise<void> {
    const { writer } = this.parts;
    await this.#write(() => {
      for (const table of COLUMN_TABLES) writer.write(`DELETE FROM ${table}`, []);
      if (shape === undefined) return;
      writer.write('INSERT INTO column_state(id,shape,upto,watched) VALUES (1,?,0,0)', [shape]);
    });
    this.#segments = [];
    this.#upTo = 0;
    this.#watched = 0;
    this.#stale = 0;
    await this.#tidy();
  }

  #write(work: (unit: Unit) => void): Promise<void> {
    return this.parts.commit.run(
      async (unit) => {
        unit.begin();
        work(unit);
      },
      { timeout: 0, onLoop: true },
    );
  }

  /** A thread has found a file that is not what was written. */
  damaged(): void {
    if (this.#isDamaged) return;
    this.#isDamaged = true;
    const { onError } = this.parts;
    onError(new Error(`columns in ${this.parts.folder} are damaged: they are made anew`));
    this.set(this.#definition, this.#from).catch(onError);
  }

  /** The database was emptied, and the tables of columns with it (`EMPTY_COLUMNS`). */
  cleared(): void {
    this.#emptied++;
    const old = this.#segments;
    this.#segments = [];
    this.#upTo = 0;
    this.#stale = 0;
    this.#tail = this.#countTail();
    this.#removeLater(old);
  }

  /** Something was committed. */
  committed({ node: counts }: CounterDelta): void {
    for (const type of this.#types) {
      const id = this.parts.names.idOf(type);
      if (id !== undefined) this.#tail += Math.max(0, counts.get(id) ?? 0);
    }
    this.#plan();
  }

  /** Begins what is due, in a moment. */
  #plan(): void {
    if (this.#definition === undefined || this.#work !== undefined || this.#timer !== undefined) return;
    if (Atomics.load(this.#stopped, 0) !== 0 || !this.#isDue()) return;
    const wait = Math.max(REST, this.#notBefore - Date.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#begin();
    }, wait);
    this.#timer.unref();
  }

  #begin(): void {
    this.#work ??= this.#run()
      .catch((error: unknown) => {
        this.#notBefore = Date.now() + REST_AFTER_FAILURE;
        this.parts.onError(error);
      })
      .finally(() => {
        this.#work = undefined;
        this.#plan();
      });
  }

  /** Of the nodes behind the segments, those up to the number from which on it matters. */
  #countTail(): number {
    let count = 0;
    for (const type of this.#types) {
      const sql = 'SELECT count(*) FROM (SELECT 1 FROM node WHERE type=? AND pk>? LIMIT ?+0)';
      const id = this.parts.names.idOf(type);
      if (id !== undefined)
        count += Number(this.parts.reader.get(sql, [id, this.#upTo, Math.min(this.#from, MOST_COUNTED)])?.[0]);
    }
    return count;
  }

  #isDue(): boolean {
    return this.#tail >= this.#from || this.#stale >= FEW_STALE;
  }

  async #run(): Promise<void> {
    await mkdir(this.parts.folder, { recursive: true });
    while (this.#isDue() && Atomics.load(this.#stopped, 0) === 0) {
      if (this.#stale >= FEW_STALE) await this.#renew();
      if (this.#tail >= this.#from) await this.#append();
    }
  }

  /** Makes segments anew of which many rows are stale. */
  async #renew(): Promise<void> {
    this.#stale = 0;
    const marks =
      'SELECT s.first,count(*) FROM column_stale t JOIN column_segment s ON t.pk>s.first AND t.pk<=s.last GROUP BY s.first';
    const counts = this.parts.reader.all(marks, []).map(([first, count]) => [Number(first), Number(count)] as const);
    const most = MOST_STALE / counts.length;
    const stale = new Map(counts);
    for (const { first, last, amount } of this.#segments) {
      const few = Math.max(FEW_STALE, Math.min(amount / STALE_PART, most));
      if ((stale.get(first) ?? 0) >= few) await this.#make(first, last);
    }
  }

  /** Makes a segment of what has come since, together with those before it that are not larger: each event is written some five times until there are a million. */
  async #append(): Promise<void> {
    const { writer, lastRow } = this.parts;
    const tail = this.#tail;
    let total = tail;
    let first = this.#upTo;
    for (const { first: before, amount, isFull } of [...this.#segments].reverse()) {
      if (isFull || amount > total || amount + total > MOST_ROWS) break;
      total += amount;
      first = before;
    }
    // From now on changes are recorded of all that the thread is about to see.
    let last = 0;
    await this.#write(() => {
      this.#watched = last = Math.max(this.#watched, lastRow());
      writer.write('UPDATE column_state SET watched=?', [last]);
    });
    if (await this.#make(first, last)) this.#tail -= tail;
  }

  /** Replaces the segments of a range of keys; false: it was stopped. */
  async #make(first: number, last: number): Promise<boolean> {
    const { file, folder, cacheMegabytes, writer, reader, names } = this.parts;
    const definition = this.#definition;
    if (definition === undefined) return false;
    const types = definition.types.map((type) => names.idOf(type)).filter((type) => type !== undefined);
    const job: ColumnsJob = {
      file,
      folder,
      cacheMegabytes,
      definition,
      types,
      first,
      last,
      stopped: this.#stopped,
    };
    const emptied = this.#emptied;
    const made = (await this.#workers().run(job)) as MadeColumns | undefined;
    if (made === undefined) return false;
    const old = this.#segments.filter((one) => one.first >= first && one.last <= last);
    const kept = made.segments.filter(({ amount }) => amount > 0);
    let isOld = false;
    await this.#write(() => {
      isOld = emptied !== this.#emptied;
      if (isOld) return;
      writer.write('DELETE FROM column_segment WHERE first>=? AND last<=?', [first, last]);
      for (const { first, last, amount, isFull, file } of kept) {
        writer.write(ADD_SEGMENT, [first, last, amount, isFull ? 1 : 0, file]);
      }
      writer.write('DELETE FROM column_stale WHERE n<=? AND pk>? AND pk<=?', [made.seen, first, last]);
      writer.write('UPDATE column_state SET upto=max(upto,?)', [last]);
    });
    if (isOld || emptied !== this.#emptied) {
      this.#removeLater(made.segments);
      return false;
    }
    this.#segments = this.#recorded(reader);
    this.#upTo = Math.max(this.#upTo, last);
    this.#removeLater(old);
    return true;
  }

  #removeLater(segments: readonly MadeSegment[]): void {
    const timer = setTimeout(() => {
      this.#removals.delete(timer);
      for (const { file } of segments) rm(join(this.parts.folder, file), { force: true }).catch(this.parts.onError);
    }, KEEP_FILES);
    timer.unref();
    this.#removals.add(timer);
  }

  #workers(): Piscina {
    this.#pool ??= workerPool({
      filename: workerFile('graph/columns'),
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: 10_000,
      concurrentTasksPerWorker: 1,
    });
    return this.#pool;
  }

  async settled(): Promise<void> {
    await this.#setting;
    for (;;) {
      // What has failed is tried again later.
      if (this.#timer !== undefined && Date.now() >= this.#notBefore) {
        clearTimeout(this.#timer);
        this.#timer = undefined;
        this.#begin();
      }
      if (this.#work === undefined) return;
      await this.#work;
    }
  }

  /** Nothing is made any more. */
  async #end(): Promise<void> {
    Atomics.store(this.#stopped, 0, 1);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#work;
  }

  async stop(): Promise<void> {
    await this.#setting.catch(() => undefined);
    await this.#end();
    for (const timer of this.#removals) clearTimeout(timer);
    await this.#pool?.destroy();
  }
}
