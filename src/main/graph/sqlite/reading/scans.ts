/** Long reads in worker threads, seen from the event loop: bounded in time, cancellable, in batches on demand. */
import { dirname, join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import type { MakeJob, MakeResult } from '../../../../workers/graph/make.js';
import type { ReadJob, ReadMessage } from '../../../../workers/graph/read.js';
import { GraphError } from '../../errors.js';
import type { StatementLog } from '../../statement-log.js';
import type { ColumnQuery } from '../columns/column-query.js';
import { COLUMN_FOLDER } from '../columns/state.js';
import { graphError, type Row } from '../connection/connection.js';
import { GRANTED, STOP } from './scan-control.js';
import type { Sql } from '../connection/sql.js';
import type { TextSearch } from '../indexes/text-search.js';
import type { Digest } from '../../../../shared/digest.js';
import { workerFile } from '../../../../shared/worker-path.js';
import { workerPool } from '../../../../shared/worker-pool.js';

/** Rows a message; at most AHEAD messages are on their way. Decoding one is well below 2 ms. */
const BATCH = 400;
const AHEAD = 4;
const MAX_QUEUE = 1000;

export interface ScanLimits {
  /** Milliseconds since 1970. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
  /** Told when a worker has answered: it may have seen what was committed since its transaction began. */
  scanned?(): void;
}

export class Scans {
  #pool: Piscina | undefined;
  /** Digests take as long as there are rows: lists do not wait for them. */
  #digests: Piscina | undefined;
  readonly #running = new Set<() => void>();
  /** Told when a query finds the database damaged. */
  onDamage: ((error: GraphError) => void) | undefined;
  /** Told when a thread has found columns that are not what they should be. */
  onDamagedColumns: (() => void) | undefined;

  constructor(
    private readonly file: string,
    private readonly threads: number,
    private readonly cacheMegabytes: number,
    private readonly statements: StatementLog | undefined,
  ) {}

  /** Threads start with the first long read and end when there was none for a while: at rest they cost nothing. */
  #workers(digests: boolean): Piscina {
    if (digests) return (this.#digests ??= this.#newPool(Math.max(1, this.threads)));
    return (this.#pool ??= this.#newPool(this.threads));
  }

  #newPool(maxThreads: number): Piscina {
    return workerPool({
      filename: workerFile('graph/read'),
      minThreads: 0,
      maxThreads,
      idleTimeout: 30_000,
      maxQueue: MAX_QUEUE,
      concurrentTasksPerWorker: 1,
    });
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
      const end = (error?: unknown): void => {
        if (over) return;
        over = true;
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        this.#running.delete(onClose);
        Atomics.store(control, STOP, 1);
        Atomics.notify(control, GRANTED);
        channel.port1.close();
        this.statements?.ran(nameOf(what), since);
        if (error === undefined) {
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
      this.#workers('digest' in what)
        .run(job, { transferList: [channel.port2] })
        .catch((error: unknown) => {
          end(new GraphError('unavailable', 'The query could not be run.', undefined, { cause: error }));
        });
    });
  }

  /** A batch of entities made into something else. Throws `GraphError`. */
  async make(job: Omit<MakeJob, 'file' | 'cacheMegabytes'>): Promise<Extract<MakeResult, { bytes: unknown }>> {
    const since = performance.now();
    const { file, cacheMegabytes } = this;
    const whole: MakeJob = { ...job, file, cacheMegabytes };
    const result = (await this.#workers(false).run(whole, { filename: workerFile('graph/make') })) as MakeResult;
    this.statements?.ran(job.sql, since);
    if ('code' in result) throw this.#failure(result);
    return result;
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
    await Promise.all([this.#pool?.destroy(), this.#digests?.destroy()]);
    this.#pool = undefined;
    this.#digests = undefined;
  }
}

function nameOf(what: ReadJob['what']): string {
  if ('sql' in what) return what.sql;
  return 'digest' in what ? what.selects.map(({ sql }) => sql).join('; ') : 'full-text search';
}

export function timedOut(): GraphError {
  return new GraphError('query_timeout', 'The query took too long.');
}
