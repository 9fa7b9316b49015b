/** Many objects, written into the database of a server that does not run: over REST a million of them take minutes. */
import { join } from 'node:path';
import { newId, openSqliteGraph, type PropertyMap } from '../../src/main/graph/index.js';

const AT_ONCE = 20_000;

/** `properties`: as they are stored. */
export async function seed(
  folder: string,
  type: string,
  count: number,
  properties: (i: number) => PropertyMap,
): Promise<void> {
  const graph = await openSqliteGraph({ path: join(folder, 'db') });
  try {
    for (let made = 0; made < count; made += AT_ONCE) {
      await graph.write(
        async (tx) => {
          for (let i = made; i < Math.min(count, made + AT_ONCE); i++)
            await tx.createNode({ id: newId(), type, properties: properties(i) });
        },
        { timeout: 60_000 },
      );
    }
  } finally {
    await graph.close();
  }
}
