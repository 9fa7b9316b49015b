/** Making and extracting archives for who waits for it, within a transaction that he began: what scripts call. */
import { entriesOf } from './entries.js';
import { newId, type GraphNode } from '../../graph/index.js';
import { folderOf, type Actor, type ObjectAccess, type ObjectTransaction } from '../../schema/index.js';
import type { Reading } from '../content/content.js';
import type { Received } from '../content/received.js';
import type { FilesContext } from '../context.js';
import { FilesError } from '../errors.js';
import { looking } from '../tree/looking.js';
import { createFile, receivingInto } from '../upload/new-file.js';
import type { Place } from '../content/place.js';
import { ZIP_TYPE, zipNameOf } from './archive-names.js';
import type { ZipEncryption } from './container/encryption.js';
import { openFolder } from './folders.js';
import { nodesOf } from './serve-zip.js';
import { mayExtract, storeAll } from './unarchive.js';

const MB = 1024 * 1024;

/** Who asks, and within what. */
export interface Within {
  readonly actor: Actor;
  readonly access: ObjectAccess;
  /** Reads with what the transaction has written. */
  readonly read: Reading;
  /** Becomes the writer; asked for only when all content is stored, so that nobody else waits for that. */
  readonly objects: () => Promise<ObjectTransaction>;
  readonly signal: AbortSignal;
}

export interface WishedArchive {
  /** Ids of files and folders. */
  readonly ids: readonly string[];
  /** `.zip` is added where it is missing. */
  readonly name: string;
  /** A type of files; undefined: the usual one. */
  readonly type: string | undefined;
  readonly encryption: ZipEncryption | undefined;
}

export class ArchivesWithin {
  constructor(private readonly context: FilesContext) {}

  /** Makes an archive of what the actor may read, in the root of the tree. Throws `FilesError` 404, 413, 422 and 503. */
  async create({ actor, access, read, objects, signal }: Within, wish: WishedArchive): Promise<GraphNode> {
    const { contents, config, archives, write, schemas } = this.context;
    const { name, type, encryption } = wish;
    if (type !== undefined && schemas.schema.type(type)?.hasTrait('File') !== true) {
      throw new FilesError(422, `${JSON.stringify(type.slice(0, 200))} is no type of files.`);
    }
    const roots = await nodesOf(this.context, wish.ids, { actor, access, read });
    const filename = zipNameOf(name, roots);
    const options = {
      limit: config.get('application.filesystem.archive.maxsize') * MB,
      ...(await receivingInto(this.context, actor, undefined, filename)),
    };
    const bytes = archives.of(entriesOf(this.context, { actor, access, signal, read }, roots), encryption);
    let received: Received;
    try {
      received = await contents.receiveNew(newId(write().compactIds), inBuffers(bytes), options);
    } finally {
      // Its place among the archives is free again, also where nothing of it was read.
      await bytes.return(undefined);
    }
    const fields = new Map(type === undefined ? [] : [['type', type]]);
    return this.#writing(objects, [received], async (open) =>
      createFile(this.context, open, { filename, claimed: ZIP_TYPE, received }, ZIP_TYPE, fields, undefined),
    );
  }

  /**
   * Extracts an archive that the actor may read. `parent`: id of a folder; undefined: the one that the archive lies in. Throws
   * `FilesError` 403, 404 and 422.
   */
  async extract(within: Within, archive: GraphNode, parent: string | undefined): Promise<void> {
    const { schemas } = this.context;
    const { actor, access, read, objects, signal } = within;
    mayExtract(archive, actor);
    const folder = parent ?? (await read((tx) => folderOf({ tx, schema: schemas.schema }, archive.id)))?.id;
    if (folder !== undefined) await read((tx) => openFolder(looking(tx, schemas.schema, access), folder));
    const { stored, put } = await storeAll(this.context, archive, actor, folder, signal);
    await this.#writing(objects, stored, put);
  }

  /** Writes what names content that is stored; when that comes to nothing, however late, the content goes. */
  async #writing<T>(
    objects: Within['objects'],
    stored: readonly Place[],
    work: (open: ObjectTransaction) => Promise<T>,
  ): Promise<T> {
    const { contents } = this.context;
    const abandon = async (): Promise<void> => {
      for (const one of stored) await contents.abandon(one);
    };
    let open: ObjectTransaction;
    try {
      open = await objects();
    } catch (error) {
      await abandon();
      throw error;
    }
    // A script may go on after an error: what the transaction has of it by then still counts.
    open.onEnd(() => void abandon());
    return work(open);
  }
}

async function* inBuffers(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  for await (const { buffer, byteOffset, length } of pieces) yield Buffer.from(buffer, byteOffset, length);
}
