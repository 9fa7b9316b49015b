import type { TraitRule } from '../rule.js';

/** Names of pages' nodes (docs/interface/builtin-types.md 4). */
export const domNodeRule: TraitRule = {
  trait: 'DOMNode',
  validate({ type, properties: { name } }) {
    if (typeof name !== 'string' || !name.includes('/')) return Promise.resolve([]);
    return Promise.resolve([{ type, property: 'name', token: 'may_not_contain_slashes', value: name, detail: name }]);
  },
};
