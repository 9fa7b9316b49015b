/**
 * What a graph stores and how the rest of the service sees it. Plain immutable values: a node read
 * in one transaction can be kept, compared and rendered after that transaction has ended.
 */
/** A value a property of a node or relationship can hold. `bigint` only outside +-2^53. */
export type ScalarValue = string | number | bigint | boolean;
/** Stored form of a property; arrays hold scalars of one kind. */
export type StoredValue = ScalarValue | readonly ScalarValue[];
/** Property values by stored key (`dbName`). A key without value is absent, never null. */
export type PropertyMap = Readonly<Record<string, StoredValue>>;
/** Changes to properties by stored key; `null` removes the key. */
export type PropertyChanges = Readonly<Record<string, StoredValue | null>>;

/** A node as it was when read. */
export interface GraphNode {
  readonly kind: 'node';
  readonly id: string;
  /** Name of the concrete type. */
  readonly type: string;
  /** Without `id` and `type`. The object has no prototype. */
  readonly properties: PropertyMap;
}

/** A directed relationship between two nodes as it was when read. */
export interface GraphRelationship {
  readonly kind: 'relationship';
  readonly id: string;
  /** Name of the relationship type in the schema, for example `ProjectHAS_TASKTask`. */
  readonly type: string;
  /** Type in the database, for example `HAS_TASK`; several schema types may share one. */
  readonly relType: string;
  readonly sourceId: string;
  readonly targetId: string;
  readonly properties: PropertyMap;
}

export type GraphEntity = GraphNode | GraphRelationship;

/** One change of a committed transaction, in the order it was made. */
export type Change =
  | { readonly verb: 'create' | 'delete'; readonly entity: GraphNode }
  | { readonly verb: 'link' | 'unlink'; readonly entity: GraphRelationship }
  | {
      readonly verb: 'change';
      /** The entity after this change. */
      readonly entity: GraphEntity;
      /** Stored key; `type` for a change of a node's type. */
      readonly key: string;
      readonly previous: StoredValue | null;
      readonly value: StoredValue | null;
    };

/** A full-text index the schema asks for. */
export interface TextIndexDefinition {
  /** By which it is asked: `<Type>_<property>_fulltext`. */
  readonly name: string;
  readonly kind: 'nodes' | 'relationships';
  /** Name of the trait that declares the property; of relationships their type in the database. */
  readonly label: string;
  /** Concrete types whose entities are in the index. */
  readonly types: readonly string[];
  /** Stored key. */
  readonly key: string;
}

/** An index the schema asks for. */
export interface IndexDefinition {
  /** Name of the trait that declares the property (labels the index where an engine names it). */
  readonly trait: string;
  /** Concrete types whose nodes are in the index. */
  readonly types: readonly string[];
  /** Stored key. */
  readonly key: string;
  readonly unique: boolean;
}
