import type { TraitRule } from '../rule.js';

/** E-mail addresses are compared without regard to case and checked for their form (docs/interface/builtin-types.md 2). */
export const principalRule: TraitRule = {
  trait: 'Principal',
  normalise(values) {
    const email = values['eMail'];
    if (typeof email === 'string') values['eMail'] = email.trim().toLowerCase();
  },
  validate(node, objects) {
    const email = node.properties['eMail'];
    if (typeof email !== 'string' || email === '' || objects.options.emailPattern.test(email))
      return Promise.resolve([]);
    return Promise.resolve([
      { type: node.type, property: 'eMail', token: 'must_match_configured_regex', detail: email },
    ]);
  },
};
