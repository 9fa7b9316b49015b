/** The tree of files and folders: the way up, and how something gets into a folder (docs/interface/files.md 1.5). */
import type { GraphNode } from '../../graph/index.js';
import type { Reading } from '../model/schema.js';
import { typesOf } from '../model/lookup.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';

/** Folders above a file that are looked at; a cycle cannot hang anybody. */
export const DEEPEST_TREE = 256;

/** The folder that a file or folder lies in; undefined: at the root of the tree. */
export async function folderOf({ tx, schema }: Reading, id: string): Promise<GraphNode | undefined> {
  const step = { relType: 'CONTAINS', direction: 'in', ...typesOf(schema, 'Folder') } as const;
  return (await tx.related([id], step, 1))[0]?.[0];
}

/** A file or folder and the folders above it, whoever may see them. */
export async function* upwards(reading: Reading, from: GraphNode | undefined): AsyncGenerator<GraphNode> {
  let at = from;
  for (let depth = 0; depth < DEEPEST_TREE && at !== undefined; depth++) {
    yield at;
    at = at.properties['hasParent'] === false ? undefined : await folderOf(reading, at.id);
  }
}

/** Names on the way from the root of the tree to a file or folder, its own among them. */
export async function namesTo(reading: Reading, node: GraphNode | undefined): Promise<string[]> {
  const names: string[] = [];
  for await (const { id, properties } of upwards(reading, node)) {
    names.unshift(typeof properties['name'] === 'string' ? properties['name'] : id);
  }
  return names;
}

/** Puts what lies in no folder into one. */
export async function putInto(
  objects: ObjectTransaction,
  folder: string,
  node: string,
  trait: 'File' | 'Folder',
): Promise<void> {
  await objects.tx.createRelationship({
    id: objects.newId(),
    type: `FolderCONTAINS${trait}`,
    relType: 'CONTAINS',
    sourceId: folder,
    targetId: node,
    properties: {},
  });
}
