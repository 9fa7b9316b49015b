/** `path` of files and folders, as far as the one who asks sees the folders above (docs/interface/files.md 1.5). */
import type { GraphEntity, GraphNode } from '../../graph/index.js';
import { readable } from '../model/actor.js';
import { childAt, segmentsOf } from '../file-tree/folders.js';
import { folderOf } from '../file-tree/tree.js';
import type { ComputeContext, SearchContext, Computed } from '../model/schema.js';

/** Folders above a file or folder end a path after this many; a cycle cannot hang a request. */
const MAX_DEPTH = 256;

function nameOf(entity: GraphEntity): string {
  const { name } = entity.properties;
  return typeof name === 'string' ? name : entity.id;
}

export async function filePath(entity: GraphEntity, { tx, schema, access }: ComputeContext): Promise<Computed> {
  let path = `/${nameOf(entity)}`;
  let at = entity;
  for (let depth = 0; depth < MAX_DEPTH && at.properties['hasParent'] === true; depth++) {
    const above = await folderOf({ tx, schema }, at.id);
    const [folder] = above === undefined ? [] : await readable(tx, access, [above]);
    if (folder === undefined) break;
    path = `/${nameOf(folder)}${path}`;
    at = folder;
  }
  return { json: path };
}

/** The file or folder at a path, when it and every folder above may be read. Slashes too many mean nothing. */
export async function filesAt(path: string, { tx, schema, access }: SearchContext): Promise<readonly string[]> {
  let above: string | undefined;
  const names = segmentsOf(path);
  if (names.length > MAX_DEPTH) return [];
  for (const name of names) {
    const found: GraphNode | undefined = await childAt(tx, schema, above, name);
    const [node] = found === undefined ? [] : await readable(tx, access, [found]);
    if (node === undefined) return [];
    above = node.id;
  }
  return above === undefined ? [] : [above];
}
