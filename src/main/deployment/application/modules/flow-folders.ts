/** Flows become folders: one for each, its nodes, relationships and configurations in folders of their own below (docs/interface/deployment.md 2.8). */
import { OWNS, SECURITY, type GraphNode, type GraphRelationship } from '../../../graph/index.js';
import { dynamicProperties, inParts, typesOf, type Type } from '../../../schema/index.js';
import type { JsonObject } from '../../../../shared/json/index.js';
import { prettyJsonWithoutNulls } from '../../tree/json-styles.js';
import { fileNamed } from '../../tree/target.js';
import { valuesOf } from '../list-section.js';
import { allOf, type Exporting } from '../section.js';
import { CHILDREN, FLOWS, SCRIPTS } from './flow-files.js';
import { packagePaths } from './package-paths.js';

const FLAGS = ['visibleToAuthenticatedUsers', 'visibleToPublicUsers'];
const BASE = ['id', 'type', 'name', ...FLAGS];
const OF_FLOWS = ['FlowBaseNode', 'FlowContainer'];
/** Relationships that are told otherwise, or lead to users. */
const APART: ReadonlySet<string> = new Set([OWNS, SECURITY, 'CONTAINS_FLOW', 'BELONGS_TO']);

export async function writeFlows(exporting: Exporting): Promise<void> {
  const { tx, schema, out } = exporting;
  const containers = await allOf(tx, schema, 'FlowContainer');
  const folders = await foldersOf(exporting, containers);
  const files = new Map<string, string>();
  const homes = new Map<string, string>();
  const add = (path: string, entry: JsonObject): void => {
    files.set(path, prettyJsonWithoutNulls(entry));
  };
  for (const part of inParts(containers)) {
    const ids = part.map(({ id }) => id);
    const [nodes, configurations] = await Promise.all([
      tx.related(ids, { relType: 'FLOW_CONTAINER', direction: 'out', ...typesOf(schema, 'FlowBaseNode') }),
      tx.related(ids, { relType: 'CONTAINS_CONFIGURATION_FOR', direction: 'in' }),
    ]);
    for (const [i, container] of part.entries()) {
      const folder = folders.get(container.id) ?? '';
      homes.set(container.id, folder);
      add(`${folder}/flow-container.json`, entryOf(exporting, container));
      for (const node of nodes[i] ?? []) {
        homes.set(node.id, folder);
        const { entry, scripts } = withoutScripts(entryOf(exporting, node));
        add(`${folder}/nodes/${node.id}/node.json`, entry);
        for (const [name, text] of scripts) files.set(`${folder}/nodes/${node.id}/scripts/${name}`, text);
      }
      for (const one of configurations[i] ?? []) add(`${folder}/config/${one.id}/config.json`, entryOf(exporting, one));
    }
  }
  for (const { id, type, relType, sourceId, targetId } of await linksOf(exporting, homes)) {
    const folder = homes.get(sourceId) ?? homes.get(targetId) ?? '';
    add(`${folder}/rels/${id}/rel.json`, { id, type, relType, sourceId, targetId });
  }
  await out.keepOnly(FLOWS, files.keys());
  for (const [path, text] of files) await out.text(path, text);
}

/** The folder of each flow: those of the packages that it lies in, and its own. */
async function foldersOf(
  { tx, schema }: Exporting,
  containers: readonly GraphNode[],
): Promise<ReadonlyMap<string, string>> {
  const paths = await packagePaths({ tx, schema }, await allOf(tx, schema, 'FlowContainerPackage'));
  const packages = await tx.related(
    containers.map(({ id }) => id),
    { relType: 'CONTAINS_FLOW', direction: 'in' },
    1,
  );
  const folders = new Map<string, string>();
  const taken = new Set<string>();
  for (const [i, { id, properties }] of containers.entries()) {
    const names = [...(paths.get(packages[i]?.[0]?.id ?? '') ?? []), String(properties['name'])];
    const folder = `${FLOWS}/${names.map((name) => fileNamed(name, 'The flow')).join(`/${CHILDREN}/`)}`;
    // Two of one name: the folder of the second says its id, and the file in it the name.
    const own = taken.has(folder) ? `${folder}-${id}` : folder;
    taken.add(own);
    folders.set(id, own);
  }
  return folders;
}

function entryOf({ schema }: Exporting, node: GraphNode): JsonObject {
  return valuesOf(schema, node, keysOf(schema.typeOf(node)));
}

const known = new WeakMap<Type, readonly string[]>();

/** What a type of flows has of its own. */
function keysOf(type: Type): readonly string[] {
  let keys = known.get(type);
  if (keys === undefined) {
    const own = [...type.properties.values()].filter(
      (one) => one.kind === 'value' && one.declaringTrait.startsWith('Flow') && one.name !== 'scheduledForIndexing',
    );
    keys = [...new Set([...BASE, ...own.map(({ name }) => name), ...dynamicProperties(type).map(({ name }) => name)])];
    known.set(type, keys);
  }
  return keys;
}

function withoutScripts(values: JsonObject): {
  readonly entry: JsonObject;
  readonly scripts: readonly (readonly [name: string, text: string])[];
} {
  const scripts: (readonly [string, string])[] = [];
  const entry: JsonObject = {};
  for (const [key, value] of Object.entries(values)) {
    if (SCRIPTS.includes(key) && typeof value === 'string') scripts.push([key, value]);
    else entry[key] = value;
  }
  return { entry, scripts };
}

/** All relationships of these nodes, each once. */
async function linksOf({ tx, schema }: Exporting, homes: ReadonlyMap<string, string>): Promise<GraphRelationship[]> {
  const links = new Map<string, GraphRelationship>();
  const relTypes = new Set<string>();
  for (const { relType, source, target } of schema.relations.values()) {
    const isOfFlows = [source, target].some((end) => OF_FLOWS.some((trait) => schema.type(end)?.hasTrait(trait)));
    if (isOfFlows && !APART.has(relType)) relTypes.add(relType);
  }
  for (const part of inParts([...homes.keys()])) {
    for (const relType of relTypes) {
      for (const direction of ['out', 'in'] as const) {
        for (const { relationship } of (await tx.links(part, { relType, direction })).flat())
          links.set(relationship.id, relationship);
      }
    }
  }
  return [...links.values()];
}
