/**
 * Relationships to objects whose type is no longer defined: these objects are not there for clients (docs/interface/schema.md 13.3), so that their
 * relationships are not either. They are again when the type is.
 */
import type { Graph, GraphRelationship, Query, ReadTransaction } from '../../../graph/index.js';
import type { Schema } from '../../../schema/index.js';
import { logger } from '../../../../shared/log.js';
import type { RestRequest } from '../../context.js';

const log = logger('rest.relationships');

/** What is known of a schema. */
interface Known {
  /** All objects in the graph have one of its types. */
  complete: boolean;
  /** Requests so far, and the one at which is looked next: writers beside it, or such objects, make it fail. */
  requests: number;
  next: number;
}

const known = new WeakMap<Schema, Known>();
const concrete = new WeakMap<Schema, readonly string[]>();

/**
 * A query that shows no relationship to such an object. Conditions on both ends cost more than the rest of it: they are left out once
 * counts, made beside the first request after a change of the schema, have told that there are no such objects.
 */
export function toPresent<Q extends Query>(request: RestRequest, query: Q): Q {
  if (query.kind !== 'relationships') return query;
  const { schema, services } = request;
  let state = known.get(schema);
  if (state === undefined) known.set(schema, (state = { complete: false, requests: 0, next: 1 }));
  if (state.complete) return query;
  if (++state.requests === state.next) {
    state.next *= 10;
    void look(services.graph, schema, state);
  }
  const types = typesIn(schema);
  return { ...query, sourceTypes: query.sourceTypes ?? types, targetTypes: query.targetTypes ?? types };
}

/** Whether both ends of a relationship are there for clients. */
export async function areEndsPresent(
  tx: ReadTransaction,
  schema: Schema,
  { sourceId, targetId }: GraphRelationship,
): Promise<boolean> {
  const ends = await tx.nodes([sourceId, targetId]);
  return ends.every((node) => node !== undefined && schema.type(node.type) !== undefined);
}

async function look(graph: Graph, schema: Schema, state: Known): Promise<void> {
  const count = async (types?: readonly string[]): Promise<number> => {
    const query = { kind: 'nodes', ...(types === undefined ? {} : { types }) } as const;
    return (await graph.read((tx) => tx.count(query))).count;
  };
  try {
    const there = await count(typesIn(schema));
    const all = await count();
    // Nobody has written meanwhile: otherwise the counts could not be compared.
    state.complete = there === all && (await count(typesIn(schema))) === all;
  } catch (error) {
    log.warn('objects of types that are gone could not be looked for; lists of relationships look at both ends', error);
  }
}

function typesIn(schema: Schema): readonly string[] {
  let types = concrete.get(schema);
  if (types === undefined) {
    types = [...schema.types.values()]
      .filter((type) => type.kind === 'node' && !type.traitOnly)
      .map(({ name }) => name);
    concrete.set(schema, types);
  }
  return types;
}
