/** Folders that the service makes itself: nobody's, and seen by nobody, unless it says otherwise (files.md 3.4). */
import type { GraphNode, PropertyMap, ReadTransaction } from '../../graph/index.js';
import { SchemaError } from '../errors.js';
import { placeOf } from '../rules/abstract-file.js';
import { typesOf, type Schema } from '../schema.js';
import type { ObjectTransaction } from './transaction.js';

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
  { tx, schema }: { readonly tx: ReadTransaction; readonly schema: Schema },
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
  if (parent !== undefined) {
    await tx.createRelationship({
      id: objects.newId(),
      type: 'FolderCONTAINSFolder',
      relType: 'CONTAINS',
      sourceId: parent.id,
      targetId: node.id,
      properties: {},
    });
  }
  if (owner !== undefined) await objects.give(node, owner);
  return node;
}

/** Longest path of folders that is made. */
const MOST_SEGMENTS = 255;

/**
 * The folder with this path; what is missing of it is made. Dots, double and trailing slashes mean nothing. Throws
 * `SchemaError` where a file lies, or for what can be no name.
 */
export async function ensureFolders(objects: ObjectTransaction, path: string): Promise<GraphNode | undefined> {
  let folder: GraphNode | undefined;
  const names = segmentsOf(path);
  if (names.length > MOST_SEGMENTS) throw notAPath('too_long', `more than ${String(MOST_SEGMENTS)} folders`);
  for (const name of names) {
    folder = (await folderAt(objects, folder, name)) ?? (await newFolder(objects, folder, name));
  }
  return folder;
}

async function newFolder(objects: ObjectTransaction, parent: GraphNode | undefined, name: string): Promise<GraphNode> {
  if (name.includes('\0')) throw notAPath('must_match', 'a character that no name has');
  const file = await childAt(objects.tx, objects.schema, parent?.id, name);
  if (file !== undefined) throw notAPath('already_taken', `${name} is a file`);
  return createFolder(objects, parent, name);
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
