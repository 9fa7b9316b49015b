/** Shared components: nodes without parent in a hidden page of their own, and what stands for them elsewhere (docs/interface/pages.md 1.7). */
import type { GraphNode } from '../../graph/index.js';
import { adopt, ALLOW_ALL, OF_OTHERS, SYSTEM, typesOf, type ObjectTransaction } from '../../schema/index.js';
import { childrenOf } from './clone.js';
import { copyNode } from './copies.js';
import { insertBefore, ownerDocument } from './place.js';
import {
  CHILDREN,
  isOf,
  link,
  PAGE,
  parentLink,
  placedByOthers,
  refused,
  relatedOne,
  SYNC,
  typeNamed,
} from './relations.js';

const SHADOW = 'ShadowDocument';

/** The page of shared components, made when there is none. */
export async function shadowDocument(objects: ObjectTransaction): Promise<GraphNode> {
  const types = typesOf(objects.schema, SHADOW);
  const [found] = await objects.tx.find({ kind: 'nodes', trait: SHADOW, ...types, limit: 1 });
  if (found !== undefined) return found;
  const type = typeNamed(objects, SHADOW);
  // It is nobody's, whoever needs it first.
  const flags = { hidden: true, visibleToAuthenticatedUsers: true };
  return objects.as(SYSTEM, ALLOW_ALL).create(type, { name: '__ShadowDocument__', ...flags });
}

/**
 * Makes a shared component of a node, which stands for it from now on; what is below it moves there, but not of templates. Needs the right to
 * write the shadow document. Throws `SchemaError`.
 */
export async function createComponent(objects: ObjectTransaction, node: GraphNode): Promise<GraphNode> {
  if (isOf(objects, node, 'Page')) throw refused(node, 'invalid_child', 'A page cannot be a shared component.');
  if ((await relatedOne(objects, node, SYNC, 'in')) !== undefined)
    throw refused(node, 'already_taken', 'This node stands for a shared component already.');
  const shadow = await shadowDocument(objects);
  const component = await copyNode(objects, node, { refers: false });
  await link(objects, PAGE, component, shadow);
  if (!isOf(objects, node, 'Template')) {
    const [children = []] = await childrenOf(objects, [node]);
    const placed = await placedByOthers(objects, [node]);
    for (const [position, child] of children.entries()) {
      await objects.breathe();
      await link(objects, CHILDREN, component, child, { position, ...(placed.has(child.id) ? OF_OTHERS : {}) });
    }
  }
  await link(objects, SYNC, component, node);
  await adopt(objects);
  return component;
}

/** Puts a node that stands for a shared component into a tree. Throws `SchemaError`. */
export async function insertComponent(
  objects: ObjectTransaction,
  parent: GraphNode,
  component: GraphNode,
  before?: GraphNode,
): Promise<GraphNode> {
  const page = await ownerDocument(objects, component);
  const isShared =
    page !== undefined && isOf(objects, page, SHADOW) && (await parentLink(objects, component)) === undefined;
  if (!isShared) throw refused(component, 'object_not_found', 'This node is no shared component.');
  const reference = await copyNode(objects, component, { refers: false });
  await link(objects, SYNC, component, reference);
  await insertBefore(objects, parent, reference, before);
  return reference;
}
