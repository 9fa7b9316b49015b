/** The page that a node is of: that of its parent; none for what was taken out of its page (docs/interface/pages.md 1.4, 1.7). */
import type { StoredValue } from '../../../../graph/index.js';
import type { ObjectTransaction } from '../../../writing/object-transaction.js';
import { checkHierarchy, NOT_OF_DOCUMENT, refusal } from './hierarchy.js';
import { inParts } from './links.js';
import { TreeReads } from './reads.js';
import type { TreeState } from './state.js';

/**
 * Gives all nodes that have moved, with what is below them, the page of their new place. Throws `SchemaError` when they must not be
 * there.
 */
export async function settleOwners(objects: ObjectTransaction, state: TreeState): Promise<void> {
  const { moved, owned } = state.pending;
  if (moved.size + owned.size === 0) return;
  const reads = new TreeReads(objects, state);
  const concerned = [...new Set([...moved, ...owned])].filter((id) => !state.gone.has(id));
  // A page that goes takes the place of all its nodes away; nothing else has to be known of them.
  const left = concerned.filter((id) => !moved.has(id) && lostWithPage(state, id));
  const asked = new Set(left);
  const rest = concerned.filter((id) => !asked.has(id));
  await reads.parents(rest);
  const parents = rest.flatMap((id) => reads.parent(id) ?? []);
  await reads.nodes([...rest, ...parents, ...rest.flatMap((id) => state.given.get(id) ?? [])]);
  await checkHierarchy(reads, moved);
  await reads.pages([...rest, ...parents]);
  const owners = new Owners(reads);
  for (const id of topDown(rest, reads)) {
    await objects.breathe();
    owners.place(id, moved.has(id));
  }
  await owners.descend();
  await owners.check(rest);
  await owners.write();
  await forgetReferences(reads, [...left, ...owners.outside(rest)]);
  for (const id of moved) state.pending.placed.add(id);
  moved.clear();
  owned.clear();
}

/** Whether a node has no page any more because that was deleted. */
function lostWithPage(state: TreeState, id: string): boolean {
  const before = state.pageBefore.get(id);
  return before !== undefined && state.gone.has(before) && state.page.get(id) === undefined;
}

/** Parents before their children, as far as both are in the list. */
function* topDown(ids: readonly string[], reads: TreeReads): Generator<string> {
  const waiting = new Set(ids);
  for (const id of ids) {
    const path: string[] = [];
    for (let at: string | undefined = id; at !== undefined && waiting.has(at); at = reads.parent(at)) {
      waiting.delete(at);
      path.push(at);
    }
    while (path.length > 0) yield path.pop() as string;
  }
}

class Owners {
  /** What is to become of nodes whose page changes. */
  readonly #wanted = new Map<string, string | undefined>();
  /** Nodes that were there, so that there may be others below them. */
  #below: string[] = [];

  constructor(private readonly reads: TreeReads) {}

  #of(id: string): string | undefined {
    return this.#wanted.has(id) ? this.#wanted.get(id) : this.reads.page(id);
  }

  #want(id: string, page: string | undefined): void {
    if (this.reads.has(id, 'Page')) return;
    if (this.#of(id) === page) return;
    this.#wanted.set(id, page);
  }

  place(id: string, moved: boolean): void {
    const { reads } = this;
    const { state } = reads;
    const parent = reads.parent(id);
    const before = reads.page(id);
    if (parent !== undefined) {
      const page = this.#of(parent);
      // In a tree that has no page yet, what somebody has said of it stays.
      if (page !== undefined || !state.given.has(id)) this.#want(id, page);
    } else if (moved && !state.given.has(id)) this.#want(id, undefined);
    const changes = this.#wanted.has(id) || (state.pageBefore.has(id) && state.pageBefore.get(id) !== before);
    // What is below a node that was made just now has moved as well, unless that was settled already.
    if (changes && (!state.created.has(id) || (before !== undefined && !state.given.has(id)))) this.#below.push(id);
  }

  /** Takes the change to all that is below, but not past what is of the right page already. */
  async descend(): Promise<void> {
    const { reads } = this;
    const { objects, state } = reads;
    while (this.#below.length > 0) {
      const next = new Set<string>();
      for (const part of inParts(this.#below)) {
        await objects.breathe();
        const found = await objects.tx.related(part, reads.steps.children);
        await reads.pages(found.flatMap((children) => children.map(({ id }) => id)));
        part.forEach((id, i) => {
          const page = this.#of(id);
          for (const { id: child } of found[i] ?? []) {
            if (state.gone.has(child) || this.#of(child) === page || reads.has(child, 'Page')) continue;
            if (page === undefined && state.given.has(child)) continue;
            this.#want(child, page);
            next.add(child);
          }
        });
      }
      this.#below = [...next];
    }
  }

  /** Throws `SchemaError` when a node of one page is put into another. The shadow document takes from all, and gives to all. */
  async check(ids: readonly string[]): Promise<void> {
    const { reads } = this;
    const { state, objects } = reads;
    const before = (id: string): string | undefined =>
      state.pageBefore.has(id) ? state.pageBefore.get(id) : state.page.get(id)?.id;
    const pairs: (readonly [parent: string, from: string, to: string])[] = [];
    for (const id of ids) {
      await objects.breathe();
      const parent = reads.parent(id);
      if (parent === undefined || state.gone.has(id)) continue;
      const to = this.#of(id);
      const given = state.given.get(id);
      // Who says both, the place and its page, moves it from one page to another.
      const from = given ?? before(id);
      // It cannot leave the page alone while it is in its tree.
      if (to !== undefined && !state.pending.moved.has(id) && state.page.get(id) === undefined)
        throw refusal(reads, parent, 'wrong_document', NOT_OF_DOCUMENT);
      if (from !== undefined && to !== undefined && from !== to) pairs.push([parent, from, to]);
    }
    await reads.nodes(pairs.flatMap(([, from, to]) => [from, to]));
    for (const [parent, from, to] of pairs) {
      if (state.gone.has(from) || reads.has(from, 'ShadowDocument') || reads.has(to, 'ShadowDocument')) continue;
      throw refusal(reads, parent, 'wrong_document', NOT_OF_DOCUMENT);
    }
  }

  async write(): Promise<void> {
    const { reads } = this;
    const { objects, state } = reads;
    for (const [id, page] of this.#wanted) {
      await objects.breathe();
      if (state.gone.has(id)) continue;
      const link = state.page.get(id);
      if (link !== undefined && link.id !== page) {
        state.ours(link.link);
        await objects.tx.deleteRelationship(link.link);
        state.pending.pages.add(link.id);
      }
      if (page === undefined) state.page.set(id, undefined);
      else state.page.set(id, { id: page, link: await linkToPage(objects, state, id, page) });
      if (page !== undefined) state.pending.pages.add(page);
    }
  }

  /** Nodes that are of no page any more. */
  outside(ids: readonly string[]): string[] {
    const { state } = this.reads;
    const lost = ids.filter((id) => state.pageBefore.get(id) !== undefined);
    return [...new Set([...lost, ...this.#wanted.keys()])].filter((id) => state.page.get(id) === undefined);
  }
}

async function linkToPage(objects: ObjectTransaction, state: TreeState, node: string, page: string): Promise<string> {
  const properties: Record<string, StoredValue> = {};
  objects.stamp(properties, true);
  const { id } = await objects.tx.createRelationship({
    id: objects.newId(),
    type: 'DOMNodePAGEPage',
    relType: 'PAGE',
    sourceId: node,
    targetId: page,
    properties,
  });
  state.ours(id);
  return id;
}

/** What is in the recycle bin stands for nothing: nodes that stood for it are nodes of their own. */
async function forgetReferences(reads: TreeReads, ids: readonly string[]): Promise<void> {
  const { objects, state } = reads;
  for (const part of inParts(ids)) {
    for (const links of await objects.tx.links(part, reads.steps.references)) {
      for (const { relationship, node } of links) {
        await objects.breathe();
        await objects.tx.deleteRelationship(relationship.id);
        state.pending.synced.add(node.id);
        state.pending.modified.add(node.id);
      }
    }
  }
}
