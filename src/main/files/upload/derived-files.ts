/** Files that the service makes of the content of others: what it knows of them need not be found out again. */
import { newId, type GraphNode, type PropertyMap, type StoredValue } from '../../graph/index.js';
import { folderOf, putInto, withoutNulls, type ObjectTransaction, type Type } from '../../schema/index.js';
import type { Received } from '../content/content.js';
import type { FilesContext } from '../context.js';
import { FilesError } from '../errors.js';
import { createFile } from './new-file.js';

/** Content that is stored, and becomes a file. */
export interface Derived {
  readonly received: Received;
  readonly name: string;
  readonly contentType: string;
}

export class DerivedFiles {
  constructor(private readonly context: FilesContext) {}

  /** Stores content for a new file. `facts`: the properties that it has by its content. */
  store(bytes: Uint8Array, facts: Readonly<Record<string, StoredValue>>): Promise<Received> {
    const { contents, write } = this.context;
    const options = { limit: bytes.length, checksums: [], facts };
    const { buffer, byteOffset, length } = bytes;
    return contents.receiveNew(newId(write().compactIds), one(Buffer.from(buffer, byteOffset, length)), options);
  }

  /** Makes one with these further properties, past all rules for input: what the service keeps for itself. */
  async create(
    objects: ObjectTransaction,
    type: Type,
    { received, name, contentType }: Derived,
    folder: GraphNode | undefined,
    properties: PropertyMap,
  ): Promise<GraphNode> {
    const published = withoutNulls(this.context.contents.published(received, type));
    const given = { id: received.file, properties: { ...published, ...properties, hasParent: folder !== undefined } };
    const node = await objects.create(type, { name, contentType }, given);
    if (folder !== undefined) await putInto(objects, folder.id, node.id, 'File');
    return node;
  }

  /**
   * Makes one in the folder of the file that it was made of, for who may read that, and write there. Throws `FilesError` 403 when he may
   * not.
   */
  async createBeside(
    objects: ObjectTransaction,
    source: GraphNode,
    { received, name, contentType }: Derived,
  ): Promise<GraphNode> {
    const folder = await folderOf(objects, source.id);
    if (folder !== undefined && !(await objects.may('write', folder)))
      throw new FilesError(403, 'Writing into the folder of this file is not permitted.');
    const arrived = {
      filename: name,
      claimed: contentType,
      received,
      sandboxed: source.properties['sandboxed'] === true,
    };
    return createFile(this.context, objects, arrived, contentType, new Map([['type', 'Image']]), folder);
  }

  /** After a transaction that has failed, or did without it: content that is no file's goes. */
  abandon(received: Received): Promise<void> {
    return this.context.contents.abandon(received);
  }
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer, void> {
  await Promise.resolve();
  yield bytes;
}
