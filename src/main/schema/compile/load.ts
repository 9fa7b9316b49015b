/**
 * Reads the schema objects of the graph (SchemaNode, SchemaProperty, SchemaView, SchemaRelationshipNode) and
 * turns them into definitions for the compiler.
 */
import type { GraphNode, ReadTransaction, Step } from '../../graph/index.js';
import type { CustomTrait, MethodDefinition, Multiplicity, RelationDefinition } from '../model/definitions.js';
import { SchemaError } from '../model/errors.js';
import { relationTypeName } from '../model/names.js';
import type { PropertyDefinition } from '../model/property.js';
import { isLifecycleName } from '../model/lifecycle-names.js';

/* Steps name exact types: only real schema objects are read, whatever else is linked by relationships of these names. */
const HAS_PROPERTY: Step = { relType: 'HAS_PROPERTY', direction: 'out', types: ['SchemaProperty'] };
const HAS_VIEW: Step = { relType: 'HAS_VIEW', direction: 'out', types: ['SchemaView'] };
const VIEW_PROPERTY: Step = { relType: 'HAS_VIEW_PROPERTY', direction: 'out', types: ['SchemaProperty'] };
const EXCLUDED: Step = { relType: 'IS_EXCLUDED_FROM_VIEW', direction: 'out', types: ['SchemaProperty'] };
const RELATED_OUT: Step = { relType: 'IS_RELATED_TO', direction: 'out', types: ['SchemaNode'] };
const RELATED_IN: Step = { relType: 'IS_RELATED_TO', direction: 'in', types: ['SchemaNode'] };

function text(node: GraphNode, key: string): string | undefined {
  const value = node.properties[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
const flag = (node: GraphNode, key: string): boolean => node.properties[key] === true;
function strings(node: GraphNode, key: string): string[] {
  const value = node.properties[key];
  return Array.isArray(value) ? value.map(String) : [];
}

const BOOLEAN_KEYS = ['notNull', 'unique', 'compound', 'indexed', 'fulltext', 'readOnly', 'isAbstract'] as const;
const WRAP_KEYS = ['readFunctionWrapJS', 'writeFunctionWrapJS'] as const;
const TEXT_KEYS = [
  'dbName',
  'format',
  'typeHint',
  'defaultValue',
  'hint',
  'category',
  'fqcn',
  'readFunction',
  'writeFunction',
  'openAPIReturnType',
] as const;

/** A SchemaProperty as a definition. */
export function toDefinition(node: GraphNode): PropertyDefinition {
  const definition: Record<string, unknown> = {
    name: text(node, 'name') ?? '',
    propertyType: text(node, 'propertyType') ?? '',
    schemaPropertyId: node.id,
    serializationDisabled: flag(node, 'isSerializationDisabled'),
    cachingEnabled: flag(node, 'isCachingEnabled'),
  };
  // True unless it was switched off (docs/interface/schema.md 2.2).
  for (const key of WRAP_KEYS) definition[key] = node.properties[key] !== false;
  for (const key of BOOLEAN_KEYS) definition[key] = flag(node, key);
  for (const key of TEXT_KEYS) {
    const value = text(node, key);
    if (value !== undefined) definition[key] = value;
  }
  return definition as unknown as PropertyDefinition;
}

interface Parts {
  properties: PropertyDefinition[];
  views: Record<string, string[]>;
  viewOrder: Record<string, string>;
}

export interface Definitions {
  readonly traits: CustomTrait[];
  readonly relations: RelationDefinition[];
  readonly methods: MethodDefinition[];
}

/** Definitions in the graph, as one transaction sees them. Throws `SchemaError` for what makes no sense. */
export async function loadDefinitions(tx: ReadTransaction): Promise<Definitions> {
  const all = (type: string): Promise<GraphNode[]> => tx.find({ kind: 'nodes', trait: type, types: [type] });
  const schemaNodes = await all('SchemaNode');
  const relationNodes = await all('SchemaRelationshipNode');
  const owners = [...schemaNodes, ...relationNodes];
  const propertiesOf = await tx.related(
    owners.map((o) => o.id),
    HAS_PROPERTY,
  );
  const viewsOf = await tx.related(
    owners.map((o) => o.id),
    HAS_VIEW,
  );
  const parts = new Map<string, Parts>();
  for (const [i, owner] of owners.entries()) {
    parts.set(owner.id, await collect(tx, propertiesOf[i] ?? [], viewsOf[i] ?? []));
  }

  const traits: CustomTrait[] = schemaNodes.map((node) => ({
    name: text(node, 'name') ?? '',
    inherits: strings(node, 'inheritedTraits'),
    isServiceClass: flag(node, 'isServiceClass'),
    changelogDisabled: flag(node, 'changelogDisabled'),
    defaultVisibleToPublic: flag(node, 'defaultVisibleToPublic'),
    defaultVisibleToAuth: flag(node, 'defaultVisibleToAuth'),
    schemaNodeId: node.id,
    ...defaultSortOf(node),
    ...(parts.get(node.id) ?? { properties: [], views: {} }),
  }));
  traits.push(...(await staticExtensions(tx, await all('SchemaProperty'), await all('SchemaView'))));

  const sources = await tx.related(
    relationNodes.map((r) => r.id),
    RELATED_IN,
    1,
  );
  const targets = await tx.related(
    relationNodes.map((r) => r.id),
    RELATED_OUT,
    1,
  );
  const relations = relationNodes.map((node, i) =>
    toRelation(
      node,
      end(node, sources[i]?.[0], 'sourceType'),
      end(node, targets[i]?.[0], 'targetType'),
      parts.get(node.id),
    ),
  );
  return { traits, relations, methods: await loadMethods(tx, await all('SchemaMethod')) };
}

function defaultSortOf(node: GraphNode): Pick<CustomTrait, 'defaultSort'> {
  const property = text(node, 'defaultSortKey');
  return property === undefined
    ? {}
    : { defaultSort: { property, descending: text(node, 'defaultSortOrder')?.toLowerCase() === 'desc' } };
}

async function loadMethods(tx: ReadTransaction, nodes: readonly GraphNode[]): Promise<MethodDefinition[]> {
  const owners = await tx.related(
    nodes.map((n) => n.id),
    { relType: 'HAS_METHOD', direction: 'in' },
    1,
  );
  const parameters = await tx.related(
    nodes.map((n) => n.id),
    { relType: 'HAS_PARAMETER', direction: 'out', types: ['SchemaMethodParameter'] },
  );
  return nodes.map((node, i) => {
    const linked = owners[i]?.[0];
    const name = text(node, 'name') ?? '';
    const owner = linked === undefined ? text(node, 'staticSchemaNodeName') : text(linked, 'name');
    // A built-in type that is extended by a method alone has no lifecycle methods (docs/interface/schema.md 3).
    const isLifecycle = linked !== undefined && isLifecycleName(name);
    return {
      id: node.id,
      name,
      owner,
      httpVerb: text(node, 'httpVerb') ?? 'POST',
      isStatic: flag(node, 'isStatic'),
      isPrivate: flag(node, 'isPrivate') || (owner !== undefined && isLifecycleName(name)),
      isLifecycle,
      source: text(node, 'source') ?? '',
      parameters: [...(parameters[i] ?? [])]
        .sort((a, b) => indexOf(a) - indexOf(b))
        .map((one) => ({ name: text(one, 'name') ?? '', type: text(one, 'parameterType') ?? '' })),
      wrapped: node.properties['wrapJsInMain'] !== false,
      returnRawResult: flag(node, 'returnRawResult'),
    };
  });
}

const indexOf = (parameter: GraphNode): number => Number(parameter.properties['index'] ?? 0);

async function collect(
  tx: ReadTransaction,
  properties: readonly GraphNode[],
  views: readonly GraphNode[],
): Promise<Parts> {
  const none = (): Record<string, never> => Object.create(null) as Record<string, never>;
  const result: Parts = { properties: properties.map(toDefinition), views: none(), viewOrder: none() };
  if (views.length === 0) return result;
  const linked = await tx.related(
    views.map((v) => v.id),
    VIEW_PROPERTY,
  );
  const excluded = await tx.related(
    views.map((v) => v.id),
    EXCLUDED,
  );
  for (const [i, view] of views.entries()) {
    const name = text(view, 'name');
    if (name === undefined) continue;
    const without = new Set((excluded[i] ?? []).map((p) => text(p, 'name')));
    const listed = (text(view, 'nonGraphProperties') ?? '')
      .split(',')
      .map((k) => k.trim())
      .filter((k) => k !== '');
    const keys = [...(linked[i] ?? []).map((p) => text(p, 'name') ?? ''), ...listed];
    // Two views of one name show what either shows.
    result.views[name] = [...(result.views[name] ?? []), ...keys.filter((k) => !without.has(k))];
    const order = text(view, 'sortOrder');
    if (order !== undefined) result.viewOrder[name] = order;
  }
  return result;
}

/** Properties and views that extend a built-in type by name (`staticSchemaNodeName`). */
async function staticExtensions(
  tx: ReadTransaction,
  properties: readonly GraphNode[],
  views: readonly GraphNode[],
): Promise<CustomTrait[]> {
  const byName = new Map<string, { properties: GraphNode[]; views: GraphNode[] }>();
  const add = (node: GraphNode, list: 'properties' | 'views'): void => {
    const name = text(node, 'staticSchemaNodeName');
    if (name === undefined) return;
    let entry = byName.get(name);
    if (entry === undefined) byName.set(name, (entry = { properties: [], views: [] }));
    entry[list].push(node);
  };
  for (const p of properties) add(p, 'properties');
  for (const v of views) add(v, 'views');
  const result: CustomTrait[] = [];
  for (const [name, entry] of byName) {
    result.push({ name, inherits: [], staticExtension: true, ...(await collect(tx, entry.properties, entry.views)) });
  }
  return result;
}

function end(node: GraphNode, linked: GraphNode | undefined, key: 'sourceType' | 'targetType'): string {
  const name = (linked === undefined ? undefined : text(linked, 'name')) ?? text(node, key);
  if (name !== undefined) return name;
  throw new SchemaError(`Invalid schema: relationship ${text(node, 'relationshipType') ?? node.id} has no ${key}`, [
    {
      type: 'SchemaRelationshipNode',
      property: key === 'sourceType' ? 'sourceNode' : 'targetNode',
      token: 'must_not_be_empty',
    },
  ]);
}

function toRelation(node: GraphNode, source: string, target: string, parts: Parts | undefined): RelationDefinition {
  const relType = text(node, 'relationshipType') ?? '';
  const multiplicity = (key: string): Multiplicity => (text(node, key) === '1' ? '1' : '*');
  const number = (key: string): number => Number(node.properties[key] ?? 0);
  const optional: Record<string, string> = {};
  const names: readonly (readonly [string, string])[] = [
    ['sourceKey', 'sourceJsonName'],
    ['targetKey', 'targetJsonName'],
    ['sourceNotion', 'sourceNotion'],
    ['targetNotion', 'targetNotion'],
    ['permissionPropagation', 'permissionPropagation'],
    ['readPropagation', 'readPropagation'],
    ['writePropagation', 'writePropagation'],
    ['deletePropagation', 'deletePropagation'],
    ['accessControlPropagation', 'accessControlPropagation'],
  ];
  for (const [field, key] of names) {
    const value = text(node, key);
    if (value !== undefined) optional[field] = value;
  }
  return {
    name: relationTypeName(source, relType, target),
    source,
    target,
    relType,
    sourceMultiplicity: multiplicity('sourceMultiplicity'),
    targetMultiplicity: multiplicity('targetMultiplicity'),
    cascadingDelete: number('cascadingDeleteFlag'),
    autocreation: number('autocreationFlag'),
    properties: parts?.properties ?? [],
    views: parts?.views ?? {},
    viewOrder: parts?.viewOrder ?? {},
    changelogDisabled: flag(node, 'changelogDisabled'),
    schemaNodeId: node.id,
    ...optional,
  };
}
