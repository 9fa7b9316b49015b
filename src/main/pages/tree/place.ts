/**
 * Nodes put into trees, moved and taken out of them, with the rights of the actor of the transaction. What may be below what, the order,
 * the pages of nodes and the versions of pages are the schema's rules (`schema/rules/pages/tree`), which all doors share.
 */
import type { GraphNode, PropertyMap } from '../../graph/index.js';
import { adopt, type ObjectTransaction } from '../../schema/index.js';
import {
  CHILDREN,
  isOf,
  link,
  markOf,
  PAGE,
  parentLink,
  refused,
  relatedOne,
  step,
  SYNC,
  unlink,
} from './relations.js';
import { placesBefore } from './siblings.js';

/** Puts a node behind the last child; one that has a parent moves. Throws `SchemaError`. */
export function appendChild(objects: ObjectTransaction, parent: GraphNode, child: GraphNode): Promise<void> {
  return insertAll(objects, parent, [child]);
}

/** Puts a node before a child; behind the last without one. Throws `SchemaError`. */
export function insertBefore(
  objects: ObjectTransaction,
  parent: GraphNode,
  child: GraphNode,
  before: GraphNode | undefined,
): Promise<void> {
  return insertAll(objects, parent, [child], before);
}

/** The same for several, in their order. `valuesOf`: what their links have of their own beside their places. */
export async function insertAll(
  objects: ObjectTransaction,
  parent: GraphNode,
  children: readonly GraphNode[],
  before?: GraphNode,
  valuesOf: (child: GraphNode) => PropertyMap = () => ({}),
): Promise<void> {
  await mayHaveChildren(objects, parent);
  // What stands before itself stays where it is.
  const list = children.filter(({ id }) => id !== before?.id);
  const places = before === undefined ? [] : await placesBefore(objects, parent, before, list.length);
  for (const [i, child] of list.entries()) {
    await objects.breathe();
    const position = places[i];
    await link(objects, CHILDREN, parent, child, {
      ...(position === undefined ? {} : { position }),
      ...valuesOf(child),
    });
  }
  await adopt(objects);
}

/** Puts a node in the place of a child, which goes to the recycle bin. Throws `SchemaError`. */
export async function replaceChild(
  objects: ObjectTransaction,
  parent: GraphNode,
  child: GraphNode,
  replaced: GraphNode,
): Promise<void> {
  if (child.id === replaced.id) return mustBeChild(objects, parent, child);
  await insertAll(objects, parent, [child], replaced);
  await removeChild(objects, parent, replaced);
}

/** Takes a child out of the page, with all below it: into the recycle bin. Throws `SchemaError` for what is no child. */
export async function removeChild(objects: ObjectTransaction, parent: GraphNode, child: GraphNode): Promise<void> {
  await mustBeChild(objects, parent, child);
  await removeNode(objects, child);
}

/** The same wherever a node is; a shared component leaves its references as they are, each by itself. */
export async function removeNode(objects: ObjectTransaction, node: GraphNode): Promise<void> {
  if (isOf(objects, node, 'Page')) throw refused(node, 'invalid_child', 'A page is not a part of a page.');
  const above = await parentLink(objects, node);
  if (above !== undefined) await unlink(objects, above.relationship);
  else {
    const [pages = []] = await objects.tx.links([node.id], step(objects, PAGE, 'out'));
    for (const { relationship } of pages) await unlink(objects, relationship);
  }
  await adopt(objects);
}

/** Puts a node into another one, which takes its place. Throws `SchemaError`. */
export async function wrapNode(objects: ObjectTransaction, node: GraphNode, wrapper: GraphNode): Promise<void> {
  const above = await parentLink(objects, node);
  if (above === undefined) throw refused(node, 'no_child', 'Node is not a child.');
  await insertBefore(objects, above.node, wrapper, node);
  // Whoever wraps a node leaves it where it was.
  await insertAll(objects, wrapper, [node], undefined, () => markOf(above.relationship));
}

/** The page that a node is in; undefined: it is in the recycle bin. */
export function ownerDocument(objects: ObjectTransaction, node: GraphNode): Promise<GraphNode | undefined> {
  return relatedOne(objects, node, PAGE, 'out');
}

/** Throws `SchemaError` for what is no child of this node. */
export async function mustBeChild(objects: ObjectTransaction, parent: GraphNode, child: GraphNode): Promise<void> {
  const above = await parentLink(objects, child);
  if (above?.node.id !== parent.id) throw refused(child, 'no_child', 'Node is not a child.');
}

/** What editors refuse, since it would not be seen, or not where it was put (docs/interface/pages.md 1.7). */
async function mayHaveChildren(objects: ObjectTransaction, parent: GraphNode): Promise<void> {
  const page = await ownerDocument(objects, parent);
  if (page === undefined) return;
  const inShadow = isOf(objects, page, 'ShadowDocument');
  const isTemplate = isOf(objects, parent, 'Template');
  if (inShadow && isTemplate && (await parentLink(objects, parent)) === undefined) {
    const message = 'A shared template has no children of its own: put them below what refers to it.';
    throw refused(parent, 'invalid_child', message);
  }
  if (!inShadow && !isTemplate && (await relatedOne(objects, parent, SYNC, 'in')) !== undefined) {
    const message = 'A reference to a shared component shows the children of the component: put them there.';
    throw refused(parent, 'invalid_child', message);
  }
}
