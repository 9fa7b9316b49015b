import { RESERVED_TYPE_NAMES, TYPE_NAME } from '../names.js';
import { mustMatch } from './name-pattern.js';
import type { TraitRule } from './rule.js';

/** Type names (schema.md 4). Uniqueness is the property's. */
export const schemaNodeRule: TraitRule = {
  trait: 'SchemaNode',
  validate(node, objects) {
    const name = node.properties['name'];
    const tokens = mustMatch(node, 'name', name, TYPE_NAME);
    if (typeof name === 'string') {
      const taken = objects.schema.type(name);
      if (RESERVED_TYPE_NAMES.has(name) || taken?.kind === 'relationship') {
        tokens.push({
          type: 'SchemaNode',
          property: 'name',
          token: 'already_exists',
          value: name,
          detail: `the type name ${name} is reserved`,
        });
      }
    }
    return Promise.resolve(tokens);
  },
};
