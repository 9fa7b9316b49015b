/** A folder for every user (`application.filesystem.enabled`; files.md 5). */
import type { GraphNode } from '../../graph/index.js';
import { createFolder, folderAt } from '../objects/folders.js';
import type { ObjectTransaction } from '../objects/transaction.js';
import type { TraitRule } from './rule.js';

/** Folder of all home directories. */
const HOME = 'home';

export const homeDirectoryRule: TraitRule = {
  trait: 'User',
  async complete(node, objects) {
    if (objects.options.homeDirectories !== true || (await homeOf(node, objects)) !== undefined) return;
    const home =
      (await folderAt(objects, undefined, HOME)) ??
      (await createFolder(objects, undefined, HOME, { visibleToAuthenticatedUsers: true }));
    const own = (await folderAt(objects, home, node.id)) ?? (await createFolder(objects, home, node.id, {}, node.id));
    await objects.tx.createRelationship({
      id: objects.newId(),
      type: 'UserHOME_DIRFolder',
      relType: 'HOME_DIR',
      sourceId: node.id,
      targetId: own.id,
      properties: {},
    });
  },
  async deleting(node, objects) {
    const home = await homeOf(node, objects);
    if (home === undefined) return;
    const inside = { relType: 'CONTAINS', direction: 'out' } as const;
    for (const child of (await objects.tx.related([home.id], inside))[0] ?? []) objects.touch(child.id);
    await objects.tx.deleteNode(home.id);
    objects.forget(home.id);
  },
};

async function homeOf({ id }: GraphNode, { tx }: ObjectTransaction): Promise<GraphNode | undefined> {
  return (await tx.related([id], { relType: 'HOME_DIR', direction: 'out' }, 1))[0]?.[0];
}
