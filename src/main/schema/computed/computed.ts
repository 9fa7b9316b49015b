import type { GraphEntity, GraphNode, ReadTransaction, StoredValue } from '../../graph/index.js';
import type { JsonValue } from '../../../shared/json.js';
import type { Actor, ObjectAccess } from '../model/actor.js';
import type { ObjectTransaction } from '../objects/transaction.js';
import type { PropertyDefinition, ValueProperty } from '../model/property.js';
import type { Schema, Type } from '../model/schema.js';

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
}

/** What a search for a computed value may look at. */
export type SearchContext = Pick<ComputeContext, 'tx' | 'schema' | 'access'>;

/** Result of a computation: JSON, or objects to be rendered like related ones. */
export type Computed =
  /** `date`: where the JSON is the text of one. */
  | { readonly json: JsonValue; readonly date?: Date }
  | { readonly entities: readonly GraphEntity[]; readonly single: boolean };

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
  /** What is to be stored of it, as the transaction at its end sees it; to be asked where there is `indexedAs`. */
  readonly indexedValue?: (entity: GraphNode, objects: ObjectTransaction) => Promise<StoredValue | null>;
  /** Input is the content of a file (see `InputContents`). */
  readonly isContent?: boolean;
  /** Throws `SchemaError` when the value cannot be written; absent: input is ignored (docs/interface/schema.md 5.2, Function). */
  refuseWrite?(): void;
  /** Takes input; absent: see `refuseWrite`. */
  write?(entity: GraphNode, value: JsonValue, objects: ObjectTransaction): Promise<void>;
}

/** Where function properties find what runs their scripts, once it is there. */
export interface FunctionScriptsPlace {
  scripts: FunctionScripts | undefined;
}

/** Runs the scripts of function properties; the scripting room implements it. */
export interface FunctionScripts {
  /** What reading answers; a script that fails reads as null and is logged. */
  read(definition: PropertyDefinition, trait: string, entity: GraphEntity, context: ComputeContext): Promise<Computed>;
  /** The same within a transaction that writes, with the rights of who writes. */
  readWithin(
    definition: PropertyDefinition,
    trait: string,
    entity: GraphNode,
    objects: ObjectTransaction,
  ): Promise<Computed>;
  /** Throws what the script throws. */
  write(
    definition: PropertyDefinition,
    trait: string,
    entity: GraphNode,
    value: JsonValue,
    objects: ObjectTransaction,
  ): Promise<void>;
}
