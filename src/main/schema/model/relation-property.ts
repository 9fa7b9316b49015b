import type { Step } from '../../graph/index.js';
import type { RelationDefinition } from './definitions.js';
import type { PropertyDefinition } from './property.js';

/**
 * A property whose value is the object or objects at the other end of a relationship type, compiled for the
 * trait that shows it (docs/interface/schema.md 9).
 */
export interface RelationProperty {
  readonly kind: 'relation';
  readonly name: string;
  readonly definition: PropertyDefinition;
  readonly declaringTrait: string;
  readonly relation: RelationDefinition;
  /** `out`: the property is on the source and shows targets. */
  readonly direction: 'out' | 'in';
  /** A list, or a single object. */
  readonly isCollection: boolean;
  /** Trait of the objects shown. */
  readonly relatedType: string;
  /** The step to them; its `types` are filled in by the schema (all concrete types of `relatedType`). */
  readonly step: Step;
  /** Whether objects are created through this property when none is found (autocreationFlag). */
  readonly creates: boolean;
  /** Shows and takes values of the related objects instead of the objects themselves. */
  readonly notion: Notion | undefined;
}

/** Keys of related objects shown in place of the objects (`sourceNotion`, Notion and IdNotion properties). */
export interface Notion {
  /** One key: plain values; several: objects with exactly these keys. */
  readonly keys: readonly string[];
  /** `+key`: objects that are not found are created. */
  readonly creates: boolean;
}

/** A property that shows keys of the objects of a relation property (Notion, IdNotion; docs/interface/schema.md 5). */
export interface NotionProperty {
  readonly kind: 'notion';
  readonly name: string;
  readonly definition: PropertyDefinition;
  readonly declaringTrait: string;
  /** Name of the relation property it reads. */
  readonly relationName: string;
  readonly notion: Notion;
}
