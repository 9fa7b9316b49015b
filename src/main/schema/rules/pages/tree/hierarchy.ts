/** What may be below what (docs/interface/pages.md 1.4). */
import { SchemaError } from '../../../model/errors.js';
import type { TreeReads } from './reads.js';

/** Levels that a node may be below the top of its tree; what is deeper is not shown (docs/interface/pages.md 1). */
export const DEEPEST = 250;

/** The refusal of a place in a tree. */
export function refusal(reads: TreeReads, parent: string, token: string, message: string): SchemaError {
  const type = reads.node(parent)?.type ?? 'DOMNode';
  return new SchemaError(message, [{ type, property: 'children', token, detail: parent }]);
}

export const NOT_OF_DOCUMENT = 'Node does not belong to this document.';

/** Throws `SchemaError` when a node that has moved is where it must not be; their parents and nodes are known. */
export async function checkHierarchy(reads: TreeReads, moved: Iterable<string>): Promise<void> {
  const { state, objects } = reads;
  const perhaps: string[] = [];
  for (const child of moved) {
    await objects.breathe();
    const parent = reads.parent(child);
    if (parent === undefined || state.gone.has(child)) continue;
    if (parent === child) throw refusal(reads, parent, 'circular_reference', 'A node cannot accept itself as a child.');
    if (reads.has(child, 'Page'))
      throw refusal(reads, parent, 'invalid_child', 'A document cannot be the child of another node.');
    const fits = ['Html', 'Template', 'Comment'].some((trait) => reads.has(child, trait));
    if (!fits && reads.has(parent, 'Page')) {
      const message = 'A document may only accept an html element as its document element.';
      throw refusal(reads, parent, 'invalid_child', message);
    }
    perhaps.push(child);
  }
  await checkLevels(reads, perhaps);
}

/** Walks up from each node that has moved, and from none twice: no circles, and not too many levels. */
async function checkLevels(reads: TreeReads, moved: readonly string[]): Promise<void> {
  const { objects } = reads;
  const seen = new Set<string>();
  for (let level = [...moved]; level.length > 0;) {
    await reads.parents(level);
    for (const id of level) seen.add(id);
    level = level.flatMap((id) => reads.parent(id) ?? []).filter((id) => !seen.has(id));
    for (const id of level) seen.add(id);
  }
  /** Levels down to a node. */
  const levels = new Map<string, number>();
  for (const start of moved) {
    const path = new Set<string>();
    let above = 0;
    for (let at: string | undefined = start; at !== undefined; at = reads.parent(at)) {
      await objects.breathe();
      const known = levels.get(at);
      if (known !== undefined) {
        above = known;
        break;
      }
      if (path.has(at))
        throw refusal(reads, at, 'circular_reference', 'A node cannot accept its own ancestor as child.');
      path.add(at);
    }
    for (const id of [...path].reverse()) levels.set(id, ++above);
    if (above > DEEPEST)
      throw refusal(
        reads,
        start,
        'too_deep',
        `A page has at most ${String(DEEPEST)} levels: this one would have more.`,
      );
  }
}
