/** Where an upload goes, and who may send it there (docs/interface/files.md 3.4). */
import type { Config } from '../../config/index.js';
import type { GraphNode } from '../../graph/index.js';
import { HttpError } from '../../http/index.js';
import {
  allowed,
  DEEPEST_TREE,
  checkFolders,
  ensureFolders,
  ensureHome,
  folderAt,
  segmentsOf,
  upwards,
  type Actor,
  type ObjectAccess,
  type ObjectTransaction,
  type Reading,
} from '../../schema/index.js';
import { checksumNames, type ChecksumName } from '../content/checksums.js';
import type { FilesContext } from '../context.js';
import type { Looking } from '../tree/looking.js';
import { parentIn, type Fields } from './upload-fields.js';

const DEFAULT_FOLDER = '/._svc_uploads';
const MB = 1024 * 1024;

/** Path of the folder for uploads that name none, normalised; never the root. */
export function uploadsFolder(config: Config): string {
  const names = segmentsOf(config.get('application.uploads.folder'));
  return names.length === 0 ? DEFAULT_FOLDER : `/${names.join('/')}`;
}

/** Bytes that the content of a file may have, as the settings say. */
export function largestFile(config: Config): number {
  return config.get('uploadservlet.maxfilesize') * MB;
}

/** Checksums that the settings ask for. */
export function checksumsIn(config: Config): ChecksumName[] {
  return checksumNames(config.get('application.filesystem.checksums.default').join(' '));
}

/** The folder that an upload's fields ask for; undefined: the root of the tree. Throws `HttpError` 403 and 404. */
export async function targetFolder(
  objects: ObjectTransaction,
  { config }: FilesContext,
  fields: Fields,
): Promise<GraphNode | undefined> {
  const { actor } = objects;
  const parent = await parentIn(fields);
  if (parent === null) return undefined;
  if (parent !== undefined) return namedFolder(objects, config, actor, parent);
  const path = pathIn(fields);
  const wanted = path === undefined ? undefined : permittedPath(config, actor, path);
  if (hasHome(config, actor)) {
    const home = await ensureHome(objects, actor.id);
    if (wanted === undefined) return home;
  }
  return ensureFolders(objects, wanted ?? uploadsFolder(config));
}

/** Throws what `targetFolder` would because of a folder that the fields name, and makes nothing. */
export async function checkTarget(looking: Looking, config: Config, actor: Actor, fields: Fields): Promise<void> {
  const parent = await parentIn(fields);
  const path = pathIn(fields);
  if (parent !== undefined && parent !== null) await namedFolder(looking, config, actor, parent);
  else if (parent === undefined && path !== undefined) await checkFolders(looking, permittedPath(config, actor, path));
}

/**
 * Addresses at the root are those of the site (`/robots.txt`), and uploads need no permission. So the root is for who may make files by JSON, which
 * leaves them there, and for nobody who is not logged in. Asked outside of transactions. Throws `HttpError` 403.
 */
export async function refuseRoot(
  { security }: Pick<FilesContext, 'security'>,
  actor: Actor,
  fields: Fields,
): Promise<void> {
  if ((await parentIn(fields)) !== null || actor.isSuperuser) return;
  if (actor.id === undefined) throw new HttpError(403, 'Log in to choose the folder of an upload.');
  if (!(await security.resourceAccess.permits(actor, 'File', 'POST')))
    throw new HttpError(403, 'You may not put files at the root: choose a folder.');
}

function pathIn(fields: Fields): string | undefined {
  const path = fields.get('uploadFolderPath') ?? '';
  return path === '' ? undefined : path;
}

function hasHome(config: Config, actor: Actor): actor is Actor & { id: string } {
  return config.get('application.filesystem.enabled') && actor.id !== undefined && !actor.isAdmin;
}

/** The home directory of a user who has one, as far as it is there. */
async function homeOf(reading: Reading, config: Config, actor: Actor): Promise<GraphNode | undefined> {
  if (!hasHome(config, actor)) return undefined;
  return (await reading.tx.related([actor.id], { relType: 'HOME_DIR', direction: 'out' }, 1))[0]?.[0];
}

/** Where a new file goes of a user who says nothing about that, as far as it is there (docs/interface/files.md 6). */
export async function ownFolderOf(reading: Reading, config: Config, actor: Actor): Promise<GraphNode | undefined> {
  if (!hasHome(config, actor)) return undefined;
  const [working] = await reading.tx.related([actor.id], { relType: 'WORKING_DIR', direction: 'out' }, 1);
  return working?.[0] ?? homeOf(reading, config, actor);
}

async function namedFolder(looking: Looking, config: Config, actor: Actor, id: string): Promise<GraphNode> {
  const node = await looking.tx.node(id);
  const isFolder = node !== undefined && looking.schema.typeOf(node).hasTrait('Folder');
  if (!isFolder || !(await looking.may('read', node))) throw new HttpError(404, `No folder with UUID ${id} found.`);
  if (await looking.may('write', node)) return node;
  const open = [await byPath(looking, uploadsFolder(config)), await homeOf(looking, config, actor)];
  if (!(await isBelow(looking, node, open))) {
    throw new HttpError(403, `You may not write to the folder with UUID ${id}.`);
  }
  return node;
}

/** The path, normalised, when uploads may go there. Throws `HttpError` 403. */
function permittedPath(config: Config, actor: Actor, path: string): string {
  if (actor.id === undefined) throw new HttpError(403, 'Log in to choose the folder of an upload.');
  const wanted = `/${segmentsOf(path).join('/')}/`;
  const bases = [uploadsFolder(config)];
  if (hasHome(config, actor)) bases.push(`/home/${actor.id}`);
  if (!bases.some((base) => wanted.startsWith(`${base}/`))) {
    throw new HttpError(403, `Uploads may go to ${bases.join(' and ')} and below, not to ${path}.`);
  }
  return wanted;
}

async function byPath(reading: Reading, path: string): Promise<GraphNode | undefined> {
  const folders = await foldersAt(reading, path);
  return folders.length === segmentsOf(path).length ? folders.at(-1) : undefined;
}

/** The folders of a path from the root on, as far as they are there. */
async function foldersAt(graph: Reading, path: string): Promise<GraphNode[]> {
  const folders: GraphNode[] = [];
  for (const name of segmentsOf(path).slice(0, DEEPEST_TREE)) {
    const folder = await folderAt(graph, folders.at(-1), name);
    if (folder === undefined) break;
    folders.push(folder);
  }
  return folders;
}

async function isBelow(
  reading: Reading,
  folder: GraphNode,
  tops: readonly (GraphNode | undefined)[],
): Promise<boolean> {
  for await (const above of upwards(reading, folder)) if (tops.some((top) => top?.id === above.id)) return true;
  return false;
}

/** Checksums of content that lies in a folder, or of a file: the nearest folder that says something counts (docs/interface/files.md 7). */
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
  if (parent === null) return undefined;
  if (parent !== undefined) return graph.tx.node(parent);
  const path = pathIn(fields);
  if (path === undefined && hasHome(config, actor)) return homeOf(graph, config, actor);
  return (await foldersAt(graph, path ?? uploadsFolder(config))).at(-1);
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
  // Of a file the answer is the same whether he sees it or not (docs/interface/files.md 3.5); of other objects nothing is told.
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
