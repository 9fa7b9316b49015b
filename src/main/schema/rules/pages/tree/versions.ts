/**
 * `version` and `lastModifiedDate` of pages grow with every change of what is in them, once a transaction (docs/interface/pages.md 1.3).
 */
import type { StoredValue } from '../../../../graph/index.js';
import { typesOf } from '../../../model/lookup.js';
import type { ObjectTransaction } from '../../../writing/object-transaction.js';
import { inParts } from './links.js';
import { TreeReads } from './reads.js';
import type { TreeState } from './state.js';

export async function settleVersions(objects: ObjectTransaction, state: TreeState): Promise<void> {
  const { pending } = state;
  await addTriggers(objects, state);
  const reads = new TreeReads(objects, state);
  const pages = new Set(pending.pages);
  await addPages(reads, pending.modified, pages);
  for (const part of inParts(pages)) {
    for (const page of await objects.tx.nodes(part)) {
      if (page === undefined || state.created.has(page.id) || state.grown.has(page.id)) continue;
      if (!objects.schema.typeOf(page).hasTrait('Page')) continue;
      await objects.breathe();
      const { version } = page.properties;
      const changes: Record<string, StoredValue | null> = { version: typeof version === 'number' ? version + 1 : 1 };
      objects.stamp(changes, false, page);
      state.grown.add(page.id);
      await objects.tx.updateNode(page.id, changes);
    }
  }
}

/** What triggers mappings of events that were changed shows them. */
async function addTriggers(objects: ObjectTransaction, { pending }: TreeState): Promise<void> {
  const { mappings, parameters, modified } = pending;
  const step = (relType: string, trait: string) =>
    ({ relType, direction: 'in', ...typesOf(objects.schema, trait) }) as const;
  for (const part of inParts(parameters)) {
    for (const one of (await objects.tx.related(part, step('PARAMETER', 'ActionMapping'))).flat()) mappings.add(one.id);
  }
  for (const part of inParts(mappings)) {
    const elements = await objects.tx.related(part, step('TRIGGERED_BY', 'DOMElement'));
    for (const one of elements.flat()) modified.add(one.id);
  }
}

/** The pages of nodes; those in shared components are in all pages with references to them. */
async function addPages(reads: TreeReads, modified: ReadonlySet<string>, pages: Set<string>): Promise<void> {
  const { objects, state, steps } = reads;
  const seen = new Set<string>();
  for (let level = [...modified].filter((id) => !state.gone.has(id)); level.length > 0;) {
    for (const id of level) seen.add(id);
    await reads.pages(level);
    const own = new Set(level.flatMap((id) => state.page.get(id)?.id ?? []));
    await reads.nodes([...level.filter((id) => state.page.get(id) === undefined), ...own]);
    const above: string[] = [];
    const shared: string[] = [];
    for (const id of level) {
      const page = reads.page(id);
      if (page !== undefined) pages.add(page);
      // Whoever shows a node that stands in the shadow document has a reference to something above it.
      if (page !== undefined && page !== id && reads.has(page, 'ShadowDocument')) above.push(id);
      if (!state.created.has(id)) shared.push(id);
    }
    await reads.parents(above);
    const next = new Set(above.flatMap((id) => reads.parent(id) ?? []));
    for (const part of inParts(shared)) {
      await objects.breathe();
      for (const one of (await objects.tx.related(part, steps.references)).flat()) next.add(one.id);
    }
    level = [...next].filter((id) => !seen.has(id));
  }
}
