import type { JsonObject } from '../../shared/json.js';
import { prepareInput, type ObjectTransaction, type Type, type WriteOptions } from '../schema/index.js';
import { NobodyThere } from './envelope.js';
import type { RestRequest } from './context.js';

/** Runs `work` as the one transaction of a writing request, with the headers that change how it writes. */
export function write<T>(request: RestRequest, work: (objects: ObjectTransaction) => Promise<T>): Promise<T> {
  const { exchange, services, settings } = request;
  const mergeNested = exchange.header('svc-force-merge-of-nested-properties').toLowerCase() === 'enabled';
  const noCascade = exchange.header('svc-cascading-delete').toLowerCase() === 'disabled';
  // Copying the settings shows in a profile, and hardly any request has these headers.
  const options: WriteOptions =
    mergeNested || noCascade ? { ...settings.write, mergeNested, noCascade } : settings.write;
  return services.schemas.write(request.actor, request.access, options, work);
}

/**
 * Does the slow part of converting inputs (hashing of passwords) before their transaction begins. Inputs with an id are
 * taken for objects of their real type. Ends when the client has gone.
 */
export async function prepare(request: RestRequest, type: Type, inputs: readonly JsonObject[]): Promise<void> {
  const { schema, services, exchange } = request;
  const typeOfId = async (id: string): Promise<Type | undefined> => {
    const node = await services.graph.read((tx) => tx.node(id));
    return node === undefined ? undefined : schema.typeOf(node);
  };
  for (const input of inputs) {
    if (exchange.aborted) throw new NobodyThere();
    await prepareInput(schema, type, input, typeOfId);
  }
}
