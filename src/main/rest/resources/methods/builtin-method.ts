/** Calls of methods that built-in types have from the service itself (`methods/table.ts`). */
import type { Type } from '../../../schema/index.js';
import type { JsonValue } from '../../../../shared/json/index.js';
import type { Resource, RestRequest } from '../../context.js';
import { sendEmpty, sendEntities, sendValue } from '../../answer/envelope.js';
import { RestError } from '../../errors.js';
import { parametersOf, ResultNodes } from '../../methods/method.js';
import { builtinMethod } from '../../methods/table.js';
import { read } from '../../read.js';
import { findEntity } from '../objects/entity.js';

/** `word`: what the path calls the type. `id`: of the object; undefined: the method is called on the type. */
export function builtinMethodResource(
  type: Type,
  word: string,
  id: string | undefined,
  name: string,
): Resource | undefined {
  const method = builtinMethod(type, name, id === undefined);
  if (method === undefined) return undefined;
  const call = async (request: RestRequest): Promise<void> => {
    if (method.isStatic === true) {
      await sendResult(request, await method.run(request, parametersOf(method, request)));
      return;
    }
    // Of an object that the caller may not read nothing is told, not even what its method wants.
    const node = await read(request, (tx) => findEntity(request, tx, type, id ?? ''));
    if (node.kind !== 'node') throw new RestError(404, `No ${type.name} with UUID ${node.id} found.`);
    await sendResult(request, await method.run(request, node, parametersOf(method, request)));
  };
  return {
    signature: id === undefined ? `${type.name}/${name}` : `${word}/_id/${name}`,
    allow: ['OPTIONS', 'POST'],
    verbs: { POST: call },
  };
}

/** Nothing is the empty list, and a list counts what is in it (docs/interface/lists.md 2.2). */
export async function sendResult(request: RestRequest, result: JsonValue | ResultNodes): Promise<void> {
  if (result instanceof ResultNodes) {
    await sendNodes(request, result);
    return;
  }
  if (result === null) await sendEmpty(request);
  else await sendValue(request, result, Array.isArray(result) ? result.length : 1);
}

function sendNodes(request: RestRequest, { nodes }: ResultNodes): Promise<void> {
  const list = 'id' in nodes ? [nodes] : nodes;
  return read(request, async (tx) => {
    const now = (await tx.nodes(list.map(({ id }) => id))).flatMap((node) => node ?? []);
    const [first] = now;
    await sendEntities(request, tx, 'id' in nodes && first !== undefined ? first : now, undefined);
  });
}
