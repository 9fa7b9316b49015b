/** Home directories of users (docs/interface/files.md 6). */
import type { GraphNode } from '../../graph/index.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';
import { createFolder, folderAt } from './folders.js';

/** Folder of all home directories. */
const HOME = 'home';

/** A user's home directory; undefined: there is none. */
export async function homeOf(id: string, { tx }: ObjectTransaction): Promise<GraphNode | undefined> {
  return (await tx.related([id], { relType: 'HOME_DIR', direction: 'out' }, 1))[0]?.[0];
}

/** A user's home directory; it is made when it is missing. */
export async function ensureHome(objects: ObjectTransaction, user: string): Promise<GraphNode> {
  const known = await homeOf(user, objects);
  if (known !== undefined) return known;
  const home =
    (await folderAt(objects, undefined, HOME)) ??
    (await createFolder(objects, undefined, HOME, { visibleToAuthenticatedUsers: true }));
  const own = (await folderAt(objects, home, user)) ?? (await createFolder(objects, home, user, {}, user));
  await objects.tx.createRelationship({
    id: objects.newId(),
    type: 'UserHOME_DIRFolder',
    relType: 'HOME_DIR',
    sourceId: user,
    targetId: own.id,
    properties: {},
  });
  return own;
}
