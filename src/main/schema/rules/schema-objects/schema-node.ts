import { SchemaError, type ErrorToken } from '../../model/errors.js';
import { RESERVED_TYPE_NAMES, TYPE_NAME } from '../../model/names.js';
import { isBuiltinTrait } from '../../builtin/builtin-properties.js';
import { mustMatch, tooLong } from '../helpers/name-pattern.js';
import type { TraitRule } from '../rule.js';

/** Type names (docs/interface/schema.md 4). Uniqueness is the property's. */
export const schemaNodeRule: TraitRule = {
  trait: 'SchemaNode',
  normalise(values) {
    const traits = values['inheritedTraits'];
    if (Array.isArray(traits)) values['inheritedTraits'] = [...new Set<string>(traits.map(String))].sort();
  },
  async complete(node, objects) {
    const name = node.properties['name'];
    if (typeof name !== 'string' || !isBuiltinTrait(name)) return;
    // A type that has just got this name brings properties along that nobody compared with the built-in ones yet.
    const [properties = []] = await objects.tx.related([node.id], {
      relType: 'HAS_PROPERTY',
      direction: 'out',
      types: ['SchemaProperty'],
    });
    for (const property of properties) objects.touch(property.id);
  },
  validate(node, objects) {
    const name = node.properties['name'];
    const tokens: ErrorToken[] = [...mustMatch(node, 'name', name, TYPE_NAME), ...tooLong(node, 'name')];
    if (typeof name === 'string') {
      const taken = objects.schema.type(name);
      if (RESERVED_TYPE_NAMES.has(name) || taken?.kind === 'relationship') {
        tokens.push({ type: 'SchemaNode', property: 'name', token: 'already_exists', value: name });
        // Thrown, not returned: clients show this message, which names the type.
        throw new SchemaError(
          `Type '${name}' already exists. To prevent unwanted/unexpected behavior this is forbidden.`,
          tokens,
        );
      }
    }
    return Promise.resolve(tokens);
  },
};
