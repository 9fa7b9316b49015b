/**
 * Files of an application that is imported: their ids and paths are given, contents are stored first, and all become files in one transaction. What is
 * there of an id stays that file, wherever it lies now.
 */
import type { GraphNode } from '../../graph/index.js';
import { putInto, withoutNulls, type ObjectTransaction, type Type } from '../../schema/index.js';
import type { JsonObject } from '../../../shared/json/index.js';
import { detectContentType } from '../content/content-type.js';
import type { Received } from '../content/received.js';
import type { FilesContext } from '../context.js';
import { checksumsIn, largestFile } from './upload-target.js';

/** Content that is stored for a file of an id. */
export interface DeployedContent {
  readonly received: Received;
  /** By name and content. */
  readonly contentType: string;
}

export interface DeployedFile {
  readonly id: string;
  readonly name: string;
  /** Its id. Undefined: it lies at the root of the tree. */
  readonly folder: string | undefined;
  /** Where it lies (`placeOf`), when nothing else lies there. */
  readonly place: string | undefined;
  /** Further properties. */
  readonly values: JsonObject;
  readonly isTemplate: boolean;
  /** Somebody has written its content who is no administrator. */
  readonly isSandboxed: boolean;
  /** Undefined: it keeps what it has; a new one is empty. */
  readonly content: DeployedContent | undefined;
}

export class DeployedFiles {
  readonly #stored: Received[] = [];

  constructor(private readonly context: FilesContext) {}

  /** The checksum that a file of these bytes has (`checksum`). */
  async checksum(bytes: AsyncIterable<Buffer>): Promise<unknown> {
    return (await this.context.contents.sum(bytes, []))['checksum'];
  }

  /** Stores content for a file that is there, or will be. Throws `FilesError` 413 for what is larger than files may be. */
  async store(
    id: string,
    there: GraphNode | undefined,
    name: string,
    bytes: AsyncIterable<Buffer>,
  ): Promise<DeployedContent> {
    const { contents, config } = this.context;
    const options = { limit: largestFile(config), checksums: checksumsIn(config) };
    const received =
      there === undefined
        ? await contents.receiveNew(id, bytes, options)
        : await contents.receive(there, bytes, options);
    this.#stored.push(received);
    const contentType = await detectContentType(name, '', received.head);
    return { received: { ...received, head: Buffer.alloc(0) }, contentType };
  }

  /** Makes or changes one; with the rights of the transaction. */
  async put(objects: ObjectTransaction, type: Type, file: DeployedFile): Promise<GraphNode> {
    const { id, name, folder, place, values, isTemplate, isSandboxed, content } = file;
    const there = await objects.tx.node(id);
    const contentType = values['contentType'] ?? content?.contentType;
    const input = { ...values, name, ...(contentType === undefined ? {} : { contentType }) };
    // As of those that no import has made.
    const marks = { isTemplate: isTemplate ? true : null, sandboxed: isSandboxed ? true : null };
    if (there === undefined) {
      const published =
        content === undefined ? {} : withoutNulls(this.context.contents.published(content.received, type));
      const properties = {
        ...published,
        hasParent: folder !== undefined,
        ...(place === undefined ? {} : { place }),
        ...(isTemplate ? { isTemplate } : {}),
        ...(isSandboxed ? { sandboxed: true } : {}),
      };
      const node = await objects.create(type, { ...input, id }, { id, properties });
      if (folder !== undefined) await putInto(objects, folder, node.id, 'File');
      return node;
    }
    const moved = await objects.update(there, { ...input, parent: folder ?? null });
    if (content !== undefined) await this.context.contents.publish(objects, moved, content.received, marks);
    else if ((moved.properties['isTemplate'] === true) !== isTemplate)
      await objects.tx.updateNode(id, { isTemplate: marks.isTemplate });
    // What others have written stays theirs, whatever was there before.
    if (isSandboxed && moved.properties['sandboxed'] !== true) await objects.tx.updateNode(id, { sandboxed: true });
    return moved;
  }

  /** Makes content that of a file that came without: all else that the file says of itself stays. */
  async restore(objects: ObjectTransaction, node: GraphNode, { received }: DeployedContent): Promise<void> {
    const {
      version: _version,
      fileModificationDate: _date,
      ...changes
    } = this.context.contents.published(received, objects.schema.typeOf(node), node);
    await objects.tx.updateNode(node.id, changes);
  }

  /** After the transaction: what has not become content of a file goes. */
  async end(): Promise<void> {
    for (const received of this.#stored) await this.context.contents.abandon(received);
  }
}
