/** What was written into a template and not saved, by its id. */
import { KeptDrafts } from '../parts/kept-drafts.js';
import type { Draft } from './templates.js';

export const drafts = new KeptDrafts<{
  /** As the server had it when the editing began. */
  readonly before: Draft;
  readonly draft: Draft;
}>();
