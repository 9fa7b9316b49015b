/** How events are written: those that arrive together are one transaction (docs/design/analytics.md 8). */
import type { GraphNode, Origin } from '../graph/index.js';
import {
  ALLOW_ALL,
  SchemaError,
  SYSTEM,
  type Actor,
  type ObjectTransaction,
  type SchemaService,
  type WriteOptions,
} from '../schema/index.js';
import type { JsonObject, JsonValue } from '../../shared/json/index.js';
import { LOG_EVENT } from './asked.js';
import { AnalyticsError } from './errors.js';

/** Writes events for whoever logs them: they belong to nobody, and say of nobody that he wrote them. */
export const EVENT_WRITER: Actor = { ...SYSTEM, id: undefined };

/** Events that are written together with those of others. */
const MOST_TOGETHER = 200;

/** What an event says of itself. */
export interface NewEvent {
  readonly action: JsonValue;
  readonly message: JsonValue;
  readonly subject: JsonValue;
  readonly object: JsonValue;
}

/** Who logs, and how that is written. */
export interface Logged {
  readonly options: WriteOptions;
  readonly origin: Origin;
}

interface Waiting extends Logged {
  readonly inputs: readonly JsonObject[];
  readonly resolve: (nodes: GraphNode[]) => void;
  readonly reject: (error: unknown) => void;
}

export class EventWriting {
  #waiting: Waiting[] = [];

  constructor(private readonly schemas: SchemaService) {}

  /** Writes events that everybody may read, all or none; resolves when they are durable. Throws `SchemaError`. */
  log(events: readonly NewEvent[], logged: Logged): Promise<GraphNode[]> {
    const { schemas } = this;
    const inputs = events.map(inputOf);
    const { options, origin } = logged;
    // Methods of users may run with it, and wait.
    if (schemas.runsMethods(LOG_EVENT) || (inputs.length > MOST_TOGETHER && schemas.gathersMany)) {
      return schemas.writeLast(EVENT_WRITER, ALLOW_ALL, options, (objects) => create(objects, inputs));
    }
    if (inputs.length > MOST_TOGETHER) return this.#write(inputs, { options, origin });
    return new Promise((resolve, reject) => {
      this.#waiting.push({ inputs, options, origin, resolve, reject });
      // All that come in this turn of the loop are written together.
      if (this.#waiting.length === 1) {
        setImmediate(() => {
          const waiting = this.#waiting;
          this.#waiting = [];
          for (const together of apart(waiting)) void this.#together(together);
        });
      }
    });
  }

  async #together(all: readonly Waiting[]): Promise<void> {
    const [first] = all;
    if (first === undefined) return;
    try {
      const nodes = await this.#write(
        all.flatMap(({ inputs }) => inputs),
        first,
      );
      let at = 0;
      for (const { inputs, resolve } of all) resolve(nodes.slice(at, (at += inputs.length)));
    } catch (error) {
      // What one of them has done wrong is no matter of the others.
      if (error instanceof SchemaError && all.length > 1) for (const one of all) void this.#together([one]);
      else for (const { reject } of all) reject(error);
    }
  }

  #write(inputs: readonly JsonObject[], { options, origin }: Logged): Promise<GraphNode[]> {
    return this.schemas.write(EVENT_WRITER, ALLOW_ALL, options, (objects) => create(objects, inputs), { origin });
  }
}

/** Parts that can be one transaction: of one user, and not too many. */
function apart(waiting: readonly Waiting[]): Waiting[][] {
  const parts = new Map<string, Waiting[][]>();
  const all: Waiting[][] = [];
  for (const one of waiting) {
    const key = `${one.origin.door} ${one.origin.userId ?? ''}`;
    const own = parts.get(key) ?? [];
    parts.set(key, own);
    const last = own.at(-1);
    const size = last?.reduce((sum, { inputs }) => sum + inputs.length, 0) ?? Infinity;
    if (last !== undefined && last[0]?.options === one.options && size + one.inputs.length <= MOST_TOGETHER) {
      last.push(one);
      continue;
    }
    const part = [one];
    own.push(part);
    all.push(part);
  }
  return all;
}

function inputOf({ action, message, subject, object }: NewEvent): JsonObject {
  const flags = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };
  return { action, message, subject, object, timestamp: Date.now(), ...flags };
}

async function create(objects: ObjectTransaction, inputs: readonly JsonObject[]): Promise<GraphNode[]> {
  const type = objects.schema.type(LOG_EVENT);
  if (type === undefined) throw new AnalyticsError(422, 'The schema has no type LogEvent.');
  const created: GraphNode[] = [];
  for (const input of inputs) created.push(await objects.create(type, input));
  return created;
}
