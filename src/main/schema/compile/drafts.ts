/** Traits while the schema is being put together: what definitions of one name add up to, and the relations they show. */
import type { CustomTrait, DefaultSort, RelationDefinition } from '../model/definitions.js';
import { schemaProblem } from '../model/errors.js';
import { META_RELATIONSHIPS, META_TYPES } from '../model/meta-types.js';
import { automaticSourceName, automaticTargetName } from '../model/names.js';
import type { PropertyDefinition } from '../model/property.js';

/** Traits that every type of a kind has, in order of application. */
export const NODE_BASE: readonly string[] = ['PropertyContainer', 'GraphObject', 'NodeInterface', 'AccessControllable'];
export const RELATIONSHIP_BASE: readonly string[] = ['PropertyContainer', 'GraphObject', 'RelationshipInterface'];

/** A relation as one of its ends shows it. */
export interface RelationEnd {
  readonly relation: RelationDefinition;
  readonly direction: 'out' | 'in';
  readonly name: string;
}

/** A trait while the schema is being put together. */
export interface Draft {
  readonly name: string;
  readonly kind: 'node' | 'relationship';
  inherits: string[];
  readonly definitions: Map<string, PropertyDefinition>;
  readonly relations: RelationEnd[];
  /** Names of `relations`, to look them up by. */
  readonly relationNames: Set<string>;
  readonly views: Map<string, string[]>;
  readonly viewOrder: Map<string, string>;
  traitOnly: boolean;
  builtin: boolean;
  isServiceClass: boolean;
  changelogDisabled: boolean;
  acceptsUnknownKeys: boolean;
  showsKeys: RegExp | undefined;
  /** Default visibility, when the type has one (docs/interface/security.md 9.6). */
  visibility: { readonly toPublic: boolean; readonly toUsers: boolean } | undefined;
  defaultSort: DefaultSort | undefined;
  schemaNodeId: string | undefined;
  relation: RelationDefinition | undefined;
}

/** Drafts by name. */
export type Drafts = ReadonlyMap<string, Draft>;
/** All traits of each type in order of application, its own last. */
export type TraitsOf = ReadonlyMap<string, ReadonlySet<string>>;

function draft(name: string, kind: Draft['kind'], builtin: boolean): Draft {
  return {
    name,
    kind,
    inherits: [],
    definitions: new Map(),
    relations: [],
    relationNames: new Set(),
    views: new Map(),
    viewOrder: new Map(),
    traitOnly: false,
    builtin,
    isServiceClass: false,
    changelogDisabled: false,
    acceptsUnknownKeys: false,
    showsKeys: undefined,
    visibility: undefined,
    defaultSort: undefined,
    schemaNodeId: undefined,
    relation: undefined,
  };
}

/** Adds a definition to the draft of its name. */
export function addTrait(drafts: Map<string, Draft>, trait: CustomTrait, builtin: boolean): void {
  let d = drafts.get(trait.name);
  if (!builtin && d?.builtin === true && trait.isServiceClass === true) {
    throw schemaProblem(
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
  // Direct traits of custom types apply in alphabetical order (docs/interface/schema.md 1).
  const inherits = builtin ? [...trait.inherits] : [...trait.inherits].sort();
  d.inherits = [...new Set([...d.inherits, ...inherits])];
  for (const p of trait.properties) d.definitions.set(p.name, p);
  for (const [view, keys] of Object.entries(trait.views)) {
    d.views.set(view, [...new Set([...(d.views.get(view) ?? []), ...keys])]);
  }
  for (const [view, order] of Object.entries(trait.viewOrder ?? {})) d.viewOrder.set(view, order);
  d.traitOnly = d.traitOnly || trait.traitOnly === true;
  d.isServiceClass = d.isServiceClass || trait.isServiceClass === true;
  d.changelogDisabled = d.changelogDisabled || trait.changelogDisabled === true;
  d.showsKeys ??= trait.showsKeys;
  d.acceptsUnknownKeys = d.acceptsUnknownKeys || trait.acceptsUnknownKeys === true;
  const [toPublic, toUsers] = [trait.defaultVisibleToPublic === true, trait.defaultVisibleToAuth === true];
  if (toPublic || toUsers) d.visibility = { toPublic, toUsers };
  d.defaultSort = trait.defaultSort ?? d.defaultSort;
  if (trait.schemaNodeId !== undefined) d.schemaNodeId = trait.schemaNodeId;
}

/** Adds the type of a relation, and the properties that show it to the drafts of its ends. */
export function addRelation(drafts: Map<string, Draft>, traitsOf: TraitsOf, relation: RelationDefinition): void {
  const source = drafts.get(relation.source);
  const target = drafts.get(relation.target);
  if (source === undefined || target === undefined) {
    const missing = source === undefined ? relation.source : relation.target;
    throw schemaProblem(
      relation.name,
      undefined,
      'invalid_property_definition',
      `${relation.name} refers to the unknown type ${missing}`,
    );
  }
  if (drafts.has(relation.name)) {
    throw schemaProblem(
      relation.name,
      'relationshipType',
      'duplicate_relationship_definition',
      `there is already a type ${relation.name}`,
    );
  }
  const custom = relation.builtin !== true;
  if (custom && META_RELATIONSHIPS.has(relation.relType) && [source, target].some((d) => isMeta(traitsOf, d.name))) {
    throw schemaProblem(
      relation.name,
      'relationshipType',
      'already_exists',
      `${relation.relType} between schema types is the service's own`,
    );
  }
  // A property appears on an end only when that end is a schema node (docs/interface/schema.md 9).
  if (relation.targetKey !== undefined || (custom && source.schemaNodeId !== undefined)) {
    const many = relation.targetMultiplicity !== '1';
    const base = relation.targetKey ?? automaticTargetName(relation.relType, relation.target, many);
    const name = relation.targetKey ?? freeName(drafts, traitsOf, source, base, 'Out');
    show(source, { relation, direction: 'out', name });
  }
  if (relation.sourceKey !== undefined || (custom && target.schemaNodeId !== undefined)) {
    const many = relation.sourceMultiplicity !== '1';
    const base = relation.sourceKey ?? automaticSourceName(relation.relType, relation.source, many);
    const name = relation.sourceKey ?? freeName(drafts, traitsOf, target, base, 'In');
    show(target, { relation, direction: 'in', name });
  }
  drafts.set(relation.name, relationshipType(relation));
}

function show(d: Draft, end: RelationEnd): void {
  d.relations.push(end);
  d.relationNames.add(end.name);
}

function relationshipType(relation: RelationDefinition): Draft {
  const d = draft(relation.name, 'relationship', relation.builtin === true);
  d.relation = relation;
  d.changelogDisabled = relation.changelogDisabled === true;
  d.schemaNodeId = relation.schemaNodeId;
  for (const p of relation.properties ?? []) d.definitions.set(p.name, p);
  for (const [view, keys] of Object.entries(relation.views ?? {})) d.views.set(view, [...keys]);
  for (const [view, order] of Object.entries(relation.viewOrder ?? {})) d.viewOrder.set(view, order);
  if (relation.builtin === true && relation.properties !== undefined) {
    for (const view of ['public', 'ui'])
      d.views.set(view, [...(d.views.get(view) ?? []), ...relation.properties.map((p) => p.name)]);
  }
  return d;
}

/** Whether a type is one of those that make up the schema; objects of a subtype would be half schema, half data. */
export function isMeta(traitsOf: TraitsOf, name: string): boolean {
  for (const trait of traitsOf.get(name) ?? []) {
    if (META_TYPES.has(trait) || trait === 'AbstractSchemaNode' || trait === 'SchemaReloadingNode') return true;
  }
  return false;
}

/** Whether a trait itself has a property of this name, inherited ones aside. */
export const declaresItself = (d: Draft | undefined, name: string): boolean =>
  d !== undefined && (d.definitions.has(name) || d.relationNames.has(name));

/** Whether a trait or one it inherits has a property of this name. */
function declares(drafts: Drafts, traitsOf: TraitsOf, owner: Draft, name: string): boolean {
  for (const trait of traitsOf.get(owner.name) ?? []) if (declaresItself(drafts.get(trait), name)) return true;
  return false;
}

function freeName(drafts: Drafts, traitsOf: TraitsOf, owner: Draft, base: string, suffix: string): string {
  if (!declares(drafts, traitsOf, owner, base)) return base;
  let name = base + suffix;
  for (let i = 2; declares(drafts, traitsOf, owner, name); i++) name = `${base}${suffix}${String(i)}`;
  return name;
}
