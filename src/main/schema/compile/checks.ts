/** What makes no sense in a schema although each definition does. Each check throws `SchemaError`. */
import type { CustomTrait } from '../model/definitions.js';
import { declaresItself, NODE_BASE, type Draft, type Drafts, type TraitsOf } from './drafts.js';
import { SchemaError, schemaProblem } from '../model/errors.js';
import type { Property, Type } from '../model/schema.js';

/** A type must inherit, or extend, what there is. `names` are those of all custom types. */
export function checkParents(drafts: Drafts, names: ReadonlySet<string>, trait: CustomTrait): void {
  for (const parent of trait.inherits) {
    if (drafts.has(parent) || names.has(parent)) continue;
    throw schemaProblem(
      trait.name,
      'inheritedTraits',
      'invalid_property_reference',
      `type ${trait.name} inherits the unknown type ${parent}`,
    );
  }
  if (trait.staticExtension === true && !drafts.has(trait.name)) {
    throw schemaProblem(
      trait.name,
      'staticSchemaNodeName',
      'invalid_property_reference',
      `there is no built-in type ${trait.name} to extend`,
    );
  }
}

/** A custom relation's property must not take the place of another property of its type (docs/interface/schema.md 9). */
export function checkRelationNames(drafts: Drafts, d: Draft, traits: ReadonlySet<string>): void {
  const seen = new Set<string>();
  for (const { relation, direction, name } of d.relations) {
    if (relation.builtin !== true && (seen.has(name) || d.definitions.has(name) || inherits(drafts, d, traits, name))) {
      const property = direction === 'out' ? 'targetJsonName' : 'sourceJsonName';
      const detail = `type ${d.name} already has a property ${name}`;
      throw schemaProblem('SchemaRelationshipNode', property, 'already_exists', detail);
    }
    seen.add(name);
  }
}

/** Whether a trait above `d` has a property of this name. */
function inherits(drafts: Drafts, d: Draft, traits: ReadonlySet<string>, name: string): boolean {
  for (const t of traits) if (t !== d.name && declaresItself(drafts.get(t), name)) return true;
  return false;
}

/** Two inherited traits that declare one property differently cannot be told apart (docs/interface/schema.md 4). */
export function checkConflicts(drafts: Drafts, d: Draft, traitsOf: TraitsOf): void {
  const traits = [...(traitsOf.get(d.name) ?? [])];
  const has = (trait: string, inherited: string): boolean => traitsOf.get(trait)?.has(inherited) === true;
  // A trait between that has both and says how it is to be read settles the matter for its subtypes.
  const settled = (property: string, a: string, b: string): boolean =>
    traits.some(
      (t) =>
        t !== d.name &&
        t !== a &&
        t !== b &&
        drafts.get(t)?.definitions.has(property) === true &&
        has(t, a) &&
        has(t, b),
    );
  const declaredBy = new Map<string, string>();
  const declare = (property: string, name: string): void => {
    const other = declaredBy.get(property);
    declaredBy.set(property, name);
    if (other === undefined || other === name || has(name, other) || has(other, name)) return;
    if (declaresItself(d, property) || settled(property, other, name)) return;
    throw new SchemaError(
      `Incompatible property inheritance in type ${d.name}: traits ${other} and ${name} define the same property ${property} with different types`,
      [{ type: d.name, property, token: 'invalid_property_definition', detail: `declared by ${other} and ${name}` }],
    );
  };
  for (const name of traits.slice(NODE_BASE.length, -1)) {
    const trait = drafts.get(name);
    if (trait === undefined) continue;
    for (const p of trait.definitions.values()) if (p.isAbstract !== true) declare(p.name, name);
    for (const r of trait.relations) declare(r.name, name);
  }
}

/** Notions and counts must name a relation or collection of their type. */
export function checkReference(type: Type, p: Property): void {
  if (p.kind === 'notion' && type.properties.get(p.relationName)?.kind !== 'relation') {
    throw schemaProblem(
      type.name,
      p.name,
      'invalid_property_reference',
      `property ${p.name} of ${type.name} refers to ${p.relationName}, which is no relation property of it`,
    );
  }
  if (p.kind === 'computed' && p.definition.propertyType === 'Count') {
    const target = type.properties.get(p.definition.format ?? '');
    if (target === undefined || !('isCollection' in target) || !target.isCollection) {
      throw schemaProblem(
        type.name,
        p.name,
        'invalid_property_reference',
        `property ${p.name} of ${type.name} counts ${p.definition.format ?? 'nothing'}, which is no collection of it`,
      );
    }
  }
}
