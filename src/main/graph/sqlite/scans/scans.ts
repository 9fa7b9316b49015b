/** Long reads in worker threads, seen from the event loop: bounded in time, cancellable, in batches on demand. */
import { dirname, join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import type { MakeJob, MakeResult } from '../../../../workers/graph/make.js';
import type { Packed, PackJob, PackWork } from '../../../../workers/graph/pack.js';
import type { ReadJob, ReadMessage } from '../../../../workers/graph/read.js';
import { GraphError } from '../../errors.js';
import type { StatementLog } from '../../statement-log.js';
import type { ColumnQuery } from '../columns/column-query.js';
import { COLUMN_FOLDER } from '../columns/state.js';
import { graphError, type Row } from '../connection/connection.js';
import { GRANTED, STOP } from './scan-control.js';
import type { Sql } from '../connection/sql.js';
import { ReaderThreads } from './reader-threads.js';
import type { TextSearch } from '../indexes/text-search.js';
import type { Digest } from '../../../../shared/digest.js';

/** Rows a message; at most AHEAD messages are on their way. Decoding one is well below 2 ms. */
const BATCH = 400;
const AHEAD = 4;
/** Page cache of the thread that packs texts, in megabytes: it reads each page once. */
const PACK_CACHE = 4;

export interface ScanLimits {
  /** Milliseconds since 1970. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
  /** As in `TransactionOptions`. */
  readonly asker?: string | undefined;
  /** Told when a worker has answered: it may have seen what was committed since its transaction began. */
  scanned?(): void;
}

export class Scans {
  readonly #lists: ReaderThreads;
  /** Digests take as long as there are rows: lists do not wait for them. */
  readonly #digests: ReaderThreads;
  /** One, that no reader waits for. */
  readonly #packing = new ReaderThreads(1);
  readonly #running = new Set<() => void>();
  /** Told when a query finds the database damaged. */
  onDamage: ((error: GraphError) => void) | undefined;
  /** Told before anything is handed on that a thread has read. */
  onSeen: (() => void) | undefined;
  /** Told when a thread has found columns that are not what they should be. */
  onDamagedColumns: (() => void) | undefined;

  constructor(
    private readonly file: string,
    threads: number,
    private readonly cacheMegabytes: number,
    private readonly statements: StatementLog | undefined,
  ) {
    this.#lists = new ReaderThreads(threads);
    this.#digests = new ReaderThreads(threads);
  }

  /** Hands rows over in batches; the next batch is asked for when the promise of the one before is settled. */
  async rows(select: Sql, limits: ScanLimits, batch: (rows: Row[]) => void): Promise<void> {
    await this.#run({ sql: select.text, params: select.params }, limits, false, (rows) => {
      batch(rows as Row[]);
    });
  }

  /** Looks something up in a full-text index: rows of id and score. */
  async search(search: TextSearch, limits: ScanLimits, batch: (rows: Row[]) => void): Promise<void> {
    await this.#run({ search }, limits, false, (rows) => {
      batch(rows as Row[]);
    });
  }

  /** What a digest makes of the rows of selects, one after the other; held back by the promises of `take`. */
  async digest(
    selects: readonly {
      readonly select: Sql;
      readonly only: string | undefined;
      readonly columns: ColumnQuery | undefined;
    }[],
    digest: Digest,
    limits: ScanLimits,
    take: (text: string) => Promise<void> | undefined,
  ): Promise<void> {
    const what = {
      selects: selects.map(({ select, ...more }) => ({ sql: select.text, params: select.params, ...more })),
      digest,
    };
    await this.#run(what, limits, false, (texts) => take((texts as string[]).join('')));
  }

  /** The first column of all rows, which must be numbers. */
  async numbers(select: Sql, limits: ScanLimits): Promise<number[]> {
    const numbers: number[] = [];
    await this.#run({ sql: select.text, params: select.params }, limits, true, (rows) => {
      for (const one of rows) numbers.push(Number(one));
    });
    return numbers;
  }

  #run(
    what: ReadJob['what'],
    limits: ScanLimits,
    firstColumn: boolean,
    take: (rows: unknown[]) => Promise<void> | undefined | void,
  ): Promise<void> {
    const { deadline, signal } = limits;
    const channel = new MessageChannel();
    const control = new Int32Array(new SharedArrayBuffer(8));
    control[GRANTED] = AHEAD;
    const job: ReadJob = {
      file: this.file,
      columns: join(dirname(this.file), COLUMN_FOLDER),
      cacheMegabytes: this.cacheMegabytes,
      what,
      deadline,
      batch: firstColumn ? BATCH * 10 : BATCH,
      firstColumn,
      control,
      port: channel.port2,
    };
    const since = performance.now();
    return new Promise<void>((resolve, reject) => {
      let over = false;
      let taken: Promise<unknown> | undefined;
      let leaveQueue: (() => void) | undefined;
      const end = (error?: unknown): void => {
        if (over) return;
        over = true;
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        this.#running.delete(onClose);
        leaveQueue?.();
        Atomics.store(control, STOP, 1);
        Atomics.notify(control, GRANTED);
        channel.port1.close();
        this.statements?.ran(nameOf(what), since);
        if (error === undefined) {
          this.onSeen?.();
          limits.scanned?.();
          resolve();
        } else reject(graphError(error));
      };
      const left = deadline - Date.now();
      const timer = setTimeout(
        () => {
          end(timedOut());
        },
        Math.max(0, Math.min(left, 2 ** 31 - 1)),
      );
      const grant = (): void => {
        setImmediate(() => {
          Atomics.add(control, GRANTED, 1);
          Atomics.notify(control, GRANTED);
        });
      };
      const onAbort = (): void => {
        end(new GraphError('aborted', 'The query was cancelled.'));
      };
      const onClose = (): void => {
        end(new GraphError('closed', 'The graph is closed.'));
      };
      if (signal?.aborted === true) {
        onAbort();
        return;
      }
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#running.add(onClose);
      channel.port1.on('message', (message: ReadMessage) => {
        if (over) return;
        if ('rows' in message) {
          this.onSeen?.();
          let taking;
          try {
            taking = take(message.rows);
          } catch (error) {
            end(error);
            return;
          }
          // A port delivers all it has before the loop goes on: granting late gives the loop its turns.
          if (taking === undefined) grant();
          else {
            // The limit is on computing, not on a slow consumer.
            taken = Promise.all([taken, taking]);
            taking.then(() => {
              timer.refresh();
              grant();
            }, end);
          }
        } else if ('columns' in message) this.onDamagedColumns?.();
        else if (message.end === 'done') {
          if (taken === undefined) end();
          // What was read may still be on its way to the consumer; what it fails with has ended this already.
          else {
            taken.then(
              () => {
                end();
              },
              () => undefined,
            );
          }
        } else if (message.end === 'timeout') end(timedOut());
        else if (message.end === 'error') end(this.#failure(message));
        else end(new GraphError('aborted', 'The query was cancelled.'));
      });
      const threads = 'digest' in what ? this.#digests : this.#lists;
      const waiting = (leave: () => void): void => {
        leaveQueue = leave;
      };
      threads.run(job, { transferList: [channel.port2] }, limits.asker, waiting).catch((error: unknown) => {
        end(
          error instanceof GraphError
            ? error
            : new GraphError('unavailable', 'The query could not be run.', undefined, { cause: error }),
        );
      });
    });
  }

  /** A batch of entities made into something else. Throws `GraphError`. */
  async make(job: Omit<MakeJob, 'file' | 'cacheMegabytes'>): Promise<Extract<MakeResult, { bytes: unknown }>> {
    const since = performance.now();
    const { file, cacheMegabytes } = this;
    const whole: MakeJob = { ...job, file, cacheMegabytes };
    const result = await this.#lists.run<MakeResult>(whole, { file: 'graph/make' }, undefined);
    this.statements?.ran(job.sql, since);
    this.onSeen?.();
    if ('code' in result) throw this.#failure(result);
    return result;
  }

  /** Makes segments of the index of parts of texts. */
  pack(work: PackWork): Promise<Packed> {
    const job: PackJob = { ...work, file: this.file, cacheMegabytes: Math.min(this.cacheMegabytes, PACK_CACHE) };
    return this.#packing.run<Packed>(job, { file: 'graph/pack' }, undefined);
  }

  /** What a thread tells of its failure. */
  #failure({ code, message }: { readonly code: string; readonly message: string }): GraphError {
    if (code === 'invalid_query') return new GraphError('invalid_query', message);
    if (!/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return new GraphError('unavailable', `The query failed: ${message}`);
    const error = new GraphError('damaged', `The database is damaged: ${message}.`);
    this.onDamage?.(error);
    return error;
  }

  async close(): Promise<void> {
    for (const end of [...this.#running]) end();
    await Promise.all([this.#lists.close(), this.#digests.close(), this.#packing.close()]);
  }
}

function nameOf(what: ReadJob['what']): string {
  if ('sql' in what) return what.sql;
  return 'digest' in what ? what.selects.map(({ sql }) => sql).join('; ') : 'full-text search';
}

export function timedOut(): GraphError {
  return new GraphError('query_timeout', 'The query took too long.');
}
