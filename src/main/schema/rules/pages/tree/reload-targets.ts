/**
 * Elements of old pages name what they reload by selectors (`data-svc-reload-target`): when they are saved, what these match in the page is
 * linked (docs/interface/pages.md 7.2).
 */
import type { GraphNode } from '../../../../graph/index.js';
import { SchemaError } from '../../../model/errors.js';
import { typesOf } from '../../../model/lookup.js';
import type { ObjectTransaction } from '../../../writing/object-transaction.js';
import { inParts } from './links.js';
import { RELOAD_TARGET, Selectors } from './reload-selectors.js';
import { TreeReads } from './reads.js';
import type { TreeState } from './state.js';

const RELATION = 'DOMElementRELOADSDOMElement';
/** Elements that those saved together may reload. */
const MOST_TARGETS = 100_000;

/** Throws `SchemaError` for those that reload too much. */
export async function settleReloadTargets(objects: ObjectTransaction, state: TreeState): Promise<void> {
  const { created, written } = state.pending;
  const saved = new Set<string>();
  for (const [id, { properties }] of created) if (properties[RELOAD_TARGET] !== undefined) saved.add(id);
  for (const [id, values] of written) if (values.has(RELOAD_TARGET)) saved.add(id);
  if (saved.size === 0) return;
  const reads = new TreeReads(objects, state);
  await reads.pages(saved);
  const byPage = new Map<string, GraphNode[]>();
  for (const part of inParts(saved)) {
    for (const node of await objects.tx.nodes(part)) {
      const page = node === undefined ? undefined : state.page.get(node.id)?.id;
      if (node === undefined || page === undefined) continue;
      const list = byPage.get(page);
      if (list === undefined) byPage.set(page, [node]);
      else list.push(node);
    }
  }
  for (const [page, nodes] of byPage) await linkTargets(objects, page, nodes);
}

/** One look through the page for all of its elements that were saved. */
async function linkTargets(objects: ObjectTransaction, page: string, nodes: readonly GraphNode[]): Promise<void> {
  const wanted = nodes.map((node) => ({ node, targets: new Set<string>() }));
  const selectors = new Selectors<Set<string>>();
  for (const { node, targets } of wanted) selectors.add(node, targets);
  let count = 0;
  const elements = { relType: 'PAGE', direction: 'in', ...typesOf(objects.schema, 'DOMElement') } as const;
  if (!selectors.isEmpty) {
    for await (const batch of objects.tx.stream({ kind: 'nodes', from: { id: page, step: elements } })) {
      for (const element of batch) {
        await objects.breathe();
        for (const targets of selectors.matching(element)) {
          if (targets.has(element.id)) continue;
          targets.add(element.id);
          if (++count > MOST_TARGETS) throw tooMany(element.type);
        }
      }
    }
  }
  const step = { relType: 'RELOADS', direction: 'out', ...typesOf(objects.schema, 'DOMElement') } as const;
  for (const { node, targets } of wanted) {
    const [links = []] = await objects.tx.links([node.id], step);
    for (const { relationship, node: old } of links)
      if (!targets.delete(old.id)) await objects.tx.deleteRelationship(relationship.id);
    for (const target of targets) {
      await objects.breathe();
      const properties = { createdDate: objects.now };
      const ends = { sourceId: node.id, targetId: target };
      const id = objects.newId();
      await objects.tx.createRelationship({ id, type: RELATION, relType: 'RELOADS', ...ends, properties });
    }
  }
}

function tooMany(type: string): SchemaError {
  const message = `Elements that are saved together may reload at most ${String(MOST_TARGETS)} others.`;
  return new SchemaError(message, [{ type, property: RELOAD_TARGET, token: 'must_be_shorter_than' }]);
}
