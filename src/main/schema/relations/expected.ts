/** Which objects an engine over a network is asked for ahead: a round trip for all of them instead of one each. */
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import type { Type } from '../model/schema.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';

/** Ids of a transaction that are asked for ahead; what there is beyond that is asked for one by one. */
const MOST = 10_000;

/**
 * Reads the objects that inputs of a type name by their ids, and those that the inputs are themselves, before each is asked for. Without
 * effect where the database is in the same process. Says nothing of what is not there: whoever needs it finds out.
 */
export async function expectNamed(
  objects: ObjectTransaction,
  type: Type,
  inputs: readonly JsonObject[],
): Promise<void> {
  const { tx } = objects;
  if (tx.expect === undefined || inputs.length < 2) return;
  const ids = new Set<string>();
  const add = (value: JsonValue | undefined): void => {
    if (ids.size >= MOST) return;
    if (typeof value === 'string') ids.add(value);
    else if (typeof value === 'object' && value !== null && !Array.isArray(value) && typeof value['id'] === 'string')
      ids.add(value['id']);
  };
  for (const input of inputs) {
    add(input['id']);
    for (const key of Object.keys(input)) {
      const value = input[key];
      if (type.properties.get(key)?.kind !== 'relation' || value === undefined) continue;
      if (Array.isArray(value)) value.forEach(add);
      else add(value);
    }
  }
  if (ids.size > 1) await tx.expect([...ids]);
}
