import { METHOD_NAME } from '../names.js';
import { mustMatch } from './name-pattern.js';
import type { TraitRule } from './rule.js';

const OWNER = { relType: 'HAS_METHOD', direction: 'in' } as const;

/** Method names; two methods of one type differ by more than case (schema.md 4). */
export const schemaMethodRule: TraitRule = {
  trait: 'SchemaMethod',
  async validate(node, objects) {
    const name = node.properties['name'];
    const tokens = mustMatch(node, 'name', name, METHOD_NAME);
    const owner = (await objects.tx.related([node.id], OWNER, 1))[0]?.[0];
    if (owner === undefined || typeof name !== 'string') return tokens;
    const [siblings = []] = await objects.tx.related([owner.id], { relType: 'HAS_METHOD', direction: 'out' });
    if (siblings.some((s) => s.id !== node.id && String(s.properties['name']).toLowerCase() === name.toLowerCase())) {
      tokens.push({
        type: node.type,
        property: 'name',
        token: 'already_exists',
        value: name,
        detail: 'Multiple methods with identical names (case-insensitive) are not supported on the same level',
      });
    }
    const [views = []] = await objects.tx.related([owner.id], { relType: 'HAS_VIEW', direction: 'out' });
    if (views.some((v) => v.properties['name'] === name)) {
      tokens.push({
        type: node.type,
        property: 'name',
        token: 'already_exists',
        value: name,
        detail: `A view with name '${name}' already exists, cannot create method with the same name`,
      });
    }
    return tokens;
  },
};
