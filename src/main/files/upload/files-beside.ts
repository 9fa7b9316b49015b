/**
 * Files that the service makes of another one: parts of images, videos of other formats, pictures of them, thumbnails. What is made for somebody
 * lies beside its original, and is for whom that is (docs/interface/media.md 2.3, 3.2).
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
  type Type,
} from '../../schema/index.js';
import type { JsonObject } from '../../../shared/json/index.js';
import type { Received } from '../content/received.js';
import type { FilesContext } from '../context.js';
import { FilesError } from '../errors.js';
import { newFolder } from '../zip/folders.js';
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
export type ContentBeside = { readonly path: string } | { readonly bytes: Uint8Array };

/** Where something is made, and whether it is its original's owner's then. */
interface Site {
  readonly folder: GraphNode | undefined;
  readonly isShared: boolean;
}

export class FilesBeside {
  constructor(private readonly context: FilesContext) {}

  /** Throws `SchemaError` when the actor may not write the original, and `FilesError` 403 when not the folder it lies in. */
  async mayMake(objects: ObjectTransaction, original: GraphNode): Promise<void> {
    if (!(await this.#siteOf(objects, original)).isShared) throw objects.notPermitted(original);
  }

  /**
   * Makes a file for who may read the original and write its folder, called otherwise where its name is taken. Whoever may write the original
   * makes it for all whose that is: it gets its owner, its flags and its grants. Else it is the actor's alone. Throws `FilesError` 403 and 404,
   * and `SchemaError`.
   */
  async make(objects: ObjectTransaction, original: GraphNode, file: FileBeside): Promise<GraphNode> {
    const { contents, write } = this.context;
    const site = await this.#siteOf(objects, original);
    const folder = file.folder ?? site.folder;
    const type = objects.schema.type(file.type);
    if (type === undefined) throw new FilesError(500, `The schema has no type ${file.type}.`);
    const free = await freePlace(objects, folder?.id, file.name, write().uniquePaths ?? 'beforeextension');
    const node = await objects.create(
      type,
      { ...file.input, contentType: file.contentType, name: free.name },
      {
        id: file.received?.file ?? objects.newId(),
        properties: {
          ...(file.received === undefined ? {} : withoutNulls(contents.published(file.received, type))),
          ...file.properties,
          ...(site.isShared ? flagsOf(original) : {}),
          place: free.place,
          hasParent: folder !== undefined,
          ...sandboxOf(original, !objects.actor.isAdmin),
        },
      },
    );
    if (folder !== undefined) await putInto(objects, folder.id, node.id, 'File');
    if (site.isShared) await shareLike(objects, node, original);
    return node;
  }

  /** Makes a folder beside the original, by the same rule. */
  async makeFolder(objects: ObjectTransaction, original: GraphNode, name: string): Promise<GraphNode> {
    const { folder: parent, isShared } = await this.#siteOf(objects, original);
    const folder = await newFolder(this.context, objects, parent, name, isShared ? flagsOf(original) : {});
    if (isShared) await shareLike(objects, folder, original);
    return folder;
  }

  /**
   * Makes one that the service keeps for itself, of a type and in a folder of its own, past all rules for input. Who may do what with it is for
   * the caller to say.
   */
  async keep(
    objects: ObjectTransaction,
    original: GraphNode,
    type: Type,
    { received, name, contentType, properties, folder }: Omit<FileBeside, 'type' | 'input'> & { received: Received },
  ): Promise<GraphNode> {
    const published = withoutNulls(this.context.contents.published(received, type));
    const own = { ...properties, ...sandboxOf(original, false), hasParent: folder !== undefined };
    const given = { id: received.file, properties: { ...published, ...own } };
    const node = await objects.create(type, { name, contentType }, given);
    if (folder !== undefined) await putInto(objects, folder.id, node.id, 'File');
    return node;
  }

  /**
   * Stores the content of a file that will be made in a folder (by id). Whoever has it publishes it, or calls `abandon`. `facts`: properties that
   * an image has by it, where whoever made it knows them; absent: they are found out.
   */
  async store(
    actor: Actor,
    folder: string | undefined,
    name: string,
    content: ContentBeside,
    facts?: PropertyMap,
  ): Promise<Received> {
    const { contents, config, write } = this.context;
    const known = facts === undefined ? {} : { facts };
    const options = {
      limit: largestFile(config),
      ...known,
      ...(await receivingInto(this.context, actor, folder, name)),
    };
    const id = newId(write().compactIds);
    if ('path' in content) return contents.adopt(id, content.path, options);
    return contents.receiveNew(id, once(content.bytes), options);
  }

  /** The same for one that the service will keep for itself (`keep`). */
  storeToKeep(bytes: Uint8Array, facts: PropertyMap): Promise<Received> {
    const { contents, write } = this.context;
    return contents.receiveNew(newId(write().compactIds), once(bytes), { limit: bytes.length, checksums: [], facts });
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

  /** What was stored and is no file's goes. To be called after a transaction, whatever became of it. */
  async abandon(received: readonly Received[]): Promise<void> {
    for (const one of received) await this.context.contents.abandon(one);
  }

  /** Throws `FilesError` 404 when the actor may not read the original, and 403 when he may not write the folder it lies in. */
  async #siteOf(objects: ObjectTransaction, original: GraphNode): Promise<Site> {
    if (!(await objects.may('read', original))) throw new FilesError(404, 'The file that it is made of is gone.');
    const isShared = await objects.may('write', original);
    const folder = await folderOf(objects, original.id);
    if (folder !== undefined && !(await objects.may('write', folder)))
      throw new FilesError(403, 'Writing into the folder of this file is not permitted.');
    return { folder, isShared };
  }
}

function flagsOf({ properties }: GraphNode): { visibleToPublicUsers: boolean; visibleToAuthenticatedUsers: boolean } {
  const { visibleToPublicUsers, visibleToAuthenticatedUsers } = properties;
  return {
    visibleToPublicUsers: visibleToPublicUsers === true,
    visibleToAuthenticatedUsers: visibleToAuthenticatedUsers === true,
  };
}

/** What is made of what browsers must not run they must not run either. `isOthers`: who makes it is no administrator. */
function sandboxOf({ properties }: GraphNode, isOthers: boolean): { sandboxed?: true } {
  return isOthers || properties['sandboxed'] === true ? { sandboxed: true } : {};
}

async function* once(bytes: Uint8Array): AsyncGenerator<Buffer, void, undefined> {
  await Promise.resolve();
  if (bytes.length > 0) yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
