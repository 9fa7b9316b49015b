/** The content type of texts that came without one: that of the script they are in, else plain text (docs/interface/pages.md 1.3, 3.3). */
import type { ObjectTransaction } from '../../../writing/object-transaction.js';
import { TreeReads } from './reads.js';
import type { TreeState } from './state.js';

const PLAIN = 'text/plain';
/** What HTML takes a script for that does not say its type. */
const SCRIPT = 'text/javascript';

export async function settleTexts(objects: ObjectTransaction, state: TreeState): Promise<void> {
  const moved = state.pending.placed;
  const reads = new TreeReads(objects, state);
  await reads.nodes(moved);
  const isUntyped = (id: string): boolean =>
    !state.gone.has(id) && reads.has(id, 'Content') && typeof reads.node(id)?.properties['contentType'] !== 'string';
  const texts = [...new Set([...state.pending.created.keys(), ...moved])].filter(isUntyped);
  if (texts.length === 0) return;
  await reads.parents(texts);
  await reads.nodes(texts.flatMap((id) => reads.parent(id) ?? []));
  for (const id of texts) {
    await objects.breathe();
    const parent = reads.parent(id);
    const inScript = reads.has(parent, 'Script');
    if (!inScript && !state.pending.created.has(id)) continue;
    const type = parent === undefined ? undefined : reads.node(parent)?.properties['_html_type'];
    const contentType = !inScript ? PLAIN : typeof type === 'string' && type !== '' ? type : SCRIPT;
    const node = await objects.tx.updateNode(id, { contentType });
    if (state.created.has(id)) state.created.set(id, node);
    objects.touches.changed(node);
  }
}
