/**
 * Files that the service makes of another one for somebody, as videos of other formats and pictures of them: they lie beside it, belong to its owner,
 * and are for whom it is (docs/interface/media.md 3.2).
 */
import { newId, type GraphNode, type PropertyChanges, type PropertyMap } from '../../graph/index.js';
import {
  folderOf,
  freePlace,
  putInto,
  shareLike,
  withoutNulls,
  type Actor,
  type ObjectTransaction,
  type Reading,
} from '../../schema/index.js';
import type { JsonObject } from '../../../shared/json/index.js';
import type { Received } from '../content/content.js';
import type { FilesContext } from '../context.js';
import { FilesError } from '../errors.js';
import { newFolder, openFolder } from '../zip/folders.js';
import { receivingInto } from './new-file.js';
import { checksumsOf, largestFile } from './upload-target.js';

/** What a file is that is made of another. */
export interface FileBeside {
  readonly name: string;
  /** Name of a type of files. */
  readonly type: string;
  readonly contentType: string;
  /** As a client would write it. */
  readonly input?: JsonObject;
  /** What the service knows of it. */
  readonly properties?: PropertyMap;
  /** Absent: it has no content yet. */
  readonly received?: Received;
  /** Absent: that of the original. */
  readonly folder?: GraphNode;
}

/** Content that is to be stored: a file of this machine, complete and nobody else's, or bytes. */
export type ContentBeside = { readonly path: string } | { readonly bytes: Buffer };

export class FilesBeside {
  constructor(private readonly context: FilesContext) {}

  /** Throws `SchemaError` when the actor may not write the original, and `FilesError` 403 when not the folder it lies in. */
  async mayMake(objects: ObjectTransaction, original: GraphNode): Promise<GraphNode | undefined> {
    if (!(await objects.may('write', original))) throw objects.notPermitted(original);
    const folder = await folderOf(objects, original.id);
    return folder === undefined ? undefined : openFolder(objects, folder.id);
  }

  /** Makes a file, called otherwise where its name is taken. Throws as `mayMake`, and `SchemaError`. */
  async make(objects: ObjectTransaction, original: GraphNode, file: FileBeside): Promise<GraphNode> {
    const { contents, write } = this.context;
    const own = await this.mayMake(objects, original);
    const folder = file.folder ?? own;
    const type = objects.schema.type(file.type);
    if (type === undefined) throw new FilesError(500, `The schema has no type ${file.type}.`);
    const free = await freePlace(objects, folder?.id, file.name, write().uniquePaths ?? 'beforeextension');
    const { visibleToPublicUsers, visibleToAuthenticatedUsers, sandboxed } = original.properties;
    const node = await objects.create(
      type,
      { ...file.input, contentType: file.contentType, name: free.name },
      {
        id: file.received?.file ?? objects.newId(),
        properties: {
          ...(file.received === undefined ? {} : withoutNulls(contents.published(file.received, type))),
          ...file.properties,
          visibleToPublicUsers: visibleToPublicUsers === true,
          visibleToAuthenticatedUsers: visibleToAuthenticatedUsers === true,
          place: free.place,
          hasParent: folder !== undefined,
          ...(objects.actor.isAdmin && sandboxed !== true ? {} : { sandboxed: true }),
        },
      },
    );
    if (folder !== undefined) await putInto(objects, folder.id, node.id, 'File');
    await shareLike(objects, node, original);
    return node;
  }

  /** Makes a folder beside the original, called otherwise where its name is taken. Throws as `make`. */
  async makeFolder(objects: ObjectTransaction, original: GraphNode, name: string): Promise<GraphNode> {
    const parent = await this.mayMake(objects, original);
    const { visibleToPublicUsers, visibleToAuthenticatedUsers } = original.properties;
    const folder = await newFolder(this.context, objects, parent, name, {
      visibleToPublicUsers: visibleToPublicUsers === true,
      visibleToAuthenticatedUsers: visibleToAuthenticatedUsers === true,
    });
    await shareLike(objects, folder, original);
    return folder;
  }

  /** Stores the content of a file that will be made in a folder (by id). Whoever has it publishes it, or calls `abandon`. */
  async store(actor: Actor, folder: string | undefined, name: string, content: ContentBeside): Promise<Received> {
    const { contents, config, write } = this.context;
    const options = { limit: largestFile(config), ...(await receivingInto(this.context, actor, folder, name)) };
    const id = newId(write().compactIds);
    if ('path' in content) return contents.adopt(id, content.path, options);
    return contents.receiveNew(id, once(content.bytes), options);
  }

  /** The same for a file that is there. */
  async storeFor(file: GraphNode, content: ContentBeside): Promise<Received> {
    const { contents, config, graph, schemas, storages } = this.context;
    const options = await graph.read(async (tx) => {
      const reading: Reading = { tx, schema: schemas.schema };
      return { checksums: await checksumsOf(reading, config, file), store: await storages.nameFor(tx, file) };
    });
    const all = { limit: largestFile(config), ...options };
    if ('path' in content) return contents.adopt(file.id, content.path, all);
    return contents.receive(file, once(content.bytes), all);
  }

  /** Makes content that was stored that of a file; to be asked before: whether it may be. */
  publish(objects: ObjectTransaction, file: GraphNode, received: Received, more: PropertyChanges): Promise<void> {
    return this.context.contents.publish(objects, file, received, more);
  }

  /** What was stored and is no file's goes. */
  async abandon(received: readonly Received[]): Promise<void> {
    for (const one of received) await this.context.contents.abandon(one);
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer, void, undefined> {
  if (bytes.length > 0) yield bytes;
}
