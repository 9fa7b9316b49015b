/**
 * The changelog: who has changed what, and when, of every object and of every user (contract, Changelog; docs/interface/changelog.md). Off by default; what is
 * on counts for transactions from then on.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Piscina } from 'piscina';
import type { Config } from '../../config/index.js';
import type { Graph } from '../../graph/index.js';
import type { SchemaService } from '../../schema/index.js';
import { workerPool } from '../../../shared/worker-pool.js';
import { workerFile } from '../../../shared/worker-path.js';
import { entryOf, type ChangelogEntry } from './entry.js';
import type { LogFilters } from './files/filters.js';
import { pathOf, type LogKind } from './files/paths.js';
import type { Portion, ScanJob } from './files/scan.js';
import { merged } from './merge.js';
import { ChangelogMover } from './mover.js';
import { ChangelogRecorder } from './recorder.js';

const JOURNAL = 'changelog';
/** Folder of the folders of instances that share a database. */
const INSTANCES = 'instances';
/** Milliseconds after which an idle thread ends. */
const IDLE = 10_000;
/** Logs that are read at the same time; others wait. */
const READERS = 2;
const MEGABYTE = 1024 * 1024;
const DAY = 86_400_000;
/** Milliseconds between two looks for what is older than it may be. */
const BETWEEN_SWEEPS = 6 * 3_600_000;

export interface ChangelogContext {
  readonly config: Config;
  readonly graph: Graph;
  readonly schemas: SchemaService;
  /** What this instance is called among those that share the database; undefined: there are no others. */
  readonly instance: string | undefined;
}

export class Changelog {
  /** Absolute. */
  readonly #root: string;
  readonly #recorder: ChangelogRecorder;
  readonly #mover: ChangelogMover;
  readonly #config: Config;
  #pool: Piscina | undefined;
  #sweeps: NodeJS.Timeout | undefined;

  /** From now on all that is committed is written down; before transactions begin. */
  constructor({ config, graph, schemas, instance }: ChangelogContext) {
    this.#config = config;
    this.#root = config.path('changelog.path');
    const own = instance === undefined ? this.#root : join(this.#root, INSTANCES, encodeURIComponent(instance));
    const name = instance === undefined ? JOURNAL : `${JOURNAL} ${instance}`;
    this.#recorder = new ChangelogRecorder(config, schemas);
    this.#mover = new ChangelogMover(graph.journal(name, this.#recorder.write), own);
    graph.onCommit(() => {
      if (this.#recorder.hasWritten()) this.#mover.wake();
    });
  }

  /** Takes up what was left when the service ended. */
  async start(): Promise<void> {
    const last = await this.#mover.start();
    if (last !== undefined) this.#recorder.notBefore(last);
    const limit = (megabytes: number): void => {
      this.#mover.longest = megabytes * MEGABYTE;
    };
    limit(this.#config.get('application.changelog.file.maxsize'));
    this.#config.onChange('application.changelog.file.maxsize', limit);
    this.#config.onChange('application.changelog.retention', () => {
      this.#sweep();
    });
    this.#sweeps = setInterval(() => {
      this.#sweep();
    }, BETWEEN_SWEEPS).unref();
    this.#sweep();
  }

  /** Brings what was committed onto the disk, where it can. */
  async stop(): Promise<void> {
    clearInterval(this.#sweeps);
    await this.#mover.stop();
    await this.#pool?.destroy();
  }

  /** Entries that are older than they may be go; by default there are none. */
  #sweep(): void {
    const days = this.#config.get('application.changelog.retention');
    if (days > 0) this.#mover.sweep(Date.now() - days * DAY);
  }

  /** Whether there is a log of this kind about this id. */
  async has(kind: LogKind, id: string): Promise<boolean> {
    const path = pathOf(kind, id);
    await this.#mover.shown([path]);
    for (const folder of await this.#folders()) {
      const portion = await this.#scan({ path: join(folder, path), filters: { timeFrom: Infinity } });
      if (portion.missing !== true) return true;
    }
    return false;
  }

  /**
   * Entries of a log that pass the filters, oldest first, a portion at a time: all that was committed on this instance before, and what others have
   * written that share the folder. There may be gigabytes of them. Throws what the disk says.
   */
  async *entries(
    kind: LogKind,
    id: string,
    filters: LogFilters,
    signal?: AbortSignal,
  ): AsyncIterable<readonly ChangelogEntry[]> {
    const path = pathOf(kind, id);
    await this.#mover.shown([path]);
    const logs: AsyncIterator<readonly string[]>[] = [];
    for (const folder of await this.#folders()) logs.push(this.#log(join(folder, path), filters, signal));
    for await (const lines of merged(logs)) yield lines.map(entryOf);
  }

  async *#log(path: string, filters: LogFilters, signal?: AbortSignal): AsyncIterableIterator<readonly string[]> {
    let from: Portion['next'];
    do {
      signal?.throwIfAborted();
      const portion: Portion = await this.#scan({ path, filters, ...(from === undefined ? {} : { from }) });
      if (portion.lines.length > 0) yield portion.lines;
      from = portion.next;
    } while (from !== undefined);
  }

  async #folders(): Promise<readonly string[]> {
    let others: string[];
    try {
      others = await readdir(join(this.#root, INSTANCES));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      others = [];
    }
    return [this.#root, ...others.map((one) => join(this.#root, INSTANCES, one))];
  }

  #scan(job: ScanJob): Promise<Portion> {
    this.#pool ??= workerPool({
      filename: workerFile('changelog/read'),
      minThreads: 0,
      maxThreads: READERS,
      idleTimeout: IDLE,
      concurrentTasksPerWorker: 1,
    });
    return this.#pool.run(job) as Promise<Portion>;
  }
}
