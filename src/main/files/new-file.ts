/** From content that has arrived, and the fields that came with it, to a file in a folder. */
import type { GraphNode } from '../graph/index.js';
import { freePlace, withoutNulls, type ObjectTransaction } from '../schema/index.js';
import type { Received } from './content.js';
import type { FilesContext } from './context.js';
import { inputOf, typeFor, type Fields } from './upload-fields.js';

/** A file that has arrived. */
export interface Arrived {
  readonly filename: string;
  readonly claimed: string;
  readonly received: Received;
}

/** Makes what has arrived a file: content becomes its own with the commit. */
export async function createFile(
  { contents, write }: FilesContext,
  objects: ObjectTransaction,
  { filename, received }: Arrived,
  contentType: string,
  fields: Fields,
  folder: GraphNode | undefined,
): Promise<GraphNode> {
  const type = typeFor(objects, fields.get('type'), contentType);
  const input = await inputOf(type, fields, objects.options.idPattern);
  const wanted = typeof input['name'] === 'string' ? input['name'] : filename.replaceAll('\\', '/');
  // The check of names is done here even where others are not checked (files.md 2).
  const free = await freePlace(objects, folder?.id, wanted, write().uniquePaths ?? 'beforeextension');
  const node = await objects.create(
    type,
    { contentType, ...input, name: free.name },
    {
      id: received.file,
      properties: {
        ...withoutNulls(contents.published(received)),
        place: free.place,
        hasParent: folder !== undefined,
        ...(objects.actor.isAdmin ? {} : { sandboxed: true }),
      },
    },
  );
  if (folder !== undefined) {
    await objects.tx.createRelationship({
      id: objects.newId(),
      type: 'FolderCONTAINSFile',
      relType: 'CONTAINS',
      sourceId: folder.id,
      targetId: node.id,
      properties: {},
    });
  }
  return node;
}
