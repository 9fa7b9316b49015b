/** Folders that users make: theirs, and found again when they may write to them. */
import type { GraphNode } from '../../graph/index.js';
import type { JsonObject } from '../../../shared/json/index.js';
import { folderAt, freePlace, putInto, type ObjectTransaction } from '../../schema/index.js';
import type { FilesContext } from '../context.js';
import { FilesError } from '../errors.js';
import type { Looking } from '../tree/looking.js';

/** A folder into which the actor may put something. Throws `FilesError` 404 and 403. */
export async function openFolder(objects: Looking, id: string): Promise<GraphNode> {
  const node = await objects.tx.node(id);
  const isFolder = node !== undefined && objects.schema.typeOf(node).hasTrait('Folder');
  if (!isFolder || !(await objects.may('read', node))) throw new FilesError(404, `No folder with UUID ${id} found.`);
  if (!(await objects.may('write', node)))
    throw new FilesError(403, `You may not write to the folder with UUID ${id}.`);
  return node;
}

/**
 * The folder of this name in another that the actor may write to; where there is none, one is made, called otherwise when
 * something else has the name. `fields`: what one that is made has besides its name.
 */
export async function folderIn(
  { write }: FilesContext,
  objects: ObjectTransaction,
  parent: GraphNode | undefined,
  name: string,
  fields: JsonObject = {},
): Promise<GraphNode> {
  const found = await folderAt(objects, parent, name);
  if (found !== undefined && (await objects.may('write', found))) return found;
  return newFolder({ write }, objects, parent, name, fields);
}

/** A new folder in another, called otherwise when something else has the name. */
export async function newFolder(
  { write }: Pick<FilesContext, 'write'>,
  objects: ObjectTransaction,
  parent: GraphNode | undefined,
  name: string,
  fields: JsonObject = {},
): Promise<GraphNode> {
  const type = objects.schema.type('Folder');
  if (type === undefined) throw new FilesError(500, 'The schema has no type Folder.');
  const free = await freePlace(objects, parent?.id, name, write().uniquePaths ?? 'beforeextension');
  const folder = await objects.create(
    type,
    { ...fields, name: free.name },
    { id: objects.newId(), properties: { place: free.place, hasParent: parent !== undefined } },
  );
  if (parent !== undefined) await putInto(objects, parent.id, folder.id, 'Folder');
  return folder;
}
