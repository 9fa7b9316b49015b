/** What a copy of a node has: its own values, what it links to, and who may do what with it (docs/interface/pages.md 1.4). */
import { SECURITY, type GraphNode, type PropertyMap } from '../../graph/index.js';
import {
  ALLOW_ALL,
  linkNodes,
  OF_OTHERS,
  SYSTEM,
  storedValue,
  type ObjectTransaction,
  type Property,
  type Type,
} from '../../schema/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import { isMarked } from '../model/stored-values.js';
import { link, LINK, markOf, step, SYNC } from './relations.js';

/** Never copied: of each object its own. */
const OWN: ReadonlySet<string> = new Set([
  'id',
  'type',
  'version',
  'hasSharedComponent',
  'data-svc-id',
  'data-svc-hash',
]);

const byType = new WeakMap<Type, readonly Property[]>();

/** Of nodes of pages what is in their views for editors, of all else everything. */
function copiedProperties(type: Type): readonly Property[] {
  let found = byType.get(type);
  if (found === undefined) {
    const views = type.hasTrait('DOMNode') ? ['ui', '_html_'] : ['all'];
    const all = views.flatMap((view) => type.views.get(view)?.properties ?? []);
    found = [...new Set(all)].filter(({ name, definition, kind }) => {
      const { readOnly, system, constant } = definition;
      return kind === 'value' && !OWN.has(name) && readOnly !== true && system !== true && constant !== true;
    });
    byType.set(type, found);
  }
  return found;
}

const isFree = (key: string): boolean => key.startsWith('data-') || key.startsWith('_custom_html_');

/** The values of a node that a copy has, as input. */
export function valuesOf(objects: ObjectTransaction, node: GraphNode): JsonObject {
  const type = objects.schema.typeOf(node);
  const input = Object.create(null) as JsonObject;
  for (const property of copiedProperties(type)) {
    if (property.kind !== 'value') continue;
    const stored = storedValue(node, property.key);
    if (stored !== undefined) input[property.name] = JSON.parse(property.toJson(stored)) as JsonValue;
  }
  for (const key of Object.keys(node.properties)) {
    const value = node.properties[key];
    if (isFree(key) && !OWN.has(key) && !(key in input) && value !== undefined) input[key] = value as JsonValue;
  }
  return input;
}

/** A new object with the values of another one that has no place in a tree. */
export function copyValues(objects: ObjectTransaction, node: GraphNode): Promise<GraphNode> {
  return objects.create(objects.schema.typeOf(node), valuesOf(objects, node), markOfNode(objects, node));
}

/**
 * A new node with the values of another, without parent, page and children. `refers`: to the shared component that the other refers to.
 * Nobody is trusted more by a copy: what was written by somebody who may not run scripts stays marked (`sandboxed`).
 */
export async function copyNode(
  objects: ObjectTransaction,
  node: GraphNode,
  { refers, name }: { readonly refers: boolean; readonly name?: string },
): Promise<GraphNode> {
  const type = objects.schema.typeOf(node);
  const input = valuesOf(objects, node);
  if (name !== undefined) input['name'] = name;
  const copy = await objects.create(type, input, markOfNode(objects, node));
  await copyLinks(objects, node, copy, type);
  if (refers) {
    const [of] = (await objects.tx.links([node.id], step(objects, SYNC, 'in'), 1))[0] ?? [];
    if (of !== undefined && (await objects.may('read', of.node)))
      await link(objects, SYNC, of.node, copy, markOf(of.relationship));
  }
  return copy;
}

function markOfNode(objects: ObjectTransaction, node: GraphNode): Given | undefined {
  return markedIf(objects, isMarked(node));
}

/** What a new object is given beside its values. */
interface Given {
  readonly id: string;
  readonly properties: PropertyMap;
}

/** The mark of a new node that somebody else has written, whoever makes it. */
export function markedIf(objects: ObjectTransaction, isOfOthers: boolean): Given | undefined {
  return isOfOthers ? { id: objects.newId(), properties: OF_OTHERS } : undefined;
}

async function copyLinks(objects: ObjectTransaction, node: GraphNode, copy: GraphNode, type: Type): Promise<void> {
  const linkable = type.properties.get('linkable');
  if (linkable?.kind === 'relation') {
    const [to] = (await objects.tx.links([node.id], linkable.step, 1))[0] ?? [];
    if (to !== undefined && (await objects.may('read', to.node)))
      await link(objects, LINK, copy, to.node, markOf(to.relationship));
  }
  const grant = objects.schema.relations.get('Security');
  const [grants = []] = await objects.tx.links([node.id], { relType: SECURITY, direction: 'in' });
  const others = grants.filter(({ node: { id } }) => id !== objects.actor.id);
  if (grant === undefined || others.length === 0) return;
  // The copier need not see everybody who may read what he copies.
  const service = objects.as(SYSTEM, ALLOW_ALL);
  for (const { node: principal, relationship } of others) {
    const { allowed } = relationship.properties;
    if (allowed !== undefined) await linkNodes(service, grant, principal, copy, { allowed });
  }
}
