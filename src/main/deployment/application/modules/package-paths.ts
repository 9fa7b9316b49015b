/** Where packages of flows lie. */
import type { GraphNode, ReadTransaction } from '../../../graph/index.js';
import { typesOf, type Schema } from '../../../schema/index.js';

/** The names of packages and all above them, by the id. */
export async function packagePaths(
  { tx, schema }: { readonly tx: ReadTransaction; readonly schema: Schema },
  nodes: readonly GraphNode[],
): Promise<Map<string, readonly string[]>> {
  const parents = await tx.related(
    nodes.map(({ id }) => id),
    { relType: 'CONTAINS_PACKAGE', direction: 'in', ...typesOf(schema, 'FlowContainerPackage') },
    1,
  );
  const above = new Map(nodes.map(({ id }, i) => [id, parents[i]?.[0]?.id]));
  const names = new Map(nodes.map(({ id, properties }) => [id, String(properties['name'])]));
  const paths = new Map<string, readonly string[]>();
  for (const { id } of nodes) {
    const path: string[] = [];
    const seen = new Set<string>();
    for (let at: string | undefined = id; at !== undefined && !seen.has(at); at = above.get(at)) {
      seen.add(at);
      path.unshift(names.get(at) ?? '');
    }
    paths.set(id, path);
  }
  return paths;
}
