/** From content that has arrived, and the fields that came with it, to a file in a folder. */
import type { GraphNode } from '../graph/index.js';
import { freePlace, withoutNulls, type Actor, type ObjectAccess, type ObjectTransaction } from '../schema/index.js';
import { detectContentType } from './content-type.js';
import { onlyChecksums, type Received, type ReceiveOptions } from './content.js';
import type { FilesContext } from './context.js';
import { inputOf, typeFor, type Fields } from './upload-fields.js';
import { storeOfUpload } from './upload-store.js';
import { checksumsIn, checksumsOf, LikelyChecksums, targetFolder } from './upload-target.js';

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

/** Content that is to become a file by fields like those of an upload. */
export interface NewFile {
  readonly filename: string;
  /** Content type that the client says. */
  readonly claimed: string;
  readonly fields: ReadonlyMap<string, string>;
  /** Brings the content into the storage. */
  readonly receive: (options: Omit<ReceiveOptions, 'limit'>) => Promise<Received>;
}

/** Makes one file, in a transaction of its own; returns its id. */
export async function publishNew(
  context: FilesContext,
  actor: Actor,
  access: ObjectAccess,
  { filename, claimed, fields, receive }: NewFile,
): Promise<string> {
  const received = await receive({
    checksums: await new LikelyChecksums(context, actor, fields).now(),
    ...(await storeOfUpload(context, actor, fields, filename)),
  });
  try {
    const contentType = await detectContentType(filename, claimed, received.head);
    return await context.schemas.write(actor, access, context.write(), async (objects) => {
      const folder = await targetFolder(objects, context, fields);
      const fitting = onlyChecksums(received, await checksumsOf(objects, context.config, folder));
      const arrived = { filename, claimed, received: fitting };
      return (await createFile(context, objects, arrived, contentType, fields, folder)).id;
    });
  } catch (error) {
    await context.contents.abandon(received);
    throw error;
  }
}

/** How content is stored that goes into a folder; undefined: to the root of the tree. */
export async function receivingInto(
  context: FilesContext,
  actor: Actor,
  folder: string | undefined,
  filename: string,
): Promise<Omit<ReceiveOptions, 'limit'>> {
  if (folder === undefined) return { checksums: checksumsIn(context.config), store: '' };
  const fields: Fields = new Map([['parent', folder]]);
  return {
    checksums: await new LikelyChecksums(context, actor, fields).now(),
    ...(await storeOfUpload(context, actor, fields, filename)),
  };
}

/** Ends a transaction that was only to show what would happen. */
class OnlyAsked extends Error {}

/** Throws what an upload with these fields would end with because of its folder. */
export async function mayUploadTo(
  context: FilesContext,
  actor: Actor,
  access: ObjectAccess,
  fields: ReadonlyMap<string, string>,
): Promise<void> {
  if (!['parent', 'parentId', 'uploadFolderPath'].some((name) => (fields.get(name) ?? '') !== '')) return;
  try {
    await context.schemas.write(actor, access, context.write(), async (objects) => {
      await targetFolder(objects, context, fields);
      throw new OnlyAsked();
    });
  } catch (error) {
    if (!(error instanceof OnlyAsked)) throw error;
  }
}
