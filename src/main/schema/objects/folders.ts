/** Folders that the service makes itself: nobody's, and seen by nobody, unless it says otherwise (files.md 3.4). */
import type { GraphNode, PropertyMap, ReadTransaction } from '../../graph/index.js';
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
  { tx, schema }: ObjectTransaction,
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
const MOST_SEGMENTS = 256;

/** The folder with this path; what is missing of it is made. Dots, double and trailing slashes mean nothing. */
export async function ensureFolders(objects: ObjectTransaction, path: string): Promise<GraphNode | undefined> {
  let folder: GraphNode | undefined;
  for (const name of segmentsOf(path).slice(0, MOST_SEGMENTS)) {
    folder = (await folderAt(objects, folder, name)) ?? (await createFolder(objects, folder, name));
  }
  return folder;
}

/** Names of a path, without those that mean nothing. */
export function segmentsOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.' && name !== '..');
}
