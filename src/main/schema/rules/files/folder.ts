import { typesOf } from '../../model/lookup.js';
import type { TraitRule } from '../rule.js';

/** What is in a folder that goes stays, at the root of the tree (docs/interface/files.md 1.5). */
export const folderRule: TraitRule = {
  trait: 'Folder',
  async deleting(node, objects) {
    const inside = { relType: 'CONTAINS', direction: 'out', ...typesOf(objects.schema, 'AbstractFile') } as const;
    const [children = []] = await objects.tx.related([node.id], inside);
    for (const child of children) objects.touch(child.id);
  },
};
