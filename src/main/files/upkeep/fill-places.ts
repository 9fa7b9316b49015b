/** Files and folders from before they had a `place` get one, in the background of a start (docs/design/docs/interface/files.md 2). */
import type { GraphNode } from '../../graph/index.js';
import { ALLOW_ALL, SYSTEM, typesOf } from '../../schema/index.js';
import { logger } from '../../../shared/log.js';
import type { FilesParts } from '../context.js';
import { byItself } from '../writing.js';

const log = logger('files.tree');

const BATCH = 200;

/** Resolves when all have one that can have one. */
export async function fillPlaces(parts: FilesParts, stopped: () => boolean): Promise<void> {
  let filled = 0;
  let left = 0;
  while (!stopped()) {
    const nodes = await without(parts, left);
    if (nodes.length === 0) break;
    try {
      await touch(parts, nodes);
      filled += nodes.length;
    } catch {
      // One by one, to leave those alone that cannot be what they are.
      for (const node of nodes) {
        try {
          await touch(parts, [node]);
          filled++;
        } catch (error) {
          left++;
          log.warn(`${node.type}(${node.id}) is reached by no path: ${error instanceof Error ? error.message : ''}`);
        }
      }
    }
  }
  if (filled > 0) log.info(`${String(filled)} files and folders have their place in the tree now`);
}

function without({ graph, schemas }: FilesParts, offset: number): Promise<GraphNode[]> {
  return graph.read((tx) =>
    tx.find({
      kind: 'nodes',
      trait: 'AbstractFile',
      ...typesOf(schemas.schema, 'AbstractFile'),
      where: { op: 'isNull', key: 'place' },
      offset,
      limit: BATCH,
    }),
  );
}

function touch(parts: FilesParts, nodes: readonly GraphNode[]): Promise<void> {
  return parts.schemas.write(SYSTEM, ALLOW_ALL, byItself('places of files', parts), (objects) => {
    for (const { id } of nodes) objects.touch(id);
    return Promise.resolve();
  });
}
