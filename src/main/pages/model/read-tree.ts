/** Reads the tree below a node, level by level, so that a page costs a few questions to the graph whatever its size. */
import { TimeSlice } from '../../../shared/time-slice.js';
import type { GraphNode, ReadTransaction, Step } from '../../graph/index.js';
import { HttpError } from '../../http/index.js';
import { DEEPEST_PAGE, DEEPEST_TREE, typesOf, type Schema } from '../../schema/index.js';
import { readActions, type NodeActions } from './action-mapping.js';
import type { NodeKind, PageNode } from './page-node.js';
import { reloadedBySelector } from './reload-selectors.js';
import { isMarked, textIn } from './stored-values.js';

/** Nodes and levels of one tree, shared components included. */
export const MOST_NODES = 100_000;
export const DEEPEST = DEEPEST_PAGE;

/** A page that is too large, or in itself. */
export class TreeError extends HttpError {
  constructor(message: string) {
    super(500, message);
  }
}

/** A tree, and what it was made of: when one of these changes, it is another. */
export interface Tree {
  readonly root: PageNode;
  readonly byId: ReadonlyMap<string, PageNode>;
  /** Ids of all nodes in it, of shared components, what links lead to with the folders above, and action mappings with what belongs to them. */
  readonly ids: ReadonlySet<string>;
}

interface Draft {
  readonly kind: NodeKind;
  readonly node: GraphNode;
  parent: Draft | undefined;
  readonly children: Draft[];
  isPlacedByOthers: boolean;
  component: Draft | undefined;
  isReferenceOfOthers: boolean;
  link: GraphNode | undefined;
  isLinkOfOthers: boolean;
  hasFlow?: boolean;
  actions: NodeActions | undefined;
}

const CHILDREN: Step = { relType: 'CONTAINS', direction: 'out' };
const PARENT: Step = { relType: 'CONTAINS', direction: 'in' };
const COMPONENT: Step = { relType: 'SYNC', direction: 'in' };
const FLOW: Step = { relType: 'FLOW', direction: 'out' };
const LINK: Step = { relType: 'LINK', direction: 'out' };

function kindOf(node: GraphNode, schema: Schema): NodeKind | undefined {
  const type = schema.typeOf(node);
  if (type.hasTrait('Page')) return 'page';
  if (type.hasTrait('Template')) return 'template';
  if (type.hasTrait('Comment')) return 'comment';
  if (type.hasTrait('Content')) return 'content';
  return type.hasTrait('DOMElement') ? 'element' : undefined;
}

/** The tree below `root`. Throws `TreeError` for one that is too large, or too deep. */
export async function readTree(tx: ReadTransaction, schema: Schema, root: GraphNode): Promise<Tree> {
  const ids = new Set<string>();
  const known = new Map<string, Draft>();
  const draft = (node: GraphNode): Draft | undefined => {
    const kind = kindOf(node, schema);
    if (kind === undefined) return undefined;
    const made: Draft = {
      kind,
      node,
      parent: undefined,
      children: [],
      isPlacedByOthers: false,
      component: undefined,
      isReferenceOfOthers: false,
      link: undefined,
      isLinkOfOthers: false,
      actions: undefined,
    };
    known.set(node.id, made);
    ids.add(node.id);
    if (known.size > MOST_NODES) throw new TreeError(`${titleOf(root)} has more than ${String(MOST_NODES)} nodes.`);
    return made;
  };
  const first = draft(root);
  if (first === undefined) throw new TreeError(`${titleOf(root)} is no node of a page.`);
  if (first.kind !== 'page') {
    const [[above] = []] = await tx.links([root.id], PARENT, 1);
    first.isPlacedByOthers = above !== undefined && isMarked(above.relationship);
  }
  const slice = new TimeSlice();
  let level: Draft[] = [first];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) throw new TreeError(`${titleOf(root)} has more than ${String(DEEPEST)} levels.`);
    level = await nextLevel(tx, level, known, draft, ids, slice);
  }
  await readFolders(tx, schema, known.values(), ids);
  await readFlows(tx, known.values());
  const elements = [...known.values()].filter(({ kind }) => kind === 'element');
  const actions = await readActions(
    tx,
    schema,
    elements.map(({ node }) => node.id),
    (id) => ids.add(id),
  );
  const reloaded = reloadedBySelector(elements.map(({ node }) => node));
  for (const one of elements) {
    if (slice.due) await slice.pause();
    const of = actions.get(one.node.id);
    one.actions = reloaded.has(one.node.id) ? { mapping: undefined, isInput: false, ...of, isTarget: true } : of;
  }
  return { root: first, byId: known, ids };
}

/** Nodes below those of a level, and the shared components that these stand for, unless they are known already. */
async function nextLevel(
  tx: ReadTransaction,
  level: readonly Draft[],
  known: ReadonlyMap<string, Draft>,
  draft: (node: GraphNode) => Draft | undefined,
  ids: Set<string>,
  slice: TimeSlice,
): Promise<Draft[]> {
  const at = level.map(({ node }) => node.id);
  const [children, components, links] = await Promise.all([
    tx.links(at, CHILDREN),
    tx.links(at, COMPONENT, 1),
    tx.links(at, LINK, 1),
  ]);
  const next: Draft[] = [];
  for (const [i, one] of level.entries()) {
    const ordered = [...(children[i] ?? [])].sort(
      (a, b) => position(a.relationship.properties) - position(b.relationship.properties),
    );
    for (const { node, relationship } of ordered) {
      if (slice.due) await slice.pause();
      // A node has one place: what is in two is in the first.
      if (known.has(node.id)) continue;
      const child = draft(node);
      if (child === undefined) continue;
      child.parent = one;
      child.isPlacedByOthers = isMarked(relationship);
      one.children.push(child);
      next.push(child);
    }
    if (slice.due) await slice.pause();
    const link = links[i]?.[0];
    if (link !== undefined) {
      one.link = link.node;
      one.isLinkOfOthers = isMarked(link.relationship);
      ids.add(link.node.id);
    }
    const component = components[i]?.[0];
    if (component === undefined) continue;
    one.isReferenceOfOthers = isMarked(component.relationship);
    let shared = known.get(component.node.id);
    if (shared === undefined) {
      shared = draft(component.node);
      if (shared !== undefined) next.push(shared);
    }
    one.component = shared;
  }
  return next;
}

/** Folders above linked files: the paths of these are theirs. */
async function readFolders(
  tx: ReadTransaction,
  schema: Schema,
  nodes: Iterable<Draft>,
  ids: Set<string>,
): Promise<void> {
  const above: Step = { relType: 'CONTAINS', direction: 'in', ...typesOf(schema, 'Folder') };
  const files = new Set<string>();
  for (const { link } of nodes) {
    if (link !== undefined && schema.typeOf(link).hasTrait('AbstractFile')) files.add(link.id);
  }
  let level = [...files];
  for (let depth = 0; level.length > 0 && depth < DEEPEST_TREE; depth++) {
    const folders = await tx.related(level, above, 1);
    level = [...new Set(folders.flat().map(({ id }) => id))].filter((id) => !ids.has(id));
    for (const id of level) ids.add(id);
  }
}

/** Of repeaters without a source of their own. */
async function readFlows(tx: ReadTransaction, nodes: Iterable<Draft>): Promise<void> {
  const asked = [...nodes].filter(({ node }) => {
    const has = (key: string): boolean => textIn(node, key).trim() !== '';
    return has('dataKey') && !has('functionQuery') && !has('cypherQuery');
  });
  if (asked.length === 0) return;
  const flows = await tx.related(
    asked.map(({ node }) => node.id),
    FLOW,
    1,
  );
  for (const [i, one] of asked.entries()) one.hasFlow = (flows[i] ?? []).length > 0;
}

function position(properties: GraphNode['properties']): number {
  const value = properties['position'];
  return typeof value === 'number' ? value : Number.MAX_SAFE_INTEGER;
}

function titleOf({ type, id, properties }: GraphNode): string {
  const { name } = properties;
  return `${type} ${typeof name === 'string' && name !== '' ? name : id}`;
}
