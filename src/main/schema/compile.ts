/**
 * Compiles definitions (built-in tables and schema nodes) to a `Schema`. Pure: the same definitions give the same
 * schema, and a definition that makes no sense throws before anything has changed.
 */
import type { GraphEntity, IndexDefinition } from '../graph/index.js';
import { createComputed } from './computed/table.js';
import type { MethodDefinition, RelationDefinition, TraitDefinition } from './definitions.js';
import { SchemaError } from './errors.js';
import { CompiledType, type Draft } from './compiled-type.js';
import { TimeSlice } from '../../shared/time-slice.js';
import { META_RELATIONSHIPS, META_TYPES } from './meta-types.js';
import { automaticSourceName, automaticTargetName } from './names.js';
import type { PropertyDefinition, PropertySettings } from './properties/property.js';
import { propertyTypes } from './properties/table.js';
import { parseNotion, parseNotionFormat, type RelationProperty } from './relations/relation-property.js';
import type { Property, Schema, Type } from './schema.js';

/** A type defined by a schema node; with the name of a built-in type it extends that one. */
export interface CustomTrait extends TraitDefinition {
  readonly schemaNodeId?: string;
  /** Extends the built-in type of its name, which must exist (`staticSchemaNodeName`). */
  readonly staticExtension?: boolean;
}

export interface SchemaSource {
  readonly builtinTraits: readonly TraitDefinition[];
  readonly builtinRelations: readonly RelationDefinition[];
  readonly traits: readonly CustomTrait[];
  readonly relations: readonly RelationDefinition[];
  readonly methods: readonly MethodDefinition[];
  readonly settings: PropertySettings;
  readonly version: number;
}

/** Traits of a type, inherited ones and the base traits included: each is looked at for each property of each type. */
const MAX_TRAITS = 100;
const NODE_BASE = ['PropertyContainer', 'GraphObject', 'NodeInterface', 'AccessControllable'];
const RELATIONSHIP_BASE = ['PropertyContainer', 'GraphObject', 'RelationshipInterface'];

function problem(type: string, property: string | undefined, token: string, detail: string): SchemaError {
  return new SchemaError(`Invalid schema: ${detail}`, [
    { type, ...(property === undefined ? {} : { property }), token, detail },
  ]);
}

function draft(name: string, kind: Draft['kind'], builtin: boolean): Draft {
  return {
    name,
    kind,
    inherits: [],
    definitions: new Map(),
    relations: [],
    views: new Map(),
    viewOrder: new Map(),
    traitOnly: false,
    builtin,
    isServiceClass: false,
    acceptsUnknownKeys: false,
    schemaNodeId: undefined,
    relation: undefined,
  };
}

function addTrait(drafts: Map<string, Draft>, trait: CustomTrait, builtin: boolean): void {
  let d = drafts.get(trait.name);
  if (!builtin && d?.builtin === true && trait.isServiceClass === true) {
    throw problem(
      trait.name,
      'isServiceClass',
      'invalid_property_definition',
      `the built-in type ${trait.name} cannot be a service class`,
    );
  }
  if (d === undefined) {
    d = draft(trait.name, trait.name === 'RelationshipInterface' ? 'relationship' : 'node', builtin);
    drafts.set(trait.name, d);
  }
  // Direct traits of custom types apply in alphabetical order (schema.md 1).
  const inherits = builtin ? [...trait.inherits] : [...trait.inherits].sort();
  d.inherits = [...new Set([...d.inherits, ...inherits])];
  for (const p of trait.properties) d.definitions.set(p.name, p);
  for (const [view, keys] of Object.entries(trait.views)) {
    d.views.set(view, [...new Set([...(d.views.get(view) ?? []), ...keys])]);
  }
  for (const [view, order] of Object.entries(trait.viewOrder ?? {})) d.viewOrder.set(view, order);
  d.traitOnly = d.traitOnly || trait.traitOnly === true;
  d.isServiceClass = d.isServiceClass || trait.isServiceClass === true;
  d.acceptsUnknownKeys = d.acceptsUnknownKeys || trait.acceptsUnknownKeys === true;
  if (trait.schemaNodeId !== undefined) d.schemaNodeId = trait.schemaNodeId;
}

function addRelation(drafts: Map<string, Draft>, traitsOf: TraitsOf, relation: RelationDefinition): void {
  const source = drafts.get(relation.source);
  const target = drafts.get(relation.target);
  if (source === undefined || target === undefined) {
    const missing = source === undefined ? relation.source : relation.target;
    throw problem(
      relation.name,
      undefined,
      'invalid_property_definition',
      `${relation.name} refers to the unknown type ${missing}`,
    );
  }
  if (drafts.has(relation.name)) {
    throw problem(
      relation.name,
      'relationshipType',
      'duplicate_relationship_definition',
      `there is already a type ${relation.name}`,
    );
  }
  const custom = relation.builtin !== true;
  if (custom && META_RELATIONSHIPS.has(relation.relType) && [source, target].some((d) => isMeta(traitsOf, d.name))) {
    throw problem(
      relation.name,
      'relationshipType',
      'already_exists',
      `${relation.relType} between schema types is the service's own`,
    );
  }
  // A property appears on an end only when that end is a schema node (schema.md 9).
  if (relation.targetKey !== undefined || (custom && source.schemaNodeId !== undefined)) {
    const many = relation.targetMultiplicity !== '1';
    const base = relation.targetKey ?? automaticTargetName(relation.relType, relation.target, many);
    const name = relation.targetKey ?? freeName(drafts, traitsOf, source, base, 'Out');
    source.relations.push({ relation, direction: 'out', name });
  }
  if (relation.sourceKey !== undefined || (custom && target.schemaNodeId !== undefined)) {
    const many = relation.sourceMultiplicity !== '1';
    const base = relation.sourceKey ?? automaticSourceName(relation.relType, relation.source, many);
    const name = relation.sourceKey ?? freeName(drafts, traitsOf, target, base, 'In');
    target.relations.push({ relation, direction: 'in', name });
  }
  const d = draft(relation.name, 'relationship', relation.builtin === true);
  d.relation = relation;
  d.schemaNodeId = relation.schemaNodeId;
  for (const p of relation.properties ?? []) d.definitions.set(p.name, p);
  for (const [view, keys] of Object.entries(relation.views ?? {})) d.views.set(view, [...keys]);
  if (relation.builtin === true && relation.properties !== undefined) {
    for (const view of ['public', 'ui'])
      d.views.set(view, [...(d.views.get(view) ?? []), ...relation.properties.map((p) => p.name)]);
  }
  drafts.set(relation.name, d);
}

/** All traits of each type, in order of application. */
type TraitsOf = ReadonlyMap<string, readonly string[]>;

/** Whether a type is one of those that make up the schema; objects of a subtype would be half schema, half data. */
function isMeta(traitsOf: TraitsOf, name: string): boolean {
  return (traitsOf.get(name) ?? []).some(
    (trait) => META_TYPES.has(trait) || trait === 'AbstractSchemaNode' || trait === 'SchemaReloadingNode',
  );
}

/** Whether a trait or one it inherits has a property of this name. */
function declares(drafts: ReadonlyMap<string, Draft>, traitsOf: TraitsOf, owner: Draft, name: string): boolean {
  return (traitsOf.get(owner.name) ?? []).some((trait) => {
    const d = drafts.get(trait);
    return d !== undefined && (d.definitions.has(name) || d.relations.some((r) => r.name === name));
  });
}

function freeName(
  drafts: ReadonlyMap<string, Draft>,
  traitsOf: TraitsOf,
  owner: Draft,
  base: string,
  suffix: string,
): string {
  if (!declares(drafts, traitsOf, owner, base)) return base;
  let name = base + suffix;
  for (let i = 2; declares(drafts, traitsOf, owner, name); i++) name = `${base}${suffix}${String(i)}`;
  return name;
}

/** All traits of a type in order of application, its own last. Throws on a cycle. */
function linearise(drafts: Map<string, Draft>, d: Draft): string[] {
  const out: string[] = d.kind === 'node' ? [...NODE_BASE] : [...RELATIONSHIP_BASE];
  if (NODE_BASE.includes(d.name) || RELATIONSHIP_BASE.includes(d.name)) {
    const at = (NODE_BASE.includes(d.name) ? NODE_BASE : RELATIONSHIP_BASE).indexOf(d.name);
    return (NODE_BASE.includes(d.name) ? NODE_BASE : RELATIONSHIP_BASE).slice(0, at + 1);
  }
  const seen = new Set(out);
  const open = new Set<string>();
  const visit = (name: string): void => {
    const trait = drafts.get(name);
    // Unknown traits were refused for custom types before; base traits are there already.
    if (trait === undefined || (seen.has(name) && name !== d.name)) return;
    if (open.has(name))
      throw problem(d.name, 'inheritedTraits', 'circular_reference', `type ${d.name} inherits itself through ${name}`);
    open.add(name);
    for (const parent of trait.inherits) visit(parent);
    open.delete(name);
    if (!seen.has(name)) {
      seen.add(name);
      out.push(name);
    }
  };
  visit(d.name);
  if (out.length > MAX_TRAITS) {
    throw problem(
      d.name,
      'inheritedTraits',
      'invalid_property_reference',
      `type ${d.name} inherits ${String(out.length)} traits, more than ${String(MAX_TRAITS)}`,
    );
  }
  return out;
}

/** A custom relation's property must not take the place of another property of its type (schema.md 9). */
function checkRelationNames(drafts: ReadonlyMap<string, Draft>, d: Draft, traits: readonly string[]): void {
  const seen = new Set<string>();
  for (const { relation, direction, name } of d.relations) {
    const inherited = traits.some((t) => {
      const other = t === d.name ? undefined : drafts.get(t);
      return other?.definitions.has(name) === true || other?.relations.some((r) => r.name === name) === true;
    });
    if (relation.builtin !== true && (inherited || seen.has(name) || d.definitions.has(name))) {
      const property = direction === 'out' ? 'targetJsonName' : 'sourceJsonName';
      throw problem(
        'SchemaRelationshipNode',
        property,
        'already_exists',
        `type ${d.name} already has a property ${name}`,
      );
    }
    seen.add(name);
  }
}

/** Two inherited traits that declare one property differently cannot be told apart (schema.md 4). */
function checkConflicts(
  drafts: Map<string, Draft>,
  d: Draft,
  traits: readonly string[],
  traitsOf: ReadonlyMap<string, readonly string[]>,
): void {
  const declaredBy = new Map<string, string>();
  const names = (t: Draft): string[] => [
    ...[...t.definitions.values()].filter((p) => p.isAbstract !== true).map((p) => p.name),
    ...t.relations.map((r) => r.name),
  ];
  for (const name of traits.slice(NODE_BASE.length, -1)) {
    const trait = drafts.get(name);
    if (trait === undefined) continue;
    for (const property of names(trait)) {
      const other = declaredBy.get(property);
      const related =
        other === undefined ||
        traitsOf.get(name)?.includes(other) === true ||
        traitsOf.get(other)?.includes(name) === true;
      // A trait between that has both and says how it is to be read settles the matter for its subtypes.
      const settled = traits.some(
        (t) =>
          t !== d.name &&
          drafts.get(t)?.definitions.has(property) === true &&
          [name, other].every((o) => o === t || traitsOf.get(t)?.includes(o ?? '') === true) &&
          t !== name &&
          t !== other,
      );
      const overridden = d.definitions.has(property) || d.relations.some((r) => r.name === property);
      if (!related && !settled && !overridden) {
        throw new SchemaError(
          `Incompatible property inheritance in type ${d.name}: traits ${other} and ${name} define the same property ${property} with different types`,
          [
            {
              type: d.name,
              property,
              token: 'invalid_property_definition',
              detail: `declared by ${other} and ${name}`,
            },
          ],
        );
      }
      declaredBy.set(property, name);
    }
  }
}

/** Properties of built-in traits are the same in every schema of one set of settings. */
const builtinCache = new WeakMap<PropertySettings, WeakMap<PropertyDefinition, Property>>();

function createProperty(definition: PropertyDefinition, trait: Draft, settings: PropertySettings): Property {
  const name = definition.name;
  if (definition.propertyType === 'Notion' || definition.propertyType === 'IdNotion') {
    const parsed = parseNotionFormat(definition.propertyType, definition.format);
    if (parsed === undefined) {
      throw problem(
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
  const computed = createComputed(definition, trait.name);
  if (computed !== undefined) return computed;
  throw problem(
    trait.name,
    name,
    'invalid_property_definition',
    definition.propertyType === ''
      ? `property ${name} of ${trait.name} has no propertyType`
      : `property ${name} of ${trait.name} has the unknown propertyType ${definition.propertyType}`,
  );
}

/**
 * Builds the schema, a thousand types in as many steps: others get their turns between them. Throws `SchemaError` that
 * names type, property and problem.
 */
export async function compileSchema(source: SchemaSource): Promise<Schema> {
  const slice = new TimeSlice();
  const drafts = new Map<string, Draft>();
  for (const t of source.builtinTraits) addTrait(drafts, t, true);
  const custom = new Set(source.traits.map((t) => t.name));
  for (const t of source.traits) {
    if (slice.due) await slice.pause();
    for (const parent of t.inherits) {
      if (!drafts.has(parent) && !custom.has(parent)) {
        throw problem(
          t.name,
          'inheritedTraits',
          'invalid_property_reference',
          `type ${t.name} inherits the unknown type ${parent}`,
        );
      }
    }
    if (t.staticExtension === true && !drafts.has(t.name)) {
      throw problem(
        t.name,
        'staticSchemaNodeName',
        'invalid_property_reference',
        `there is no built-in type ${t.name} to extend`,
      );
    }
    addTrait(drafts, t, false);
  }
  const traitsOf = new Map<string, readonly string[]>();
  for (const d of drafts.values()) {
    if (slice.due) await slice.pause();
    traitsOf.set(d.name, linearise(drafts, d));
  }
  for (const t of source.traits) {
    if (slice.due) await slice.pause();
    if (t.inherits.some((parent) => isMeta(traitsOf, parent))) {
      throw problem(
        t.name,
        'inheritedTraits',
        'invalid_property_reference',
        `type ${t.name} cannot inherit a schema type`,
      );
    }
  }
  for (const r of source.builtinRelations) addRelation(drafts, traitsOf, r);
  // Given names first: an automatic one gives way to them, whatever the order of the definitions.
  const named = (r: RelationDefinition): boolean => r.sourceKey !== undefined || r.targetKey !== undefined;
  for (const r of [...source.relations.filter(named), ...source.relations.filter((r) => !named(r))]) {
    if (slice.due) await slice.pause();
    addRelation(drafts, traitsOf, r);
  }
  // Relationship types came with the relations.
  for (const d of drafts.values()) if (!traitsOf.has(d.name)) traitsOf.set(d.name, linearise(drafts, d));
  const concrete = new Map<string, string[]>();
  for (const d of drafts.values()) {
    if (slice.due) await slice.pause();
    if ((!d.builtin || d.schemaNodeId !== undefined) && d.kind === 'node')
      checkConflicts(drafts, d, traitsOf.get(d.name) ?? [], traitsOf);
    for (const t of traitsOf.get(d.name) ?? []) {
      let list = concrete.get(t);
      if (list === undefined) concrete.set(t, (list = []));
      if (!d.traitOnly && !d.isServiceClass) list.push(d.name);
    }
  }

  for (const d of drafts.values()) checkRelationNames(drafts, d, traitsOf.get(d.name) ?? []);

  let cache = builtinCache.get(source.settings);
  if (cache === undefined) builtinCache.set(source.settings, (cache = new WeakMap()));
  const ownProperties = new Map<string, Property[]>();
  const indexes: IndexDefinition[] = [];
  for (const d of drafts.values()) {
    if (slice.due) await slice.pause();
    const list: Property[] = [];
    for (const definition of d.definitions.values()) {
      let property = cache.get(definition);
      if (property === undefined) {
        property = createProperty(definition, d, source.settings);
        if (definition.schemaPropertyId === undefined) cache.set(definition, property);
      }
      list.push(property);
      if (
        d.kind === 'node' &&
        property.kind === 'value' &&
        (definition.indexed === true || definition.unique === true || definition.compound === true) &&
        property.key !== 'id' &&
        property.key !== 'type'
      ) {
        indexes.push({
          trait: d.name,
          types: concrete.get(d.name) ?? [],
          key: property.key,
          unique: definition.unique === true,
        });
      }
    }
    for (const r of d.relations) list.push(relationProperty(r.relation, r.direction, r.name, d, concrete));
    ownProperties.set(d.name, list);
  }

  const types = new Map<string, Type>();
  const viewNames = new Set<string>([
    'public',
    'ui',
    'all',
    'custom',
    'schema',
    '_html_',
    'category',
    'editWidget',
    'effectiveNameView',
  ]);
  for (const d of drafts.values()) {
    if (slice.due) await slice.pause();
    const type = new CompiledType(d, traitsOf.get(d.name) ?? [], concrete.get(d.name) ?? [], drafts, ownProperties);
    types.set(d.name, type);
    for (const view of d.views.keys()) viewNames.add(view);
    for (const property of ownProperties.get(d.name) ?? []) checkReference(type, property);
  }
  const fallbackNode = types.get('NodeInterface');
  const fallbackRelationship = types.get('RelationshipInterface');
  if (fallbackNode === undefined || fallbackRelationship === undefined)
    throw new Error('the built-in tables lack the base traits');
  const relations = new Map([...source.builtinRelations, ...source.relations].map((r) => [r.name, r]));
  return {
    version: source.version,
    settings: source.settings,
    types,
    viewNames,
    relations,
    indexes,
    ...sortMethods(source.methods),
    type: (name) => types.get(name),
    typeOf: (entity: GraphEntity) =>
      types.get(entity.type) ?? (entity.kind === 'node' ? fallbackNode : fallbackRelationship),
  };
}

function sortMethods(list: readonly MethodDefinition[]): Pick<Schema, 'methods' | 'functions'> {
  const methods = new Map<string, Map<string, MethodDefinition>>();
  const functions = new Map<string, MethodDefinition>();
  for (const method of list) {
    if (method.owner === undefined) {
      functions.set(method.name, method);
      continue;
    }
    let own = methods.get(method.owner);
    if (own === undefined) methods.set(method.owner, (own = new Map<string, MethodDefinition>()));
    own.set(method.name, method);
  }
  return { methods, functions };
}

function relationProperty(
  relation: RelationDefinition,
  direction: 'out' | 'in',
  name: string,
  d: Draft,
  concrete: ReadonlyMap<string, string[]>,
): RelationProperty {
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
    declaringTrait: d.name,
    relation,
    direction,
    isCollection: many,
    relatedType,
    step: { relType: relation.relType, direction, ...(anyNode ? {} : { types: concrete.get(relatedType) ?? [] }) },
    creates: (autocreation & bit) === bit || notion?.creates === true,
    notion,
  };
}

/** Notions and counts must name a relation or collection of their type. */
function checkReference(type: Type, p: Property): void {
  if (p.kind === 'notion' && type.properties.get(p.relationName)?.kind !== 'relation') {
    throw problem(
      type.name,
      p.name,
      'invalid_property_reference',
      `property ${p.name} of ${type.name} refers to ${p.relationName}, which is no relation property of it`,
    );
  }
  if (p.kind === 'computed' && p.definition.propertyType === 'Count') {
    const target = type.properties.get(p.definition.format ?? '');
    if (target === undefined || !('isCollection' in target) || !target.isCollection) {
      throw problem(
        type.name,
        p.name,
        'invalid_property_reference',
        `property ${p.name} of ${type.name} counts ${p.definition.format ?? 'nothing'}, which is no collection of it`,
      );
    }
  }
}
