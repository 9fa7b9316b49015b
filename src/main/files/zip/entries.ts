/** What of the tree goes into an archive: everything that may be read, and nothing twice. */
import type { GraphNode, NodeQuery, ReadTransaction } from '../../graph/index.js';
import { logger } from '../../../shared/log.js';
import {
  DEEPEST_TREE,
  onlyReadable,
  readable,
  typesOf,
  type Actor,
  type ObjectAccess,
  type Schema,
} from '../../schema/index.js';
import { placeOfContent, samePlace, sizeOf } from '../content/place.js';
import type { Reading } from '../content/content.js';
import type { FilesContext } from '../context.js';
import { ContentMissing } from '../errors.js';
import { shownOf } from '../tree/locate.js';
import { isPacked } from './media.js';
import { EntryGone, type ZipEntry } from './container/writer.js';

const log = logger('files.zip');

/** Children of a folder that are read at once. */
const PAGE = 500;

/** Whose archive it is. */
export interface Reader {
  readonly actor: Actor;
  readonly access: ObjectAccess;
  readonly signal?: AbortSignal;
  /** As for whoever asks for files by their paths: those for the public alone are not for users. Absent: all that may be read. */
  readonly asShown?: boolean;
  /** How the tree is read, where a transaction may have written it; absent: as it is committed. */
  readonly read?: Reading;
}

/** Files and folders, with all that is in these, each below its own name. */
export async function* entriesOf(
  context: FilesContext,
  reader: Reader,
  roots: readonly GraphNode[],
): AsyncGenerator<ZipEntry, void, undefined> {
  const visited = new Set<string>();
  const names = new Names();
  for (const root of roots) yield* below(context, reader, root, '', names, visited, 0);
}

async function* below(
  context: FilesContext,
  reader: Reader,
  node: GraphNode,
  path: string,
  names: Names,
  visited: Set<string>,
  depth: number,
): AsyncGenerator<ZipEntry, void, undefined> {
  const type = context.schemas.schema.typeOf(node);
  if (node.properties['hidden'] === true) return;
  if (type.hasTrait('File')) {
    // What is run for whoever asks must not be handed out as it is written.
    if (node.properties['isTemplate'] === true && !reader.actor.isAdmin) return;
    yield fileEntry(context, reader, node, path + names.free(nameOf(node)));
    return;
  }
  // A folder is in an archive once: one that lies in itself has no end.
  if (!type.hasTrait('Folder') || visited.has(node.id) || depth >= DEEPEST_TREE) return;
  visited.add(node.id);
  const inside = `${path}${names.free(nameOf(node))}/`;
  yield { name: inside, modified: modifiedOf(node), size: 0, packed: true };
  const namesInside = new Names();
  for await (const children of childrenOf(context, reader, node.id)) {
    for (const child of children) yield* below(context, reader, child, inside, namesInside, visited, depth + 1);
  }
}

/** The readable children of a folder by name, a page after the other: no transaction is open between them. */
async function* childrenOf(
  { graph, schemas }: FilesContext,
  reader: Reader,
  folder: string,
): AsyncGenerator<readonly GraphNode[], void, undefined> {
  const { access, signal, read = (work) => graph.read(work, signal === undefined ? {} : { signal }) } = reader;
  let from = `${folder}/`;
  // Where names need not be unique, several may share a place.
  let seen = new Set<string>();
  for (;;) {
    const query: NodeQuery = {
      kind: 'nodes',
      trait: 'AbstractFile',
      ...typesOf(schemas.schema, 'AbstractFile'),
      where: { op: 'range', key: 'place', from, to: `${folder}0`, toExclusive: true },
      sort: [{ key: 'place' }],
      limit: PAGE + seen.size,
    };
    signal?.throwIfAborted();
    const { page, fresh } = await read(async (tx) => {
      const found = await tx.find(onlyReadable(query, access));
      const others = found.filter(({ id }) => !seen.has(id));
      return {
        page: found,
        fresh: reader.asShown === true ? await seenBy(tx, schemas.schema, reader, others) : others,
      };
    });
    if (fresh.length > 0) yield fresh;
    if (page.length < PAGE + seen.size) return;
    const last = String(page.at(-1)?.properties['place']);
    if (last !== from) seen = new Set();
    from = last;
    for (const { id, properties } of page) if (properties['place'] === last) seen.add(id);
  }
}

/** The entry of one file, with its content as it is when the archive comes to it. */
export function fileEntry(context: FilesContext, reader: Reader, node: GraphNode, name: string): ZipEntry {
  const { contentType, crc32 } = node.properties;
  return {
    name,
    modified: modifiedOf(node),
    size: sizeOf(node),
    packed: isPacked(typeof contentType === 'string' ? contentType : ''),
    ...(typeof crc32 === 'number' ? { crc: crc32 } : {}),
    read: () => content(context, reader, node, name),
  };
}

/** The bytes of a file as it was when it was listed; after that it may have gone, or got other content. */
async function* content(
  context: FilesContext,
  reader: Reader,
  node: GraphNode,
  name: string,
): AsyncGenerator<Buffer, void, undefined> {
  let begun = false;
  try {
    for await (const bytes of context.contents.read(node, { from: 0, to: sizeOf(node) }, reader.signal)) {
      begun = true;
      yield bytes;
    }
  } catch (error) {
    if (begun) throw error;
    const read: Reading = reader.read ?? ((work) => context.graph.read(work));
    const now = await read((tx) => stillReadable(tx, context.schemas.schema, reader, node.id));
    if (now === undefined) throw new EntryGone();
    if (samePlace(placeOfContent(now), placeOfContent(node))) {
      if (!(error instanceof ContentMissing)) throw error;
      // One content that was lost must not keep all others from being fetched.
      log.error(`${name} is left out of an archive: ${error.message}`);
      throw new EntryGone();
    }
    throw new EntryGone(fileEntry(context, reader, now, name));
  }
}

async function stillReadable(
  tx: ReadTransaction,
  schema: Schema,
  reader: Reader,
  id: string,
): Promise<GraphNode | undefined> {
  const node = await tx.node(id);
  return node === undefined ? undefined : (await seenBy(tx, schema, reader, [node]))[0];
}

/** Of some files and folders those that are for whoever asks. */
export function seenBy(
  tx: ReadTransaction,
  schema: Schema,
  { access, asShown = false }: Reader,
  nodes: readonly GraphNode[],
): Promise<readonly GraphNode[]> {
  return asShown ? shownOf(tx, schema, access, nodes) : readable(tx, access, nodes);
}

/** Names within one folder of the archive. */
class Names {
  readonly #taken = new Set<string>();

  /** The name, or one like it that is not there yet. */
  free(name: string): string {
    let free = name;
    for (let n = 2; this.#taken.has(free); n++) {
      const dot = name.lastIndexOf('.');
      free = dot > 0 ? `${name.slice(0, dot)} (${String(n)})${name.slice(dot)}` : `${name} (${String(n)})`;
    }
    this.#taken.add(free);
    return free;
  }
}

/** A name that leads nowhere else when the archive is unpacked, whatever unpacks it. */
function nameOf({ id, properties }: GraphNode): string {
  const { name } = properties;
  if (typeof name !== 'string' || name === '') return id;
  // eslint-disable-next-line no-control-regex
  const safe = name.replace(/[/\\\u0000-\u001f\u007f]/g, '_');
  return /^\.{1,2}$|^[A-Za-z]:/.test(safe) ? safe.replace(/^\.{1,2}$/, '_').replace(/:/, '_') : safe;
}

function modifiedOf({ properties }: GraphNode): number {
  const { fileModificationDate, lastModifiedDate } = properties;
  if (typeof fileModificationDate === 'number') return fileModificationDate;
  return typeof lastModifiedDate === 'number' ? lastModifiedDate : Date.now();
}
