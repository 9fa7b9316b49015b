/** Makes properties of the definitions and relations of one trait. */
import type { IndexDefinition, TextIndexDefinition } from '../../graph/index.js';
import { createComputed } from '../computed/table.js';
import type { Draft, RelationEnd } from './drafts.js';
import { schemaProblem } from '../model/errors.js';
import type { PropertyDefinition, PropertySettings } from '../model/property.js';
import { propertyTypes } from '../properties/table.js';
import type { RelationProperty } from '../model/relation-property.js';
import { parseNotion, parseNotionFormat } from './notions.js';
import type { Property } from '../model/schema.js';
import { textIndexName } from '../model/text-index.js';
import type { SchemaSettings } from '../writing/function-properties.js';

/** Names of the concrete types of each trait. */
export type Concrete = ReadonlyMap<string, readonly string[]>;

/** Properties of built-in traits are the same in every schema of one set of settings. */
const builtinCache = new WeakMap<PropertySettings, WeakMap<PropertyDefinition, Property>>();

/** The property that a definition makes on a trait. Throws `SchemaError`. */
export function propertyOf(definition: PropertyDefinition, trait: Draft, settings: SchemaSettings): Property {
  if (definition.schemaPropertyId !== undefined) return createProperty(definition, trait, settings);
  let cache = builtinCache.get(settings);
  if (cache === undefined) builtinCache.set(settings, (cache = new WeakMap<PropertyDefinition, Property>()));
  let property = cache.get(definition);
  if (property === undefined) cache.set(definition, (property = createProperty(definition, trait, settings)));
  return property;
}

function createProperty(definition: PropertyDefinition, trait: Draft, settings: SchemaSettings): Property {
  const name = definition.name;
  if (definition.propertyType === 'Notion' || definition.propertyType === 'IdNotion') {
    const parsed = parseNotionFormat(definition.propertyType, definition.format);
    if (parsed === undefined) {
      throw schemaProblem(
        trait.name,
        name,
        'invalid_property_definition',
        `property ${name} of ${trait.name} needs a format that names a relation property and its keys`,
      );
    }
    return { kind: 'notion', name, definition, declaringTrait: trait.name, ...parsed };
  }
  const type = propertyTypes.get(definition.propertyType);
  if (type !== undefined) return type.create(definition, { declaringTrait: trait.name, settings });
  const computed = createComputed(definition, trait.name, settings);
  if (computed !== undefined) return computed;
  throw schemaProblem(
    trait.name,
    name,
    'invalid_property_definition',
    definition.propertyType === ''
      ? `property ${name} of ${trait.name} has no propertyType`
      : `property ${name} of ${trait.name} has the unknown propertyType ${definition.propertyType}`,
  );
}

/** The index that a property needs. */
export function indexOf(property: Property, trait: Draft, concrete: Concrete): IndexDefinition | undefined {
  const { definition } = property;
  if (property.kind === 'computed' && property.indexedAs !== undefined)
    return indexOf(property.indexedAs, trait, concrete);
  if (trait.kind !== 'node' || property.kind !== 'value' || property.key === 'id' || property.key === 'type')
    return undefined;
  if (definition.indexed !== true && definition.unique !== true && definition.compound !== true) return undefined;
  return {
    trait: trait.name,
    types: concrete.get(trait.name) ?? [],
    key: property.key,
    unique: definition.unique === true,
  };
}

/** Types whose values are plain texts; those of secrets are not, and may not be looked for. */
const TEXT_TYPES: ReadonlySet<string> = new Set(['String', 'StringArray']);

/** The full-text index that a property asks for (docs/interface/schema.md 6). */
export function textIndexOf(property: Property, trait: Draft, concrete: Concrete): TextIndexDefinition | undefined {
  const { definition } = property;
  if (definition.fulltext !== true || property.kind !== 'value' || !TEXT_TYPES.has(definition.propertyType))
    return undefined;
  if (property.key === 'id' || property.key === 'type') return undefined;
  const nodes = trait.kind === 'node';
  if (!nodes && trait.relation === undefined) return undefined;
  return {
    name: textIndexName(trait.name, property.name),
    kind: nodes ? 'nodes' : 'relationships',
    label: trait.relation?.relType ?? trait.name,
    types: nodes ? (concrete.get(trait.name) ?? []) : [trait.name],
    key: property.key,
  };
}

/** The property by which a trait shows a relation. */
export function relationProperty(end: RelationEnd, trait: Draft, concrete: Concrete): RelationProperty {
  const { relation, direction, name } = end;
  const relatedType = direction === 'out' ? relation.target : relation.source;
  const many = (direction === 'out' ? relation.targetMultiplicity : relation.sourceMultiplicity) !== '1';
  const autocreation = relation.autocreation ?? 0;
  const bit = direction === 'out' ? 1 : 2;
  const notion = parseNotion(direction === 'out' ? relation.targetNotion : relation.sourceNotion);
  const anyNode = relatedType === 'NodeInterface';
  return {
    kind: 'relation',
    name,
    definition: {
      name,
      propertyType: 'Relation',
      ...(relation.builtin === true ? {} : { schemaPropertyId: relation.schemaNodeId ?? '' }),
    },
    declaringTrait: trait.name,
    relation,
    direction,
    isCollection: many,
    relatedType,
    step: { relType: relation.relType, direction, ...(anyNode ? {} : { types: concrete.get(relatedType) ?? [] }) },
    creates: (autocreation & bit) === bit || notion?.creates === true,
    notion,
  };
}
