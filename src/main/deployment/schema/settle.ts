/** What a wanted schema comes to beside the types that are there anyway, and beside another schema. */
import { isBuiltinTrait } from '../../schema/index.js';
import { formed, RELATION_KEYS, TYPE_KEYS, type Values } from './keys.js';
import {
  inOrder,
  named,
  type GrantModel,
  type Parts,
  type PropertyModel,
  type RelationModel,
  type SchemaModel,
  type TypeModel,
} from './model.js';

/** A schema without what refers to types that are not there, and what was left out. */
export interface Settled {
  readonly model: SchemaModel;
  readonly notices: readonly string[];
}

/** Leaves out unknown traits, and relations to unknown types, as other systems do that read such documents. */
export function settled(model: SchemaModel): Settled {
  const notices: string[] = [];
  const names = new Set(model.types.filter((type) => !type.byNameOnly).map(({ name }) => name));
  const isThere = (name: string): boolean => names.has(name) || isBuiltinTrait(name);
  const types = model.types.map((type): TypeModel => {
    const traits = type.values['inheritedTraits'];
    const unknown = Array.isArray(traits) ? (traits as string[]).filter((trait) => !isThere(trait)) : [];
    if (unknown.length === 0) return type;
    notices.push(`definitions.${type.name}.traits: ${unknown.join(', ')} is left out, as there is no such type`);
    const kept = (traits as string[]).filter(isThere);
    return { ...type, values: formed(TYPE_KEYS, { ...type.values, inheritedTraits: kept }) };
  });
  const relations = model.relations.filter(({ name, source, target }) => {
    const unknown = [source, target].filter((end) => !isThere(end));
    if (unknown.length === 0) return true;
    notices.push(`definitions.${name}: is left out, as there is no type ${unknown.join(', ')}`);
    return false;
  });
  return { model: { ...model, types, relations }, notices };
}

/** Attributes of a type that a document which extends a schema replaces; tags are added. */
const REPLACED = ['inheritedTraits', 'includeInOpenAPI', 'summary', 'description', 'icon'];
/** What it replaces of a property that is there. */
const RETYPED = ['propertyType', 'format'];

/** A schema with another one put into it: nothing is taken away. */
export function extended(present: SchemaModel, more: SchemaModel): SchemaModel {
  return {
    types: merged(present.types, more.types, extendedType),
    relations: merged(present.relations, more.relations, (a, b): RelationModel => ({
      ...b,
      values: formed(RELATION_KEYS, { ...b.values, tags: bothTags(a.values, b.values) }),
      ...extendedParts(a, b),
    })),
    functions: merged(present.functions, more.functions, (_, b) => b),
  };
}

function merged<T extends { readonly name: string }>(
  present: readonly T[],
  more: readonly T[],
  both: (a: T, b: T) => T,
): T[] {
  const all = named(present);
  for (const one of more) {
    const there = all.get(one.name);
    all.set(one.name, there === undefined ? one : both(there, one));
  }
  return inOrder(all.values());
}

function extendedType(a: TypeModel, b: TypeModel): TypeModel {
  const values = { ...replaced(a.values, b.values, REPLACED), tags: bothTags(a.values, b.values) };
  return {
    name: a.name,
    byNameOnly: a.byNameOnly && b.byNameOnly,
    values: formed(TYPE_KEYS, values),
    ...extendedParts(a, b),
    grants: merged<GrantModel>(a.grants, b.grants, (_, one) => one),
  };
}

function extendedParts(a: Parts, b: Parts): Parts {
  return {
    properties: merged(a.properties, b.properties, (old, one): PropertyModel => ({
      name: one.name,
      values: replaced(old.values, one.values, RETYPED),
    })),
    views: merged(a.views, b.views, (_, one) => one),
    methods: merged(a.methods, b.methods, (_, one) => one),
  };
}

function replaced(a: Values, b: Values, keys: readonly string[]): Values {
  return { ...withoutKeys(a, keys), ...onlyKeys(b, keys) };
}

const onlyKeys = (values: Values, keys: readonly string[]): Values =>
  Object.fromEntries(Object.entries(values).filter(([key]) => keys.includes(key)));
const withoutKeys = (values: Values, keys: readonly string[]): Values =>
  Object.fromEntries(Object.entries(values).filter(([key]) => !keys.includes(key)));

function bothTags(a: Values, b: Values): string[] {
  return [a, b].flatMap(({ tags }) => (Array.isArray(tags) ? (tags as string[]) : []));
}
