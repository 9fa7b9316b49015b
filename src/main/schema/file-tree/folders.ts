/** Folders that the service makes itself: nobody's, and seen by nobody, unless it says otherwise (docs/interface/files.md 3.4). */
import type { GraphNode, PropertyMap, ReadTransaction } from '../../graph/index.js';
import { SchemaError } from '../model/errors.js';
import { mustBeShortName } from './file-name.js';
import { placeOf } from './place.js';
import type { Schema, Reading } from '../model/schema.js';
import { typesOf } from '../model/lookup.js';
import { giveTo } from '../rights/ownership.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';
import { putInto } from './tree.js';

/** What has this name in a folder (`undefined`: at the root of the tree), whoever may see it. */
export async function childAt(
  tx: ReadTransaction,
  schema: Schema,
  folder: string | undefined,
  name: string,
  trait: 'AbstractFile' | 'Folder' = 'AbstractFile',
): Promise<GraphNode | undefined> {
  const found = await tx.find({
    kind: 'nodes',
    trait,
    ...typesOf(schema, trait),
    where: { op: 'equals', key: 'place', value: placeOf(folder, name) },
    limit: 1,
  });
  return found[0];
}

/** The folder of this name in another; `parent` undefined: at the root of the tree. */
export function folderAt(
  { tx, schema }: Reading,
  parent: GraphNode | undefined,
  name: string,
): Promise<GraphNode | undefined> {
  return childAt(tx, schema, parent?.id, name, 'Folder');
}

/** Creates a folder. `owner`: id of the user whose it is. */
export async function createFolder(
  objects: ObjectTransaction,
  parent: GraphNode | undefined,
  name: string,
  flags: PropertyMap = {},
  owner?: string,
): Promise<GraphNode> {
  const { tx, schema } = objects;
  mustBeShortName(name, objects.options.longestFileName);
  const properties: Record<string, string | number | boolean> = {
    hasParent: parent !== undefined,
    place: placeOf(parent?.id, name),
  };
  objects.stamp(properties, true);
  const node = await tx.createNode({
    id: objects.newId(),
    type: 'Folder',
    traits: schema.type('Folder')?.traits ?? [],
    properties: { ...flags, ...properties, name },
  });
  if (parent !== undefined) await putInto(objects, parent.id, node.id, 'Folder');
  if (owner !== undefined) await giveTo(objects, node, owner);
  return node;
}

/** Longest path of folders that is made. */
const MOST_SEGMENTS = 255;

/**
 * The folder with this path; what is missing of it is made, with these flags. Dots, double and trailing slashes mean nothing. Throws
 * `SchemaError` where a file lies, or for what can be no name.
 */
export async function ensureFolders(
  objects: ObjectTransaction,
  path: string,
  flags: PropertyMap = {},
): Promise<GraphNode | undefined> {
  let folder: GraphNode | undefined;
  for (const name of namesIn(path)) {
    folder = (await freeOrFolder(objects, folder, name)) ?? (await createFolder(objects, folder, name, flags));
  }
  return folder;
}

/**
 * The same for a user, with his rights: folders that are made are his, and go into those that he may write. Throws `SchemaError`,
 * kind `forbidden`, too.
 */
export async function makeFolders(objects: ObjectTransaction, path: string): Promise<GraphNode | undefined> {
  const { actor } = objects;
  const owner = actor.skipsSecurity ? undefined : actor.id;
  const made = new Set<string>();
  const mayMakeIn = async (folder: GraphNode): Promise<boolean> =>
    made.has(folder.id) || (await objects.may('write', folder));
  let folder: GraphNode | undefined;
  for (const name of namesIn(path)) {
    const found = await freeOrFolder(objects, folder, name);
    if (found === undefined) {
      if (folder !== undefined && !(await mayMakeIn(folder))) throw forbidden();
      folder = await createFolder(objects, folder, name, {}, owner);
      made.add(folder.id);
    } else folder = found;
  }
  if (folder !== undefined && !made.has(folder.id) && !(await objects.may('read', folder))) throw forbidden();
  return folder;
}

/** Names no folder: whoever is told this may not see it. */
function forbidden(): SchemaError {
  return new SchemaError('This path leads to folders that may not be read, or not be written.', [], 'forbidden');
}

/** Throws what `ensureFolders` would, and makes nothing. */
export async function checkFolders(reading: Reading, path: string): Promise<void> {
  let folder: GraphNode | undefined;
  for (const name of namesIn(path)) {
    folder = await freeOrFolder(reading, folder, name);
    if (folder === undefined) return;
  }
}

function namesIn(path: string): string[] {
  const names = segmentsOf(path);
  if (names.length > MOST_SEGMENTS) throw notAPath('too_long', `more than ${String(MOST_SEGMENTS)} folders`);
  if (path.includes('\0')) throw notAPath('must_match', 'a character that no name has');
  return names;
}

/** The folder of this name; undefined: nothing has it. */
async function freeOrFolder(
  reading: Reading,
  parent: GraphNode | undefined,
  name: string,
): Promise<GraphNode | undefined> {
  const folder = await folderAt(reading, parent, name);
  if (folder !== undefined) return folder;
  const file = await childAt(reading.tx, reading.schema, parent?.id, name);
  if (file !== undefined) throw notAPath('already_taken', `${name} is a file`);
  return undefined;
}

function notAPath(token: string, detail: string): SchemaError {
  return new SchemaError(`The path of a folder cannot be made: ${detail}.`, [
    { type: 'Folder', property: 'path', token, detail },
  ]);
}

/** Names of a path, without those that mean nothing. */
export function segmentsOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.' && name !== '..');
}
