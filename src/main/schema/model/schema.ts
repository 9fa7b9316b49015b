/**
 * The compiled schema: immutable, replaced as a whole when schema objects change (docs/interface/schema.md 13.1).
 */
import type {
  GraphEntity,
  GraphNode,
  IndexDefinition,
  SortKey,
  TextIndexDefinition,
  ReadTransaction,
} from '../../graph/index.js';
import type { JsonValue } from '../../../shared/json/index.js';
import type { Actor, ObjectAccess } from './actor.js';
import type { MethodDefinition, RelationDefinition } from './definitions.js';
import type { PropertyDefinition, PropertySettings, ValueProperty } from './property.js';
import type { NotionProperty, RelationProperty } from './relation-property.js';

export type Property = ValueProperty | RelationProperty | NotionProperty | ComputedProperty;

/** A read-only property whose value is worked out when it is read (Count, Function, Cypher, Computed, ...). */
export interface ComputedProperty {
  readonly kind: 'computed';
  readonly name: string;
  readonly definition: PropertyDefinition;
  readonly declaringTrait: string;
  readonly valueType: string;
  readonly className: string;
  readonly isCollection: boolean;
  compute(entity: GraphEntity, context: ComputeContext): Promise<Computed>;
  /** Ids of the objects that have this value for the one who asks; absent: it cannot be searched for. */
  readonly search?: (text: string, context: SearchContext) => Promise<readonly string[]>;
  /** Its value is stored with the object as that of this property, by which it is searched and sorted (docs/interface/schema.md 6, `indexed`). */
  readonly indexedAs?: ValueProperty;
  /** Input is the content of a file (see `InputContents`). */
  readonly isContent?: boolean;
  /** It is worked out by scripts, or of the content of files: by more than the graph tells. */
  readonly isOutside?: boolean;
  /** Throws `SchemaError` when the value cannot be written; absent: input is ignored (docs/interface/schema.md 5.2, Function). */
  refuseWrite?(): void;
}

/** What a computation may look at. */
export interface ComputeContext {
  readonly tx: ReadTransaction;
  readonly schema: Schema;
  readonly type: Type;
  /** Of the one who reads: objects he may not see are not counted or shown. */
  readonly access: ObjectAccess;
  /** The one who reads: scripts that a value is made by have his rights. */
  readonly actor: Actor;
  /** What asked for the value, handed on to scripts: those of one answer, or of one script, belong together. */
  readonly origin?: object;
  /** How deep the object is in the answer that is written, from 0; absent: it is read for something else. */
  readonly depth?: number;
  /** Takes note of what is not there yet, where the answer can be made again when it is. */
  readonly missing?: MissingValues | undefined;
}

/** Values of an answer that are not there yet. */
export interface MissingValues {
  /** False: it is no more noted. */
  note(entity: GraphNode, definition: PropertyDefinition): boolean;
}

/** What a search for a computed value may look at. */
export type SearchContext = Pick<ComputeContext, 'tx' | 'schema' | 'access'>;

/** Result of a computation: JSON, or objects to be rendered like related ones. */
export type Computed =
  /** `date`: where the JSON is the text of one. */
  | { readonly json: JsonValue; readonly date?: Date }
  | { readonly entities: readonly GraphEntity[]; readonly single: boolean };

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
  /** Its objects have no changelog of their own (`changelogDisabled`). */
  readonly changelogDisabled: boolean;
  readonly acceptsUnknownKeys: boolean;
  /** Keys that all views show of objects that have them, declared or not. */
  readonly showsKeys: RegExp | undefined;
  /** Replaces the visibility flags of all objects of the type (`defaultVisibleToPublic`, `defaultVisibleToAuth`). */
  readonly visibility: { readonly toPublic: boolean; readonly toUsers: boolean } | undefined;
  /** The order of lists that ask for none; undefined: none was given, or nothing that objects can be sorted by. */
  readonly defaultSort: SortKey | undefined;
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

/** A transaction that reads, and the schema by which it does. */
export interface Reading {
  readonly tx: ReadTransaction;
  readonly schema: Schema;
}
