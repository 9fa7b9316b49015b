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

const PLAIN: Notion = { keys: ['id'], creates: false };

/** `key`, `+key`, `key, key` to a notion; undefined for none. */
export function parseNotion(text: string | undefined): Notion | undefined {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '') return undefined;
  const creates = trimmed.startsWith('+');
  const keys = trimmed
    .replace(/^\+/, '')
    .split(/[\s,]+/)
    .filter((k) => k !== '');
  return keys.length === 0 ? undefined : { keys, creates };
}

/**
 * Format of a Notion or IdNotion property: `relProp, key[, key...]`; `relProp, key, true|false` switches creation.
 * undefined when the format is missing.
 */
export function parseNotionFormat(
  propertyType: 'Notion' | 'IdNotion',
  format: string | undefined,
): { relationName: string; notion: Notion } | undefined {
  const parts = (format ?? '').split(',').map((p) => p.trim());
  const relationName = parts[0] ?? '';
  if (relationName === '') return undefined;
  if (propertyType === 'IdNotion') return { relationName, notion: PLAIN };
  const keys = parts.slice(1).filter((k) => k !== '');
  const last = keys.at(-1)?.toLowerCase();
  if (keys.length === 2 && (last === 'true' || last === 'false')) {
    return { relationName, notion: { keys: keys.slice(0, 1), creates: last === 'true' } };
  }
  return keys.length === 0 ? undefined : { relationName, notion: { keys, creates: false } };
}
