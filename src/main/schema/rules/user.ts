import type { TraitRule } from './rule.js';

const blank = (value: unknown): boolean => typeof value !== 'string' || value.trim() === '';

/** A user needs a name or an e-mail address (security.md 1.3). */
export const userRule: TraitRule = {
  trait: 'User',
  message: 'A user must have a name or an email address',
  validate(node) {
    if (!blank(node.properties['name']) || !blank(node.properties['eMail'])) return Promise.resolve([]);
    return Promise.resolve(
      ['name', 'eMail'].map((property) => ({ type: 'User', property, token: 'must_not_be_empty' })),
    );
  },
};
