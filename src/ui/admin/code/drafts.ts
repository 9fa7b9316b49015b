/** What was typed and not saved, as long as the page is open: going elsewhere loses nothing. */
export interface Draft {
  /** The source that was there when typing began. */
  readonly base: string;
  readonly text: string;
}

const drafts = new Map<string, Draft>();

export const draftOf = (id: string): Draft | undefined => drafts.get(id);

/** Keeps a draft; one that is what is there is none. */
export function keepDraft(id: string, draft: Draft): void {
  if (draft.text === draft.base) drafts.delete(id);
  else drafts.set(id, draft);
}

export function dropDraft(id: string): void {
  drafts.delete(id);
}
