/** The analytics log: events written, and questions answered about them (docs/design/analytics.md). */
import { join } from 'node:path';
import type { Cluster } from '../cluster/index.js';
import type { GraphNode, ReadTransaction } from '../graph/index.js';
import type { WriteOptions } from '../schema/index.js';
import type { Digest } from '../../shared/digest.js';
import { workerFile } from '../../shared/worker-path.js';
import type { Asked } from './asked.js';
import { EventColumns } from './event-columns.js';
import { importOldLogs, type Imported } from './old-logs.js';
import { Retention, type RetentionParts } from './retention.js';
import { StreamedDigests } from './streamed-digests.js';
import { EventWriting, type Logged, type NewEvent } from './writing.js';

export type AnalyticsParts = RetentionParts;

export class Analytics {
  readonly #streamed = new StreamedDigests();

  readonly #writing: EventWriting;
  readonly #retention: Retention;
  readonly #columns: EventColumns;

  constructor(private readonly parts: AnalyticsParts) {
    this.#writing = new EventWriting(parts.schemas);
    this.#retention = new Retention(parts);
    this.#columns = new EventColumns(parts);
  }

  /** Name of the time zone that groups of events are of. */
  get zone(): string {
    return this.parts.config.get('application.timezone') || Intl.DateTimeFormat().resolvedOptions().timeZone;
  }

  /** Writes events that everybody may read, all or none; resolves when they are durable. Throws `SchemaError`. */
  log(events: readonly NewEvent[], logged: Logged): Promise<GraphNode[]> {
    return this.#writing.log(events, logged);
  }

  /**
   * Hands the answer to a question to `take`, in pieces of text, as what is in the brackets of a list of JSON, or as CSV or lines of JSON. Throws
   * `GraphError`: `invalid_query` for expressions and patterns that cannot be used, `query_timeout`.
   */
  async answer(
    tx: ReadTransaction,
    { question, queries }: Asked,
    take: (text: string) => Promise<void> | undefined,
  ): Promise<void> {
    const digest: Digest = { module: workerFile('analytics/event-digest'), options: question };
    if (tx.digest === undefined) await this.#streamed.run(tx, queries, digest, take);
    else await tx.digest(queries, digest, take);
  }

  /** Makes events of log files of an older system, in the folder `s` of the files'. Ends when `isOver`. */
  importOldLogs(options: WriteOptions, isOver: () => boolean): Promise<Imported> {
    const { config, schemas } = this.parts;
    return importOldLogs(join(config.path('files.path'), 's'), schemas, options, isOver);
  }

  /** Has one instance of all delete what is too old; keeps events by column, where the database can. */
  start(cluster: Cluster): void {
    this.#retention.start(cluster);
    this.#columns.start();
  }

  async stop(): Promise<void> {
    await this.#retention.stop();
    await this.#streamed.stop();
  }
}
