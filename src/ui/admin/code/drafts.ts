/** What was typed into a source and not saved, by the piece of code (`idOf`). */
import { KeptDrafts } from '../parts/kept-drafts.js';

export const drafts = new KeptDrafts<{
  /** The source that was there when typing began. */
  readonly base: string;
  readonly text: string;
}>();
