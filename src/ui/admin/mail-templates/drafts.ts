/** What has been written and not saved, by template: whoever looks at another one, or another area, finds it again. */
import type { Draft } from './templates.js';

interface Kept {
  /** As the server had it when the editing began. */
  readonly before: Draft;
  readonly draft: Draft;
}

const kept = new Map<string, Kept>();

export const draftFor = (id: string): Kept | undefined => kept.get(id);

export function keepDraft(id: string, work: Kept): void {
  kept.set(id, work);
}

export function dropDraft(id: string): void {
  kept.delete(id);
}

export const unsavedIds = (): ReadonlySet<string> => new Set(kept.keys());
