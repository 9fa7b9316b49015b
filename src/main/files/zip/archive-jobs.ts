/** Making and extracting archives in the tree, in the background: what methods and scripts call. */
import { entriesOf } from './entries.js';
import { newId, type GraphNode } from '../../graph/index.js';
import { folderOf, type Actor, type ObjectAccess } from '../../schema/index.js';
import type { JsonObject } from '../../../shared/json/index.js';
import type { FilesContext } from '../context.js';
import type { Job, JobControl } from '../jobs/job.js';
import { needsUser, rightsNow } from '../jobs/rights.js';
import { looking } from '../tree/looking.js';
import { createFile, receivingInto } from '../upload/new-file.js';
import { ZIP_TYPE, zipNameOf } from './archive-names.js';
import { openFolder } from './folders.js';
import { nodesOf } from './serve-zip.js';
import { extract, inspect, mayExtract } from './unarchive.js';
import { through } from '../writing.js';

const MB = 1024 * 1024;
/** Archives wait for each other, not for imports. */
const LANE = 'archives';

/** Who asks. */
export interface Asking {
  readonly actor: Actor;
  readonly access: ObjectAccess;
}

export interface ArchiveWish {
  /** Ids of files and folders. */
  readonly ids: readonly string[];
  /** `.zip` is added where it is missing; undefined: that of the only file or folder. */
  readonly name: string | undefined;
  /** Id of the folder the archive is put into; undefined: the one that the first of `ids` lies in. */
  readonly parent: string | undefined;
}

export class ArchiveJobs {
  constructor(private readonly context: FilesContext) {}

  /** Begins to make an archive of what the actor may read. Throws `FilesError` 403, 404, 422 and 503. */
  async archive({ actor, access }: Asking, { ids, name, parent }: ArchiveWish): Promise<Job> {
    const { graph, jobs, schemas } = this.context;
    needsUser(actor);
    const roots = await nodesOf(this.context, ids, { actor, access });
    const first = roots[0];
    const folder = parent ?? (first === undefined ? undefined : await this.#folderOf(first));
    const filename = zipNameOf(name, roots);
    if (folder !== undefined) await graph.read((tx) => openFolder(looking(tx, schemas.schema, access), folder));
    return jobs.submit({
      jobtype: 'ARCHIVE',
      lane: LANE,
      actor,
      file: { path: filename },
      run: (job) => this.#make(job, actor, roots, filename, folder),
    });
  }

  /** Begins to extract an archive that the actor may read. Throws `FilesError` 403, 404, 422 and 503. */
  async unarchive({ actor, access }: Asking, archive: GraphNode, parent: string | undefined): Promise<Job> {
    const { graph, jobs, schemas } = this.context;
    needsUser(actor);
    mayExtract(archive, actor);
    const folder = parent ?? (await this.#folderOf(archive));
    if (folder !== undefined) await graph.read((tx) => openFolder(looking(tx, schemas.schema, access), folder));
    const { bytes } = await inspect(this.context, archive);
    return jobs.submit({
      jobtype: 'UNARCHIVE',
      lane: LANE,
      actor,
      file: { id: archive.id, path: String(archive.properties['name'] ?? ''), size: bytes },
      run: (job) => extract(this.context, job, actor, archive, folder),
    });
  }

  async #make(
    job: JobControl,
    asked: Actor,
    roots: readonly GraphNode[],
    filename: string,
    folder: string | undefined,
  ): Promise<JsonObject> {
    const { contents, config, schemas, archives, write } = this.context;
    const rights = await rightsNow(this.context, asked);
    const bytes = archives.inBackground(entriesOf(this.context, { ...rights, signal: job.signal }, roots));
    const counted = async function* (): AsyncGenerator<Buffer, void> {
      for await (const piece of bytes) {
        await job.checkpoint();
        yield Buffer.from(piece.buffer, piece.byteOffset, piece.length);
      }
    };
    const received = await contents.receiveNew(newId(write().compactIds), counted(), {
      limit: config.get('application.filesystem.archive.maxsize') * MB,
      ...(await receivingInto(this.context, asked, folder, filename)),
    });
    try {
      const { actor, access } = await rightsNow(this.context, asked);
      await schemas.write(actor, access, through('job', 'archive', this.context), async (objects) => {
        const parent = folder === undefined ? undefined : await openFolder(objects, folder);
        await createFile(this.context, objects, { filename, claimed: ZIP_TYPE, received }, ZIP_TYPE, new Map(), parent);
      });
    } catch (error) {
      await contents.abandon(received);
      throw error;
    }
    job.chunk({ objects: roots.length, created: 1 });
    return { fileUuid: received.file, size: received.size };
  }

  async #folderOf(node: GraphNode): Promise<string | undefined> {
    const { graph, schemas } = this.context;
    return (await graph.read((tx) => folderOf({ tx, schema: schemas.schema }, node.id)))?.id;
  }
}
