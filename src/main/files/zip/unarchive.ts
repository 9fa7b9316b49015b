/** Extracts an archive into the tree, in batches: what is committed stays when something later is refused. */
import { newId, type GraphNode } from '../../graph/index.js';
import type { Actor, ObjectTransaction } from '../../schema/index.js';
import type { Config } from '../../config/index.js';
import type { JsonObject } from '../../../shared/json/index.js';
import { TimeSlice } from '../../../shared/time-slice.js';
import { together } from '../../../shared/together.js';
import type { Received, ReceiveOptions } from '../content/received.js';
import { sizeOf } from '../content/place.js';
import { detectContentType, HEAD_BYTES } from '../content/content-type.js';
import type { FilesContext } from '../context.js';
import { FilesError } from '../errors.js';
import type { JobControl } from '../jobs/job.js';
import { rightsNow, type Rights } from '../jobs/rights.js';
import { createFile, receivingInto } from '../upload/new-file.js';
import { folderIn, openFolder } from './folders.js';
import { OpenArchive, type ArchivedEntry } from './zip-reader.js';
import { through } from '../writing.js';

/** Entries of a transaction. */
const BATCH = 50;
/** Contents stored at the same time. */
const AT_ONCE = 8;
const MB = 1024 * 1024;
/** Below this size the ratio does not matter: an archive of a few zeros has a large one. */
const RATIO_FROM = 16 * MB;

/** What an archive holds. */
export interface Plan {
  readonly entries: number;
  readonly bytes: number;
}

/**
 * Looks through an archive before anything is extracted. Throws `FilesError` 422 for what is no ZIP archive, is broken,
 * encrypted or larger than the limits allow.
 */
export async function inspect({ contents, config }: FilesContext, archive: GraphNode): Promise<Plan> {
  const head: Buffer[] = [];
  const range = { from: 0, to: Math.min(sizeOf(archive), HEAD_BYTES) };
  for await (const piece of contents.read(archive, range)) head.push(piece);
  const type = await detectContentType('', '', Buffer.concat(head));
  const beginning = Buffer.concat(head).subarray(0, 4).toString('latin1');
  // Of the types that are ZIP archives inside, only the beginning tells.
  if (beginning !== 'PK\x03\x04' && beginning !== 'PK\x05\x06') {
    throw new FilesError(422, `Only ZIP archives can be extracted, and this is ${type}.`);
  }
  return OpenArchive.with(contents, archive, undefined, (opened) => within(config, sizeOf(archive), opened));
}

/** What an archive of this size holds. Throws `FilesError` 422 for what is larger than the limits allow. */
export async function within(config: Config, size: number, opened: OpenArchive): Promise<Plan> {
  const limits = limitsIn(config);
  let entries = 0;
  let bytes = 0;
  for await (const entry of opened.entries()) {
    entries++;
    bytes += entry.size;
    const problem =
      entries > limits.entries
        ? `more than ${String(limits.entries)} entries`
        : bytes > limits.bytes
          ? `more than ${String(limits.bytes)} bytes`
          : bytes > RATIO_FROM && bytes > size * limits.ratio
            ? `more than ${String(limits.ratio)} times its own size`
            : entry.path.length > limits.depth
              ? `folders deeper than ${String(limits.depth)}`
              : undefined;
    if (problem !== undefined) throw new FilesError(422, `The archive holds ${problem}.`);
  }
  return { entries, bytes };
}

function limitsIn(config: Config): { entries: number; bytes: number; ratio: number; depth: number } {
  return {
    entries: config.get('application.filesystem.unarchive.maxentries'),
    bytes: config.get('application.filesystem.unarchive.maxsize') * MB,
    ratio: config.get('application.filesystem.unarchive.maxratio'),
    depth: config.get('application.filesystem.unarchive.maxdepth'),
  };
}

interface Extracted {
  readonly path: readonly string[];
  /** Undefined: a folder. */
  readonly file: { readonly received: Received; readonly contentType: string } | undefined;
}

/** Extracts everything; the work of a job. `parent`: id of a folder, undefined: the root of the tree. */
export async function extract(
  context: FilesContext,
  job: JobControl,
  asked: Actor,
  archive: GraphNode,
  parent: string | undefined,
): Promise<JsonObject> {
  const { contents } = context;
  const target = new Target(context, parent, archive.properties['sandboxed'] === true);
  // What the folder says at the beginning holds for all of it.
  const { path: _, ...options } = await receivingInto(context, asked, parent, '');
  let batch: ArchivedEntry[] = [];
  const flush = async (): Promise<void> => {
    const extracted = await receive(context, batch, job.signal, options);
    try {
      // What somebody may do may change while a job runs.
      await target.commit(await rightsNow(context, asked), extracted);
    } catch (error) {
      await discard(context, extracted);
      throw error;
    }
    job.chunk({ objects: batch.length, created: extracted.length });
    batch = [];
    await job.checkpoint();
  };
  await OpenArchive.with(contents, archive, job.signal, async (opened) => {
    for await (const entry of opened.entries()) {
      batch.push(entry);
      if (batch.length >= BATCH) await flush();
    }
    if (batch.length > 0) await flush();
  });
  return { files: target.files, folders: target.folders };
}

/** Throws `FilesError` 403 for an archive that the actor gets to see only as what its scripts make of it. */
export function mayExtract(archive: GraphNode, { isAdmin }: Actor): void {
  if (archive.properties['isTemplate'] === true && !isAdmin) {
    throw new FilesError(403, 'What is evaluated when it is read cannot be extracted.');
  }
}

/**
 * Stores everything that an archive holds, before any of it is put into the tree by `put`; all or nothing. Throws as `inspect`
 * does.
 */
export async function storeAll(
  context: FilesContext,
  archive: GraphNode,
  actor: Actor,
  parent: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly stored: readonly Received[]; readonly put: (objects: ObjectTransaction) => Promise<void> }> {
  await inspect(context, archive);
  const { path: _, ...options } = await receivingInto(context, actor, parent, '');
  const all: Extracted[] = [];
  let batch: ArchivedEntry[] = [];
  const flush = async (): Promise<void> => {
    all.push(...(await receive(context, batch, signal, options)).map(withoutHead));
    batch = [];
  };
  try {
    await OpenArchive.with(context.contents, archive, signal, async (opened) => {
      for await (const entry of opened.entries()) {
        batch.push(entry);
        if (batch.length >= BATCH) await flush();
      }
      await flush();
    });
  } catch (error) {
    await discard(context, all);
    throw error;
  }
  return {
    stored: all.flatMap(({ file }) => (file === undefined ? [] : [file.received])),
    put: (objects) =>
      new Target(context, parent, archive.properties['sandboxed'] === true).put(objects, all, new Map()),
  };
}

/** Thousands of beginnings would be much to keep, and have told what they were kept for. */
function withoutHead(one: Extracted): Extracted {
  const { file } = one;
  return file === undefined
    ? one
    : { ...one, file: { ...file, received: { ...file.received, head: Buffer.alloc(0) } } };
}

/** Stores what entries hold, several at a time; all or nothing. */
async function receive(
  context: FilesContext,
  entries: readonly ArchivedEntry[],
  signal: AbortSignal,
  options: Omit<ReceiveOptions, 'limit'>,
): Promise<Extracted[]> {
  const extracted: Extracted[] = [];
  try {
    await together(entries, AT_ONCE, async (entry, at) => {
      signal.throwIfAborted();
      extracted[at] = {
        path: entry.path,
        file: entry.isFolder ? undefined : await receiveOne(context, entry, options),
      };
    });
  } catch (error) {
    // Of a list with gaps only what is there.
    await discard(context, Object.values(extracted));
    throw error;
  }
  return extracted;
}

async function receiveOne(
  { contents, write }: FilesContext,
  { path, size, read }: ArchivedEntry,
  options: Omit<ReceiveOptions, 'limit'>,
): Promise<Extracted['file']> {
  const received = await contents.receiveNew(newId(write().compactIds), read(), { limit: size, ...options });
  return { received, contentType: await detectContentType(path.at(-1) ?? '', '', received.head) };
}

async function discard({ contents }: FilesContext, extracted: readonly Extracted[]): Promise<void> {
  for (const { file } of extracted) if (file !== undefined) await contents.abandon(file.received);
}

/** The folder an archive is extracted into, and what has been made in it. */
class Target {
  files = 0;
  folders = 0;
  /** Ids of the folders of the archive, by path: some are called otherwise here. */
  readonly #known = new Map<string, string>();

  constructor(
    private readonly context: FilesContext,
    private readonly parent: string | undefined,
    private readonly sandboxed: boolean,
  ) {}

  /** Puts entries into the tree, in a transaction of their own. */
  async commit({ actor, access }: Rights, entries: readonly Extracted[]): Promise<void> {
    const { schemas } = this.context;
    // Only what is committed is remembered.
    const known = new Map(this.#known);
    const before = { files: this.files, folders: this.folders };
    await schemas.write(actor, access, through('job', 'unarchive', this.context), async (objects) => {
      Object.assign(this, before);
      await this.put(objects, entries, known);
    });
    for (const [key, id] of known) this.#known.set(key, id);
  }

  /** Puts entries into the tree. `known`: ids of folders by their path in the archive, to which it adds those it made. */
  async put(objects: ObjectTransaction, entries: readonly Extracted[], known: Map<string, string>): Promise<void> {
    const slice = new TimeSlice();
    const parent = this.parent === undefined ? undefined : await openFolder(objects, this.parent);
    const open = new Map<string, GraphNode | undefined>([['', parent]]);
    for (const { path, file } of entries) {
      if (slice.due) await slice.pause();
      const names = file === undefined ? path : path.slice(0, -1);
      let folder = parent;
      for (let depth = 1; depth <= names.length; depth++) {
        const key = names.slice(0, depth).join('/');
        let next = open.get(key);
        if (next === undefined) {
          const id = known.get(key);
          next = id === undefined ? undefined : await objects.tx.node(id);
          const before = objects.created.length;
          next ??= await folderIn(this.context, objects, folder, names[depth - 1] ?? '');
          this.folders += objects.created.length - before;
          known.set(key, next.id);
          open.set(key, next);
        }
        folder = next;
      }
      if (file === undefined) continue;
      const { received, contentType } = file;
      const filename = path.at(-1) ?? '';
      const arrived = { filename, claimed: '', received, sandboxed: this.sandboxed };
      await createFile(this.context, objects, arrived, contentType, new Map(), folder);
      this.files++;
    }
  }
}
