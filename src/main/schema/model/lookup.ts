/** Looking things up in the compiled schema, and by it in the graph. */
import type { GraphEntity, NodeQuery, Predicate, RelationshipQuery, SortKey, StoredValue } from '../../graph/index.js';
import type { NotionProperty, RelationProperty } from './relation-property.js';
import type { Property, Schema, Type } from './schema.js';

/** The part of a query or step that says "nodes with this trait": their concrete types; nothing when any node will do. */
export function typesOf(schema: Schema, trait: string): { readonly types?: readonly string[] } {
  return trait === 'NodeInterface' ? {} : { types: schema.type(trait)?.concreteTypes ?? [] };
}

/** The relation property whose objects a notion shows; undefined: the type has none of this name. */
export function relationOf(type: Type, notion: NotionProperty): RelationProperty | undefined {
  const relation = type.properties.get(notion.relationName);
  return relation?.kind === 'relation' ? relation : undefined;
}

/** Query for the objects of a type; relationships know no subtypes. */
export function typeQuery(
  type: Type,
  where: Predicate | undefined,
  sort: readonly SortKey[],
): NodeQuery | RelationshipQuery {
  const rest = { ...(where === undefined ? {} : { where }), ...(sort.length > 0 ? { sort } : {}) };
  if (type.kind === 'relationship') {
    return { kind: 'relationships', ...(type.name === 'RelationshipInterface' ? {} : { types: [type.name] }), ...rest };
  }
  const types = type.name === 'NodeInterface' ? {} : { types: type.concreteTypes };
  return { kind: 'nodes', trait: type.name, ...types, ...rest };
}

/** What a search or an order by a property looks at: for an indexed function, the property that its values are stored as. */
export function searchedAs(property: Property | undefined): Property | undefined {
  return property?.kind === 'computed' ? (property.indexedAs ?? property) : property;
}

/** Reads what an entity stores under a property's key, the fixed fields included. */
export function storedValue(entity: GraphEntity, key: string): StoredValue | undefined {
  switch (key) {
    case 'id':
      return entity.id;
    case 'type':
      return entity.type;
    case 'relType':
    case 'sourceId':
    case 'targetId':
      return entity.kind === 'relationship' ? entity[key] : entity.properties[key];
    default:
      return entity.properties[key];
  }
}
