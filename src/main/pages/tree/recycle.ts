/** The recycle bin: nodes with neither page nor parent (docs/interface/pages.md 1.7). */
import type { GraphNode, NodeQuery, ReadTransaction } from '../../graph/index.js';
import { onlyReadable, typesOf, type ObjectAccess, type ObjectTransaction, type Schema } from '../../schema/index.js';
import { step, CHILDREN } from './relations.js';

/** What is in the bin by itself, not below another; asked for one who may read it. */
export function recycleBinQuery(schema: Schema, access: ObjectAccess): NodeQuery {
  const pages = new Set(schema.type('Page')?.concreteTypes);
  const types = (schema.type('DOMNode')?.concreteTypes ?? []).filter((type) => !pages.has(type));
  const query: NodeQuery = {
    kind: 'nodes',
    trait: 'DOMNode',
    types,
    where: {
      op: 'and',
      terms: [
        { op: 'relatedNone', step: { relType: 'PAGE', direction: 'out', ...typesOf(schema, 'Page') } },
        { op: 'relatedNone', step: { relType: 'CONTAINS', direction: 'in', ...typesOf(schema, 'DOMNode') } },
      ],
    },
  };
  return onlyReadable(query, access);
}

/** At most `limit` of what is in the bin. */
export function recycleBin(
  tx: ReadTransaction,
  schema: Schema,
  access: ObjectAccess,
  limit: number,
): Promise<GraphNode[]> {
  return tx.find({ ...recycleBinQuery(schema, access), limit });
}

/**
 * Deletes what is in the bin and the actor may read, with all below it; answers how many nodes. Throws `SchemaError` (forbidden) for what he
 * may not delete.
 */
export async function emptyRecycleBin(objects: ObjectTransaction): Promise<number> {
  let deleted = 0;
  let level: GraphNode[] = [];
  for await (const batch of objects.tx.stream(recycleBinQuery(objects.schema, objects.access))) level.push(...batch);
  while (level.length > 0) {
    const below: GraphNode[] = [];
    for (let at = 0; at < level.length; at += 500) {
      const ids = level.slice(at, at + 500).map(({ id }) => id);
      below.push(...(await objects.tx.related(ids, step(objects, CHILDREN, 'out'))).flat());
    }
    for (const node of level) {
      // It may have gone with another.
      if ((await objects.tx.node(node.id)) === undefined) continue;
      await objects.delete(node);
      deleted++;
    }
    level = below;
  }
  return deleted;
}
