/** Files and folders that are in the tree because they were found elsewhere: on the disk, in an archive. */
import { newId, type GraphNode, type PropertyChanges } from '../../graph/index.js';
import { ALLOW_ALL, SYSTEM, typesOf, withoutNulls, type ObjectTransaction } from '../../schema/index.js';
import type { FilesContext } from '../context.js';

/** What was found. */
export interface Found {
  readonly name: string;
  readonly isFolder: boolean;
  readonly contentType: string;
  /** Properties that the service gives it, its place among them. */
  readonly facts: PropertyChanges;
}

/** Puts something into a folder of the tree, of the type that the folder it is mounted at asks for. */
export async function createFound(
  objects: ObjectTransaction,
  root: GraphNode,
  folder: string,
  { name, isFolder, contentType, facts }: Found,
): Promise<GraphNode | undefined> {
  const media = contentType.startsWith('image/') ? 'Image' : contentType.startsWith('video/') ? 'VideoFile' : 'File';
  const wanted = root.properties[isFolder ? 'mountTargetFolderType' : 'mountTargetFileType'];
  const trait = isFolder ? 'Folder' : 'File';
  const named = typeof wanted === 'string' ? objects.schema.type(wanted) : undefined;
  const type = named?.hasTrait(trait) === true ? named : objects.schema.type(isFolder ? 'Folder' : media);
  if (type === undefined) return undefined;
  const properties = { ...withoutNulls(facts), isExternal: true, hasParent: true, lastSeenMounted: Date.now() };
  const input = isFolder ? { name } : { name, contentType, version: 1 };
  const node = await objects.create(type, input, { id: newId(objects.options.compactIds), properties });
  await objects.tx.createRelationship({
    id: objects.newId(),
    type: `FolderCONTAINS${trait}`,
    relType: 'CONTAINS',
    sourceId: folder,
    targetId: node.id,
    properties: {},
  });
  return node;
}

/**
 * Takes all that was found below a folder out of the tree, and nothing from where it was found. `leaves` is told of each.
 * Returns how many there were.
 */
export async function leaveTree(
  { graph, schemas, write }: FilesContext,
  root: string,
  leaves: (id: string) => void,
): Promise<number> {
  const types = typesOf(schemas.schema, 'AbstractFile');
  let count = 0;
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const where = { op: 'startsWith', key: 'mountPlace', value: `${folder}/` } as const;
    const inside = await graph.read((tx) => tx.find({ kind: 'nodes', trait: 'AbstractFile', ...types, where }));
    for (const node of inside) {
      if (schemas.schema.typeOf(node).hasTrait('Folder')) folders.push(node.id);
      leaves(node.id);
      await schemas.write(SYSTEM, ALLOW_ALL, write(), async (objects) => {
        const now = await objects.tx.node(node.id);
        if (now !== undefined) await objects.delete(now);
      });
      count++;
    }
  }
  return count;
}
