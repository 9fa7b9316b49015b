/** Operations on trees of pages by method (docs/interface/pages.md). */
import { treeMethods, type TreeResult } from '../../pages/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import { RestError } from '../errors.js';
import { write } from '../write.js';
import { ResultNodes, type BuiltinMethod } from './method.js';

/** They say themselves what they need: 422 (docs/interface/pages.md). */
const parameters = {};

export const pageTreeMethods: readonly BuiltinMethod[] = treeMethods.map((method): BuiltinMethod => {
  const { trait, name } = method;
  if (method.isStatic === true) {
    return {
      ...{ trait, name, parameters, isStatic: true },
      run: async (request, input: JsonObject) =>
        shown(await write(request, trait, (objects) => method.run(objects, input), true)),
    };
  }
  return {
    ...{ trait, name, parameters },
    run: async (request, { id, type }, input) =>
      shown(
        await write(
          request,
          type,
          async (objects) => {
            // It may have changed since it was found.
            const node = await objects.tx.node(id);
            if (node === undefined) throw new RestError(404, `No ${type} with UUID ${id} found.`);
            return method.run(objects, node, input);
          },
          true,
        ),
      ),
  };
});

function shown(result: TreeResult): JsonValue | ResultNodes {
  if (result === undefined) return null;
  return typeof result === 'number' ? result : new ResultNodes(result);
}
