/** The types of the schema and their relations, as the whole area knows them (docs/interface/schema.md 2, docs/interface/rest.md 9.1). */
import { list, read, type Entity } from '../server/rest.js';
import type { TypeInfo } from '../server/schema.js';

/** A type of objects. */
export interface SchemaType {
  readonly name: string;
  /** Of its SchemaNode; absent: a built-in type that nobody has extended. */
  readonly id?: string;
  readonly isBuiltin: boolean;
  readonly isServiceClass: boolean;
  /** What it inherits by its own definition. */
  readonly inherits: readonly string[];
  /** All traits, its own last. */
  readonly traits: readonly string[];
}

/** A relation between two types, by their names. */
export interface Relation {
  readonly id: string;
  readonly name: string;
  readonly source: string;
  readonly target: string;
  readonly relationshipType: string;
  readonly sourceMultiplicity: string;
  readonly targetMultiplicity: string;
  readonly sourceJsonName: string;
  readonly targetJsonName: string;
  readonly permissionPropagation: string;
}

export interface Schema {
  /** Sorted by name. */
  readonly types: readonly SchemaType[];
  readonly relations: readonly Relation[];
}

/** Whom properties, methods, views and grants belong to: a type, or a relation. */
export interface Owner {
  readonly name: string;
  /** Of its SchemaNode or SchemaRelationshipNode; absent: a built-in type, which is named. */
  readonly id?: string;
  readonly isRelation: boolean;
}

interface Told extends TypeInfo {
  readonly traits: readonly string[];
}

/** Traits that every type of objects has; nobody inherits them by choice. */
const BASE: ReadonlySet<string> = new Set(['PropertyContainer', 'GraphObject', 'NodeInterface', 'AccessControllable']);
/** Whether a trait is one that every object has; it has no page of its own here. */
export const isBase = (name: string): boolean => BASE.has(name) || name === 'RelationshipInterface';
/** Types of which no other one may inherit (schema.md 1.1). */
export const isInternal = (name: string): boolean =>
  BASE.has(name) || /^(Abstract)?Schema[A-Z]/.test(name) || name === 'GenericNode';

/** Lists of the schema are read whole: the diagram and the search need all names. */
const WHOLE = { _disableSoftLimit: 1 };

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
export const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

/** All types that have objects or methods, and all relations that somebody has defined. */
export async function loadSchema(): Promise<Schema> {
  const [told, nodes, relations] = await Promise.all([
    read<readonly Told[]>('_schema'),
    list('SchemaNode', WHOLE, { properties: ['id', 'name', 'inheritedTraits', 'isServiceClass'] }),
    list('SchemaRelationshipNode', WHOLE, {
      properties: [
        ...['id', 'name', 'sourceId', 'targetId', 'sourceType', 'targetType', 'relationshipType'],
        ...['sourceMultiplicity', 'targetMultiplicity', 'sourceJsonName', 'targetJsonName', 'permissionPropagation'],
      ],
    }),
  ]);
  const byName = new Map(nodes.result.map((node) => [text(node.name), node]));
  const nameOf = new Map(nodes.result.map((node) => [node.id, text(node.name)]));
  const types = told
    .filter(({ name, isRel }) => !isRel && !BASE.has(name))
    .map((type): SchemaType => {
      const node = byName.get(type.name);
      return {
        name: type.name,
        ...(node === undefined ? {} : { id: node.id }),
        isBuiltin: type.isBuiltin,
        isServiceClass: type.isServiceClass,
        inherits: texts(node?.['inheritedTraits']),
        traits: type.traits,
      };
    })
    .sort((a, b) => a.name.localeCompare(b.name));
  return { types, relations: relations.result.map((entity) => relationOf(entity, nameOf)) };
}

function relationOf(entity: Entity, nameOf: ReadonlyMap<string, string>): Relation {
  const end = (id: unknown, type: unknown): string => nameOf.get(text(id)) ?? text(type);
  return {
    id: entity.id,
    name: text(entity.name),
    source: end(entity['sourceId'], entity['sourceType']),
    target: end(entity['targetId'], entity['targetType']),
    relationshipType: text(entity['relationshipType']),
    sourceMultiplicity: text(entity['sourceMultiplicity']) || '*',
    targetMultiplicity: text(entity['targetMultiplicity']) || '*',
    sourceJsonName: text(entity['sourceJsonName']),
    targetJsonName: text(entity['targetJsonName']),
    permissionPropagation: text(entity['permissionPropagation']) || 'None',
  };
}

/** Properties, methods or views of an owner, sorted by name; those that name a built-in type as well. */
export async function loadMembers(collection: string, owner: Owner): Promise<readonly Entity[]> {
  const query = { _sort: 'name', ...WHOLE };
  const [linked, named] = await Promise.all([
    owner.id === undefined ? undefined : list(`${collection}/all`, { ...query, schemaNode: owner.id }),
    owner.isRelation ? undefined : list(`${collection}/all`, { ...query, staticSchemaNodeName: owner.name }),
  ]);
  const found = [...(linked?.result ?? []), ...(named?.result ?? [])];
  return found.sort((a, b) => text(a.name).localeCompare(text(b.name)));
}

/** What a new member of an owner is created with. */
export const ownedBy = (owner: Owner): Readonly<Record<string, string>> =>
  owner.id === undefined ? { staticSchemaNodeName: owner.name } : { schemaNode: owner.id };
