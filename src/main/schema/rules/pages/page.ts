import type { TraitRule } from '../rule.js';

/** Characters that end or escape the path of a URL, of which a page's name is a part. */
const ILLEGAL = /[#?\\%;/]/;

/** Page names (docs/interface/builtin-types.md 4). */
export const pageRule: TraitRule = {
  trait: 'Page',
  validate({ type, properties: { name } }) {
    if (typeof name !== 'string' || !ILLEGAL.test(name)) return Promise.resolve([]);
    const token = { type, property: 'name', token: 'contains_illegal_characters', value: name, detail: name };
    return Promise.resolve([token]);
  },
};
