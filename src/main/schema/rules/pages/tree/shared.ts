/** What a shared component and its references have in common: names, and texts of `Content` (docs/interface/pages.md 1.3, 1.7). */
import type { GraphNode, GraphRelationship, StoredValue } from '../../../../graph/index.js';
import type { ObjectTransaction } from '../../../writing/object-transaction.js';
import { SANDBOXED } from '../sandbox.js';
import { refusal } from './hierarchy.js';
import { inParts, stepsOf } from './links.js';
import { TreeReads } from './reads.js';
import type { TreeState } from './state.js';

const OF_CONTENT: ReadonlySet<string> = new Set(['name', 'content', 'contentType']);

/** Keeps `hasSharedComponent` as it is to be. */
export async function settleReferences(objects: ObjectTransaction, state: TreeState): Promise<void> {
  const { synced, written, created } = state.pending;
  for (const [id, values] of written) if (values.has('hasSharedComponent')) synced.add(id);
  for (const [id, { properties }] of created) if (properties['hasSharedComponent'] === true) synced.add(id);
  const reads = new TreeReads(objects, state);
  for (const part of inParts(synced)) {
    const found = await objects.tx.related(part, reads.steps.component, 1);
    const nodes = await objects.tx.nodes(part);
    await mustFit(
      reads,
      part.flatMap((id, i) => (found[i] ?? []).map((component): Pair => [id, component.id])),
    );
    for (const [i, node] of nodes.entries()) {
      await objects.breathe();
      const has = (found[i] ?? []).length > 0;
      if (node === undefined || (node.properties['hasSharedComponent'] === true) === has) continue;
      await objects.tx.updateNode(node.id, { hasSharedComponent: has });
    }
  }
}

type Pair = readonly [reference: string, component: string];

/** Throws `SchemaError` for pages, and when a component would have a reference to itself in it, in another that it has, or in its own. */
async function mustFit(reads: TreeReads, pairs: readonly Pair[]): Promise<void> {
  await reads.nodes(pairs.flat());
  for (const [reference, component] of pairs)
    for (const id of [reference, component])
      if (reads.has(id, 'Page'))
        throw refusal(reads, id, 'invalid_child', 'A page is no shared component, and stands for none.');
  await reads.pages(pairs.flat());
  await reads.nodes(pairs.flatMap(([id]) => reads.page(id) ?? []));
  for (const [reference, component] of pairs) {
    const page = reads.page(reference);
    // Elsewhere nothing is above it that it could show.
    if (page !== reads.page(component) && !reads.has(page, 'ShadowDocument')) continue;
    const seen = new Set<string>();
    for (let level = [reference]; level.length > 0;) {
      await reads.objects.breathe();
      for (const id of level) seen.add(id);
      if (seen.has(component))
        throw refusal(reads, component, 'circular_reference', 'A node cannot accept its own ancestor as child.');
      await reads.parents(level);
      const above = level.flatMap((id) => reads.parent(id) ?? []);
      const showing: string[] = [];
      for (const part of inParts(above))
        for (const one of (await reads.objects.tx.related(part, reads.steps.references)).flat()) showing.push(one.id);
      level = [...new Set([...above, ...showing])].filter((id) => !seen.has(id));
    }
  }
}

/** Copies what was written to all that share it. Throws `SchemaError` (forbidden) for who may not write the component. */
export async function settleShared(objects: ObjectTransaction, state: TreeState): Promise<void> {
  const { written } = state.pending;
  const ids = [...written].flatMap(([id, values]) =>
    !state.gone.has(id) && [...OF_CONTENT].some((key) => values.has(key)) ? [id] : [],
  );
  if (ids.length === 0) return;
  const { component, references } = stepsOf(objects.schema);
  for (const part of inParts(ids)) {
    const nodes = await objects.tx.nodes(part);
    const above = await objects.tx.related(part, component, 1);
    const below = await objects.tx.links(part, references);
    for (const [i, node] of nodes.entries()) {
      const values = written.get(part[i] ?? '');
      if (node === undefined || values === undefined) continue;
      await share(objects, state, node, values, above[i]?.[0], below[i] ?? []);
    }
  }
}

/** A node that gets the values, and whether they are somebody else's there. */
interface Reached {
  readonly node: GraphNode;
  readonly mark: boolean;
}

/** What stands for a component, and the link that says so. */
interface Reference {
  readonly node: GraphNode;
  readonly relationship: GraphRelationship;
}

async function share(
  objects: ObjectTransaction,
  state: TreeState,
  node: GraphNode,
  values: ReadonlyMap<string, StoredValue | null>,
  component: GraphNode | undefined,
  references: readonly Reference[],
): Promise<void> {
  const { schema } = objects;
  const isContent = (one: GraphNode): boolean => schema.typeOf(one).hasTrait('Content');
  const shared = Object.create(null) as Record<string, StoredValue | null>;
  for (const [key, value] of values)
    if (key === 'name' || (OF_CONTENT.has(key) && isContent(node))) shared[key] = value;
  const upwards = component !== undefined && isContent(node) && isContent(component);
  if (upwards) {
    const writer = objects.writerOf(node.id);
    if (!(await writer.may('write', component))) throw writer.notPermitted(component);
  }
  // References of the component are those beside this one, and may be components themselves.
  const { references: step } = stepsOf(schema);
  const mark = node.properties[SANDBOXED] === true;
  const seen = new Set([node.id]);
  /** Whoever has made a node stand for a component has written what it says from then on. */
  const reached = (one: Reference, marked: boolean): Reached => ({
    node: one.node,
    mark: marked || one.relationship.properties[SANDBOXED] === true,
  });
  const own = references.map((one) => reached(one, mark));
  // Another one of them may have been written before it: the last counts.
  await copyTo(objects, state, node.id, shared, false);
  for (let level = upwards ? [{ node: component, mark }, ...own] : own; level.length > 0;) {
    const next = new Map<string, boolean>();
    for (const { node: one, mark: isTheirs } of level) {
      if (seen.has(one.id) || state.gone.has(one.id)) continue;
      seen.add(one.id);
      await objects.breathe();
      await copyTo(objects, state, one.id, isContent(one) ? shared : { name: shared['name'] }, isTheirs);
      next.set(one.id, isTheirs);
    }
    level = [];
    for (const part of inParts(next.keys())) {
      const found = await objects.tx.links(part, step);
      part.forEach((id, i) => level.push(...(found[i] ?? []).map((one) => reached(one, next.get(id) === true))));
    }
  }
}

async function copyTo(
  objects: ObjectTransaction,
  state: TreeState,
  id: string,
  values: Readonly<Record<string, StoredValue | null | undefined>>,
  mark: boolean,
): Promise<void> {
  const node = await objects.tx.node(id);
  if (node === undefined) return;
  const changes: Record<string, StoredValue | null> = {};
  for (const key of Object.keys(values)) {
    const value = values[key];
    if (value !== undefined && (node.properties[key] ?? null) !== value) changes[key] = value;
  }
  if (Object.keys(changes).length === 0) return;
  // Who wrote it there wrote it here as well.
  if (mark && ('content' in changes || 'contentType' in changes)) changes[SANDBOXED] = true;
  objects.stamp(changes, false, node);
  await objects.tx.updateNode(node.id, changes);
  objects.touch(node.id);
  state.pending.modified.add(node.id);
}
