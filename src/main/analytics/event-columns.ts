/** Has the database keep events by column, of all types that are events, as long as the setting wants it. */
import type { Config } from '../config/index.js';
import type { Graph } from '../graph/index.js';
import type { Schema, SchemaService } from '../schema/index.js';
import { logger } from '../../shared/log.js';
import { LOG_EVENT } from './asked.js';

const log = logger('analytics');

export interface EventColumnsParts {
  readonly config: Config;
  readonly graph: Graph;
  readonly schemas: SchemaService;
}

export class EventColumns {
  #set = '';

  constructor(private readonly parts: EventColumnsParts) {}

  start(): void {
    const { config, graph, schemas } = this.parts;
    if (graph.columns === undefined) return;
    schemas.onChange((schema) => {
      this.#follow(schema);
    });
    config.onChange('analytics.columns.from', () => {
      this.#follow(schemas.schema);
    });
    this.#follow(schemas.schema);
  }

  /** Answers do not depend on it, so nobody waits for it. */
  #follow(schema: Schema): void {
    const { config, graph } = this.parts;
    const from = config.get('analytics.columns.from');
    const types = [...(schema.type(LOG_EVENT)?.concreteTypes ?? [])].sort();
    const wanted = JSON.stringify([from, types]);
    // Most changes of a schema change nothing here.
    if (wanted === this.#set) return;
    this.#set = wanted;
    const definition =
      from === 0 || types.length === 0
        ? undefined
        : { types, number: 'timestamp', texts: ['action', 'subject', 'object', 'message'] };
    graph.columns?.set(definition, from).catch((error: unknown) => {
      log.error('events are not kept by column', error);
    });
  }
}
