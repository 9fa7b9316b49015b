/** The analytics log: events written, and questions answered about them (docs/design/analytics.md). */
import type { Config } from '../config/index.js';
import type { Graph, GraphNode, Origin, ReadTransaction } from '../graph/index.js';
import { ALLOW_ALL, SYSTEM, type Actor, type SchemaService, type WriteOptions } from '../schema/index.js';
import type { Digest } from '../../shared/digest.js';
import type { JsonObject } from '../../shared/json/index.js';
import { workerFile } from '../../shared/worker-path.js';
import { type Asked, LOG_EVENT } from './asked.js';
import { AnalyticsError } from './errors.js';
import { StreamedDigests } from './streamed-digests.js';

/** Writes events for whoever logs them: they belong to nobody, and say of nobody that he wrote them. */
export const EVENT_WRITER: Actor = { ...SYSTEM, id: undefined };

export interface AnalyticsParts {
  readonly config: Config;
  readonly graph: Graph;
  readonly schemas: SchemaService;
}

/** What an event says of itself. */
export interface NewEvent {
  readonly action: JsonObject[string];
  readonly message: JsonObject[string];
  readonly subject: JsonObject[string];
  readonly object: JsonObject[string];
}

/** Who logs, and how that is written. */
export interface Logged {
  readonly options: WriteOptions;
  readonly origin: Origin;
}

export class Analytics {
  readonly #streamed = new StreamedDigests();

  constructor(private readonly parts: AnalyticsParts) {}

  /** Name of the time zone that groups of events are of. */
  get zone(): string {
    return this.parts.config.get('application.timezone') || Intl.DateTimeFormat().resolvedOptions().timeZone;
  }

  /** Writes events that everybody may read, all or none; resolves when they are durable. Throws `SchemaError`. */
  async log(events: readonly NewEvent[], { options, origin }: Logged): Promise<GraphNode[]> {
    const { schemas } = this.parts;
    const work = async (objects: Parameters<Parameters<SchemaService['write']>[3]>[0]): Promise<GraphNode[]> => {
      const type = objects.schema.type(LOG_EVENT);
      if (type === undefined) throw new AnalyticsError(422, 'The schema has no type LogEvent.');
      const created: GraphNode[] = [];
      for (const { action, message, subject, object } of events) {
        const flags = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };
        created.push(await objects.create(type, { action, message, subject, object, timestamp: Date.now(), ...flags }));
      }
      return created;
    };
    // Methods of users may run with it.
    if (schemas.runsMethods(LOG_EVENT)) return schemas.writeLast(EVENT_WRITER, ALLOW_ALL, options, work);
    return schemas.write(EVENT_WRITER, ALLOW_ALL, options, work, { origin });
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
    const digest: Digest = { module: workerFile('event-digest'), options: question };
    if (tx.digest === undefined) await this.#streamed.run(tx, queries, digest, take);
    else await tx.digest(queries, digest, take);
  }

  stop(): Promise<void> {
    return this.#streamed.stop();
  }
}
