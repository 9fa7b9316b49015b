import type { TraitRule } from '../rule.js';

/** Texts of an application are for everybody, whoever created them (docs/interface/builtin-types.md 6, 7). */
export const localizationRule: TraitRule = {
  trait: 'Localization',
  normalise(values, before) {
    if (before !== undefined) return;
    values['visibleToPublicUsers'] = true;
    values['visibleToAuthenticatedUsers'] = true;
  },
};
