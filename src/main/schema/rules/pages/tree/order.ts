/** The order of children: `position` on the links to them, 0, 1, 2, ... without gaps, however they were written. */
import type { ObjectTransaction } from '../../../writing/object-transaction.js';
import { childRelations } from './links.js';
import type { ChildLink, Disorder, TreeState } from './state.js';

export async function settleOrder(objects: ObjectTransaction, state: TreeState): Promise<void> {
  const { disorders } = state.pending;
  const relations = disorders.size === 0 ? [] : childRelations(objects.schema);
  for (const [parent, disorder] of disorders) {
    await objects.breathe();
    if (state.gone.has(parent)) continue;
    if (state.created.has(parent)) await number(objects, [...(state.childLinks.get(parent)?.values() ?? [])]);
    else if (disorder.other) await number(objects, await linksOf(objects, relations, parent, disorder));
    else await append(objects, relations, parent, disorder);
  }
}

/** What comes last needs no look at all the others. */
async function append(
  objects: ObjectTransaction,
  types: readonly string[],
  parent: string,
  disorder: Disorder,
): Promise<void> {
  const { appended } = disorder;
  const [first] = await objects.tx.find({ kind: 'relationships', sourceId: parent, types, limit: 1 });
  const { count } = await objects.tx.count({ kind: 'relationships', sourceId: parent, types });
  const before = count - appended.length;
  // Trees from before there was an order.
  const isOrdered = before === 0 || typeof first?.properties['position'] === 'number';
  if (!isOrdered) await number(objects, await linksOf(objects, types, parent, disorder));
  else await number(objects, appended, before);
}

async function linksOf(
  { tx }: ObjectTransaction,
  types: readonly string[],
  parent: string,
  { placed }: Disorder,
): Promise<ChildLink[]> {
  const links: ChildLink[] = [];
  for await (const batch of tx.stream({ kind: 'relationships', sourceId: parent, types })) {
    for (const { id, targetId, properties } of batch) {
      const { position } = properties;
      links.push({
        id,
        child: targetId,
        position: typeof position === 'number' ? position : undefined,
        fresh: placed.has(id),
      });
    }
  }
  return links;
}

/** Of those with one position the last that was written comes first: it was put there. */
async function number(objects: ObjectTransaction, links: ChildLink[], from = 0): Promise<void> {
  const rank = ({ position }: ChildLink): number => position ?? Number.MAX_SAFE_INTEGER;
  links.sort((a, b) => rank(a) - rank(b) || Number(b.fresh) - Number(a.fresh));
  for (const [i, link] of links.entries()) {
    await objects.breathe();
    const position = from + i;
    link.fresh = false;
    if (link.position === position) continue;
    link.position = position;
    await objects.tx.updateRelationship(link.id, { position });
  }
}
