/** A folder for every user (`application.filesystem.enabled`; docs/interface/files.md 6). */
import { ensureHome, homeOf } from '../../file-tree/home.js';
import { folderRule } from './folder.js';
import type { TraitRule } from '../rule.js';

export const homeDirectoryRule: TraitRule = {
  trait: 'User',
  async complete(node, objects) {
    if (objects.options.homeDirectories === true) await ensureHome(objects, node.id);
  },
  async deleting(node, objects) {
    const home = await homeOf(node.id, objects);
    if (home === undefined) return;
    await folderRule.deleting?.(home, objects);
    await objects.tx.deleteNode(home.id);
    objects.forget(home.id);
  },
};
