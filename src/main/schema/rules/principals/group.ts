import type { TraitRule } from '../rule.js';

/** A group is not a member of itself, over any number of levels (docs/interface/security.md 1.3). */
export const groupRule: TraitRule = {
  trait: 'Group',
  async validate(node, objects) {
    // CONTAINS is shared with folders and pages: only groups count.
    const types = objects.schema.type('Group')?.concreteTypes ?? [];
    const seen = new Set<string>();
    let level = [node.id];
    while (level.length > 0) {
      const parents = (await objects.tx.related(level, { relType: 'CONTAINS', direction: 'in', types })).flat();
      if (parents.some((p) => p.id === node.id)) {
        return [{ type: 'Group', property: 'members', token: 'circular_reference' }];
      }
      level = parents.map((p) => p.id).filter((id) => !seen.has(id));
      for (const id of level) seen.add(id);
    }
    return [];
  },
};
