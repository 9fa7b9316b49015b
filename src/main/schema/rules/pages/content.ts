import type { TraitRule } from '../rule.js';

/** Content types of texts (docs/interface/pages.md 1.3). */
export const contentRule: TraitRule = {
  trait: 'Content',
  normalise(values, before, _objects, input) {
    // Where it lies says which one it gets; that is known at the end (`tree/texts.ts`).
    if (before === undefined && (input['contentType'] ?? null) === null) delete values['contentType'];
  },
};

/** What is in comments of HTML is HTML. */
export const commentRule: TraitRule = {
  trait: 'Comment',
  normalise(values, before) {
    if (before === undefined) values['contentType'] = 'text/html';
  },
};
