/** What a property, view, method or grant belongs to: a linked schema node, or a type it names (docs/interface/schema.md 3). */
import type { GraphNode } from '../../../graph/index.js';
import type { ErrorToken } from '../../model/errors.js';
import type { ObjectTransaction } from '../../writing/object-transaction.js';
import { textOf } from './text-of.js';

export interface Owner {
  /** The SchemaNode or SchemaRelationshipNode; undefined when the type is only named. */
  readonly node: GraphNode | undefined;
  readonly typeName: string;
}

/** Owners of `nodes`, in their order; undefined for those that have none. */
export async function ownersOf(
  objects: ObjectTransaction,
  nodes: readonly GraphNode[],
  relType: 'HAS_PROPERTY' | 'HAS_METHOD' | 'HAS_VIEW',
): Promise<(Owner | undefined)[]> {
  const linked = await objects.tx.related(
    nodes.map((n) => n.id),
    { relType, direction: 'in', types: ['SchemaNode', 'SchemaRelationshipNode'] },
    1,
  );
  return nodes.map((node, i) => {
    const owner = linked[i]?.[0];
    if (owner !== undefined) return { node: owner, typeName: textOf(owner, 'name') ?? '' };
    const named = textOf(node, 'staticSchemaNodeName');
    return named === undefined ? undefined : { node: undefined, typeName: named };
  });
}

/** One token when `staticSchemaNodeName` names nothing, not even a type of this transaction. */
export async function unknownStaticType(node: GraphNode, objects: ObjectTransaction): Promise<ErrorToken[]> {
  const name = textOf(node, 'staticSchemaNodeName');
  if (name === undefined || objects.schema.type(name) !== undefined) return [];
  const fresh = await objects.tx.find({
    kind: 'nodes',
    trait: 'SchemaNode',
    types: ['SchemaNode'],
    where: { op: 'equals', key: 'name', value: name },
    limit: 1,
  });
  if (fresh.length > 0) return [];
  return [
    {
      type: node.type,
      property: 'staticSchemaNodeName',
      token: 'invalid_property_reference',
      value: name,
      detail: `there is no type ${name}`,
    },
  ];
}
