/**
 * The compiled schema: immutable, replaced as a whole when schema objects change (docs/interface/schema.md 13.1).
 */
import type {
  GraphEntity,
  IndexDefinition,
  TextIndexDefinition,
  NodeQuery,
  Predicate,
  ReadTransaction,
  RelationshipQuery,
  SortKey,
  StoredValue,
} from '../../graph/index.js';
import type { ComputedProperty } from '../computed/computed.js';
import type { MethodDefinition, RelationDefinition } from './definitions.js';
import type { PropertySettings, ValueProperty } from './property.js';
import type { NotionProperty, RelationProperty } from './relation-property.js';

export type Property = ValueProperty | RelationProperty | NotionProperty | ComputedProperty;

/** A view of one type: its keys in output order. */
export interface View {
  readonly name: string;
  readonly properties: readonly Property[];
  /** Some property needs the graph to be read (relations, notions, computed ones). */
  readonly needsGraph: boolean;
}

/** A type or trait, compiled. */
export interface Type {
  readonly name: string;
  readonly kind: 'node' | 'relationship';
  /** Names of all traits in order of application, its own last. */
  readonly traits: readonly string[];
  /** By JSON name; inherited ones first. */
  readonly properties: ReadonlyMap<string, Property>;
  readonly views: ReadonlyMap<string, View>;
  /** Concrete types that carry this trait, itself included. */
  readonly concreteTypes: readonly string[];
  /** No object has it as its type. */
  readonly traitOnly: boolean;
  readonly isBuiltin: boolean;
  readonly isServiceClass: boolean;
  readonly acceptsUnknownKeys: boolean;
  /** Replaces the visibility flags of all objects of the type (`defaultVisibleToPublic`, `defaultVisibleToAuth`). */
  readonly visibility: { readonly toPublic: boolean; readonly toUsers: boolean } | undefined;
  /** For relationship types. */
  readonly relation: RelationDefinition | undefined;
  /** Value properties with something to check at the end of a transaction. */
  readonly constrained: readonly ValueProperty[];
  /** Relations that need at least one object at the other end (notNull on a Notion property; docs/interface/schema.md 6). */
  readonly required: readonly { readonly name: string; readonly relation: RelationProperty }[];
  /** Groups of properties whose values together must be unique, with the declaring trait. */
  readonly compoundKeys: readonly { readonly trait: string; readonly properties: readonly ValueProperty[] }[];
  /** Value properties with a default to store at creation. */
  readonly defaults: readonly ValueProperty[];
  /** Computed properties whose values are stored at the end of a transaction. */
  readonly indexedFunctions: readonly ComputedProperty[];
  /** Uuid of the SchemaNode or SchemaRelationshipNode; undefined for untouched built-in types. */
  readonly schemaNodeId: string | undefined;
  hasTrait(name: string): boolean;
}

/** Everything known about types at one moment. */
export interface Schema {
  /** Grows with every change, for caches. */
  readonly version: number;
  readonly settings: PropertySettings;
  readonly types: ReadonlyMap<string, Type>;
  /** Names of all views of all types: the last segment of a URL is tested against these (docs/interface/rest.md 1.1). */
  readonly viewNames: ReadonlySet<string>;
  readonly relations: ReadonlyMap<string, RelationDefinition>;
  readonly indexes: readonly IndexDefinition[];
  readonly textIndexes: readonly TextIndexDefinition[];
  /** Methods by trait and name, and user-defined functions by name. */
  readonly methods: ReadonlyMap<string, ReadonlyMap<string, MethodDefinition>>;
  readonly functions: ReadonlyMap<string, MethodDefinition>;
  /** The type named so. */
  type(name: string): Type | undefined;
  /** The type of an object; objects of types that no longer exist get the base type of their kind. */
  typeOf(entity: Pick<GraphEntity, 'kind' | 'type'>): Type;
}

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

/** What a read of the tree needs. */
export interface Reading {
  readonly tx: ReadTransaction;
  readonly schema: Schema;
}
