import type { GraphNode, Step } from '../../graph/index.js';
import type { Schema, Type } from '../model/schema.js';
import { typesOf } from '../model/lookup.js';
import { rulesOf } from '../rules/table.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';
import { validateNode } from './validate.js';

/** Where a deletion goes on from a type: the step, and whether the other end must only be re-checked (flag 4). */
interface Cascade {
  readonly step: Step;
  readonly onlyIfInvalid: boolean;
}

const cache = new WeakMap<Type, readonly Cascade[]>();

function cascadesOf(schema: Schema, type: Type): readonly Cascade[] {
  const cached = cache.get(type);
  if (cached !== undefined) return cached;
  const list: Cascade[] = [];
  for (const r of schema.relations.values()) {
    const flag = r.cascadingDelete ?? 0;
    if (flag === 0) continue;
    if (type.hasTrait(r.source) && (flag & 5) !== 0) {
      list.push({
        step: { relType: r.relType, direction: 'out', ...typesOf(schema, r.target) },
        onlyIfInvalid: flag === 4,
      });
    }
    if (type.hasTrait(r.target) && (flag & 6) !== 0) {
      list.push({
        step: { relType: r.relType, direction: 'in', ...typesOf(schema, r.source) },
        onlyIfInvalid: flag === 4,
      });
    }
  }
  cache.set(type, list);
  return list;
}

/**
 * Deletes a node and, unless the request says otherwise, what its relationships take along, at any distance. Needs the
 * delete right on each of them.
 */
export async function deleteCascading(objects: ObjectTransaction, root: GraphNode): Promise<void> {
  const queue: GraphNode[] = [root];
  const seen = new Set([root.id]);
  const recheck: GraphNode[] = [];
  // Cascades reach what the user may not see: the schema says that it goes as well, and the delete right is asked for it.
  // A list, not recursion: a chain of a million nodes must not end the stack.
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    if (!(await objects.may('delete', node)))
      throw objects.notPermitted((await objects.may('read', node)) ? node : root);
    const cascades =
      objects.options.noCascade === true || !objects.switches.cascades
        ? []
        : cascadesOf(objects.schema, objects.schema.typeOf(node));
    for (const { step, onlyIfInvalid } of cascades) {
      for (const other of (await objects.tx.related([node.id], step))[0] ?? []) {
        if (seen.has(other.id)) continue;
        if (onlyIfInvalid) {
          recheck.push(other);
          continue;
        }
        seen.add(other.id);
        queue.push(other);
      }
    }
    for (const rule of rulesOf(objects.schema.typeOf(node))) await rule.deleting?.(node, objects);
    await objects.tx.deleteNode(node.id);
    objects.forget(node.id);
  }
  for (const other of recheck) {
    const now = seen.has(other.id) ? undefined : await objects.tx.node(other.id);
    if (now === undefined) continue;
    const tokens = await validateNode(objects, now, objects.schema.typeOf(now), true);
    if (tokens.length > 0) await deleteCascading(objects, now);
  }
}
