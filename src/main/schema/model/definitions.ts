import type { PropertyDefinition } from './property.js';

/**
 * What a trait is made of before compilation, whether it stands in a built-in table or in schema nodes. A type
 * is a trait that objects can have as their concrete type (docs/interface/schema.md 1).
 */
export interface TraitDefinition {
  readonly name: string;
  /** Traits it inherits, in order; the base traits of its kind are added by the compiler. */
  readonly inherits: readonly string[];
  /**
   * Value properties and computed ones (`Notion`, `IdNotion`, `Count`, `Function`, `Cypher`, `Computed` whose
   * format is a row of `schema/computed/table.ts`). Relation properties come from `RelationDefinition`s.
   */
  readonly properties: readonly PropertyDefinition[];
  /** View name to keys, in order; added to the inherited keys of the same view. */
  readonly views: Readonly<Record<string, readonly string[]>>;
  /** Fixed order of a view's keys: a list, or `alphabetic` (SchemaView.sortOrder). */
  readonly viewOrder?: Readonly<Record<string, string>>;
  /** No object has it as its type; it only lends its properties (Principal, AbstractFile, Linkable, ...). */
  readonly traitOnly?: boolean;
  readonly isServiceClass?: boolean;
  /** Its objects have no changelog of their own (docs/interface/changelog.md 3). */
  readonly changelogDisabled?: boolean;
  /** Unknown JSON keys are always stored (DOM nodes, docs/interface/rest.md 7.1). */
  readonly acceptsUnknownKeys?: boolean;
  /** Keys that all views show of objects that have them, declared or not. */
  readonly showsKeys?: RegExp;
  /** Methods only schema-defined types have; kept for the scripting issue. */
  readonly defaultVisibleToPublic?: boolean;
  readonly defaultVisibleToAuth?: boolean;
  /** The order of lists that ask for none (docs/interface/lists.md 1.7). */
  readonly defaultSort?: DefaultSort;
}

/** A property's name, and whether the largest come first. */
export interface DefaultSort {
  readonly property: string;
  readonly descending: boolean;
}

/** A type defined by a schema node; with the name of a built-in type it extends that one. */
export interface CustomTrait extends TraitDefinition {
  readonly schemaNodeId?: string;
  /** Extends the built-in type of its name, which must exist (`staticSchemaNodeName`). */
  readonly staticExtension?: boolean;
}

export type Multiplicity = '1' | '*';

/** A relationship type (docs/interface/schema.md 2.6, docs/interface/builtin-types.md 11). */
export interface RelationDefinition {
  /** REST type name, for example `FolderCONTAINSFile`. */
  readonly name: string;
  /** Trait names of the two ends; `NodeInterface` for any. */
  readonly source: string;
  readonly target: string;
  /** Type in the database. */
  readonly relType: string;
  readonly sourceMultiplicity: Multiplicity;
  readonly targetMultiplicity: Multiplicity;
  /** Property on the TARGET type that shows the source(s); absent: none. */
  readonly sourceKey?: string;
  /** Property on the SOURCE type that shows the target(s); absent: none. */
  readonly targetKey?: string;
  /** Notions of the two properties: `name`, `+name`, `id, name` (docs/interface/schema.md 9). */
  readonly sourceNotion?: string;
  readonly targetNotion?: string;
  /** 0 none, 1 source to target, 2 target to source, 3 both, 4 constraint based. */
  readonly cascadingDelete?: number;
  /** 0 none, 1 source to target, 2 target to source, 3 both. */
  readonly autocreation?: number;
  readonly permissionPropagation?: string;
  readonly readPropagation?: string;
  readonly writePropagation?: string;
  readonly deletePropagation?: string;
  readonly accessControlPropagation?: string;
  /** Built-in only: key of the relationship by which the objects that the source shows are in order. */
  readonly orderedBy?: string;
  /** Properties of the relationship itself. */
  readonly properties?: readonly PropertyDefinition[];
  readonly views?: Readonly<Record<string, readonly string[]>>;
  readonly viewOrder?: Readonly<Record<string, string>>;
  /** Its relationships have no changelog of their own. */
  readonly changelogDisabled?: boolean;
  /** Left out by `domainOnly` (OWNS, SECURITY and the like). */
  readonly internal?: boolean;
  readonly builtin?: boolean;
  /** Uuid of the SchemaRelationshipNode; absent for built-in ones. */
  readonly schemaNodeId?: string;
}

/** A declared parameter of a method (docs/interface/schema.md 2.5). */
export interface MethodParameter {
  readonly name: string;
  /** `Integer`, `Date`, `Map`, ...; values of other names are passed as they are. */
  readonly type: string;
}

/** A schema method or user-defined function (docs/interface/schema.md 2.4); running it is scripting's. */
export interface MethodDefinition {
  /** Uuid of the SchemaMethod. */
  readonly id: string;
  readonly name: string;
  /** Trait it belongs to; undefined for a user-defined function. */
  readonly owner: string | undefined;
  readonly httpVerb: string;
  readonly isStatic: boolean;
  readonly isPrivate: boolean;
  /** Run by the service itself when objects change (docs/interface/scripting.md 6.5). */
  readonly isLifecycle: boolean;
  /** `{ ... }` is JavaScript, everything else an expression. */
  readonly source: string;
  /** In the order of their index. */
  readonly parameters: readonly MethodParameter[];
  /** JavaScript answers by `return` (`wrapJsInMain`). */
  readonly wrapped: boolean;
  /** The answer is the value alone, without an envelope. */
  readonly returnRawResult: boolean;
}
