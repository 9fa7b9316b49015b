/** Which action mappings are part of an application: those that something outside of the recycle bin sets off. */
import type { GraphNode, ReadTransaction } from '../../../graph/index.js';
import type { Schema } from '../../../schema/index.js';
import { allOf } from '../section.js';

/** By the id of a mapping: the elements outside of the bin that set it off. */
export async function mappingsInUse(
  tx: ReadTransaction,
  schema: Schema,
): Promise<ReadonlyMap<string, readonly GraphNode[]>> {
  const mappings = await allOf(tx, schema, 'ActionMapping');
  const triggers = await tx.related(
    mappings.map(({ id }) => id),
    { relType: 'TRIGGERED_BY', direction: 'in' },
  );
  const elements = [...new Map(triggers.flat().map((one) => [one.id, one])).values()];
  const pages = await tx.related(
    elements.map(({ id }) => id),
    { relType: 'PAGE', direction: 'out' },
    1,
  );
  const kept = new Set(elements.filter((_, i) => (pages[i]?.length ?? 0) > 0).map(({ id }) => id));
  const used = new Map<string, readonly GraphNode[]>();
  for (const [i, { id }] of mappings.entries()) {
    const outside = (triggers[i] ?? []).filter((one) => kept.has(one.id));
    if (outside.length > 0) used.set(id, outside);
  }
  return used;
}
