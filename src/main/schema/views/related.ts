/** What views show of related objects, read for many objects at a time. */
import type { GraphNode } from '../../graph/index.js';
import { onlyReadable } from '../model/actor.js';
import { relatedInOrder } from '../model/ordered.js';
import type { RelationProperty } from '../model/relation-property.js';
import type { Property, Type } from '../model/schema.js';
import { relationOf } from '../model/lookup.js';
import type { RenderOptions } from './render-options.js';

/** Related objects by relation and id of the object that shows them. */
export type Loaded = Map<RelationProperty, Map<string, GraphNode[]>>;
export const NOTHING: Loaded = new Map();

/** The relation to read for a property; undefined: none. */
export function relationToRead(
  property: Property,
  type: Type,
  depth: number,
  options: RenderOptions,
): RelationProperty | undefined {
  if (property.kind === 'notion') return relationOf(type, property);
  if (property.kind !== 'relation') return undefined;
  // Lists beyond the nesting depth are written empty whatever they hold.
  const isEmpty = property.notion === undefined && property.isCollection && depth + 1 > options.nestingDepth;
  return isEmpty ? undefined : property;
}

/** Reads these relations of these objects (by id), one call a relation. */
export async function readRelated(
  wanted: ReadonlyMap<RelationProperty, readonly string[]>,
  options: RenderOptions,
): Promise<Loaded> {
  const loaded: Loaded = new Map();
  for (const [relation, ids] of wanted) {
    const limit = relation.isCollection ? options.arrayLimit : 1;
    const found = await relatedInOrder(
      options.tx,
      ids,
      relation,
      onlyReadable(relation.step, options.access),
      Number.isFinite(limit) ? limit : undefined,
    );
    const byId = new Map<string, GraphNode[]>();
    for (const [i, id] of ids.entries()) {
      byId.set(id, found[i] ?? []);
    }
    loaded.set(relation, byId);
  }
  return loaded;
}
