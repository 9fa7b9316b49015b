/** Operations on trees as scripts call them: `node.appendChild({ newChild: other })`. */
import type { GraphNode } from '../../graph/index.js';
import { ScriptEntity, ScriptError, jsonOf, type BuiltinMethods, type ScriptValue } from '../../scripting/index.js';
import type { JsonObject } from '../../../shared/json/index.js';
import { treeMethod } from './methods.js';

export const treeMethodsOfScripts: BuiltinMethods = {
  has: (type, name, isStatic) =>
    (isStatic ? treeMethod(type, name, true) : treeMethod(type, name, false)) !== undefined,
  async call(target, name, args, { run, actor, access }) {
    const input = Object.create(null) as JsonObject;
    for (const [key, value] of args) input[key] = jsonOf(value);
    const objects = await run.transaction.objects(actor, access);
    const shown = (node: GraphNode): ScriptValue => run.entities.asBefore(node);
    if (!(target instanceof ScriptEntity))
      return resultOf(await treeMethod(target, name, true)?.run(objects, input), shown);
    const node = await objects.tx.node(target.id);
    if (node === undefined) throw new ScriptError(404, `${target.type} ${target.id} is deleted.`);
    return resultOf(await treeMethod(objects.schema.typeOf(node), name, false)?.run(objects, node, input), shown);
  },
};

function resultOf(
  result: GraphNode | readonly GraphNode[] | number | undefined,
  shown: (node: GraphNode) => ScriptValue,
): ScriptValue {
  if (result === undefined) return null;
  if (typeof result === 'number') return BigInt(result);
  return 'id' in result ? shown(result) : result.map(shown);
}
