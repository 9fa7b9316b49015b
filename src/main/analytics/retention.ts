/** Deletes events that are older than the setting wants them (`analytics.retention.days`), on one instance of all. */
import type { Cluster } from '../cluster/index.js';
import type { Config } from '../config/index.js';
import type { Graph, NodeQuery } from '../graph/index.js';
import { ALLOW_ALL, SYSTEM, type SchemaService, type WriteOptions } from '../schema/index.js';
import { MS_PER_DAY } from '../../shared/dates/index.js';
import { logger } from '../../shared/log.js';
import { LOG_EVENT } from './asked.js';

const log = logger('analytics');
const INTERVAL = 3_600_000;
/** Events of one transaction. */
const PART = 200;

export interface RetentionParts {
  readonly config: Config;
  readonly graph: Graph;
  readonly schemas: SchemaService;
  readonly write: () => WriteOptions;
}

export class Retention {
  #running: Promise<void> = Promise.resolve();
  readonly #end = new AbortController();

  constructor(private readonly parts: RetentionParts) {}

  start(cluster: Cluster): void {
    cluster.onCoordinator((signal) => {
      const end = AbortSignal.any([signal, this.#end.signal]);
      const run = (): void => {
        this.#running = this.#running.then(() => this.#tidy(end));
      };
      const timer = setInterval(run, INTERVAL);
      timer.unref();
      end.addEventListener('abort', () => {
        clearInterval(timer);
      });
      const forget = this.parts.config.onChange('analytics.retention.days', run);
      end.addEventListener('abort', forget);
      run();
    });
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#running;
  }

  /** Never rejects: what goes wrong is logged, and tried again later. */
  async #tidy(end: AbortSignal): Promise<void> {
    const days = this.parts.config.get('analytics.retention.days');
    if (days === 0) return;
    let deleted = 0;
    try {
      for (let part = PART; part > 0 && !end.aborted;) {
        part = await this.#deletePart(Date.now() - days * MS_PER_DAY);
        deleted += part;
      }
    } catch (error) {
      if (!end.aborted) log.error('old events could not be deleted', error);
    }
    if (deleted > 0) log.info(`deleted ${String(deleted)} events older than ${String(days)} days`);
  }

  async #deletePart(before: number): Promise<number> {
    const { graph, schemas, write } = this.parts;
    const query: NodeQuery = {
      kind: 'nodes',
      trait: LOG_EVENT,
      types: schemas.schema.type(LOG_EVENT)?.concreteTypes ?? [],
      where: { op: 'range', key: 'timestamp', to: before, toExclusive: true },
      sort: [{ key: 'timestamp' }],
      limit: PART,
    };
    const old = await graph.read((tx) => tx.find(query));
    if (old.length === 0) return 0;
    const options: WriteOptions = { ...write(), reason: 'analytics.retention.days' };
    await schemas.write(SYSTEM, ALLOW_ALL, options, async (objects) => {
      for (const { id } of old) {
        // It may be gone by now.
        const node = await objects.tx.node(id);
        if (node !== undefined) await objects.delete(node);
      }
    });
    return old.length;
  }
}
