/** Files and folders that are in the tree because they were found elsewhere: on the disk, in an archive. */
import { newId, type GraphNode, type PropertyChanges } from '../../graph/index.js';
import { ALLOW_ALL, putInto, SYSTEM, typesOf, withoutNulls, type ObjectTransaction } from '../../schema/index.js';
import { typeNameFor } from '../content/content-type.js';
import type { FilesContext } from '../context.js';
import { byItself } from '../writing.js';

/** Files and folders that leave the tree in one transaction. */
export const LEAVE_BATCH = 50;

/** What a file or folder is that lies in a mounted directory, now that this was seen. */
export function seenNow(): { isExternal: true; lastSeenMounted: number } {
  return { isExternal: true, lastSeenMounted: Date.now() };
}

/** What it is when it lies there no more. */
export const NOT_MOUNTED = { isExternal: false, mountPlace: null, lastSeenMounted: null } as const;

/** The name in a place (`mountPlace`). */
export function nameIn(place: unknown): string {
  const text = String(place);
  return text.slice(text.indexOf('/') + 1);
}

/** Whether something of the tree is a folder. */
export function isFolder({ schemas }: FilesContext, node: GraphNode): boolean {
  return schemas.schema.typeOf(node).hasTrait('Folder');
}

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
  const wanted = root.properties[isFolder ? 'mountTargetFolderType' : 'mountTargetFileType'];
  const trait = isFolder ? 'Folder' : 'File';
  const named = typeof wanted === 'string' ? objects.schema.type(wanted) : undefined;
  const type =
    named?.hasTrait(trait) === true ? named : objects.schema.type(isFolder ? 'Folder' : typeNameFor(contentType));
  if (type === undefined) return undefined;
  const indexed = !isFolder && root.properties['mountDoFulltextIndexing'] === true ? { indexed: true } : {};
  const properties = { ...withoutNulls(facts), ...seenNow(), ...indexed, hasParent: true };
  const input = isFolder ? { name } : { name, contentType, version: 1 };
  const node = await objects.create(type, input, { id: newId(objects.options.compactIds), properties });
  await putInto(objects, folder, node.id, trait);
  return node;
}

/** Who is told that something leaves the tree, and not the disk. */
export interface LeavingListener {
  leavesTree(id: string): void;
  /** It did not leave after all. */
  staysInTree(id: string): void;
}

/** Takes all that was found below a folder out of the tree, and nothing from where it was found. Returns how many there were. */
export async function leaveTree(context: FilesContext, root: string, listener?: LeavingListener): Promise<number> {
  const { graph, schemas } = context;
  const types = typesOf(schemas.schema, 'AbstractFile');
  let count = 0;
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const where = { op: 'startsWith', key: 'mountPlace', value: `${folder}/` } as const;
    for (;;) {
      const query = { kind: 'nodes', trait: 'AbstractFile', ...types, where, limit: LEAVE_BATCH } as const;
      const inside = await graph.read((tx) => tx.find(query));
      if (inside.length === 0) break;
      const ids = inside.map(({ id }) => id);
      for (const node of inside) if (isFolder(context, node)) folders.push(node.id);
      for (const id of ids) listener?.leavesTree(id);
      try {
        await schemas.write(SYSTEM, ALLOW_ALL, byItself('mounted directory', context), async (objects) => {
          for (const now of await objects.tx.nodes(ids)) if (now !== undefined) await objects.delete(now);
        });
      } catch (error) {
        for (const id of ids) listener?.staysInTree(id);
        throw error;
      }
      count += inside.length;
    }
  }
  return count;
}
