import type { GraphEntity, ReadTransaction } from '../../graph/index.js';
import type { JsonValue } from '../../../shared/json.js';
import type { ObjectAccess } from '../objects/actor.js';
import type { PropertyDefinition } from '../properties/property.js';
import type { Schema, Type } from '../schema.js';

/** What a computation may look at. */
export interface ComputeContext {
  readonly tx: ReadTransaction;
  readonly schema: Schema;
  readonly type: Type;
  /** Of the one who reads: objects he may not see are not counted or shown. */
  readonly access: ObjectAccess;
}

/** What a search for a computed value may look at. */
export type SearchContext = Pick<ComputeContext, 'tx' | 'schema' | 'access'>;

/** Result of a computation: JSON, or objects to be rendered like related ones. */
export type Computed =
  { readonly json: JsonValue } | { readonly entities: readonly GraphEntity[]; readonly single: boolean };

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
  /** Input is the content of a file (see `InputContents`). */
  readonly isContent?: boolean;
  /** Throws `SchemaError` when the value cannot be written; absent: input is ignored (rest.md 7.2, Function). */
  refuseWrite?(): void;
}
