/** Function properties: computed ones that scripts read and write; and what runs these scripts (docs/interface/scripting.md 6.8). */
import type { GraphEntity, GraphNode, StoredValue } from '../../graph/index.js';
import type { JsonValue } from '../../../shared/json/index.js';
import type { PropertyDefinition, PropertySettings } from '../model/property.js';
import type { Computed, ComputeContext, ComputedProperty } from '../model/schema.js';
import type { ObjectTransaction } from './object-transaction.js';

/** The `propertyType` of function properties. */
export const FUNCTION = 'Function';

/** A computed property that takes input. */
export interface FunctionProperty extends ComputedProperty {
  /** What is to be stored of it, as the transaction at its end sees it; there with `indexedAs`. */
  readonly indexedValue?: (entity: GraphNode, objects: ObjectTransaction) => Promise<StoredValue | null>;
  /** Does what its write function does with an input. Throws what that throws. */
  write(entity: GraphNode, value: JsonValue, objects: ObjectTransaction): Promise<void>;
}

/** Only those of this type are made with a `write` (`computed/function.ts`). */
export function isFunctionProperty(property: ComputedProperty): property is FunctionProperty {
  return property.definition.propertyType === FUNCTION;
}

/** Settings with what runs scripts. */
export interface SchemaSettings extends PropertySettings {
  /** Runs the scripts of function properties; absent: they read as null. */
  readonly functions?: FunctionScriptsPlace;
  /** Makes thumbnails; absent: properties that show them read as null. */
  readonly thumbnails?: ThumbnailsPlace;
}

/** Where thumbnail properties find what makes them, once it is there. */
export interface ThumbnailsPlace {
  read:
    ((image: GraphEntity, definition: PropertyDefinition, context: ComputeContext) => Promise<Computed>) | undefined;
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
