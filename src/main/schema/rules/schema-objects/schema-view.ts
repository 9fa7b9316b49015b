import { mustMatch, tooLong } from '../helpers/name-pattern.js';
import type { TraitRule } from '../rule.js';

/** A view name is a segment of URLs, where a uuid means an object. */
const NOT_A_UUID = /^(?![0-9a-fA-F]{8}(-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}$)/;

/** View names; two views of one name are one view (docs/interface/schema.md 8). */
export const schemaViewRule: TraitRule = {
  trait: 'SchemaView',
  validate(node) {
    const name = node.properties['name'];
    if (typeof name !== 'string' || name.trim() === '') {
      return Promise.resolve([{ type: node.type, property: 'name', token: 'must_not_be_empty' }]);
    }
    return Promise.resolve([...mustMatch(node, 'name', name, NOT_A_UUID), ...tooLong(node, 'name')]);
  },
};
