/** From content that has arrived, and the fields that came with it, to a file in a folder. */
import type { GraphNode } from '../../graph/index.js';
import {
  freePlace,
  mustBeShortName,
  putInto,
  withoutNulls,
  type Actor,
  type ObjectAccess,
  type ObjectTransaction,
} from '../../schema/index.js';
import { detectContentType } from '../content/content-type.js';
import { onlyChecksums, type Received, type ReceiveOptions } from '../content/received.js';
import type { FilesContext } from '../context.js';
import { LikelyTarget } from './likely-target.js';
import { looking } from '../tree/looking.js';
import { inputOf, refuseId, typeFor, type Fields } from './upload-fields.js';
import { checksumsIn, checksumsOf, checkTarget, refuseRoot, targetFolder } from './upload-target.js';

/** A file that has arrived. */
export interface Arrived {
  readonly filename: string;
  readonly claimed: string;
  readonly received: Received;
  /** Somebody wrote it who is no administrator, whoever brings it now. */
  readonly sandboxed?: boolean;
}

/** Makes what has arrived a file: content becomes its own with the commit. */
export async function createFile(
  { contents, write }: FilesContext,
  objects: ObjectTransaction,
  { filename, received, sandboxed = false }: Arrived,
  contentType: string,
  fields: Fields,
  folder: GraphNode | undefined,
): Promise<GraphNode> {
  const type = typeFor(objects, fields.get('type'), contentType);
  const input = await inputOf(type, fields, objects.options.idPattern);
  const wanted = typeof input['name'] === 'string' ? input['name'] : filename.replaceAll('\\', '/');
  // The check of names is done here even where others are not checked (docs/interface/files.md 2).
  const free = await freePlace(objects, folder?.id, wanted, write().uniquePaths ?? 'beforeextension');
  const node = await objects.create(
    type,
    { contentType, ...input, name: free.name },
    {
      id: received.file,
      properties: {
        ...withoutNulls(contents.published(received, type)),
        place: free.place,
        hasParent: folder !== undefined,
        ...(objects.actor.isAdmin && !sandboxed ? {} : { sandboxed: true }),
      },
    },
  );
  if (folder !== undefined) await putInto(objects, folder.id, node.id, 'File');
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
  await refuseRoot(context, actor, fields);
  const received = await receive(await receiving(context, actor, fields, filename));
  try {
    const contentType = await detectContentType(filename, claimed, received.head);
    return await context.schemas.write(actor, access, context.write(), async (objects) => {
      const folder = await targetFolder(objects, context, fields);
      const fitting = onlyChecksums(received, await checksumsOf(objects, context.config, folder));
      const arrived = { filename, claimed, received: fitting };
      const node = await createFile(context, objects, arrived, contentType, fields, folder);
      await context.callbacks.current?.uploaded(node, objects);
      return node.id;
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
  return receiving(context, actor, new Map([['parent', folder]]), filename);
}

/** The same for an upload with these fields. */
async function receiving(
  context: FilesContext,
  actor: Actor,
  fields: Fields,
  filename: string,
): Promise<Omit<ReceiveOptions, 'limit'>> {
  const target = new LikelyTarget(context, actor, fields);
  return { checksums: await target.checksums(), ...(await target.store(filename)) };
}

/** Throws what an upload with these fields and of this name would end with because of its folder, its name or its id. */
export async function mayUploadTo(
  context: FilesContext,
  actor: Actor,
  access: ObjectAccess,
  fields: ReadonlyMap<string, string>,
  filename = '',
): Promise<void> {
  const { config, graph, schemas, write } = context;
  refuseId(fields);
  mustBeShortName(fields.get('name') ?? filename, write().longestFileName);
  await refuseRoot(context, actor, fields);
  await graph.read((tx) => checkTarget(looking(tx, schemas.schema, access), config, actor, fields));
}
