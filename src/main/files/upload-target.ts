/** Where an upload goes, and who may send it there (files.md 3.4). */
import type { Config } from '../config/index.js';
import type { GraphNode, ReadTransaction } from '../graph/index.js';
import { HttpError } from '../http/index.js';
import {
  allowed,
  ensureFolders,
  ensureHome,
  folderAt,
  segmentsOf,
  typesOf,
  type Actor,
  type ObjectAccess,
  type ObjectTransaction,
  type Schema,
} from '../schema/index.js';
import { checksumNames, type ChecksumName } from './checksums.js';
import type { FilesContext } from './context.js';
import { PARENTS, parentIn, type Fields } from './upload-fields.js';

const DEFAULT_FOLDER = '/._svc_uploads';
const DEEPEST = 256;
const ABOUT_FOLDER = [...PARENTS, 'uploadFolderPath'];

/** Path of the folder for uploads that name none, normalised; never the root. */
export function uploadsFolder(config: Config): string {
  const names = segmentsOf(config.get('application.uploads.folder'));
  return names.length === 0 ? DEFAULT_FOLDER : `/${names.join('/')}`;
}

/** Checksums that the settings ask for. */
export function checksumsIn(config: Config): ChecksumName[] {
  return checksumNames(config.get('application.filesystem.checksums.default').join(' '));
}

/** The folder that an upload's fields ask for. Throws `HttpError` 403 and 404. */
export async function targetFolder(
  objects: ObjectTransaction,
  { config }: FilesContext,
  fields: Fields,
): Promise<GraphNode | undefined> {
  const parent = await parentIn(fields);
  if (parent !== undefined) return namedFolder(objects, config, parent);
  const path = pathIn(fields);
  if (path !== undefined) return folderByPath(objects, config, path);
  const { actor } = objects;
  if (hasHome(config, actor)) return ensureHome(objects, actor.id);
  return ensureFolders(objects, uploadsFolder(config));
}

function pathIn(fields: Fields): string | undefined {
  const path = fields.get('uploadFolderPath') ?? '';
  return path === '' ? undefined : path;
}

function hasHome(config: Config, actor: Actor): actor is Actor & { id: string } {
  return config.get('application.filesystem.enabled') && actor.id !== undefined && !actor.isAdmin;
}

async function namedFolder(objects: ObjectTransaction, config: Config, id: string): Promise<GraphNode> {
  const node = await objects.tx.node(id);
  const isFolder = node !== undefined && objects.schema.typeOf(node).hasTrait('Folder');
  if (!isFolder || !(await objects.may('read', node))) throw new HttpError(404, `No folder with UUID ${id} found.`);
  if (await objects.may('write', node)) return node;
  const { actor } = objects;
  const open = [await byPath(objects, uploadsFolder(config))];
  if (hasHome(config, actor)) open.push(await ensureHome(objects, actor.id));
  if (!(await isBelow(objects, node, open))) {
    throw new HttpError(403, `You may not write to the folder with UUID ${id}.`);
  }
  return node;
}

async function folderByPath(
  objects: ObjectTransaction,
  config: Config,
  path: string,
): Promise<GraphNode | undefined> {
  const { actor } = objects;
  if (actor.id === undefined) throw new HttpError(403, 'Log in to choose the folder of an upload.');
  const wanted = `/${segmentsOf(path).join('/')}/`;
  const bases = [uploadsFolder(config)];
  if (hasHome(config, actor)) bases.push(`/home/${actor.id}`);
  if (!bases.some((base) => wanted.startsWith(`${base}/`))) {
    throw new HttpError(403, `Uploads may go to ${bases.join(' and ')} and below, not to ${path}.`);
  }
  if (hasHome(config, actor)) await ensureHome(objects, actor.id);
  return ensureFolders(objects, wanted);
}

async function byPath(objects: ObjectTransaction, path: string): Promise<GraphNode | undefined> {
  const folders = await foldersAt(objects, path);
  return folders.length === segmentsOf(path).length ? folders.at(-1) : undefined;
}

/** The folders of a path from the root on, as far as they are there. */
async function foldersAt(graph: Reading, path: string): Promise<GraphNode[]> {
  const folders: GraphNode[] = [];
  for (const name of segmentsOf(path).slice(0, DEEPEST)) {
    const folder = await folderAt(graph, folders.at(-1), name);
    if (folder === undefined) break;
    folders.push(folder);
  }
  return folders;
}

async function isBelow(
  objects: ObjectTransaction,
  folder: GraphNode,
  tops: readonly (GraphNode | undefined)[],
): Promise<boolean> {
  for await (const above of upwards(objects, folder)) if (tops.some((top) => top?.id === above.id)) return true;
  return false;
}

/** What a read of the tree needs. */
interface Reading {
  readonly tx: ReadTransaction;
  readonly schema: Schema;
}

/** A file or folder and the folders above it. */
async function* upwards({ tx, schema }: Reading, from: GraphNode | undefined): AsyncGenerator<GraphNode> {
  const step = { relType: 'CONTAINS', direction: 'in', ...typesOf(schema, 'Folder') } as const;
  let at = from;
  for (let depth = 0; depth < DEEPEST && at !== undefined; depth++) {
    yield at;
    at = at.properties['hasParent'] === false ? undefined : (await tx.related([at.id], step, 1))[0]?.[0];
  }
}

/** Checksums of content that lies in a folder, or of a file: the nearest folder that says something counts (files.md 6). */
export async function checksumsOf(
  graph: Reading,
  config: Config,
  node: GraphNode | undefined,
): Promise<readonly ChecksumName[]> {
  for await (const { properties } of upwards(graph, node)) {
    const { enabledChecksums } = properties;
    if (typeof enabledChecksums === 'string') return checksumNames(enabledChecksums);
  }
  return checksumsIn(config);
}

/**
 * The folder that an upload will most likely go to, to know beforehand how its content is treated: the folder itself, or
 * the nearest above that is there. Whether the actor may is not asked.
 */
export async function likelyFolder(
  graph: Reading,
  config: Config,
  actor: Actor,
  fields: Fields,
): Promise<GraphNode | undefined> {
  const parent = await parentIn(fields);
  if (parent !== undefined) return graph.tx.node(parent);
  const path = pathIn(fields);
  if (path === undefined && hasHome(config, actor)) {
    const [homes = []] = await graph.tx.related([actor.id], { relType: 'HOME_DIR', direction: 'out' }, 1);
    return homes[0];
  }
  return (await foldersAt(graph, path ?? uploadsFolder(config))).at(-1);
}

/** The checksums that files of an upload will get, as far as the fields that have come so far tell. */
export class LikelyChecksums {
  #names: Promise<readonly ChecksumName[]> | undefined;
  #of = '';

  constructor(
    private readonly context: FilesContext,
    private readonly actor: Actor,
    private readonly fields: Fields,
  ) {}

  now(): Promise<readonly ChecksumName[]> {
    const { config, graph, schemas } = this.context;
    const of = JSON.stringify(ABOUT_FOLDER.map((name) => this.fields.get(name)));
    if (this.#names === undefined || this.#of !== of) {
      this.#of = of;
      this.#names = graph.read(async (tx) => {
        const reading = { tx, schema: schemas.schema };
        return checksumsOf(reading, config, await likelyFolder(reading, config, this.actor, this.fields));
      });
    }
    return this.#names;
  }
}

/** The file whose content the actor may replace. Throws `HttpError` 404, 403, and 422 for what is no file. */
export async function mayReplace(
  { tx, schema }: Reading,
  actor: Actor,
  access: ObjectAccess,
  id: string,
): Promise<GraphNode> {
  const node = await tx.node(id);
  const isFile = node !== undefined && schema.typeOf(node).hasTrait('File');
  // Of a file the answer is the same whether he sees it or not (files.md 3.5); of other objects nothing is told.
  if (node === undefined || (!isFile && !(await allowed(tx, access, 'read', node)))) {
    throw new HttpError(404, `No file with UUID ${id} found.`);
  }
  if (!isFile) throw new HttpError(422, `The object with UUID ${id} is no file.`);
  if (!(await allowed(tx, access, 'write', node))) {
    throw new HttpError(403, `You may not write to the file with UUID ${id}.`);
  }
  // Its content is run with the rights of whoever asks for it.
  if (node.properties['isTemplate'] === true && !actor.isAdmin) {
    throw new HttpError(403, 'Only administrators may write to files whose content is evaluated.');
  }
  return node;
}
