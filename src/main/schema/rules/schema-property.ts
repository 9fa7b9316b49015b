import { PROPERTY_NAME } from '../names.js';
import { mustMatch } from './name-pattern.js';
import type { TraitRule } from './rule.js';

/** Key names that cannot be put into a stored path safely are refused before data depends on them. */
// eslint-disable-next-line no-control-regex
const UNSAFE_KEY = /["\\\u0000-\u001f]/;

/** Property names (schema.md 4). */
export const schemaPropertyRule: TraitRule = {
  trait: 'SchemaProperty',
  validate(node) {
    const tokens = mustMatch(node, 'name', node.properties['name'], PROPERTY_NAME);
    const key = node.properties['dbName'];
    if (typeof key === 'string' && (UNSAFE_KEY.test(key) || key === 'id' || key === 'type')) {
      tokens.push({
        type: node.type,
        property: 'dbName',
        token: 'must_match',
        value: key,
        detail: 'not usable as a stored key',
      });
    }
    return Promise.resolve(tokens);
  },
};
