/**
 * Compiles definitions (built-in tables and schema nodes) to a `Schema`. The same definitions give the same
 * schema, and a definition that makes no sense throws before anything has changed.
 */
import type { IndexDefinition, TextIndexDefinition } from '../../graph/index.js';
import { logger } from '../../../shared/log.js';
import { TimeSlice } from '../../../shared/time-slice.js';
import { checkConflicts, checkParents, checkReference, checkRelationNames } from './checks.js';
import { CompiledType } from './compiled-type.js';
import type { CustomTrait, MethodDefinition, RelationDefinition, TraitDefinition } from '../model/definitions.js';
import { addRelation, addTrait, isMeta, type Draft, type Drafts, type TraitsOf } from './drafts.js';
import { schemaProblem } from '../model/errors.js';
import { linearise } from './lineage.js';
import { indexOf, propertyOf, relationProperty, textIndexOf, type Concrete } from './own-properties.js';
import type { SchemaSettings } from '../writing/function-properties.js';
import type { Property, Schema, Type } from '../model/schema.js';

export interface SchemaSource {
  readonly builtinTraits: readonly TraitDefinition[];
  readonly builtinRelations: readonly RelationDefinition[];
  readonly traits: readonly CustomTrait[];
  readonly relations: readonly RelationDefinition[];
  readonly methods: readonly MethodDefinition[];
  readonly settings: SchemaSettings;
  readonly version: number;
  /** Somebody writes it: what was taken until now, and must not keep the service from starting, is refused. */
  readonly written?: boolean;
}

const log = logger('schema');

/** Views that every schema has. */
const VIEW_NAMES = ['public', 'ui', 'all', 'custom', 'schema', '_html_', 'category', 'editWidget', 'effectiveNameView'];

/**
 * Builds the schema, type by type: with a thousand of them others get their turns in between. Throws `SchemaError` that
 * names type, property and problem.
 */
export async function compileSchema(source: SchemaSource): Promise<Schema> {
  const slice = new TimeSlice();
  const drafts = new Map<string, Draft>();
  const traitsOf = new Map<string, ReadonlySet<string>>();
  await addTraits(source, drafts, slice);
  await linearise(drafts, traitsOf, slice);
  await addRelations(source, drafts, traitsOf, slice);
  // Once more, for the types that came with the relations.
  await linearise(drafts, traitsOf, slice);
  await check(drafts, traitsOf, slice);
  const concrete = await concreteTypes(drafts, traitsOf, slice);
  const { own, indexes, textIndexes } = await ownProperties(source, drafts, concrete, slice);

  const types = new Map<string, Type>();
  const viewNames = new Set(VIEW_NAMES);
  for (const d of drafts.values()) {
    if (slice.due) await slice.pause();
    const type = new CompiledType(d, traitsOf.get(d.name) ?? new Set(), concrete.get(d.name) ?? [], drafts, own);
    types.set(d.name, type);
    for (const view of d.views.keys()) viewNames.add(view);
    for (const property of own.get(d.name) ?? []) checkReference(type, property);
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
    textIndexes,
    ...sortMethods(source.methods),
    type: (name) => types.get(name),
    typeOf: (entity) => types.get(entity.type) ?? (entity.kind === 'node' ? fallbackNode : fallbackRelationship),
  };
}

async function addTraits(source: SchemaSource, drafts: Map<string, Draft>, slice: TimeSlice): Promise<void> {
  for (const t of source.builtinTraits) addTrait(drafts, t, true);
  const names = new Set(source.traits.map((t) => t.name));
  for (const t of source.traits) {
    if (slice.due) await slice.pause();
    checkParents(drafts, names, t);
    addTrait(drafts, t, false);
  }
}

async function addRelations(
  source: SchemaSource,
  drafts: Map<string, Draft>,
  traitsOf: TraitsOf,
  slice: TimeSlice,
): Promise<void> {
  for (const t of source.traits) {
    if (slice.due) await slice.pause();
    if (!t.inherits.some((parent) => isMeta(traitsOf, parent))) continue;
    const detail = `type ${t.name} cannot inherit a schema type`;
    throw schemaProblem(t.name, 'inheritedTraits', 'invalid_property_reference', detail);
  }
  for (const r of source.builtinRelations) addRelation(drafts, traitsOf, r);
  // Given names first: an automatic one gives way to them, whatever the order of the definitions.
  const named = (r: RelationDefinition): boolean => r.sourceKey !== undefined || r.targetKey !== undefined;
  for (const r of [...source.relations.filter(named), ...source.relations.filter((r) => !named(r))]) {
    if (slice.due) await slice.pause();
    addRelation(drafts, traitsOf, r);
  }
}

async function check(drafts: Drafts, traitsOf: TraitsOf, slice: TimeSlice): Promise<void> {
  for (const d of drafts.values()) {
    if (slice.due) await slice.pause();
    if ((!d.builtin || d.schemaNodeId !== undefined) && d.kind === 'node') checkConflicts(drafts, d, traitsOf);
  }
  for (const d of drafts.values()) {
    if (slice.due) await slice.pause();
    checkRelationNames(drafts, d, traitsOf.get(d.name) ?? new Set());
  }
}

async function concreteTypes(drafts: Drafts, traitsOf: TraitsOf, slice: TimeSlice): Promise<Concrete> {
  const concrete = new Map<string, string[]>();
  for (const d of drafts.values()) {
    if (slice.due) await slice.pause();
    for (const t of traitsOf.get(d.name) ?? []) {
      let list = concrete.get(t);
      if (list === undefined) concrete.set(t, (list = []));
      if (!d.traitOnly && !d.isServiceClass) list.push(d.name);
    }
  }
  return concrete;
}

/** What traits declare themselves. */
interface OwnProperties {
  readonly own: ReadonlyMap<string, Property[]>;
  readonly indexes: readonly IndexDefinition[];
  readonly textIndexes: readonly TextIndexDefinition[];
}

/** The properties that each trait declares itself, and the indexes they need. */
async function ownProperties(
  { settings, written = false }: SchemaSource,
  drafts: Drafts,
  concrete: Concrete,
  slice: TimeSlice,
): Promise<OwnProperties> {
  const own = new Map<string, Property[]>();
  const indexes: IndexDefinition[] = [];
  const textIndexes = new Map<string, TextIndexDefinition>();
  for (const d of drafts.values()) {
    const list: Property[] = [];
    for (const definition of d.definitions.values()) {
      // One type may have thousands, and a pattern takes a while.
      if (slice.due) await slice.pause();
      const property = propertyOf(definition, d, settings);
      list.push(property);
      const index = indexOf(property, d, concrete);
      if (index !== undefined) indexes.push(index);
      const textIndex = textIndexOf(property, d, concrete);
      if (textIndex !== undefined) addTextIndex(textIndexes, textIndex, d.name, definition.name, written);
    }
    for (const end of d.relations) list.push(relationProperty(end, d, concrete));
    own.set(d.name, list);
  }
  return { own, indexes, textIndexes: [...textIndexes.values()] };
}

/** Of equal names the first counts. */
function addTextIndex(
  textIndexes: Map<string, TextIndexDefinition>,
  index: TextIndexDefinition,
  trait: string,
  property: string,
  written: boolean,
): void {
  const other = textIndexes.get(index.name);
  if (other === undefined) {
    textIndexes.set(index.name, index);
    return;
  }
  const problem = `${property} of ${trait} would have a full-text index named ${index.name}, as a property of ${other.label} has`;
  if (written) throw schemaProblem(trait, property, 'invalid_property_definition', problem);
  log.warn(`${problem}: it has none`);
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
