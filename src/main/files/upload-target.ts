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

const DEFAULT_FOLDER = '/._svc_uploads';
const DEEPEST = 256;

/** Path of the folder for uploads that name none, normalised; never the root. */
export function uploadsFolder(config: Config): string {
  const names = segmentsOf(config.get('application.uploads.folder'));
  return names.length === 0 ? DEFAULT_FOLDER : `/${names.join('/')}`;
}

/** Checksums that new content gets. */
export function checksumsIn(config: Config): ChecksumName[] {
  return checksumNames(config.get('application.filesystem.checksums.default').join(' '));
}

/** The folder that an upload's fields ask for. Throws `HttpError` 403 and 404. */
export async function targetFolder(
  objects: ObjectTransaction,
  { config }: FilesContext,
  fields: ReadonlyMap<string, string>,
): Promise<GraphNode | undefined> {
  const parent = fields.get('parentId') ?? fields.get('parent');
  const path = fields.get('uploadFolderPath');
  if (parent !== undefined && parent !== '') return namedFolder(objects, config, parent.replace(/^"(.*)"$/, '$1'));
  if (path !== undefined && path !== '') return folderByPath(objects, config, path);
  const { actor } = objects;
  if (hasHome(config, actor)) return ensureHome(objects, actor.id);
  return ensureFolders(objects, uploadsFolder(config));
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
  let folder: GraphNode | undefined;
  for (const name of segmentsOf(path)) {
    folder = await folderAt(objects, folder, name);
    if (folder === undefined) return undefined;
  }
  return folder;
}

async function isBelow(
  { tx, schema }: ObjectTransaction,
  folder: GraphNode,
  tops: readonly (GraphNode | undefined)[],
): Promise<boolean> {
  const step = { relType: 'CONTAINS', direction: 'in', ...typesOf(schema, 'Folder') } as const;
  let at: GraphNode | undefined = folder;
  for (let depth = 0; depth < DEEPEST && at !== undefined; depth++) {
    const id: string = at.id;
    if (tops.some((top) => top?.id === id)) return true;
    at = (await tx.related([id], step, 1))[0]?.[0];
  }
  return false;
}

/** Throws `HttpError` when the actor may not replace the content of this object, which he may read. */
export async function mayReplace(
  tx: ReadTransaction,
  schema: Schema,
  actor: Actor,
  access: ObjectAccess,
  node: GraphNode,
): Promise<void> {
  if (!schema.typeOf(node).hasTrait('File')) throw new HttpError(422, `The object with UUID ${node.id} is no file.`);
  if (!(await allowed(tx, access, 'write', node))) {
    throw new HttpError(403, `You may not write to the file with UUID ${node.id}.`);
  }
  // Its content is run with the rights of whoever asks for it.
  if (node.properties['isTemplate'] === true && !actor.isAdmin) {
    throw new HttpError(403, 'Only administrators may write to files whose content is evaluated.');
  }
}
